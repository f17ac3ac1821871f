-- Recordings that their host shows to whoever has the link: its key, whether search engines may keep the page, and what is told when
-- (JSON: title, chapters, captions), as it was when the recording was made.
ALTER TABLE recordings ADD COLUMN replay_key {text};
ALTER TABLE recordings ADD COLUMN is_listed {int} NOT NULL DEFAULT 0;
ALTER TABLE recordings ADD COLUMN told {text};
CREATE UNIQUE INDEX recordings_by_key ON recordings (replay_key) WHERE replay_key IS NOT NULL;
