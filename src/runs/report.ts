// What is told of a talk: why, and in whose words.
export const reportReasons = ['fraud', 'impersonation', 'harmful', 'rights', 'other'] as const
export const reportWordsMax = 1_000

export interface Report {
  sessionId: string
  title: string
  /** Null: a rehearsal, whose address is a secret of its host. */
  roomUrl: string | null
  reason: (typeof reportReasons)[number]
  words: string
  unverified: boolean
}
