-- Contact details with the consent they were given under. Erased for good on request. `given_by` is the attendee or the credential that
-- sent them; another one's for the same address are an entry of their own, and `repeat_of` names the first. `consents` is JSON.
CREATE TABLE leads (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  email_key {text} NOT NULL,
  given_by {id} NOT NULL,
  repeat_of {id},
  email {text} NOT NULL,
  name {text},
  phone {text},
  company {text},
  notes {text},
  cta_clicked {int} NOT NULL,
  source {text} NOT NULL,
  consents {text} NOT NULL,
  run_id {id},
  changes {int} NOT NULL,
  follow_up {text} NOT NULL,
  host_note {text},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  UNIQUE (session_id, email_key, given_by)
);
CREATE INDEX leads_by_session ON leads (session_id, created_at, id);
CREATE INDEX leads_by_account ON leads (account_id, created_at, id);
CREATE INDEX leads_by_giver ON leads (given_by);
