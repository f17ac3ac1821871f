// Which process works on a deck: claimed by a conditional update, renewed with every page, free again when it expires. Every
// write of the worker carries the token, so a process that lost its claim changes nothing.
import type { Reader, Tx } from '../../../platform/db/store.ts'
import { type Ids, randomBase32 } from '../../../platform/ids.ts'
import type { Deck } from '../deck-rows.ts'
import { presentationKinds } from '../render/office.ts'

/** Longer than a document may take. */
export const leaseMs = 240_000

export interface Claimed extends Deck {
  lease_token: string
}

/** Presentations wait for the program that draws them; nothing else waits for presentations. */
export type Queue = 'presentations' | 'others'

/** A cheap look before a claim: most of the time nothing waits. */
export async function hasWork(read: Reader, queue: Queue, now: number): Promise<boolean> {
  const document = await read
    .selectFrom('decks')
    .select('id')
    .where('state', 'in', ['pending', 'processing'])
    .where('kind', ...kindsOf(queue))
    .where('lease_until', '<', now)
    .limit(1)
    .executeTakeFirst()
  if (document !== undefined) return true
  if (queue === 'presentations') return false
  const picture = await read
    .selectFrom('slides')
    .innerJoin('decks', 'decks.id', 'slides.deck_id')
    .select('decks.id')
    .where('slides.image_state', '=', 'pending')
    .where('decks.state', '=', 'ready')
    .where('decks.lease_until', '<', now)
    .limit(1)
    .executeTakeFirst()
  return picture !== undefined
}

function kindsOf(queue: Queue) {
  return [queue === 'presentations' ? 'in' : 'not in', presentationKinds] as const
}

/** The oldest deck that waits for its file to be read. */
export async function claimDocument(tx: Tx, queue: Queue, ids: Ids, now: number): Promise<Claimed | undefined> {
  const candidate = tx
    .selectFrom('decks')
    .select('id')
    .where('state', 'in', ['pending', 'processing'])
    .where('kind', ...kindsOf(queue))
    .where('lease_until', '<', now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
  const lease_token = randomBase32(ids, 16)
  const deck = await tx
    .updateTable('decks')
    .set({ state: 'processing', lease_token, lease_until: now + leaseMs, progress_done: 0 })
    .where('id', '=', candidate)
    .where('state', 'in', ['pending', 'processing'])
    .where('lease_until', '<', now)
    .returningAll()
    .executeTakeFirst()
  return deck === undefined ? undefined : { ...deck, lease_token }
}

/** A finished deck some of whose pictures are still to be fetched. */
export async function claimPictures(tx: Tx, ids: Ids, now: number): Promise<Claimed | undefined> {
  const candidate = tx
    .selectFrom('slides')
    .innerJoin('decks', 'decks.id', 'slides.deck_id')
    .select('decks.id')
    .where('slides.image_state', '=', 'pending')
    .where('decks.state', '=', 'ready')
    .where('decks.lease_until', '<', now)
    .limit(1)
  const lease_token = randomBase32(ids, 16)
  const deck = await tx
    .updateTable('decks')
    .set({ lease_token, lease_until: now + leaseMs })
    .where('id', '=', candidate)
    .where('lease_until', '<', now)
    .returningAll()
    .executeTakeFirst()
  return deck === undefined ? undefined : { ...deck, lease_token }
}

/** The claim was lost: another process works on the deck, or it is gone. */
export class LostLease extends Error {
  constructor() {
    super('The deck is no longer ours.')
    this.name = 'LostLease'
  }
}

/** Changes the claimed deck and renews the claim. Throws `LostLease`. */
export async function updateClaimed(tx: Tx, deck: Claimed, change: Partial<Deck>, now: number): Promise<void> {
  const updated = await tx
    .updateTable('decks')
    .set({ lease_until: now + leaseMs, ...change })
    .where('id', '=', deck.id)
    .where('lease_token', '=', deck.lease_token)
    .returning('id')
    .executeTakeFirst()
  if (updated === undefined) throw new LostLease()
}

export const released = { lease_token: null, lease_until: 0 } as const

/** Lets go of the claim, where it is still ours. */
export async function freeClaim(tx: Tx, { id, lease_token }: Claimed): Promise<void> {
  await tx.updateTable('decks').set(released).where('id', '=', id).where('lease_token', '=', lease_token).execute()
}

/** A fresh `serve` on SQLite holds the directory, so whoever held a claim is dead. */
export async function freeClaims(tx: Tx): Promise<void> {
  await tx.updateTable('decks').set(released).where('lease_until', '>', 0).execute()
}
