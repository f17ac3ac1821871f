// A deck whose file was sent and which the test reads itself, as a worker would that has just claimed it.
import assert from 'node:assert/strict'
import { sourceDigest } from '../../src/sessions/deck/blobs/source-digest.ts'
import { insertDeck } from '../../src/sessions/deck/deck-rows.ts'
import { claimDocument, type Claimed } from '../../src/sessions/deck/ingest/lease.ts'
import type { TestService } from './service.ts'

/** Of the Markdown, or the picture, `file`. Nobody was told of it, so the workers of the service leave it alone. */
export async function claimedDeck(
  { service, store, clock, accountId }: Pick<TestService, 'service' | 'store' | 'clock' | 'accountId'>,
  sessionId: string,
  file: string | Uint8Array,
): Promise<Claimed> {
  const { ids, blobs } = service.decks.deps
  const keys = [await blobs.put(Buffer.from(file), 'bin')]
  const kind = typeof file === 'string' ? 'markdown' : 'images'
  const deck = await store.write(async (tx) => {
    await insertDeck(tx, ids, {
      session_id: sessionId,
      account_id: accountId,
      kind,
      source_keys: JSON.stringify(keys),
      source_sha256: sourceDigest(kind, keys),
      created_at: clock.now(),
    })
    return claimDocument(tx, 'others', ids, clock.now())
  })
  assert.equal(deck?.session_id, sessionId)
  return deck
}
