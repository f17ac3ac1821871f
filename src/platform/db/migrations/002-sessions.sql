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
