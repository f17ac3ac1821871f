// What may be told of a session to whoever asks for it.

/** Its public outline: what a prompt may tell. */
export interface SessionBrief {
  title: string
  description: string | null
  status: 'draft' | 'published'
  slides: readonly { index: number; title: string; text: string }[]
  /** Null for who does not own it, and where it was taken back. */
  rehearsalUrl: string | null
  roomUrl: string
  hasCta: boolean
}
