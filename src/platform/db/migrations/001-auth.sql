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
