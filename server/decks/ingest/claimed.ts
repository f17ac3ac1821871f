// A deck that is being worked on, under the lease of its job. Every write of the work goes through here, so a process that lost its
// lease changes nothing, nor does one whose deck another has taken the place of.
import { type Job, LostLease } from '../../platform/db/jobs.ts'
import type { Store, Tx } from '../../platform/db/store.ts'
import { type OutboundOutcome, type OutboundReason, refusalWords } from '../../platform/egress/destination.ts'
import type { SlideImages } from '../slide-images.ts'
import type { RenderedPage } from '@rostrum/deck/protocol'
import type { DecksDeps } from '../create-decks.ts'
import type { Deck } from '../deck-rows.ts'

export interface Claimed extends Deck, Pick<Job, 'hold'> {}

/** Of a job that has just begun: a file that is to be read, or a finished deck with pictures to be fetched; null where there is neither. */
export function claimDeck(store: Store, { key, hold }: Pick<Job, 'key' | 'hold'>): Promise<Claimed | null> {
  return store.write(async (tx) => {
    const waiting = tx.updateTable('decks').set({ state: 'processing', progress_done: 0 }).where('id', '=', key)
    const document = await waiting.where('state', 'in', ['pending', 'processing']).returningAll().executeTakeFirst()
    const ready = tx.selectFrom('decks').selectAll().where('id', '=', key).where('state', '=', 'ready')
    const deck = document ?? (await ready.executeTakeFirst())
    return deck === undefined ? null : { ...deck, hold }
  })
}

/** Changes the deck and renews the lease. Throws `LostLease`. */
export async function updateClaimed(tx: Tx, { id, state, hold }: Claimed, change: Partial<Deck> = {}): Promise<void> {
  await hold(tx)
  const updated = await tx
    .updateTable('decks')
    .set({ state, ...change })
    .where('id', '=', id)
    .where('state', '=', state)
    .returning('id')
    .executeTakeFirst()
  if (updated === undefined) throw new LostLease()
}

// Fetches what a `pdfUrl` names through the guarded client. Words of a failure hold neither the remote body nor an address.

export const sourceMaxBytes = 50 * 1024 * 1024
const documentMs = 60_000

export type Fetched = { ok: true; bytes: Uint8Array } | { ok: false; words: string }

const words: Readonly<Record<OutboundReason, string>> = {
  blocked_destination: refusalWords,
  blocklist_unavailable: 'The address cannot be checked just now. Try again later.',
  dns: 'The host of the address was not found.',
  connect: 'The host of the address does not answer.',
  tls: 'The host of the address has no valid certificate.',
  timeout: 'The host of the address took too long to answer.',
  protocol: 'The host of the address gave an answer that cannot be read.',
  redirect: 'The address redirects too often, or from https to http.',
  too_large: '',
}

/** `what` names the thing in a failure: "file", "picture". */
export async function fetchFile(
  outbound: DecksDeps['outbound'],
  {
    url,
    what,
    maxBytes,
    accept,
    timeoutMs = documentMs,
  }: { url: string; what: string; maxBytes: number; accept: string; timeoutMs?: number },
): Promise<Fetched> {
  const outcome = await outbound.request({ url, headers: { accept }, maxBytes, timeoutMs, redirects: 3 })
  if (outcome.ok && outcome.status === 200) return { ok: true, bytes: outcome.body }
  return { ok: false, words: wordsFor(outcome, what, maxBytes) }
}

function wordsFor(outcome: OutboundOutcome, what: string, maxBytes: number): string {
  if (outcome.ok) return `The host of the address answered ${outcome.status} instead of the ${what}.`
  return outcome.reason === 'too_large' ? `The ${what} is larger than ${maxBytes / 1024 / 1024} MiB.` : words[outcome.reason]
}

/** The pictures of a page as they are kept, and what they take. */
export async function putImages(images: RenderedPage['images'], { blobs }: Pick<DecksDeps, 'blobs'>) {
  const put = images.map(async ({ bytes, extension, width, height }) => ({ key: await blobs.put(bytes, extension), width, height }))
  const kept: SlideImages = await Promise.all(put)
  return { images: kept, sized: kept.map(({ key }, at) => ({ key, sizeBytes: images[at]?.bytes.length ?? 0 })) }
}
