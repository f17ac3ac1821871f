-- One value of a known text, sealed under ROSTRUM_SECRET: each start opens it, so that another secret is met there and not by a webhook.
CREATE TABLE secret_canary (
  number {int} PRIMARY KEY,
  sealed {blob} NOT NULL
);
