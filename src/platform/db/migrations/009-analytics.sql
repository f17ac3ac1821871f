-- Folds of finished runs, so that the figures of a session with many runs are a sum. Can be dropped and made again.
CREATE TABLE run_summaries (
  run_id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  last_seq {int} NOT NULL,
  slides_count {int} NOT NULL,
  summary {text} NOT NULL
);
CREATE INDEX run_summaries_by_session ON run_summaries (session_id);
