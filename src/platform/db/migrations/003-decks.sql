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
