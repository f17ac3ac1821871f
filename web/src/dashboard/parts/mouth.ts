// Says one sentence at a time in the dashboard, with the voices of the room: the server's clip where there is one, else the browser's
// speech. Without either it tells so, instead of keeping silent for as long as the sentence would take.
import { browserPlatform, type Platform } from '../../room/platform.ts'
import { clauseStart } from '@rostrum/contract/captions'
import type { Playing, Utterance, Voice } from '../../room/voice/voice.ts'
import type { SessionDetail } from '../data/wire.ts'

/** Of the session whose words are said. */
export type Tongue = Pick<SessionDetail, 'language' | 'pronunciations'>

export interface Mouth {
  /** Called inside the press, before any await: a browser lets sound begin only there. */
  unlock(): void
  /** Says it instead of what is being said. `onEnd` is called once, unless it was stopped; `mute`: there is no voice. */
  say(utterance: Utterance, onEnd: (outcome: 'said' | 'mute') => void): void
  /** The name of the voice of this device that would speak; null where there is none. */
  device(): string | null
  /** Silences at once. */
  stop(): void
}

export function createMouth(
  { language, pronunciations }: Tongue,
  platform: Pick<Platform, 'voices' | 'unlock' | 'findVoice'> = browserPlatform(),
): Mouth {
  const { synth, loadClip } = platform.voices(language, pronunciations)
  let playing: Playing | null = null
  /** What is being said; another object, or null, makes all that is still to come of it void. */
  let current: object | null = null

  const stop = () => {
    current = null
    playing?.stop()
    playing = null
  }

  let device: string | null = null
  platform.findVoice(language, (name) => (device = name))

  return {
    device: () => device,
    unlock: () => platform.unlock(() => undefined),
    stop,
    say(utterance, onEnd) {
      stop()
      const mine = {}
      current = mine
      const end = (outcome: 'said' | 'mute') => {
        if (current !== mine) return
        current = playing = null
        onEnd(outcome)
      }
      const play = (voice: Voice | null, said: Utterance) => {
        if (current !== mine) return
        if (voice === null) return end('mute')
        const begun = voice.play(said, {
          progress: () => undefined,
          ended: () => end('said'),
          failed: (_, chars) => (voice.kind === 'clip' ? play(synth, restOf(said, chars)) : end('mute')),
        })
        if (current === mine) playing = begun
      }
      if (utterance.audioUrl === undefined || loadClip === undefined) return play(synth, utterance)
      void loadClip().then(
        (clip) => play(clip, utterance),
        () => play(synth, utterance),
      )
    },
  }
}

const restOf = (utterance: Utterance, chars: number): Utterance => ({
  ...utterance,
  audioUrl: undefined,
  fromMs: undefined,
  from: clauseStart(utterance.text, chars),
})
