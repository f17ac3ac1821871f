// Works off decks that wait: files to read, pictures to fetch. Woken by whoever makes work, on any node; what was begun by a
// process that died is taken up again.
import { availableParallelism } from 'node:os'
import { ringAfter } from '../../../platform/db/transaction-context.ts'
import { isServiceError } from '../../../platform/errors.ts'
import { holdSession } from '../../session.ts'
import { sweepBlobs, useBlobs } from '../blobs/blob-uses.ts'
import { holdStorage } from '../blobs/stored-bytes.ts'
import { followLanguage } from '../deck-language.ts'
import { newestDeck, type Slide } from '../deck-rows.ts'
import type { DecksDeps } from '../deps.ts'
import { reviseIn } from '../operations/revise-deck.ts'
import type { RenderedPage } from '../render/protocol.ts'
import { readDocument, type ReadLimits, readLimits, type ReadOptions } from '../render/read-document.ts'
import { writeImages } from '../slide-image.ts'
import { deckTopic, workTopic } from '../topics.ts'
import { type DeckWarning, readWarnings } from '../warnings.ts'
import { createWorkPool } from '../work-pool.ts'
import { fetchFile } from './fetch-source.ts'
import {
  claimDocument,
  type Claimed,
  claimPictures,
  freeClaim,
  freeClaims,
  hasWork,
  LostLease,
  type Queue,
  released,
  updateClaimed,
} from './lease.ts'
import { failByFault, failForStorage, readDeck } from './read-deck.ts'
import { changeOf, type RecognisedPage, recognisePages } from './recognise-pages.ts'

// Fetches the pictures of JSON slides (`imageUrl`, Spec 2.3): once per address, through the guarded client, decoded in the
// reader process, and served from then on as ours. A picture that fails leaves a slide of text and a warning; of one on a slide
// without text the words are read.

const pictureMaxBytes = 10 * 1024 * 1024
/** Fetched together and decoded by one process. */
const batchSize = 6

type Arrival = { ok: true; page: RenderedPage } | { ok: false; words: string }

export async function fetchPictures(deck: Claimed, deps: DecksDeps, options: ReadOptions): Promise<void> {
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
async function readWords(deck: Claimed, fetched: ReadonlySet<number>, deps: DecksDeps, options: ReadOptions): Promise<void> {
  const found = new Map<number, RecognisedPage>()
  const keepPage = async (page: RecognisedPage) => {
    await deps.store.write((tx) => updateClaimed(tx, deck, {}, deps.clock.now()))
    if (page.written !== undefined) found.set(page.slide.position, page)
  }
  const isBare = ({ position, text_content }: RecognisedPage['slide']) => fetched.has(position) && text_content.trim() === ''
  if (fetched.size > 0) await recognisePages(deck, keepPage, deps, options, isBare)
  const isRead = await deps.store.write(async (tx) => {
    // Before the deck, as whoever sends another one does.
    const session = await holdSession(tx, deck.session_id)
    await updateClaimed(tx, deck, released, deps.clock.now())
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

async function readBatch(urls: readonly string[], deps: DecksDeps, options: ReadOptions): Promise<Arrival[]> {
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
async function settle(deck: Claimed, url: string, arrival: Arrival, deps: DecksDeps): Promise<number[]> {
  return keep(deck, url, arrival, deps).catch((error: unknown) => {
    if (!isServiceError(error) || error.code !== 'limit_reached') throw error
    return keep(deck, url, { ok: false, words: error.message }, deps)
  })
}

async function keep(deck: Claimed, url: string, arrival: Arrival, deps: DecksDeps): Promise<number[]> {
  const images = arrival.ok
    ? await Promise.all(
        arrival.page.images.map(async ({ bytes, extension, width, height }) => ({
          key: await deps.blobs.put(bytes, extension),
          width,
          height,
        })),
      )
    : []
  return deps.store.write(async (tx) => {
    if (arrival.ok) {
      const sized = images.map(({ key }, index) => ({ key, sizeBytes: arrival.page.images[index]?.bytes.length ?? 0 }))
      await holdStorage(tx, deps.storageLimit, deck.account_id, sized)
    }
    await updateClaimed(tx, deck, {}, deps.clock.now())
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

export interface DeckWorker {
  start(): Promise<void>
  wake(): void
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface WorkerOptions {
  limits?: ReadLimits
  concurrency?: number
  /** True where this process alone uses the store: claims of a dead one are freed at once. */
  isAlone: boolean
  warn(words: string, error: unknown): void
}

/** Another process may add work to the same store without a bell that reaches this one. */
const pollMs = 1_000
const sweepMs = 600_000

export function createDeckWorker(
  deps: DecksDeps,
  { limits = readLimits, concurrency = slots(), isAlone, warn }: WorkerOptions,
): DeckWorker {
  const ending = new AbortController()
  let cancelPoll = () => {}
  let cancelSweep = () => {}
  let stopListening = () => {}

  const poolOf = (queue: Queue, atOnce: number) =>
    createWorkPool({
      concurrency: atOnce,
      async claim() {
        const job = await claim(queue)
        return job && (() => job.run(job.deck).catch((error: unknown) => settleFault(job.deck, error)))
      },
      warn: (error) => warn('Waiting decks could not be read.', error),
    })
  // A presentation takes many seconds and gigabytes to draw: one at a time, and nobody else waits for it. What was fetched from an
  // address may turn out to be one and goes over to them.
  const pools = [poolOf('others', concurrency), poolOf('presentations', 1)]

  async function claim(queue: Queue): Promise<{ deck: Claimed; run: (deck: Claimed) => Promise<void> } | undefined> {
    const now = deps.clock.now()
    if (!(await hasWork(deps.store.read, queue, now))) return undefined
    const document = await deps.store.write((tx) => claimDocument(tx, queue, deps.ids, now))
    if (document !== undefined) return { deck: document, run: (deck) => readDeck(deck, deps, { limits, signal: ending.signal }) }
    if (queue === 'presentations') return undefined
    const pictures = await deps.store.write((tx) => claimPictures(tx, deps.ids, now))
    return pictures === undefined
      ? undefined
      : { deck: pictures, run: (deck) => fetchPictures(deck, deps, { limits, signal: ending.signal }) }
  }

  async function settleFault(deck: Claimed, error: unknown): Promise<void> {
    if (error instanceof LostLease) return
    if (ending.signal.aborted) return deps.store.write((tx) => freeClaim(tx, deck))
    if (isServiceError(error) && error.code === 'limit_reached') return failForStorage(deck, error.message, deps)
    warn(`The deck ${deck.id} could not be processed.`, error)
    if (deck.state === 'processing')
      await failByFault(deck, deps).catch((again: unknown) => warn('The failure could not be recorded.', again))
  }

  function wake(): void {
    for (const pool of pools) pool.wake()
  }

  async function idle(): Promise<void> {
    for (const pool of pools) await pool.idle()
  }

  function poll(): void {
    cancelPoll = deps.clock.after(pollMs, poll)
    wake()
  }

  function sweep(): void {
    cancelSweep = deps.clock.after(sweepMs, sweep)
    const swept = sweepBlobs(deps.store, deps.blobs, deps.clock.now())
    swept.catch((error: unknown) => warn('Blobs that nobody uses could not be removed.', error))
  }

  return {
    async start() {
      if (isAlone) await deps.store.write(freeClaims)
      for (const pool of pools) pool.open()
      stopListening = deps.store.listen(workTopic, wake)
      poll()
      sweep()
    },
    wake,
    idle,
    async close() {
      ending.abort()
      cancelPoll()
      cancelSweep()
      stopListening()
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

/** Documents read at once: one core stays for the server. */
function slots(): number {
  return Math.max(1, Math.min(2, availableParallelism() - 1))
}
