// The talk at /join/welcome: the product presents itself. Published once, on an empty store; it is then a session like any other.
import type { DecksDeps } from './sessions/deck/deps.ts'
import { pictureWelcome, welcomeDeck } from './sessions/deck/welcome.ts'
import type { OwnerDesk } from './owner-desk.ts'

const slug = 'welcome'

/** Names the room when there is a welcome talk, made now or before. */
export async function publishWelcome(
  desk: OwnerDesk,
  decks: Pick<DecksDeps, 'store' | 'blobs'>,
  baseUrl: string,
): Promise<{ title: string; url: string }[]> {
  const { store } = decks
  const any = await store.read.selectFrom('sessions').select('id').limit(1).executeTakeFirst()
  if (any === undefined) {
    const { sessionId } = await desk.create({ ...welcomeDeck(baseUrl), publish: false })
    await pictureWelcome(decks, sessionId)
    await store.write((tx) => tx.updateTable('sessions').set({ slug }).where('id', '=', sessionId).execute())
    await desk.publish(sessionId)
  }
  const welcome = await store.read
    .selectFrom('sessions')
    .select('title')
    .where('slug', '=', slug)
    .where('status', '=', 'published')
    .executeTakeFirst()
  return welcome === undefined ? [] : [{ title: welcome.title, url: `${baseUrl}/join/${slug}` }]
}
