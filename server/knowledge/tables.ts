// Rows of the knowledge of sessions.

declare module '../platform/db/tables.ts' {
  interface Tables {
    passages: PassageRow
  }
}

export interface PassageRow {
  id: string
  session_id: string
  position: number
  title: string | null
  content: string
  /** SHA-256 of both, so that a script is known to be of these words without reading them. */
  digest: string
}
