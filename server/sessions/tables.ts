// Rows of sessions, their decks and scripts. Times are epoch ms, booleans 0 or 1, JSON is text.
import type { SettingColumns } from '@rostrum/contract/session'

declare module '../platform/db/tables.ts' {
  interface Tables {
    sessions: SessionRow
    usage: UsageRow
    spending: SpendingRow
    decks: DeckRow
    turns: TurnRow
    slides: SlideRow
    passages: PassageRow
    scripts: ScriptRow
    beat_edits: BeatEditRow
    script_versions: ScriptVersionRow
    translations: TranslationRow
    clips: ClipRow
    blobs: BlobRow
    blob_pieces: BlobPartRow
    blob_uses: BlobUseRow
    loose_blobs: LooseBlobRow
    blob_sizes: BlobSizeRow
  }
}

/** What an account spent on one day, UTC. */
export interface SpendingRow {
  account_id: string
  /** `2026-11-25` */
  day: string
  /** Model calls, spoken characters, recognised seconds. */
  kind: 'llm' | 'tts' | 'stt'
  used: number
  /** When the account was told that the budget is used up. */
  told_at: number | null
}

/** Whose files were read when (`deck/ingest/turns.ts`). */
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

/** What a host may set stands in `contract/session.ts`. */
export interface SessionRow extends SettingColumns {
  id: string
  account_id: string
  slug: string
  status: 'draft' | 'published'
  /** Who said so: the host, the words of the deck, or nobody. */
  language_from: 'host' | 'deck' | 'default'
  /** The blob of the presenter's portrait. */
  portrait_key: string | null
  /** Rises with each change of `consent_text`. */
  consent_version: number
  /** 26 base32 characters; null when revoked. */
  rehearsal_token: string | null
  /** The deck version in service. */
  deck_id: string | null
  slides_count: number
  created_by_kind: 'user' | 'api_key' | 'agent'
  created_by_id: string
  /** The last `sequence` given to a domain event of this session. */
  event_seq: number
  created_at: number
  updated_at: number
  published_at: number | null
  /** Of the newest run; for `discover_sessions`. */
  active_at: number
}

export interface UsageRow {
  account_id: string
  /** `2026-11`, UTC; `life` for agent accounts. */
  period: string
  sessions: number
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

export interface PassageRow {
  id: string
  session_id: string
  position: number
  title: string | null
  content: string
  /** SHA-256 of both, so that a script is known to be of these words without reading them. */
  digest: string
}

export interface ScriptRow {
  deck_id: string
  session_id: string
  language: string
  /** SHA-256 of everything the compiler was given, its version included. */
  input_hash: string
  /** JSON of the script. */
  body: string
  compiled_at: number
}

/** A beat whose text the host changed, or a model wrote. It outlives versions of the deck: it holds while its slide says what it said. */
export interface BeatEditRow {
  session_id: string
  /** Empty for the opening and the closing. */
  slide_id: string
  /** SHA-256 of what the slide said, notes included. */
  slide_hash: string
  kind: string
  /** Among the beats of that kind on the slide, from 0. */
  ordinal: number
  /** Processes of the version before told a model's sentences apart by it. */
  author: 'host'
  text_content: string
  edited_at: number
}

/** What was written for a talk, as it stood; numbered from 1. */
export interface ScriptVersionRow {
  session_id: string
  version: number
  /** `before`: what was there when the script was saved as a document for the first time since something else changed it. */
  reason: 'before' | 'saved' | 'mended' | 'restored'
  /** Slides that it changed. */
  changed: number
  /** JSON `WrittenScript` (`replace-script.ts`). */
  body: string
  saved_at: number
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

/** A sentence of a talk, or of an answer in it, in a language of its listeners. */
export interface TranslationRow {
  session_id: string
  language: string
  /** SHA-256 of the sentence. */
  text_hash: string
  /** Null: it stays as it is, for `why`. */
  text_content: string | null
  /** What the check found amiss. */
  why: string | null
  /** The sentence, where its host has put the translation. */
  original: string | null
}
