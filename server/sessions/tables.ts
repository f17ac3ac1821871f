// Rows of sessions and of what their accounts have used. Times are epoch ms, booleans 0 or 1, JSON is text.
import type { SettingColumns } from '@rostrum/contract/session'

declare module '../platform/db/tables.ts' {
  interface Tables {
    sessions: SessionRow
    usage: UsageRow
    spending: SpendingRow
  }
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
