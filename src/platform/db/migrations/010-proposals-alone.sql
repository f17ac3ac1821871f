-- A model proposes words, and its host takes them with the document: what one wrote into a script before stays, as its host's.
DROP TABLE written_slides;
ALTER TABLE beat_edits DROP COLUMN author;
