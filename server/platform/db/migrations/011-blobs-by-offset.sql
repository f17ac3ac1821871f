-- What follows the first bytes of a large blob, so that it is written and read piece by piece. The row in `blobs` is written last: a
-- blob that has it is whole.
CREATE TABLE blob_pieces (
  blob_key {text} NOT NULL,
  start_at {int} NOT NULL,
  bytes {blob} NOT NULL,
  PRIMARY KEY (blob_key, start_at)
);
-- Since when its owner has deleted what it was of.
ALTER TABLE blob_sizes ADD COLUMN gone_at {int};
CREATE INDEX blob_sizes_gone ON blob_sizes (gone_at) WHERE gone_at IS NOT NULL;
