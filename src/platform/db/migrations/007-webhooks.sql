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
