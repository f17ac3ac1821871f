// Rows of decks and their slides, and of whose turn it is to have files read. Times are epoch ms, booleans 0 or 1, JSON is text.

declare module '../platform/db/tables.ts' {
  interface Tables {
    decks: DeckRow
    slides: SlideRow
    turns: TurnRow
  }
}

/** One version of a deck. Its slides change only while it is made, and where a picture arrives from its `image_url`. */
export interface DeckRow {
  id: string
  session_id: string
  account_id: string
  /** From 1, per session. */
  version: number
  state: 'pending' | 'processing' | 'ready' | 'failed'
  kind: 'slides' | 'pdf' | 'pptx' | 'odp' | 'ppt' | 'images' | 'markdown'
  progress_done: number
  progress_total: number
  /** Why it failed, in words for the owner. */
  reason: string | null
  /** JSON `DeckWarning[]` (`warnings.ts`). */
  warnings: string
  /** The `pdfUrl` it comes from. */
  source_url: string | null
  /** JSON array of blob keys: the uploaded files, kept until the deck is finished. */
  source_keys: string
  /** Of the uploaded files and the version of the pipeline; pages of an equal source are reused within the account. */
  source_sha256: string | null
  /** What its sender calls the uploaded file; empty where it came without a name. */
  file_name: string
  /** JSON array of slides given together with a `pdfUrl`: they override text and notes of its pages. */
  overrides: string | null
  /** `narration`: the notes of its file are said. */
  notes_as: 'private' | 'narration'
  created_at: number
  finished_at: number | null
}

export interface SlideRow {
  deck_id: string
  /** The same in later versions while the slide is the same, so questions and CTA rules stay on it. */
  id: string
  /** From 0. */
  position: number
  title: string
  text_content: string
  /** Private (Spec 2.3): read by the owner's view of the deck and by the script compiler, by nothing else. */
  agent_notes: string
  /** What its author has the presenter say on it; public. Empty: the talk is compiled. */
  narration: string
  /** JSON `CitedSentence[]`: what sentences of `narration` rest on; empty where the slide was not edited in the script. */
  cited: string
  /** Its author has the presenter say nothing on it. */
  is_silent: number
  image_url: string | null
  image_state: 'none' | 'pending' | 'ready' | 'failed'
  /** JSON `[{ key, width, height }]`, widest first; empty without a picture. */
  images: string
  /** JSON `Reading`: the blocks that the text is written from, or was read as. */
  reading: string
  state: 'ok' | 'placeholder' | 'no_text'
}

/** Whose files were read when (`ingest/turns.ts`). */
export interface TurnRow {
  /** Of the jobs. */
  kind: string
  account_id: string
  turn_at: number
  /** Since the epoch; what follows is of it alone. */
  hour: number
  used_ms: number
  works: number
}
