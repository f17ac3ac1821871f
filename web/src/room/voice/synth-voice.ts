// The browser's speech synthesis, with the guards its engines need: short pieces (remote voices fall silent after some 15 s),
// `cancel()` before `speak()`, a kept reference (collected utterances lose their events), never pause()/resume(), and watchdogs. Most
// engines do not tell their words: the caption then goes by the pace at which the pieces before were said.
import { pronouncing, type Pronunciations } from '@rostrum/contract/spoken'
import type { WebClock } from '../../ui/clock.ts'
import { utterancePieces } from '@rostrum/contract/captions'
import { remainingMs, type Ticker, ticker, type Voice } from './voice.ts'

export interface Synth {
  speak(utterance: SpeechSynthesisUtterance): void
  cancel(): void
  getVoices(): SpeechSynthesisVoice[]
}

export interface SynthOptions {
  clock: WebClock
  synth: Synth
  create: (text: string) => SpeechSynthesisUtterance
  language: string
  pronunciations?: Pronunciations | undefined
}

const startWithinMs = 2_000
const pieceMaxMs = 12_000

export function synthVoice({ clock, synth, create, language, pronunciations = {} }: SynthOptions): Voice {
  const saidAs = pronouncing(pronunciations)
  // Held until its end: without a reference Chromium may collect the utterance and its events with it.
  let held: SpeechSynthesisUtterance | null = null
  /** How long this engine takes for what was estimated as 1. */
  let pace = 1
  return {
    kind: 'synth',
    play(utterance, hooks) {
      const charMs = (remainingMs(utterance, 0) * pace) / Math.max(1, utterance.text.length)
      const pieces = utterancePieces(utterance.text, utterance.from, Math.min(180, pieceMaxMs / charMs))
      let stopped = false
      let reached = utterance.from
      let count: Ticker | null = null
      let cancelWatch = () => {}
      const halt = () => {
        stopped = true
        cancelWatch()
        count?.stop()
        synth.cancel()
        held = null
      }
      const fail = (reason: 'fault' | 'blocked') => {
        if (stopped) return
        halt()
        hooks.failed(reason, reached)
      }
      const speakPiece = (index: number) => {
        const piece = pieces[index]
        if (piece === undefined) {
          stopped = true
          held = null
          return hooks.ended()
        }
        const said = saidAs(piece.text)
        const spoken = create(said.text)
        const voice = chooseVoice(synth.getVoices(), language)
        spoken.lang = voice?.lang ?? language
        spoken.rate = utterance.speed
        if (voice !== undefined) spoken.voice = voice
        const durationMs = charMs * (piece.end - piece.start)
        let startedMs = 0
        let word: readonly [start: number, end: number] | undefined
        const progress = (chars: number) => {
          reached = Math.max(reached, chars)
          hooks.progress(reached, word)
        }
        spoken.onstart = () => {
          if (stopped || held !== spoken) return
          cancelWatch()
          cancelWatch = clock.after(2 * durationMs + 1_000, () => fail('fault'))
          startedMs = clock.elapsed()
          progress(piece.start)
          count = ticker(clock, { from: piece.start, to: piece.end, durationMs }, progress)
        }
        spoken.onboundary = (event) => {
          if (stopped || held !== spoken) return
          const at = piece.start + said.captionAt(event.charIndex)
          // Further words of one that is said in several.
          if (at === word?.[0]) return
          const length = event.charLength && piece.start + said.captionAt(event.charIndex + event.charLength) - at
          if (event.name !== 'sentence') word = [at, at + (length || wordLength(utterance.text, at))]
          if (count) count.correct(at)
          else progress(at)
        }
        spoken.onend = () => {
          if (stopped || held !== spoken) return
          cancelWatch()
          count?.stop()
          pace = Math.min(2, Math.max(0.5, (pace * (clock.elapsed() - startedMs)) / durationMs))
          // The caption changes when the next piece begins.
          reached = piece.end
          speakPiece(index + 1)
        }
        spoken.onerror = (event) => {
          if (stopped || held !== spoken || event.error === 'interrupted' || event.error === 'canceled') return
          fail(event.error === 'not-allowed' ? 'blocked' : 'fault')
        }
        held = spoken
        cancelWatch = clock.after(startWithinMs, () => fail('fault'))
        synth.cancel()
        synth.speak(spoken)
      }
      speakPiece(0)
      return {
        stop() {
          halt()
          return reached
        },
      }
    },
  }
}

const wordLength = (text: string, at: number): number => /^\S*/.exec(text.slice(at))?.[0].length ?? 0

/** A local voice of the language if there is one: remote ones send no boundaries and fall silent. */
export function chooseVoice(voices: readonly SpeechSynthesisVoice[], language: string): SpeechSynthesisVoice | undefined {
  const wanted = language.toLowerCase()
  const base = wanted.split('-')[0] ?? wanted
  const rank = (voice: SpeechSynthesisVoice) => {
    const lang = voice.lang.toLowerCase().replace('_', '-')
    const fits = lang === wanted ? 4 : lang.split('-')[0] === base ? 2 : -10
    return fits + (voice.localService ? 3 : 0) + (voice.default ? 1 : 0)
  }
  return voices.filter((voice) => rank(voice) > 0).toSorted((a, b) => rank(b) - rank(a))[0]
}
