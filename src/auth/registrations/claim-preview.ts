// Everything that a claim moves to the person's account, named for the person who decides: sessions, and where events of them go.
import type { Reader } from '../../storage/store.ts'

export interface MovingSession {
  id: string
  title: string
  status: 'draft' | 'published'
}

export interface MovingWebhook {
  /** Of its address, whose path and query may hold a secret. */
  host: string
  eventTypes: readonly string[]
  /** Null: of every session of the account, from the claim on of the person's. */
  sessionId: string | null
}

export interface ClaimPreview {
  sessions: readonly MovingSession[]
  webhooks: readonly MovingWebhook[]
}

export async function previewClaim(read: Reader, accountId: string): Promise<ClaimPreview> {
  const [sessions, subscriptions] = await Promise.all([
    read
      .selectFrom('sessions')
      .select(['id', 'title', 'status'])
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    read
      .selectFrom('webhook_subscriptions')
      .select(['url', 'event_types', 'session_id'])
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  ])
  const webhooks = subscriptions.map(({ url, event_types, session_id }) => {
    const types: unknown = JSON.parse(event_types)
    return { host: URL.parse(url)?.host ?? url, eventTypes: Array.isArray(types) ? types.map(String) : [], sessionId: session_id }
  })
  return { sessions, webhooks }
}
