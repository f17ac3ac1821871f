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
