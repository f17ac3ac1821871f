-- Whose files were read when, for turns among accounts, and what that took within the hour of `hour` (hours since the epoch).
CREATE TABLE turns (
  kind {id} NOT NULL,
  account_id {id} NOT NULL,
  turn_at {int} NOT NULL,
  hour {int} NOT NULL,
  used_ms {int} NOT NULL,
  works {int} NOT NULL,
  PRIMARY KEY (kind, account_id)
) {keyed};
