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
