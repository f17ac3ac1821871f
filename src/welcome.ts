// The talk at /join/welcome: the product presents itself. Published once, on an empty store; it is then a session like any other.
import { welcomeDeck } from './decks/welcome.ts'
import type { OwnerDesk } from './owner-desk.ts'
import type { Store } from './storage/store.ts'

const slug = 'welcome'

/** Names the room when there is a welcome talk, made now or before. */
export async function publishWelcome(desk: OwnerDesk, store: Store, baseUrl: string): Promise<{ title: string; url: string }[]> {
  const any = await store.read.selectFrom('sessions').select('id').limit(1).executeTakeFirst()
  if (any === undefined) {
    const { sessionId } = await desk.create({ ...welcomeDeck(baseUrl), publish: true })
    await store.write((tx) => tx.updateTable('sessions').set({ slug }).where('id', '=', sessionId).execute())
  }
  const welcome = await store.read
    .selectFrom('sessions')
    .select('title')
    .where('slug', '=', slug)
    .where('status', '=', 'published')
    .executeTakeFirst()
  return welcome === undefined ? [] : [{ title: welcome.title, url: `${baseUrl}/join/${slug}` }]
}
