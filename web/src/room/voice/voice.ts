// The three ways a sentence can be given: a clip of the server, the browser's speech, or silence at the pace of the talk. All share
// one contract: progress in characters, exactly one end, and a stop that tells how far it came.
import type { WebClock } from '../../ui/clock.ts'
import { clauseStart } from '@rostrum/contract/captions'

export interface Utterance {
  /** The beat's id, or `<answerId>:<index>`. */
  id: string
  text: string
  /** How long the whole sentence takes at the speed of the run. */
  estMs: number
  speed: number
  /** Character to start from; the start of a clause. */
  from: number
  audioUrl?: string | null | undefined
  audioMs?: number | null | undefined
  /** Where in its clip to go on, once it was cut there. */
  fromMs?: number | null | undefined
  /** To be fetched ahead. */
  nextAudioUrl?: string | null | undefined
  /** The host's own words: nobody waits to know that they were heard. */
  byHost?: true | undefined
  /** Broadcast: Unix milliseconds of the server's start, in this device's time. */
  dueAt?: number | undefined
}

export type VoiceFailure = 'fault' | 'blocked'

export interface VoiceHooks {
  /** `word`: what is being said, where the voice tells its words; the pace that is estimated may be ahead of it. */
  progress(chars: number, word?: readonly [start: number, end: number]): void
  ended(): void
  failed(reason: VoiceFailure, chars: number): void
}

export interface Playing {
  /** Silences at once and tells the characters given so far; no hook is called afterwards. */
  stop(): number
  /** Of a clip: how far into it, at speed 1. */
  ms?(): number
}

export interface Voice {
  kind: 'clip' | 'synth' | 'silent'
  /** Of what is heard, where it can be told: four bars, 0..1. */
  level?(): readonly number[] | null
  /** Calls while there is something to hear; gives what ends it. */
  onLevel?(tell: () => void): () => void
  play(utterance: Utterance, hooks: VoiceHooks): Playing
}

const tickMs = 100

/** Milliseconds from character `from` to the end. */
export function remainingMs(utterance: Utterance, from = utterance.from): number {
  const share = utterance.text.length === 0 ? 1 : 1 - from / utterance.text.length
  return Math.max(1, utterance.estMs * share)
}

export interface Ticker {
  /** The character reached. */
  at(): number
  /** Sets it right by what the engine says. */
  correct(chars: number): void
  stop(): void
}

/** Counts characters from `from` towards `to` over `durationMs`, by differences of the clock, never by counting ticks. */
export function ticker(clock: WebClock, span: { from: number; to: number; durationMs: number }, onTick: (chars: number) => void): Ticker {
  let base = span.from
  let since = clock.elapsed()
  const perMs = (span.to - span.from) / span.durationMs
  const at = () => Math.min(span.to, Math.floor(base + (clock.elapsed() - since) * perMs))
  let cancel = () => {}
  const tick = () => {
    onTick(at())
    if (at() < span.to) cancel = clock.after(tickMs, tick)
  }
  cancel = clock.after(tickMs, tick)
  return {
    at,
    correct(chars) {
      base = Math.max(span.from, Math.min(span.to, chars))
      since = clock.elapsed()
      onTick(base)
    },
    stop: () => cancel(),
  }
}

/** No sound: the sentence takes its estimated time. */
export function silentVoice(clock: WebClock): Voice {
  return {
    kind: 'silent',
    play(utterance, hooks) {
      const durationMs = remainingMs(utterance)
      const count = ticker(clock, { from: utterance.from, to: utterance.text.length, durationMs }, hooks.progress)
      const cancelEnd = clock.after(durationMs, () => {
        count.stop()
        hooks.ended()
      })
      return {
        stop() {
          cancelEnd()
          count.stop()
          return count.at()
        },
      }
    },
  }
}

/** Says `text` in place of the sentence: between languages a place in it is its share of it. */
export function inOtherWords(voice: Voice, text: string): Voice {
  return {
    kind: voice.kind,
    play(utterance, hooks) {
      const whole = utterance.text.length
      const back = (chars: number) => Math.min(whole, Math.floor((chars / Math.max(1, text.length)) * whole))
      const from = utterance.from === 0 ? 0 : clauseStart(text, Math.floor((utterance.from / Math.max(1, whole)) * text.length))
      const playing = voice.play(
        { ...utterance, text, from },
        {
          progress: (chars) => hooks.progress(back(chars)),
          ended: hooks.ended,
          failed: (reason, chars) => hooks.failed(reason, back(chars)),
        },
      )
      return { stop: () => back(playing.stop()) }
    },
  }
}
