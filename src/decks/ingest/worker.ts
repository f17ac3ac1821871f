// Works off decks that wait: files to read, pictures to fetch. Woken by whoever makes work, on any node; what was begun by a
// process that died is taken up again.
import { availableParallelism } from 'node:os'
import { sweepBlobs } from '../blobs/blob-uses.ts'
import type { DecksDeps } from '../deps.ts'
import type { ReadLimits } from '../render/read-document.ts'
import { readLimits } from '../render/read-document.ts'
import { workTopic } from '../topics.ts'
import { fetchPictures } from './fetch-pictures.ts'
import { claimDocument, claimPictures, freeClaims, hasWork, LostLease, released, updateClaimed } from './lease.ts'
import type { Claimed } from './lease.ts'
import { failByFault, readDeck } from './read-deck.ts'

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
  const running = new Set<Promise<void>>()
  const ending = new AbortController()
  let hasStarted = false
  let looking: Promise<void> | undefined
  let wokenMeanwhile = false
  let cancelPoll = () => {}
  let cancelSweep = () => {}
  let stopListening = () => {}

  const isOpen = () => hasStarted && !ending.signal.aborted
  const hasRoom = () => isOpen() && running.size < concurrency

  /** Starts what may be started. One look at a time; a call during one makes it look once more. */
  function look(): Promise<void> {
    wokenMeanwhile = true
    looking ??= lookAround().finally(() => (looking = undefined))
    return looking
  }

  async function lookAround(): Promise<void> {
    while (wokenMeanwhile) {
      wokenMeanwhile = false
      while (hasRoom() && (await startNext()));
    }
  }

  async function startNext(): Promise<boolean> {
    const job = await claim()
    if (job === undefined) return false
    const work = job.run(job.deck).catch((error: unknown) => settleFault(job.deck, error))
    running.add(work)
    void work.finally(() => {
      running.delete(work)
      wake()
    })
    return true
  }

  async function claim(): Promise<{ deck: Claimed; run: (deck: Claimed) => Promise<void> } | undefined> {
    const now = deps.clock.now()
    if (!(await hasWork(deps.store.read, now))) return undefined
    const document = await deps.store.write((tx) => claimDocument(tx, deps.ids, now))
    if (document !== undefined) return { deck: document, run: (deck) => readDeck(deck, deps, { limits, signal: ending.signal }) }
    const pictures = await deps.store.write((tx) => claimPictures(tx, deps.ids, now))
    return pictures === undefined
      ? undefined
      : { deck: pictures, run: (deck) => fetchPictures(deck, deps, { limits, signal: ending.signal }) }
  }

  async function settleFault(deck: Claimed, error: unknown): Promise<void> {
    if (error instanceof LostLease) return
    if (!isOpen()) return deps.store.write((tx) => updateClaimed(tx, deck, released, deps.clock.now()))
    warn(`The deck ${deck.id} could not be processed.`, error)
    if (deck.state === 'processing')
      await failByFault(deck, deps).catch((again: unknown) => warn('The failure could not be recorded.', again))
  }

  function wake(): void {
    if (isOpen()) look().catch((error: unknown) => warn('Waiting decks could not be read.', error))
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
      hasStarted = true
      if (isAlone) await deps.store.write(freeClaims)
      stopListening = deps.store.listen(workTopic, wake)
      poll()
      sweep()
    },
    wake,
    async idle() {
      do {
        await look()
        await Promise.all(running)
      } while (running.size > 0 || looking !== undefined)
    },
    async close() {
      ending.abort()
      cancelPoll()
      cancelSweep()
      stopListening()
      await Promise.all(running)
    },
  }
}

/** Documents read at once: one core stays for the server. */
function slots(): number {
  return Math.max(1, Math.min(2, availableParallelism() - 1))
}
