// Says the sentences that wait, a few at once, in the background: a talk never waits for it. What fails is tried three times more, and a
// restart goes on where the last process stopped.
import type { Clock } from '../../../platform/clock.ts'
import type { Store } from '../../../platform/db/store.ts'
import { ringAfter } from '../../../platform/db/transaction-context.ts'
import { dayEnd } from '../../budgets.ts'
import type { Blobs } from '../../deck/blobs/blobs.ts'
import { clipsTopic, voiceWorkTopic } from '../../deck/topics.ts'
import { createWorkPool } from '../../deck/work-pool.ts'
import { clipKey } from './clip-key.ts'
import { claimClip, type ClipOrder, dropClip, failClip, hasDueClip, keepClip, releaseClip, reviveClips } from './clip-rows.ts'

/** The server's voice, as the decks need it. */
export interface ClipMaker {
  /** Names the model in the identity of a clip. */
  name: string
  voiceByDefault: string
  /** An error with `isLasting` is not worth another try. */
  say(
    text: string,
    voice: string,
    signal?: AbortSignal,
    isUrgent?: boolean,
  ): Promise<{ bytes: Uint8Array; extension: 'mp3' | 'wav'; ms: number }>
}

export interface ClipWorker {
  start(): Promise<void>
  /** Resolves when nothing is due or under way. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface ClipWorkerParts {
  store: Store
  clock: Clock
  blobs: Blobs
  maker: ClipMaker
  /** Counts what is sent against the budget of the session's account; false where it is used up. */
  afford(sessionId: string, characters: number): Promise<boolean>
  isAlone: boolean
  warn(words: string, error: unknown): void
}

const concurrency = 4
/** Another process may have ordered without a bell that reaches this one; retries are found by it too. */
const pollMs = 2_000

export function createClipWorker({ store, clock, blobs, maker, afford, isAlone, warn }: ClipWorkerParts): ClipWorker {
  const ending = new AbortController()
  let hasWarned = false
  const stops: (() => void)[] = []

  const pool = createWorkPool({
    concurrency,
    async claim() {
      const now = clock.now()
      if (!(await hasDueClip(store.read, now))) return undefined
      const order = await store.write((tx) => claimClip(tx, now))
      // Another process was quicker; there may be more.
      if (order === undefined) return () => Promise.resolve()
      return () => make(order).catch((error: unknown) => warn('A sentence of the voice could not be recorded.', error))
    },
    warn: (error) => warn('Sentences that wait for the voice could not be read.', error),
  })

  async function make(order: ClipOrder): Promise<void> {
    // Ordered when another model was configured: nobody asks for it any more.
    if (clipKey(order.text_content, { model: maker.name, voice: order.voice }) !== order.clip_key)
      return store.write((tx) => dropClip(tx, order))
    const deck = await store.read.selectFrom('decks').select('session_id').where('id', '=', order.deck_id).executeTakeFirst()
    if (deck !== undefined && !(await afford(deck.session_id, order.text_content.length)))
      return store.write((tx) => releaseClip(tx, order, dayEnd(clock.now())))
    try {
      const { bytes, extension, ms } = await maker.say(order.text_content, order.voice, ending.signal)
      const blobKey = await blobs.put(bytes, extension)
      await store.write(async (tx) => {
        if (await keepClip(tx, order, { blobKey, ms })) ringAfter(tx, clipsTopic(order.deck_id))
      })
      hasWarned = false
    } catch (error) {
      if (ending.signal.aborted) return store.write((tx) => releaseClip(tx, order))
      const isLasting = error instanceof Error && 'isLasting' in error && error.isLasting === true
      // Once for a fault that holds on, not once for each sentence of a deck.
      if (!hasWarned) warn('The voice did not say a sentence; the browser says it where it stays so.', error)
      hasWarned = true
      await store.write((tx) => failClip(tx, order, isLasting, clock.now()))
    }
  }

  function poll(): void {
    stops[0] = clock.after(pollMs, poll)
    pool.wake()
  }

  return {
    async start() {
      await store.write((tx) => reviveClips(tx, isAlone))
      pool.open()
      poll()
      stops.push(store.listen(voiceWorkTopic, pool.wake))
    },
    idle: pool.idle,
    async close() {
      ending.abort()
      for (const stop of stops) stop()
      await pool.close()
    },
  }
}
