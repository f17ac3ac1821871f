-- Pieces of a large blob on their way into PostgreSQL, which joins them: a process that takes one in holds one piece at a time.
CREATE TABLE blob_parts (
  blob_key {text} NOT NULL,
  writer {text} NOT NULL,
  position {int} NOT NULL,
  bytes {blob} NOT NULL,
  PRIMARY KEY (blob_key, writer, position)
);
