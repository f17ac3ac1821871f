// A deck whose file was sent and which the test reads itself, as a worker would that has just begun its job.
import assert from 'node:assert/strict'
import { LostLease } from '../../server/platform/db/jobs.ts'
import type { Store, Tx } from '../../server/platform/db/store.ts'
import { sourceDigest, deckKind, insertDeck } from '../../server/decks/deck-rows.ts'
import { claimDeck, type Claimed } from '../../server/decks/ingest/claimed.ts'
import type { TestService } from './service.ts'

/** Of the Markdown, or the picture, `file`. The workers of the service leave it alone. */
export async function claimedDeck(
  { service, store, clock, accountId }: Pick<TestService, 'service' | 'store' | 'clock' | 'accountId'>,
  sessionId: string,
  file: string | Uint8Array,
): Promise<Claimed> {
  const { ids, blobs } = service.decks.deps
  const keys = [await blobs.put(Buffer.from(file), 'bin')]
  const kind = typeof file === 'string' ? 'markdown' : 'images'
  const { id } = await store.write(async (tx) => {
    const deck = await insertDeck(tx, ids, {
      session_id: sessionId,
      account_id: accountId,
      kind,
      source_keys: JSON.stringify(keys),
      source_sha256: sourceDigest(kind, keys),
      created_at: clock.now(),
    })
    await takeJob(tx, deck.id, 'test')
    return deck
  })
  return beginDeck(store, id)
}

/** As the process of that name, which has the job of the deck from now on. */
export async function beginDeck(store: Store, deckId: string, process = 'test'): Promise<Claimed> {
  await store.write((tx) => takeJob(tx, deckId, process))
  const deck = await claimDeck(store, {
    key: deckId,
    async hold(tx) {
      const job = tx.selectFrom('jobs').select('lease_token').where('key', '=', deckId)
      if ((await job.executeTakeFirst())?.lease_token !== process) throw new LostLease()
    },
  })
  assert.ok(deck)
  return deck
}

async function takeJob(tx: Tx, key: string, lease_token: string): Promise<void> {
  const lease = { due_at: Date.UTC(2100, 0), lease_token }
  await tx
    .insertInto('jobs')
    .values({ kind: deckKind.other, key, data: '', failures: 0, ...lease })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doUpdateSet(lease))
    .execute()
}
