-- People who register for a talk or whom its host names and writes to; by which link an attendee came; which mails a person wants.
ALTER TABLE sessions ADD COLUMN time_zone {text};
ALTER TABLE sessions ADD COLUMN registration {text};
ALTER TABLE sessions ADD COLUMN entry {text} NOT NULL DEFAULT 'anyone';
ALTER TABLE sessions ADD COLUMN links_until {int};
CREATE TABLE registrants (
  id {id} PRIMARY KEY,
  session_id {id} NOT NULL,
  email_key {text} NOT NULL,
  email {text} NOT NULL,
  name {text},
  company {text},
  phone {text},
  answer {text},
  link_key {text} NOT NULL,
  state {text} NOT NULL,
  is_named {int} NOT NULL,
  wants_recap {int} NOT NULL,
  consents {text} NOT NULL,
  told {text},
  notices {int} NOT NULL,
  sequence {int} NOT NULL,
  mails_off_at {int},
  mail_failed_at {int},
  opened_at {int},
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL
);
CREATE UNIQUE INDEX registrants_of_session ON registrants (session_id, email_key);
CREATE UNIQUE INDEX registrants_by_key ON registrants (link_key);
ALTER TABLE attendees ADD COLUMN came_by {text};
CREATE INDEX attendees_by_link ON attendees (session_id, came_by) WHERE came_by IS NOT NULL;
CREATE TABLE mail_choices (
  account_id {id} NOT NULL,
  user_id {id} NOT NULL,
  leads {int} NOT NULL,
  questions {int} NOT NULL,
  digested_at {int} NOT NULL,
  PRIMARY KEY (account_id, user_id)
);
