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

-- `lease_token`: held by a process that shares the store, until `lease_until`. `is_partly`: something of it is written already.
CREATE TABLE outbox (
  consumer {id} NOT NULL,
  event_id {id} NOT NULL,
  lease_token {text},
  lease_until {int},
  is_partly {int},
  PRIMARY KEY (consumer, event_id)
) {rewritten};
