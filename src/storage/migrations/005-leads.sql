-- Contact details with the consent they were given under. Erased for good on request.
CREATE TABLE leads (
  id {id} PRIMARY KEY,
  account_id {id} NOT NULL,
  session_id {id} NOT NULL,
  email_key {text} NOT NULL,
  email {text} NOT NULL,
  name {text},
  phone {text},
  company {text},
  notes {text},
  cta_clicked {int} NOT NULL,
  source {text} NOT NULL,
  consent_text {text} NOT NULL,
  consent_version {int} NOT NULL,
  consent_at {int} NOT NULL,
  run_id {id},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL,
  UNIQUE (session_id, email_key)
);
CREATE INDEX leads_by_session ON leads (session_id, created_at, id);
CREATE INDEX leads_by_account ON leads (account_id, created_at, id);

-- Who gave the details in a room, each time that they came: whose name an erasure takes away.
CREATE TABLE lead_attendees (
  lead_id {id} NOT NULL,
  attendee_id {id} NOT NULL,
  run_id {id} NOT NULL,
  PRIMARY KEY (lead_id, attendee_id)
);
