-- How much of a minute of a run was heard; what was counted before was counted whole.
ALTER TABLE ledger ADD COLUMN seconds {int} NOT NULL DEFAULT 60;
