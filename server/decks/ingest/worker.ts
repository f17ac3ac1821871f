// Decks that wait: files to read, pictures to fetch.
import { availableParallelism } from 'node:os'
import { type Job, type JobKind, LostLease } from '../../platform/db/jobs.ts'
import { ringAfter } from '../../platform/db/store.ts'
import { isServiceError } from '@rostrum/base/errors'
import { holdSession, deckTopic } from '../../sessions/session.ts'
import { writeImages } from '../slide-images.ts'
import { holdStorage } from '../../sessions/storage.ts'
import { sweepBlobs, useBlobs } from '../../platform/blobs/blob-uses.ts'
import { followLanguage } from '../follow-language.ts'
import { deckKind, newestDeck, type Slide } from '../deck-rows.ts'
import { reviseIn } from '../revise-deck.ts'
import type { RenderedPage } from '@rostrum/deck/protocol'
import { readDocument, type ReadLimits, readLimits, type ReadOptions } from '@rostrum/deck/render/read-document'
import { type DeckWarning, readWarnings } from '@rostrum/deck/warnings'
import { claimDeck, type Claimed, putImages, updateClaimed } from './claimed.ts'
import { fetchFile } from '../../platform/egress/fetch-file.ts'
import { failByFault, failForStorage, readDeck, type ReadDeckDeps } from './read-deck.ts'
import { type Allowance, countWork, forgetTurns, takeTurn } from './turns.ts'
import { changeOf, type RecognisedPage, recognisePages } from './recognise-pages.ts'

// Fetches the pictures of JSON slides (`imageUrl`, Spec 2.3): once per address, through the guarded client, decoded in the
// reader process, and served from then on as ours. A picture that fails leaves a slide of text and a warning; of one on a slide
// without text the words are read.

const pictureMaxBytes = 10 * 1024 * 1024
/** Fetched together and decoded by one process. */
const batchSize = 6

type Arrival = { ok: true; page: RenderedPage } | { ok: false; words: string }

export async function fetchPictures(deck: Claimed, deps: ReadDeckDeps, options: ReadOptions): Promise<void> {
  const waiting = await deps.store.read
    .selectFrom('slides')
    .select('image_url')
    .distinct()
    .where('deck_id', '=', deck.id)
    .where('image_state', '=', 'pending')
    .execute()
  const urls = waiting.flatMap(({ image_url }) => image_url ?? [])
  const fetched: number[] = []
  for (let from = 0; from < urls.length; from += batchSize) {
    const batch = urls.slice(from, from + batchSize)
    const arrivals = await readBatch(batch, deps, options)
    for (const [index, url] of batch.entries())
      fetched.push(...(await settle(deck, url, arrivals[index] ?? { ok: false, words: 'The picture is damaged.' }, deps)))
  }
  await readWords(deck, new Set(fetched), deps, options)
}

/** Runs keep the version of the deck that they began with: words that were read make the next one. */
async function readWords(deck: Claimed, fetched: ReadonlySet<number>, deps: ReadDeckDeps, options: ReadOptions): Promise<void> {
  const found = new Map<number, RecognisedPage>()
  const keepPage = async (page: RecognisedPage) => {
    await deps.store.write((tx) => updateClaimed(tx, deck))
    if (page.written !== undefined) found.set(page.slide.position, page)
  }
  const isBare = ({ position, text_content }: RecognisedPage['slide']) => fetched.has(position) && text_content.trim() === ''
  if (fetched.size > 0) await recognisePages(deck, keepPage, deps, options, isBare)
  const isRead = await deps.store.write(async (tx) => {
    // Before the deck, as whoever sends another one does.
    const session = await holdSession(tx, deck.session_id)
    await updateClaimed(tx, deck)
    const newest = await newestDeck(tx, deck.session_id)
    if (found.size === 0 || session?.deck_id !== deck.id || newest?.id !== deck.id) return false
    const where = { accountId: deck.account_id, sessionId: deck.session_id, now: deps.clock.now() }
    const read = (slides: readonly Slide[]) =>
      slides.map((slide) => {
        const page = found.get(slide.position)
        return page === undefined ? slide : { ...slide, ...changeOf(page) }
      })
    await followLanguage(tx, deck.session_id, await reviseIn(tx, where, read, deps))
    return true
  })
  if (isRead) deps.scripts.refresh(deck.session_id)
}

async function readBatch(urls: readonly string[], deps: ReadDeckDeps, options: ReadOptions): Promise<Arrival[]> {
  const accept = 'image/webp, image/png, image/jpeg'
  const fetched = await Promise.all(
    urls.map((url) => fetchFile(deps.outbound, { url, what: 'picture', maxBytes: pictureMaxBytes, accept })),
  )
  const arrivals: Arrival[] = fetched.map((file) =>
    file.ok ? { ok: false, words: 'The picture is damaged.' } : { ok: false, words: file.words },
  )
  const places = fetched.flatMap((file, index) => (file.ok ? [index] : []))
  const files = fetched.flatMap((file) => (file.ok ? [file.bytes] : []))
  if (files.length === 0) return arrivals
  await readDocument(
    { kind: 'images', files },
    {
      total: async () => {},
      async page(page) {
        const words = page.warnings?.[0]?.detail ?? 'The picture is damaged.'
        arrivals[places[page.index] ?? 0] = page.images.length > 0 ? { ok: true, page } : { ok: false, words }
      },
    },
    deps.clock,
    options,
  )
  return arrivals
}

/** The places of the slides that have their picture now. */
async function settle(deck: Claimed, url: string, arrival: Arrival, deps: ReadDeckDeps): Promise<number[]> {
  return keep(deck, url, arrival, deps).catch((error: unknown) => {
    if (!isServiceError(error) || error.code !== 'limit_reached') throw error
    return keep(deck, url, { ok: false, words: error.message }, deps)
  })
}

async function keep(deck: Claimed, url: string, arrival: Arrival, deps: ReadDeckDeps): Promise<number[]> {
  const { images, sized } = await putImages(arrival.ok ? arrival.page.images : [], deps)
  return deps.store.write(async (tx) => {
    if (arrival.ok) await holdStorage(tx, deps.storageLimit, deck.account_id, sized)
    await updateClaimed(tx, deck)
    const change: Partial<Slide> = arrival.ok
      ? { image_state: 'ready', images: writeImages(images) }
      : { image_state: 'failed', state: 'placeholder' }
    const slides = await tx
      .updateTable('slides')
      .set(change)
      .where('deck_id', '=', deck.id)
      .where('image_url', '=', url)
      .where('image_state', '=', 'pending')
      .returning('position')
      .execute()
    await useBlobs(
      tx,
      deck.id,
      images.map(({ key }) => key),
    )
    if (!arrival.ok) {
      const row = await tx.selectFrom('decks').select('warnings').where('id', '=', deck.id).executeTakeFirstOrThrow()
      const added: DeckWarning[] = slides.map(({ position }) => ({ index: position, code: 'picture_failed', detail: arrival.words }))
      const warnings = JSON.stringify([...readWarnings(row.warnings), ...added])
      await tx.updateTable('decks').set({ warnings }).where('id', '=', deck.id).execute()
    }
    ringAfter(tx, deckTopic(deck.session_id))
    return arrival.ok ? slides.map(({ position }) => position) : []
  })
}

interface DeckJobsDeps extends ReadDeckDeps {
  /** Of reading and of drawing each, for an account within an hour; null: no limit. */
  readingMs: Allowance
}

export interface DeckJobs {
  limits?: ReadLimits
  warn(words: string, error: unknown): void
}

/** By kind (`deckKind`). A fault of ours ends the deck; what cannot even be written down is tried again. */
export function deckJobs(deps: DeckJobsDeps, { limits = readLimits, warn }: DeckJobs): Record<string, JobKind> {
  async function work(kind: string, job: Job): Promise<void> {
    const deck = await claimDeck(deps.store, job)
    if (deck === null) return
    const options = { limits, signal: job.signal }
    const begun = deps.clock.elapsed()
    try {
      await (deck.state === 'ready' ? fetchPictures(deck, deps, options) : readDeck(deck, deps, options))
    } catch (error) {
      if (error instanceof LostLease || job.signal.aborted) throw error
      if (isServiceError(error) && error.code === 'limit_reached') return failForStorage(deck, error.message, deps)
      warn(`The deck ${deck.id} could not be processed.`, error)
      if (deck.state === 'processing') await failByFault(deck, deps)
    } finally {
      const took = deps.clock.elapsed() - begun
      await deps.store
        .write((tx) => countWork(tx, kind, deck.account_id, deps.clock.now(), took))
        .catch((error: unknown) => warn('The time of a reading could not be counted.', error))
    }
  }
  async function sweep(): Promise<void> {
    await sweepBlobs(deps.store, deps.blobs, deps.clock.now())
    await deps.store.write((tx) => forgetTurns(tx, deps.clock.now()))
  }
  const inTurn = (kind: string, atOnce: number): JobKind => ({
    retryMs: [60_000, 600_000],
    run: (job) => work(kind, job),
    atOnce,
    next: (tx, now, room) => takeTurn(tx, kind, { now, allowance: deps.readingMs, isForAll: atOnce === 1 || room > 1 }),
  })
  return {
    // One core stays for the server, to which readers give way; the last place is for files that somebody answers for.
    [deckKind.other]: inTurn(deckKind.other, 1 + Math.max(1, Math.min(2, availableParallelism() - 1))),
    // Takes many seconds and gigabytes to draw: one at a time, and nobody else waits for it.
    [deckKind.presentation]: inTurn(deckKind.presentation, 1),
    'old-blobs': { everyMs: 600_000, run: sweep },
  }
}
