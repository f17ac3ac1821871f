// The one mouth of the room: says utterances in order with the best voice that works, falls back to silence without stopping the
// talk, and reports what was given, character by character. At most one utterance is given at a time.
import type { WebClock } from '../../ui/clock.ts'
import { clauseStart } from '@rostrum/contract/captions'
import type { Playing, Utterance, Voice, VoiceFailure } from './voice.ts'

export interface SpeakerVoices {
  /** Fetched where the server has a voice; until then the browser's voice serves. */
  clip: Voice | null
  loadClip?: () => Promise<Voice>
  synth: Voice | null
  silent: Voice
  /** Who says the utterance in the language that is followed, where somebody can. */
  followed?: (utterance: Utterance) => Voice | null
}

export interface SpeakerOptions {
  clock: WebClock
  voices: SpeakerVoices
  onStart: (utterance: Utterance) => void
  onProgress: (utterance: Utterance, chars: number, word?: readonly [start: number, end: number]) => void
  onDone: (utterance: Utterance, outcome: 'ended' | 'cut', chars: number, ms?: number) => void
  /** `blocked`: show **Turn on sound**; `no_voice`: captions go on alone. */
  onNotice: (notice: 'blocked' | 'no_voice' | null) => void
}

export interface Speaker {
  say(utterance: Utterance): void
  /** Silences at once; what waits is dropped, what is cut is told by `onDone`, and by its id here. */
  stop(): string | void
  /** Drops one utterance, running or waiting, without reporting it (the server ended it). */
  drop(id: string): void
  setSound(on: boolean): void
  /** Whether the engine has a voice on this device; some come late. */
  setVoiced(hasVoice: boolean): void
}

const faultsMax = 3
/** A broadcast sentence further behind the server's clock than this starts at the clause it should have reached. */
const lateMs = 2_000

/** Another voice has no part in the millisecond of a clip. */
const restFrom = (utterance: Utterance, chars: number): Utterance => ({
  ...utterance,
  from: clauseStart(utterance.text, chars),
  fromMs: undefined,
})

export function createSpeaker(options: SpeakerOptions): Speaker {
  const { clock, voices } = options
  let queue: readonly Utterance[] = []
  let now: { utterance: Utterance; playing: Playing | null; reached: number } | null = null
  let sound = false
  let synthMissing = false
  let faults = 0
  let blocked = false

  const voiceFor = (utterance: Utterance): Voice => {
    if (!sound || blocked || faults >= faultsMax) return voices.silent
    const followed = utterance.byHost || synthMissing ? null : (voices.followed?.(utterance) ?? null)
    if (followed !== null) return followed
    if (utterance.audioUrl && voices.clip) return voices.clip
    return voices.synth !== null && !synthMissing ? voices.synth : voices.silent
  }

  const play = (utterance: Utterance, voice = voiceFor(utterance)) => {
    const mine: NonNullable<typeof now> = { utterance, playing: null, reached: utterance.from }
    now = mine
    const playing = voice.play(utterance, {
      progress(chars, word) {
        if (now !== mine) return
        mine.reached = Math.max(mine.reached, chars)
        options.onProgress(utterance, mine.reached, word)
      },
      ended() {
        if (now !== mine) return
        now = null
        options.onDone(utterance, 'ended', utterance.text.length)
        if (now === null) next()
      },
      failed(reason, chars) {
        if (now === mine) fallBack(utterance, voice, reason, chars)
      },
    })
    mine.playing = playing
    if (now === mine && voice.kind === 'silent' && sound && synthMissing) options.onNotice('no_voice')
  }

  const fallBack = (utterance: Utterance, voice: Voice, reason: VoiceFailure, chars: number) => {
    if (reason === 'blocked') {
      blocked = true
      options.onNotice('blocked')
    } else if (voice.kind === 'synth') {
      faults++
      if (faults >= faultsMax) options.onNotice('no_voice')
    }
    const rest = restFrom(utterance, chars)
    const second = voice.kind === 'clip' && reason === 'fault' && voices.synth !== null && !synthMissing ? voices.synth : voices.silent
    play(rest, second)
  }

  const next = () => {
    const [first, ...rest] = queue
    if (first === undefined) return
    queue = rest
    const utterance = onTime(first)
    options.onStart(utterance)
    play(utterance)
  }

  /** Broadcast: where the server's clock says this sentence should be by now, softly by rate, by a jump when far behind. */
  const onTime = (utterance: Utterance): Utterance => {
    if (utterance.dueAt === undefined) return utterance
    const behind = clock.now() - utterance.dueAt
    if (behind <= 0) return utterance
    const reached = utterance.from + Math.floor((behind / utterance.estMs) * utterance.text.length)
    if (behind > lateMs || !sound)
      return { ...utterance, from: Math.max(utterance.from, Math.min(clauseStart(utterance.text, reached), utterance.text.length)) }
    return { ...utterance, speed: utterance.speed * 1.05 }
  }

  return {
    say(utterance) {
      if (now?.utterance.id === utterance.id || queue.some((waiting) => waiting.id === utterance.id)) return
      // On the server's clock the newest sentence is the one to say; what still waits is over there.
      queue = utterance.dueAt === undefined ? [...queue, utterance] : [utterance]
      if (now === null) return next()
      // The server's clock has gone on: the sentence that still runs gets two seconds, then this one takes over at its clause.
      if (utterance.dueAt === undefined) return
      const running = now
      clock.after(sound ? lateMs : 0, () => {
        if (now !== running || !queue.some((waiting) => waiting.id === utterance.id)) return
        running.playing?.stop()
        now = null
        next()
      })
    },
    stop() {
      queue = []
      if (now === null) return
      const { utterance, playing, reached } = now
      now = null
      options.onDone(utterance, 'cut', Math.max(reached, playing?.stop() ?? 0), playing?.ms?.())
      return utterance.id
    },
    drop(id) {
      queue = queue.filter((waiting) => waiting.id !== id)
      if (now?.utterance.id !== id) return
      now.playing?.stop()
      now = null
      next()
    },
    setSound(on) {
      if (on) {
        blocked = false
        faults = 0
      }
      if (on === sound) return
      sound = on
      options.onNotice(null)
      if (now === null) return
      const { utterance, playing, reached } = now
      const chars = Math.max(reached, playing?.stop() ?? 0)
      play(restFrom(utterance, chars))
    },
    setVoiced(hasVoice) {
      if (hasVoice !== synthMissing) return
      synthMissing = !hasVoice
      faults = 0
      if (sound && voices.clip === null) options.onNotice(hasVoice ? null : 'no_voice')
    },
  }
}
