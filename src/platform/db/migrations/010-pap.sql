-- Questions of personal agents, without contact details. Kept with the session they were asked of. `asked_by` is who the credential was
-- given to, `attendee_name` the person they say they act for.
CREATE TABLE pap_questions (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  asked_by {id} NOT NULL,
  attendee_name {text},
  question {text} NOT NULL,
  answer {text} NOT NULL,
  slides {text} NOT NULL,
  outcome {text} NOT NULL,
  at {int} NOT NULL
);
CREATE INDEX pap_questions_by_session ON pap_questions (session_id, at);
CREATE INDEX pap_questions_by_caller ON pap_questions (session_id, asked_by, at);
