// The identity of a clip: the same sentence in the same voice of the same model at the same speed is the same clip.
import { createHash } from 'node:crypto'
import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Clock } from '@rostrum/base/clock'
import { addJob, type Job, type JobKind } from '../platform/db/jobs.ts'
import { remaining } from '../platform/db/statements.ts'
import { type Reader, ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { ClipRow } from './tables.ts'
import type { Blobs } from '../platform/blobs/blobs.ts'
import { useBlobs } from '../platform/blobs/blob-uses.ts'
import { SpeechFault, type Voice } from './voice.ts'
import { dayEnd } from '../sessions/usage.ts'

/** Rung (`Store.listen`) when a sentence of this deck was said by the voice. */
export const clipsTopic = (deckId: string): string => `clips:${deckId}`

/** The speed of a listener is the player's affair. */
const speed = 1

export function clipKey(text: string, { model, voice }: { model: string; voice: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([text, voice, model, speed]))
    .digest('hex')
}

// Reads and writes of the clips of decks: what is wanted, and what was made. Each sentence that waits is a job, so a process that died
// loses nothing and two processes never pay for the same sentence at once.

export type ClipOrder = Selectable<ClipRow>

export interface WantedClip {
  key: string
  text: string
  position: number
}

const clipKind = 'clip'

/** The beginnings of talks come first. */
const jobOf = ({ deck_id, clip_key, position }: Pick<ClipOrder, 'deck_id' | 'clip_key' | 'position'>) => ({
  key: `${String(position).padStart(5, '0')} ${deck_id} ${clip_key}`,
})

/**
 * Makes the rows of `deckId` those of `wanted`: what another deck of the same account has is taken over, what is still to be made and
 * wanted no more is dropped. Returns whether something has changed.
 */
export async function orderClips(tx: Tx, deckId: string, voice: string, wanted: readonly WantedClip[]): Promise<boolean> {
  // A clip that outlived its deck would stay for ever.
  const deck = await remaining(tx, tx.selectFrom('decks').select('account_id').where('id', '=', deckId)).executeTakeFirst()
  if (deck === undefined) return false
  const present = await tx.selectFrom('clips').select(['clip_key', 'state']).where('deck_id', '=', deckId).execute()
  const keys = new Set(wanted.map(({ key }) => key))
  const stale = present.filter(({ clip_key, state }) => state === 'pending' && !keys.has(clip_key)).map(({ clip_key }) => clip_key)
  const known = new Set(present.map(({ clip_key }) => clip_key))
  const missing = [...new Map(wanted.toReversed().map((each) => [each.key, each])).values()].filter(({ key }) => !known.has(key))
  for (const some of chunked(stale)) await tx.deleteFrom('clips').where('deck_id', '=', deckId).where('clip_key', 'in', some).execute()
  for (const some of chunked(missing)) {
    const made = await madeBefore(
      tx,
      deck.account_id,
      some.map(({ key }) => key),
    )
    const rows = some.map(({ key, text, position }): ClipOrder => {
      const before = made.get(key)
      const common = { deck_id: deckId, clip_key: key, position, text_content: text, voice }
      return before === undefined
        ? { ...common, state: 'pending', blob_key: null, duration_ms: null }
        : { ...common, state: 'ready', ...before }
    })
    await tx
      .insertInto('clips')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['deck_id', 'clip_key']).doNothing())
      .execute()
    const waiting = rows.filter(({ state }) => state === 'pending')
    if (waiting.length > 0) await addJob(tx, clipKind, ...waiting.map(jobOf))
    const kept = rows.flatMap(({ blob_key }) => blob_key ?? [])
    if (kept.length > 0) await useBlobs(tx, deckId, kept)
  }
  return stale.length + missing.length > 0
}

/** Clips of the account alone: a hash never reveals what another account says. */
async function madeBefore(tx: Tx, accountId: string, keys: readonly string[]) {
  const rows = await tx
    .selectFrom('clips')
    .innerJoin('decks', 'decks.id', 'clips.deck_id')
    .select(['clips.clip_key', 'clips.blob_key', 'clips.duration_ms'])
    .where('clips.clip_key', 'in', keys)
    .where('clips.state', '=', 'ready')
    .where('decks.account_id', '=', accountId)
    .execute()
  return new Map(rows.map(({ clip_key, blob_key, duration_ms }) => [clip_key, { blob_key, duration_ms }]))
}

/** The sentence of a job; none where it is wanted no more. */
function waiting({ key }: Pick<Job, 'key'>) {
  const [, deck_id = '', clip_key = ''] = key.split(' ')
  return (row: ExpressionBuilder<Tables, 'clips'>) => row.and({ deck_id, clip_key, state: 'pending' })
}

/** At a start: what was given up gets another chance, since the operator may have mended the server. */
export async function reviveClips(tx: Tx): Promise<void> {
  const failed = await tx
    .updateTable('clips')
    .set({ state: 'pending' })
    .where('state', '=', 'failed')
    .returning(['deck_id', 'clip_key', 'position'])
    .execute()
  if (failed.length > 0) await addJob(tx, clipKind, ...failed.map(jobOf))
}

export async function readyClips(read: Reader, deckId: string) {
  return read
    .selectFrom('clips')
    .select(['clip_key', 'blob_key', 'duration_ms'])
    .where('deck_id', '=', deckId)
    .where('state', '=', 'ready')
    .execute()
}

function chunked<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / 100) }, (_, at) => all.slice(at * 100, at * 100 + 100))
}

// Says the sentences that wait, a few at once, in the background: a talk never waits for it. What fails is tried three times more, then
// the browser says it.

/** The server's voice, as the decks need it; its name is part of the identity of a clip. */
export type ClipMaker = Pick<Voice, 'name' | 'voiceByDefault' | 'say'>

export interface ClipsParts {
  store: Store
  clock: Clock
  blobs: Blobs
  mediaBase: string
  maker: ClipMaker
  /** Counts what is sent against the budget of the session's account; false where it is used up. */
  afford(sessionId: string, characters: number): Promise<boolean>
  warn(words: string, error: unknown): void
}

export function clipJobs({ store, clock, blobs, maker, afford, warn }: ClipsParts): Record<string, JobKind> {
  let hasWarned = false

  async function say(job: Job): Promise<{ againAt: number } | undefined> {
    const clip = await store.read.selectFrom('clips').selectAll().where(waiting(job)).executeTakeFirst()
    if (clip === undefined) return undefined
    // Ordered when another model was configured: nobody asks for it any more.
    if (clipKey(clip.text_content, { model: maker.name, voice: clip.voice }) !== clip.clip_key) {
      await store.write((tx) => tx.deleteFrom('clips').where(waiting(job)).execute())
      return undefined
    }
    const deck = await store.read.selectFrom('decks').select('session_id').where('id', '=', clip.deck_id).executeTakeFirst()
    if (deck !== undefined && !(await afford(deck.session_id, clip.text_content.length))) return { againAt: dayEnd(clock.now()) }
    try {
      const { bytes, extension, ms } = await maker.say(clip.text_content, clip.voice, job.signal)
      const blobKey = await blobs.put(bytes, extension)
      await store.write(async (tx) => {
        const ready = { state: 'ready', blob_key: blobKey, duration_ms: ms } as const
        // Not where the deck, or the wish, has gone meanwhile.
        const kept = await tx.updateTable('clips').set(ready).where(waiting(job)).returning('deck_id').executeTakeFirst()
        if (kept === undefined) return
        await useBlobs(tx, clip.deck_id, [blobKey])
        ringAfter(tx, clipsTopic(clip.deck_id))
      })
      hasWarned = false
    } catch (error) {
      if (job.signal.aborted) throw error
      // Once for a fault that holds on, not once for each sentence of a deck.
      if (!hasWarned) warn('The voice did not say a sentence; the browser says it where it stays so.', error)
      hasWarned = true
      const isLasting = error instanceof SpeechFault && error.isLasting
      if (!isLasting && !job.isLast) throw error
      await store.write((tx) => tx.updateTable('clips').set({ state: 'failed' }).where(waiting(job)).execute())
    }
    return undefined
  }

  return { [clipKind]: { atOnce: 4, retryMs: [5_000, 30_000, 300_000], isQuiet: true, run: say } }
}
