// Says the sentences that wait, a few at once, in the background: a talk never waits for it. What fails is tried three times more, then
// the browser says it.
import type { Clock } from '../../../platform/clock.ts'
import type { Job, JobKind } from '../../../platform/db/jobs.ts'
import type { Store } from '../../../platform/db/store.ts'
import { ringAfter } from '../../../platform/db/transaction-context.ts'
import { dayEnd } from '../../usage.ts'
import type { Blobs } from '../../deck/blobs/blobs.ts'
import { clipsTopic } from '../../deck/topics.ts'
import { clipKey } from './clip-key.ts'
import { clipKind, dropClip, failClip, keepClip, waitingClip } from './clip-rows.ts'

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

export interface ClipJobsParts {
  store: Store
  clock: Clock
  blobs: Blobs
  maker: ClipMaker
  /** Counts what is sent against the budget of the session's account; false where it is used up. */
  afford(sessionId: string, characters: number): Promise<boolean>
  warn(words: string, error: unknown): void
}

export function clipJobs({ store, clock, blobs, maker, afford, warn }: ClipJobsParts): Record<string, JobKind> {
  let hasWarned = false

  async function say(job: Job): Promise<{ againAt: number } | undefined> {
    const clip = await waitingClip(store.read, job)
    if (clip === undefined) return undefined
    // Ordered when another model was configured: nobody asks for it any more.
    if (clipKey(clip.text_content, { model: maker.name, voice: clip.voice }) !== clip.clip_key) {
      await store.write((tx) => dropClip(tx, clip))
      return undefined
    }
    const deck = await store.read.selectFrom('decks').select('session_id').where('id', '=', clip.deck_id).executeTakeFirst()
    if (deck !== undefined && !(await afford(deck.session_id, clip.text_content.length))) return { againAt: dayEnd(clock.now()) }
    try {
      const { bytes, extension, ms } = await maker.say(clip.text_content, clip.voice, job.signal)
      const blobKey = await blobs.put(bytes, extension)
      await store.write(async (tx) => {
        if (await keepClip(tx, clip, { blobKey, ms })) ringAfter(tx, clipsTopic(clip.deck_id))
      })
      hasWarned = false
    } catch (error) {
      if (job.signal.aborted) throw error
      // Once for a fault that holds on, not once for each sentence of a deck.
      if (!hasWarned) warn('The voice did not say a sentence; the browser says it where it stays so.', error)
      hasWarned = true
      const isLasting = error instanceof Error && 'isLasting' in error && error.isLasting === true
      if (!isLasting && !job.isLast) throw error
      await store.write((tx) => failClip(tx, clip))
    }
    return undefined
  }

  return { [clipKind]: { atOnce: 4, retryMs: [5_000, 30_000, 300_000], isQuiet: true, run: say } }
}
