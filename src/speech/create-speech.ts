// Opens the voice and the ears that are configured, and counts what they are asked, which is what they cost: providers charge by
// characters said and by seconds heard. Nothing is opened, and no figure is shown, where nothing is configured.
import type { Clock } from '../kernel/clock.ts'
import type { Ears } from './ears.ts'
import { openEars } from './ears.ts'
import { openEspeakVoice } from './espeak-voice.ts'
import { SpeechFault } from './speech-fault.ts'
import type { SpeechServer } from './speech-server.ts'
import type { Voice } from './voice.ts'
import { openServerVoice } from './voice.ts'

export interface SpeechSettings {
  provider: 'openai' | 'compatible' | 'espeak'
  /** Of espeak: the voice. */
  model: string
  baseUrl: string | null
  apiKey: string | null
}

export interface SpeechGauge {
  help: string
  type: 'counter'
  value: number | readonly { labels: Readonly<Record<string, string>>; value: number }[]
}

export interface Speech {
  voice: Voice | null
  ears: Ears | null
  gauges(): Readonly<Record<string, SpeechGauge>>
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
  const opened = config.voice === null ? null : openVoice(config.voice, config.ttsVoice, clock)
  const listening = config.ears === null ? null : openEars(serverOf(config.ears, clock))

  const voice = opened && {
    ...opened,
    async say(text: string, voiceName: string, signal?: AbortSignal) {
      // What was sent is charged, however it ends.
      characters += text.length
      return counted(clips, () => opened.say(text, voiceName, signal))
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
        rostrum_voice_characters_total: counter('Characters that this process sent to the voice.', characters),
        rostrum_voice_clips_total: byOutcome('Sentences that this process asked the voice for, by how it ended.', clips),
      }),
      ...(ears && {
        rostrum_ears_bytes_total: counter('Bytes of recordings that this process sent to be transcribed.', bytes),
        rostrum_ears_utterances_total: byOutcome('Recordings that this process sent to be transcribed, by how it ended.', heard),
      }),
    }),
  }
}

function openVoice(settings: SpeechSettings, voiceByDefault: string, clock: Clock): Voice {
  return settings.provider === 'espeak' ? openEspeakVoice(settings.model) : openServerVoice(serverOf(settings, clock), voiceByDefault)
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

const counter = (help: string, value: number): SpeechGauge => ({ help, type: 'counter', value })

function byOutcome(help: string, outcomes: Outcomes): SpeechGauge {
  return { help, type: 'counter', value: (['ok', 'failed'] as const).map((outcome) => ({ labels: { outcome }, value: outcomes[outcome] })) }
}
