// What a prompt may tell of a session: its public outline. For the owner's agent, and for a personal agent of anybody.
import type { SessionBrief } from '@rostrum/contract/session'
import { isUuid } from '@rostrum/base/clock'
import { deckInService } from '../decks/content.ts'
import type { Reader } from '../platform/db/store.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { unclaimedAccount } from '../sessions/session.ts'

export interface SessionBriefs {
  own(caller: AccountPrincipal, sessionId: string): Promise<SessionBrief | undefined>
  published(sessionId: string): Promise<SessionBrief | undefined>
  /** The account's sessions whose id or title starts with or contains `value`, newest first. */
  find(caller: AccountPrincipal, value: string, limit: number): Promise<{ ids: readonly string[]; total: number }>
}

/** More than this many sessions are not searched for a completion. */
const searchedMax = 1_000

export function createSessionBriefs(read: Reader, baseUrl: string, mediaBase: string): SessionBriefs {
  const brief = async (sessionId: string, accountId: string | undefined): Promise<SessionBrief | undefined> => {
    if (!isUuid(sessionId)) return undefined
    const row = await read
      .selectFrom('sessions')
      .select(['id', 'account_id', 'title', 'description', 'status', 'slug', 'cta_url', 'rehearsal_token'])
      .select(unclaimedAccount)
      .where('id', '=', sessionId.toLowerCase())
      .executeTakeFirst()
    if (row === undefined) return undefined
    const isShown = accountId === undefined ? row.status === 'published' && row.unclaimed === null : row.account_id === accountId
    if (!isShown) return undefined
    const deck = await deckInService(read, row.id, mediaBase)
    return {
      title: row.title,
      description: row.description,
      status: row.status,
      slides: (deck?.slides ?? []).map(({ index, title, text }) => ({ index, title, text })),
      rehearsalUrl: accountId === undefined || row.rehearsal_token === null ? null : `${baseUrl}/rehearse/${row.rehearsal_token}`,
      roomUrl: `${baseUrl}/join/${row.slug}`,
      hasCta: row.cta_url !== null,
    }
  }
  return {
    own: (caller, sessionId) => brief(sessionId, caller.accountId),
    published: (sessionId) => brief(sessionId, undefined),
    async find(caller, value, limit) {
      const rows = await read
        .selectFrom('sessions')
        .select(['id', 'title'])
        .where('account_id', '=', caller.accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(searchedMax)
        .execute()
      const wanted = value.trim().toLowerCase()
      const found = rows.filter(({ id, title }) => id.includes(wanted) || title.toLowerCase().includes(wanted))
      return { ids: found.slice(0, limit).map(({ id }) => id), total: found.length }
    },
  }
}
