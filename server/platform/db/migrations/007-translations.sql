-- Sentences of talks in the languages of their listeners.
ALTER TABLE sessions ADD COLUMN listener_languages {text} NOT NULL DEFAULT '[]';
CREATE TABLE translations (
  session_id {id} NOT NULL,
  language {text} NOT NULL,
  text_hash {text} NOT NULL,
  text_content {text},
  PRIMARY KEY (session_id, language, text_hash)
);
