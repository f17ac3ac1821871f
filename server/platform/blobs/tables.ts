// Rows of content-addressed files.

declare module '../db/tables.ts' {
  interface Tables {
    blobs: BlobRow
    blob_pieces: BlobPartRow
    blob_uses: BlobUseRow
    loose_blobs: LooseBlobRow
    blob_sizes: BlobSizeRow
  }
}

/** Content-addressed files; used with PostgreSQL, so that nodes share nothing but the database. A blob that has this row is whole. */
export interface BlobRow {
  /** `<sha256>.<ext>` */
  blob_key: string
  /** Its first bytes, or all of them. */
  bytes: Uint8Array
  created_at: number
}

/** What follows them. */
export interface BlobPartRow {
  blob_key: string
  start_at: number
  bytes: Uint8Array
}

/** A deck shows this blob, or is made from it. */
export interface BlobUseRow {
  deck_id: string
  blob_key: string
}

/** Of every blob that is there, wherever it is kept, and of those that were deleted. */
export interface BlobSizeRow {
  blob_key: string
  size_bytes: number
  /** Since when its owner has deleted what it was of: where nobody else uses it, it is served no longer. */
  gone_at: number | null
}

/** This blob was put, or a deck used it no longer, at `since`; an hour later it is removed where nobody uses it. */
export interface LooseBlobRow {
  blob_key: string
  since: number
}
