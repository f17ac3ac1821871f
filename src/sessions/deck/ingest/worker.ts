// Works off decks that wait: files to read, pictures to fetch. Woken by whoever makes work, on any node; what was begun by a
// process that died is taken up again.
import { availableParallelism } from 'node:os'
import { isServiceError } from '../../../platform/errors.ts'
import { sweepBlobs } from '../blobs/blob-uses.ts'
import type { DecksDeps } from '../deps.ts'
import { type ReadLimits, readLimits } from '../render/read-document.ts'
import { workTopic } from '../topics.ts'
import { createWorkPool } from '../work-pool.ts'
import { fetchPictures } from './fetch-pictures.ts'
import { claimDocument, type Claimed, claimPictures, freeClaim, freeClaims, hasWork, LostLease, type Queue } from './lease.ts'
import { failByFault, failForStorage, readDeck } from './read-deck.ts'

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
