// Rows of scripts: as compiled, as their hosts changed them, and in other languages. Times are epoch ms, JSON is text.

declare module '../platform/db/tables.ts' {
  interface Tables {
    scripts: ScriptRow
    beat_edits: BeatEditRow
    script_versions: ScriptVersionRow
    translations: TranslationRow
  }
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
