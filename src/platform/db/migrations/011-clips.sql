-- Sentences of a deck that the server's voice has said, or is to say. The sound itself is a blob; the deck is what uses it.
CREATE TABLE clips (
  deck_id {id} NOT NULL,
  clip_key {text} NOT NULL,
  position {int} NOT NULL,
  text_content {text} NOT NULL,
  voice {text} NOT NULL,
  state {text} NOT NULL,
  blob_key {text},
  duration_ms {int},
  PRIMARY KEY (deck_id, clip_key)
);
CREATE INDEX clips_failed ON clips (deck_id) WHERE state = 'failed';
CREATE INDEX clips_ready ON clips (clip_key) WHERE state = 'ready';
