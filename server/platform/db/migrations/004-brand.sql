-- How what an account, and a talk, publishes looks: JSON (`contract/brand.ts`).
ALTER TABLE sessions ADD COLUMN brand {text};
ALTER TABLE accounts ADD COLUMN brand {text};
