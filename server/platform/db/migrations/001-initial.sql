-- Every table of the first release. Never edited: a store tells by the hash which file made it, and refuses another. What changes comes as a
-- file of its own, with the next number.

-- Accounts, people, credentials of every kind, agent registrations and the audit log.
CREATE TABLE accounts (
  id {id} PRIMARY KEY,
  name {text} NOT NULL,
  kind {text} NOT NULL,
  is_owner {int} UNIQUE,
  plan {text},
  merged_into {id},
  closed_at {int},
  created_at {int} NOT NULL
);

CREATE TABLE users (
  id {id} PRIMARY KEY,
  email {text} NOT NULL UNIQUE,
  name {text} NOT NULL,
  email_verified_at {int},
  password_hash {text},
  password_changed_at {int},
  disabled_at {int},
  created_at {int} NOT NULL
);

CREATE TABLE memberships (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  user_id {id} NOT NULL,
  role {text} NOT NULL,
  created_at {int} NOT NULL,
  UNIQUE (account_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE one_time_links (
  id {id} PRIMARY KEY,
  token_hash {text} NOT NULL UNIQUE,
  kind {text} NOT NULL,
  user_id {id},
  account_id {id},
  email {text},
  role {text},
  is_shown {int} NOT NULL,
  expires_at {int} NOT NULL,
  used_at {int},
  created_at {int} NOT NULL
);
CREATE INDEX one_time_links_by_account ON one_time_links (account_id, created_at);

CREATE TABLE sign_ins (
  id {id} PRIMARY KEY,
  id_hash {text} NOT NULL UNIQUE,
  user_id {id} NOT NULL,
  account_id {id} NOT NULL,
  seen_at {int} NOT NULL,
  reauth_at {int} NOT NULL,
  expires_at {int} NOT NULL,
  label {text} NOT NULL,
  ip_prefix {text} NOT NULL,
  ended_at {int},
  created_at {int} NOT NULL
);
CREATE INDEX sign_ins_by_user ON sign_ins (user_id, created_at);
CREATE INDEX sign_ins_ended ON sign_ins (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE kept_returns (
  id_hash {text} PRIMARY KEY,
  path {text} NOT NULL,
  expires_at {int} NOT NULL
);

CREATE TABLE credentials (
  id {id} PRIMARY KEY,
  hash {text} NOT NULL UNIQUE,
  kind {text} NOT NULL,
  last4 {text} NOT NULL,
  account_id {id} NOT NULL,
  user_id {id},
  registration_id {id},
  grant_id {id},
  client_id {text},
  name {text} NOT NULL,
  scopes {text} NOT NULL,
  expires_at {int},
  last_used_at {int},
  revoked_at {int},
  revoke_reason {text},
  replaced_by {id},
  created_at {int} NOT NULL
);
CREATE INDEX credentials_by_account ON credentials (account_id, created_at, id);
CREATE INDEX credentials_by_registration ON credentials (registration_id) WHERE registration_id IS NOT NULL;
CREATE INDEX credentials_by_grant ON credentials (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX credentials_expiring ON credentials (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX credentials_revoked ON credentials (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE registrations (
  id {id} PRIMARY KEY,
  kind {text} NOT NULL,
  client_name {text} NOT NULL,
  state {text} NOT NULL,
  scopes {text} NOT NULL,
  generation {int} NOT NULL,
  account_id {id} NOT NULL,
  agent_account_id {id} NOT NULL,
  owner_user_id {id},
  email_hint {text},
  issuer {text},
  subject {text},
  page_hash {text} NOT NULL UNIQUE,
  claim_hash {text},
  ip_prefix {text} NOT NULL,
  expires_at {int} NOT NULL,
  denied_at {int},
  claimed_at {int},
  claim_verified {int},
  revoked_at {int},
  created_at {int} NOT NULL
);
CREATE INDEX registrations_by_account ON registrations (account_id, created_at, id);
CREATE INDEX registrations_by_subject ON registrations (issuer, subject) WHERE issuer IS NOT NULL;
CREATE INDEX registrations_unclaimed ON registrations (expires_at) WHERE state = 'registered';

CREATE TABLE claim_attempts (
  id {id} PRIMARY KEY,
  registration_id {id} NOT NULL,
  code_hash {text} NOT NULL,
  tries {int} NOT NULL,
  approved_by {id} NOT NULL,
  target_account_id {id} NOT NULL,
  scopes {text},
  expires_at {int} NOT NULL,
  spent_at {int},
  void_at {int},
  created_at {int} NOT NULL
);
CREATE UNIQUE INDEX claim_attempts_open ON claim_attempts (registration_id) WHERE spent_at IS NULL AND void_at IS NULL;
CREATE INDEX claim_attempts_by_registration ON claim_attempts (registration_id, created_at);

CREATE TABLE audit (
  id {id} PRIMARY KEY,
  at {int} NOT NULL,
  account_id {id},
  actor_kind {text} NOT NULL,
  actor_id {id},
  action {text} NOT NULL,
  target_kind {text},
  target_id {text},
  ip_prefix {text},
  request_id {text},
  data {text}
);
CREATE INDEX audit_by_account ON audit (account_id, at, id);
CREATE INDEX audit_by_age ON audit (at);

-- Used on PostgreSQL alone, where the limiter makes it unlogged; one process counts in memory.
CREATE TABLE rate_limits (
  id {id} PRIMARY KEY,
  tat {int} NOT NULL,
  ok {int} NOT NULL
);
CREATE INDEX rate_limits_by_tat ON rate_limits (tat);

-- Signed assertions (ID-JAG): who may act for whom, and which assertions were used.
CREATE TABLE delegations (
  id {id} PRIMARY KEY,
  issuer {text} NOT NULL,
  subject {text} NOT NULL,
  user_id {id} NOT NULL,
  account_id {id} NOT NULL,
  scopes {text},
  revoked_at {int},
  created_at {int} NOT NULL,
  UNIQUE (issuer, subject)
);

CREATE TABLE assertion_ids (
  issuer {text} NOT NULL,
  jti {text} NOT NULL,
  expires_at {int} NOT NULL,
  PRIMARY KEY (issuer, jti)
);
CREATE INDEX assertion_ids_expiry ON assertion_ids (expires_at);

-- Sessions, the monthly quota and kept answers of repeated POSTs.
CREATE TABLE sessions (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  slug {text} NOT NULL UNIQUE,
  title {text} NOT NULL,
  description {text},
  mode {text} NOT NULL,
  status {text} NOT NULL,
  language {text} NOT NULL,
  language_from {text} NOT NULL,
  voice {text},
  pronunciations {text},
  presenter_name {text},
  portrait_key {text},
  tags {text} NOT NULL,
  discoverable {int} NOT NULL,
  cta_text {text},
  cta_url {text},
  cta_kind {text} NOT NULL,
  cta_rules {text} NOT NULL,
  consent_text {text},
  consent_version {int} NOT NULL,
  start_policy {text} NOT NULL,
  starts_at {int},
  embed_origins {text},
  moderation {text} NOT NULL,
  target_seconds {int},
  minutes_max {int},
  rehearsal_token {text} UNIQUE,
  deck_id {id},
  slides_count {int} NOT NULL,
  created_by_kind {text} NOT NULL,
  created_by_id {id} NOT NULL,
  event_seq {int} NOT NULL,
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  published_at {int},
  active_at {int} NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account_id, created_at, id);
CREATE INDEX sessions_discoverable ON sessions (active_at, id) WHERE status = 'published' AND discoverable = 1;

CREATE TABLE usage (
  account_id {id} NOT NULL,
  period {text} NOT NULL,
  sessions {int} NOT NULL,
  PRIMARY KEY (account_id, period)
);

CREATE TABLE spending (
  account_id {id} NOT NULL,
  day {text} NOT NULL,
  kind {text} NOT NULL,
  used {int} NOT NULL,
  told_at {int},
  PRIMARY KEY (account_id, day, kind)
);

CREATE TABLE idempotency (
  id {text} PRIMARY KEY,
  body_hash {text} NOT NULL,
  status {int} NOT NULL,
  response {text} NOT NULL,
  expires_at {int} NOT NULL
);
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

-- Deck versions with their slides, knowledge, compiled scripts, and (PostgreSQL) the blobs they show.
CREATE TABLE decks (
  id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  account_id {id} NOT NULL,
  version {int} NOT NULL,
  state {text} NOT NULL,
  kind {text} NOT NULL,
  progress_done {int} NOT NULL,
  progress_total {int} NOT NULL,
  reason {text},
  warnings {text} NOT NULL,
  source_url {text},
  source_keys {text} NOT NULL,
  source_sha256 {text},
  file_name {text} NOT NULL,
  overrides {text},
  notes_as {text} NOT NULL,
  created_at {int} NOT NULL,
  finished_at {int},
  UNIQUE (session_id, version)
);
CREATE INDEX decks_by_account ON decks (account_id);
CREATE INDEX decks_by_source ON decks (account_id, source_sha256) WHERE state = 'ready';

CREATE TABLE slides (
  deck_id {id} NOT NULL,
  id {id} NOT NULL,
  position {int} NOT NULL,
  title {text} NOT NULL,
  text_content {text} NOT NULL,
  agent_notes {text} NOT NULL,
  narration {text} NOT NULL,
  cited {text} NOT NULL,
  is_silent {int} NOT NULL,
  image_url {text},
  image_state {text} NOT NULL,
  images {text} NOT NULL,
  reading {text} NOT NULL,
  state {text} NOT NULL,
  PRIMARY KEY (deck_id, id)
);
CREATE INDEX slides_in_order ON slides (deck_id, position);
CREATE INDEX slides_unfetched ON slides (deck_id) WHERE image_state = 'pending';

CREATE TABLE passages (
  id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  position {int} NOT NULL,
  title {text},
  content {text} NOT NULL,
  digest {text} NOT NULL
);
CREATE INDEX passages_in_order ON passages (session_id, position);

CREATE TABLE scripts (
  deck_id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  language {text} NOT NULL,
  input_hash {text} NOT NULL,
  body {text} NOT NULL,
  compiled_at {int} NOT NULL
);
CREATE INDEX scripts_by_session ON scripts (session_id);

CREATE TABLE beat_edits (
  session_id {id} NOT NULL,
  slide_id {id} NOT NULL,
  slide_hash {text} NOT NULL,
  kind {text} NOT NULL,
  ordinal {int} NOT NULL,
  author {text} NOT NULL,
  text_content {text} NOT NULL,
  edited_at {int} NOT NULL,
  PRIMARY KEY (session_id, slide_id, kind, ordinal)
);

CREATE TABLE script_versions (
  session_id {id} NOT NULL,
  version {int} NOT NULL,
  reason {text} NOT NULL,
  changed {int} NOT NULL,
  body {text} NOT NULL,
  saved_at {int} NOT NULL,
  PRIMARY KEY (session_id, version)
);

CREATE TABLE written_slides (
  session_id {id} NOT NULL,
  slide_id {id} NOT NULL,
  sent_hash {text} NOT NULL,
  PRIMARY KEY (session_id, slide_id)
);

CREATE TABLE blobs (
  blob_key {text} PRIMARY KEY,
  bytes {blob} NOT NULL,
  created_at {int} NOT NULL
);

CREATE TABLE blob_uses (
  deck_id {id} NOT NULL,
  blob_key {text} NOT NULL,
  PRIMARY KEY (deck_id, blob_key)
);
CREATE INDEX blob_uses_by_key ON blob_uses (blob_key);

CREATE TABLE blob_sizes (
  blob_key {text} PRIMARY KEY,
  size_bytes {int} NOT NULL
);

CREATE TABLE loose_blobs (
  blob_key {text} PRIMARY KEY,
  since {int} NOT NULL
);
CREATE INDEX loose_blobs_by_age ON loose_blobs (since);

-- Runs, their log and commands, who attended, minutes used, and leases.
CREATE TABLE runs (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  kind {text} NOT NULL,
  mode {text} NOT NULL,
  status {text} NOT NULL,
  language {text} NOT NULL,
  deck_id {id},
  created_at {int} NOT NULL,
  started_at {int},
  ended_at {int},
  end_reason {text},
  address_mark {id},
  last_seq {int} NOT NULL,
  lease_owner {id},
  epoch {int} NOT NULL,
  lease_until {int} NOT NULL
);
CREATE INDEX runs_by_session ON runs (session_id, created_at, id);
CREATE INDEX runs_owned ON runs (lease_owner) WHERE lease_owner IS NOT NULL;
-- One room for all: two first attendees at once find the same run.
CREATE UNIQUE INDEX runs_broadcast ON runs (session_id, kind) WHERE mode = 'broadcast' AND ended_at IS NULL;
CREATE INDEX runs_open ON runs (lease_until, id) WHERE ended_at IS NULL;
CREATE INDEX runs_open_by_account ON runs (account_id, session_id) WHERE ended_at IS NULL;
CREATE INDEX runs_open_by_address ON runs (address_mark) WHERE ended_at IS NULL;

CREATE TABLE run_events (
  run_id {id} NOT NULL,
  seq {int} NOT NULL,
  epoch {int} NOT NULL,
  at {int} NOT NULL,
  audience {id} NOT NULL,
  type {text} NOT NULL,
  data {text} NOT NULL,
  PRIMARY KEY (run_id, seq)
);

CREATE TABLE run_commands (
  run_id {id} NOT NULL,
  id {id} NOT NULL,
  attendee_id {id},
  kind {text} NOT NULL,
  body {text} NOT NULL,
  at {int} NOT NULL,
  handled_at {int},
  answer {text},
  PRIMARY KEY (run_id, id)
);
CREATE INDEX run_commands_waiting ON run_commands (run_id, at, id) WHERE handled_at IS NULL;

CREATE TABLE attendees (
  id {id} PRIMARY KEY,
  run_id {id} NOT NULL,
  session_id {id} NOT NULL,
  token_hash {id} NOT NULL UNIQUE,
  name {text},
  language {text},
  kind {text} NOT NULL,
  -- The process that has a stream of the attendee, or had the last one.
  node {id},
  -- When the page that the attendee could keep was taken back.
  recap_ended_at {int},
  created_at {int} NOT NULL
);
CREATE INDEX attendees_by_run ON attendees (run_id, created_at, id);
CREATE INDEX attendees_by_session ON attendees (session_id, created_at, id);

CREATE TABLE visits (
  attendee_id {id} NOT NULL,
  visit {int} NOT NULL,
  run_id {id} NOT NULL,
  session_id {id} NOT NULL,
  opened_at {int} NOT NULL,
  left_at {int},
  reason {text},
  PRIMARY KEY (attendee_id, visit)
);
CREATE INDEX visits_by_run ON visits (run_id, opened_at, attendee_id);
CREATE INDEX visits_open ON visits (attendee_id) WHERE left_at IS NULL;
CREATE INDEX visits_in_session ON visits (session_id) WHERE left_at IS NULL;

-- Processes that hold streams, and when each was last heard of.
CREATE TABLE processes (
  id {id} PRIMARY KEY,
  seen_at {int} NOT NULL
);

-- Contact details that somebody typed into a question, until they say whether the host may have them; ten minutes at most.
CREATE TABLE contact_offers (
  attendee_id {id} NOT NULL,
  prompt_id {id} NOT NULL,
  email {text} NOT NULL,
  phone {text},
  consent_text {text} NOT NULL,
  consent_version {int} NOT NULL,
  held_until {int} NOT NULL,
  taken_by {id},
  PRIMARY KEY (attendee_id, prompt_id)
);
CREATE INDEX contact_offers_by_end ON contact_offers (held_until);

CREATE TABLE cta_clicks (
  run_id {id} NOT NULL,
  attendee_id {id} NOT NULL,
  id {id} NOT NULL,
  session_id {id} NOT NULL,
  at {int} NOT NULL,
  PRIMARY KEY (run_id, attendee_id)
);
CREATE INDEX cta_clicks_by_session ON cta_clicks (session_id, at);

CREATE TABLE ledger (
  run_id {id} NOT NULL,
  minute {int} NOT NULL,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  at {int} NOT NULL,
  PRIMARY KEY (run_id, minute)
);
CREATE INDEX ledger_by_session ON ledger (session_id);
CREATE INDEX ledger_by_account ON ledger (account_id, at);

-- Rehearsals with a synthetic audience: what was asked for, and the report once it is made.
CREATE TABLE rehearsals (
  run_id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  plan {text} NOT NULL,
  report {text},
  created_at {int} NOT NULL
);
CREATE INDEX rehearsals_by_session ON rehearsals (session_id, created_at);

CREATE TABLE leases (
  name {id} PRIMARY KEY,
  owner {id} NOT NULL,
  epoch {int} NOT NULL,
  lease_until {int} NOT NULL
);

-- Contact details with the consent they were given under. Erased for good on request. `given_by` is the attendee or the credential that
-- sent them; another one's for the same address are an entry of their own, and `repeat_of` names the first. `consents` is JSON.
CREATE TABLE leads (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  email_key {text} NOT NULL,
  given_by {id} NOT NULL,
  repeat_of {id},
  email {text} NOT NULL,
  name {text},
  phone {text},
  company {text},
  notes {text},
  cta_clicked {int} NOT NULL,
  source {text} NOT NULL,
  consents {text} NOT NULL,
  run_id {id},
  changes {int} NOT NULL,
  follow_up {text} NOT NULL,
  host_note {text},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  UNIQUE (session_id, email_key, given_by)
);
CREATE INDEX leads_by_session ON leads (session_id, created_at, id);
CREATE INDEX leads_by_account ON leads (account_id, created_at, id);
CREATE INDEX leads_by_giver ON leads (given_by);

-- Domain events and the outbox. No reference to sessions: events of a deleted session stay until retention removes them.
CREATE TABLE domain_events (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  sequence {int} NOT NULL,
  type {text} NOT NULL,
  at {int} NOT NULL,
  dedupe_key {id} NOT NULL UNIQUE,
  body {text} NOT NULL,
  scrubbed_at {int},
  UNIQUE (session_id, sequence)
);
CREATE INDEX domain_events_by_time ON domain_events (at, id);

CREATE TABLE outbox (
  consumer {id} NOT NULL,
  event_id {id} NOT NULL,
  PRIMARY KEY (consumer, event_id)
) {keyed};

-- Work to do, of which there is one for each kind and key. `due_at`: when it is due, or when the lease of who does it ends.
CREATE TABLE jobs (
  kind {id} NOT NULL,
  key {id} NOT NULL,
  data {text} NOT NULL,
  due_at {int} NOT NULL,
  failures {int} NOT NULL,
  lease_token {text},
  PRIMARY KEY (kind, key)
) {keyed};
CREATE INDEX jobs_due ON jobs (kind, due_at);

-- Webhook subscriptions, the deliveries of events to them and the attempts of each delivery.
CREATE TABLE webhook_subscriptions (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id},
  url {text} NOT NULL,
  event_types {text} NOT NULL,
  description {text},
  disabled_reason {text},
  owner_credential_id {id},
  secret {blob} NOT NULL,
  secret_hint {text} NOT NULL,
  previous_secret {blob},
  previous_secret_until {int},
  ed25519_seed {blob},
  public_key {text},
  dead_letters {int} NOT NULL,
  failing_since {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  deleted_at {int}
);
CREATE INDEX webhook_subscriptions_by_account ON webhook_subscriptions (account_id, id);
CREATE INDEX webhook_subscriptions_by_session ON webhook_subscriptions (session_id) WHERE session_id IS NOT NULL;

-- `id` is made of `subscription_id` and `event_id`, in that order, so that it is the only index over all rows. `due_at` is set exactly
-- while a delivery waits or is in flight: a small one finds what is due and what was left behind.
CREATE TABLE webhook_deliveries (
  id {id} PRIMARY KEY,
  subscription_id {id} NOT NULL,
  event_id {id} NOT NULL,
  type {text} NOT NULL,
  status {text} NOT NULL,
  trigger {text} NOT NULL,
  chain_attempt {int} NOT NULL,
  attempts {int} NOT NULL,
  interrupted {int} NOT NULL,
  due_at {int},
  resume_status {text},
  resume_at {int},
  lease_token {text},
  claimed_at {int},
  last_reason {text},
  last_http_status {int},
  response_head {text},
  peer {text},
  test_body {text},
  created_at {int} NOT NULL,
  finished_at {int}
) {keyed};
-- What an erasure looks for.
CREATE INDEX webhook_deliveries_of_leads ON webhook_deliveries (event_id) WHERE type IN ('lead.captured', 'lead.updated');
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (subscription_id, due_at) WHERE due_at IS NOT NULL;

-- A first attempt that succeeds has no row of its own until there is a second: it began at `claimed_at` of its delivery.
CREATE TABLE webhook_attempts (
  delivery_id {id} NOT NULL,
  n {int} NOT NULL,
  trigger {text} NOT NULL,
  started_at {int} NOT NULL,
  ended_at {int} NOT NULL,
  outcome {text} NOT NULL,
  reason {text},
  http_status {int},
  response_head {text},
  peer {text},
  PRIMARY KEY (delivery_id, n)
) {keyed};

-- The OAuth server: its records by hashed id, what people have consented to, and its signing keys.
CREATE TABLE oauth_records (
  id_hash {text} PRIMARY KEY,
  model {text} NOT NULL,
  payload {text} NOT NULL,
  grant_id {text},
  uid {text},
  expires_at {int},
  consumed_at {int}
);
CREATE INDEX oauth_records_by_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_records_by_uid ON oauth_records (uid) WHERE uid IS NOT NULL;
CREATE INDEX oauth_records_expiry ON oauth_records (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE oauth_grants (
  grant_id {text} PRIMARY KEY,
  user_id {id} NOT NULL,
  account_id {id} NOT NULL,
  client_id {text} NOT NULL,
  client_name {text} NOT NULL,
  redirect_host {text} NOT NULL,
  scopes {text} NOT NULL,
  revoked_at {int},
  created_at {int} NOT NULL
);
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, account_id, created_at);

CREATE TABLE signing_keys (
  kid {text} PRIMARY KEY,
  number {int} NOT NULL UNIQUE,
  alg {text} NOT NULL,
  private {blob} NOT NULL,
  public {text} NOT NULL,
  use_from {int} NOT NULL,
  retire_at {int}
);

-- Folds of finished runs, so that the figures of a session with many runs are a sum. Can be dropped and made again.
CREATE TABLE run_summaries (
  run_id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  last_seq {int} NOT NULL,
  slides_count {int} NOT NULL,
  summary {text} NOT NULL
);
CREATE INDEX run_summaries_by_session ON run_summaries (session_id);

-- Questions of personal agents, without contact details. Kept with the session they were asked of. `asked_by` is who the credential was
-- given to, `attendee_name` the person they say they act for.
CREATE TABLE pap_questions (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  asked_by {id} NOT NULL,
  attendee_name {text},
  question {text} NOT NULL,
  answer {text} NOT NULL,
  slides {text} NOT NULL,
  outcome {text} NOT NULL,
  at {int} NOT NULL
);
CREATE INDEX pap_questions_by_session ON pap_questions (session_id, at);
CREATE INDEX pap_questions_by_caller ON pap_questions (session_id, asked_by, at);

-- Sentences of a deck that the server's voice has said, or is to say. The sound itself is a blob; the deck is what uses it.
CREATE TABLE clips (
  deck_id {id} NOT NULL,
  clip_key {text} NOT NULL,
  position {int} NOT NULL,
  text_content {text} NOT NULL,
  voice {text} NOT NULL,
  state {text} NOT NULL,
  blob_key {text},
  duration_ms {int},
  PRIMARY KEY (deck_id, clip_key)
);
CREATE INDEX clips_failed ON clips (deck_id) WHERE state = 'failed';
CREATE INDEX clips_ready ON clips (clip_key) WHERE state = 'ready';
