// Rows of what the voice has said.

declare module '../platform/db/tables.ts' {
  interface Tables {
    clips: ClipRow
  }
}

/** A sentence in the server's voice. It is of a deck, so of one account; equal sentences of two accounts are two rows. */
export interface ClipRow {
  deck_id: string
  /** SHA-256 of text, voice, model and speed. */
  clip_key: string
  /** Of the first beat that says it; what comes first is made first. */
  position: number
  text_content: string
  voice: string
  state: 'pending' | 'ready' | 'failed'
  blob_key: string | null
  duration_ms: number | null
}
