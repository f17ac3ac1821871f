// Says sentences of answers, which nobody knows ahead: each within a time, or the browser says it. A clip of an answer belongs to no
// deck; it is kept for the hour in which a room may still play it, then removed like any blob that nobody uses.
import type { Clock } from '../../../platform/clock.ts'
import type { Blobs } from '../../deck/blobs/blobs.ts'
import { clipKey } from './clip-key.ts'
import type { ReadyClip } from './clip-library.ts'
import type { ClipMaker } from './clip-worker.ts'

export interface AnswerVoice {
  /** The sentence in the voice of the session, or null where it is not there in `waitMs`. Never rejects. */
  say(sentence: { sessionId: string; text: string; voice: string | null }, waitMs: number, signal: AbortSignal): Promise<ReadyClip | null>
}

export interface AnswerVoiceParts {
  clock: Clock
  blobs: Blobs
  mediaBase: string
  maker: ClipMaker
  /** Counts what is sent against the budget of the session's account; false where it is used up. */
  afford(sessionId: string, characters: number): Promise<boolean>
  warn(words: string, error: unknown): void
}

const concurrency = 8
/** Half of the hour for which a blob that nobody uses is kept. */
const keptMs = 1_800_000
const keptMax = 500
/** After so many failures in a row the voice is left alone for a while, so that answers do not wait for it one by one. */
const failuresMax = 3
const restMs = 30_000

export function createAnswerVoice({ clock, blobs, mediaBase, maker, afford, warn }: AnswerVoiceParts): AnswerVoice {
  const kept = new Map<string, { clip: ReadyClip; until: number }>()
  let underway = 0
  let failures = 0
  let restsUntil = 0

  async function make(text: string, voice: string, signal: AbortSignal): Promise<ReadyClip> {
    const { bytes, extension, ms } = await maker.say(text, voice, signal, true)
    const blob_key = await blobs.put(bytes, extension)
    return { url: `${mediaBase}/media/${blob_key}`, ms }
  }

  function keep(name: string, clip: ReadyClip): void {
    kept.delete(name)
    kept.set(name, { clip, until: clock.now() + keptMs })
    const [oldest] = kept.keys()
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest)
  }

  function failed(error: unknown): void {
    failures++
    if (failures < failuresMax) return
    if (failures === failuresMax) warn('The voice did not say sentences of answers; the browser says them.', error)
    restsUntil = clock.now() + restMs
  }

  return {
    async say({ sessionId, text, voice }, waitMs, signal) {
      const spoken = voice ?? maker.voiceByDefault
      // By session: what one has heard is never a sign to another.
      const name = `${sessionId} ${clipKey(text, { model: maker.name, voice: spoken })}`
      const known = kept.get(name)
      if (known !== undefined && known.until > clock.now()) return known.clip
      if (waitMs <= 0 || underway >= concurrency || clock.now() < restsUntil) return null
      const late = new AbortController()
      const cancel = clock.after(waitMs, () => late.abort())
      underway++
      try {
        if (!(await afford(sessionId, text.length))) return null
        const clip = await make(text, spoken, AbortSignal.any([signal, late.signal]))
        failures = 0
        keep(name, clip)
        return clip
      } catch (error) {
        if (!signal.aborted) failed(error)
        return null
      } finally {
        underway--
        cancel()
      }
    },
  }
}
