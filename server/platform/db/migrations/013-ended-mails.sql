-- What a person has ended, kept under a keyed hash of their address, so that it outlives their registration and names nobody. When the mail
-- of a registration may leave, and from which network it was asked for. How far a lead is believed.
CREATE TABLE mails_ended (
  mailbox {text} NOT NULL,
  account_id {id} NOT NULL,
  about {text} NOT NULL,
  ended_at {int} NOT NULL,
  PRIMARY KEY (mailbox, account_id, about)
);
ALTER TABLE registrants ADD COLUMN mailbox {text};
ALTER TABLE registrants ADD COLUMN mail_at {int};
ALTER TABLE registrants ADD COLUMN came_from {text};
CREATE INDEX registrants_by_mailbox ON registrants (mailbox);
CREATE INDEX registrants_by_mail ON registrants (session_id, mail_at);
ALTER TABLE leads ADD COLUMN proof {text};
