// Opens the voice and the ears that are configured, and counts what they are asked, which is what they cost: providers charge by
// characters said and by seconds heard. Nothing is opened, and no figure is shown, where nothing is configured.
import type { SpeechSettings } from '../config/servers.ts'
import type { Clock } from '@rostrum/base/clock'
import { counter, type Gauges } from '../platform/gauges.ts'
import { type Ears, openEars, openServerVoice, SpeechFault, type SpeechServer, type Voice } from './voice.ts'
import { openEspeakVoice, openLocalEars, openLocalVoice } from './local-speech.ts'

export interface Speech {
  voice: Voice | null
  ears: Ears | null
  gauges: Gauges
  close(): void
}

interface Outcomes {
  ok: number
  failed: number
}

/** Each holds its recording in memory. */
const utterancesMax = 16

export function createSpeech(
  config: { voice: SpeechSettings | null; ears: SpeechSettings | null; ttsVoice: string },
  clock: Clock,
  warn: (words: string, error: unknown) => void,
): Speech {
  const clips: Outcomes = { ok: 0, failed: 0 }
  const heard: Outcomes = { ok: 0, failed: 0 }
  let characters = 0
  let bytes = 0
  let underway = 0
  const { voice: wantedVoice, ears: wantedEars } = config
  const opened = wantedVoice && tried('voice', () => openVoice(wantedVoice, config.ttsVoice, clock))
  const listening = wantedEars && tried('speech recognition', () => openTheEars(wantedEars, clock))

  /** Without it the talk goes on as if none were configured, and no door offers it. */
  function tried<T extends Pick<Voice, 'warm'>>(what: string, open: () => T): T | null {
    try {
      const opened = open()
      opened.warm?.().catch((error: unknown) => warn(`The ${what} could not be loaded; it is tried again when it is needed.`, error))
      return opened
    } catch (error) {
      warn(`The ${what} cannot be used; the browser's own is used instead.`, error)
      return null
    }
  }

  const voice = opened && {
    ...opened,
    async say(...[text, voiceName, signal, isUrgent]: Parameters<Voice['say']>) {
      // What was sent is charged, however it ends.
      characters += text.length
      return counted(clips, () => opened.say(text, voiceName, signal, isUrgent))
    },
  }
  const ears = listening && {
    ...listening,
    async hear(recording: Parameters<Ears['hear']>[0], signal?: AbortSignal) {
      if (underway >= utterancesMax) throw new SpeechFault(`${listening.name} has ${utterancesMax} recordings under way.`)
      bytes += recording.bytes.length
      underway++
      try {
        return await counted(heard, () => listening.hear(recording, signal))
      } catch (error) {
        warn('A recording was not turned into text.', error)
        throw error
      } finally {
        underway--
      }
    },
  }
  return {
    voice,
    ears,
    gauges: () => ({
      ...(voice && {
        rostrum_voice_characters_total: { help: 'Characters that this process sent to the voice.', type: 'counter', value: characters },
        rostrum_voice_clips_total: counter(
          'Sentences that this process asked the voice for, by how it ended.',
          'outcome',
          Object.entries(clips),
        ),
      }),
      ...(ears && {
        rostrum_ears_bytes_total: { help: 'Bytes of recordings that this process sent to be transcribed.', type: 'counter', value: bytes },
        rostrum_ears_utterances_total: counter(
          'Recordings that this process sent to be transcribed, by how it ended.',
          'outcome',
          Object.entries(heard),
        ),
      }),
    }),
    close() {
      opened?.close?.()
      listening?.close?.()
    },
  }
}

function openVoice(settings: SpeechSettings, voiceByDefault: string, clock: Clock): Voice {
  if (settings.provider === 'espeak') return openEspeakVoice(settings.model)
  if (settings.provider === 'sherpa') return openLocalVoice(settings.model, voiceByDefault, clock)
  return openServerVoice(serverOf(settings, clock), voiceByDefault)
}

function openTheEars(settings: SpeechSettings, clock: Clock): Ears {
  return settings.provider === 'sherpa' ? openLocalEars(settings.model, clock) : openEars(serverOf(settings, clock))
}

function serverOf({ provider, model, baseUrl, apiKey }: SpeechSettings, clock: Clock): SpeechServer {
  if (baseUrl === null) throw new Error('A server of speech needs an address.')
  return { name: `${provider}:${model}`, model, baseUrl, apiKey, clock }
}

async function counted<T>(outcomes: Outcomes, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work()
    outcomes.ok++
    return result
  } catch (error) {
    outcomes.failed++
    throw error
  }
}
