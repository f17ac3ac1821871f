-- Talks as files: sound, film and captions, made by jobs.
CREATE TABLE recordings (
  id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  run_id {id},
  format {text} NOT NULL,
  options {text} NOT NULL,
  state {text} NOT NULL,
  progress {int} NOT NULL,
  blob_key {text},
  size_bytes {int},
  duration_ms {int},
  error {text},
  created_at {int} NOT NULL,
  ended_at {int}
);
CREATE INDEX recordings_of_session ON recordings (session_id, created_at);
