-- Questions of personal agents. Kept with the session they were asked of.
CREATE TABLE pap_questions (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  question {text} NOT NULL,
  outcome {text} NOT NULL,
  at {int} NOT NULL
);
CREATE INDEX pap_questions_by_session ON pap_questions (session_id, at);
