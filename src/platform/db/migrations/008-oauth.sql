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
