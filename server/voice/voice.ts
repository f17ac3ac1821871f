import { z } from 'zod'
import { type Asked, askServer, type OwnServer } from '../platform/egress/outbound.ts'
import { type Recorded, recordedKind, type Sound, soundOf, wavMs } from './audio.ts'

// A server of speech that failed, in words for the operator's log: never with the text that was to be said, nor with what it answered.

export class SpeechFault extends Error {
  /** Sending the same again will not help. */
  readonly isLasting: boolean

  constructor(detail: string, isLasting = false) {
    super(detail)
    this.name = 'SpeechFault'
    this.isLasting = isLasting
  }
}

const ask = (server: SpeechServer, asked: Asked) => askServer(server, asked, (detail, isLasting) => new SpeechFault(detail, isLasting))

/** With OpenAI's audio protocol. */
export interface SpeechServer extends OwnServer {
  model: string
}

// The voice of the server: one sentence in, one clip out. Three makers of it: a server with OpenAI's `POST /v1/audio/speech`, a voice
// in a folder of this machine, and its espeak program. No voice is bundled; nothing is loaded where none is configured.

export interface Clip extends Sound {
  bytes: Uint8Array
}

export interface Voice {
  /** `openai:gpt-4o-mini-tts` */
  name: string
  /** The voice that is used where a session names none. */
  voiceByDefault: string
  /** Says one sentence at speed 1, before others that wait where it is urgent. Throws `SpeechFault`, or the reason of `signal`. */
  say(text: string, voice: string, signal?: AbortSignal, isUrgent?: boolean): Promise<Clip>
  /** The names that a session may choose among, for a talk in this language; empty where nobody can tell. Throws `SpeechFault`. */
  names(language: string): Promise<readonly string[]>
  /** Loads what the first sentence needs. Throws `SpeechFault`. */
  warm?(): Promise<unknown>
  /** Ends what runs for it. */
  close?(): void
}

/** Of OpenAI, whose protocol does not tell them. */
const openaiVoices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer', 'verse']

const namesMs = 3_000
const sayingMs = 20_000
/** A sentence of 240 characters is 20 s at most: some 2 MiB of WAV at 48 kHz. */
export const clipMaxBytes = 8 * 1024 * 1024

export function checkedClip(bytes: Uint8Array, name: string): Clip {
  const sound = soundOf(bytes)
  // It may have been cut on its way: the next try may bring it whole.
  if (sound === undefined) throw new SpeechFault(`${name} sent something that is neither MP3 nor WAV.`)
  return { ...sound, bytes }
}

export function openServerVoice(server: SpeechServer, voiceByDefault: string): Voice {
  return {
    name: server.name,
    voiceByDefault,
    async say(text, voice, signal) {
      const body = JSON.stringify({ model: server.model, input: text, voice, response_format: 'mp3', speed: 1 })
      const headers = { 'Content-Type': 'application/json' }
      const bytes = await ask(server, { path: '/audio/speech', headers, body, timeoutMs: sayingMs, bytesMax: clipMaxBytes, signal })
      return checkedClip(bytes, server.name)
    },
    async names() {
      if (server.name.startsWith('openai:')) return openaiVoices
      // No part of the protocol, but the servers that people run themselves answer it.
      const bytes = await ask(server, { path: '/audio/voices', timeoutMs: namesMs, bytesMax: answerMaxBytes })
      return namesIn(bytes)
    },
  }
}

const namesOf = z.array(z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]))
const voiceList = z.union([namesOf, z.looseObject({ voices: namesOf }).transform(({ voices }) => voices)])

function namesIn(bytes: Uint8Array): string[] {
  try {
    return voiceList.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return []
  }
}

// The ears of the server: a recorded utterance in, its words out, by a server with OpenAI's `POST /v1/audio/transcriptions`, or by a
// recogniser in a folder of this machine (`local/`).

export interface Ears {
  name: string
  /** The recordings that it can hear. */
  takes: readonly Recorded[]
  /** What a recording is by its bytes, and how long where its header tells. */
  measure(bytes: Uint8Array): { kind: Recorded; ms?: number } | undefined
  /** `language` as in BCP 47. Throws `SpeechFault`, or the reason of `signal`. An utterance without words gives an empty text. */
  hear(recording: { bytes: Uint8Array; kind: Recorded; language: string }, signal?: AbortSignal): Promise<string>
  /** Loads what the first recording needs. Throws `SpeechFault`. */
  warm?(): Promise<unknown>
  /** Ends what runs for it. */
  close?(): void
}

const hearingMs = 30_000
const answerMaxBytes = 65_536

const mediaTypes: Readonly<Record<Recorded, string>> = {
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp4: 'audio/mp4',
  mp3: 'audio/mpeg',
}

export function openEars(server: SpeechServer): Ears {
  return {
    name: server.name,
    takes: ['webm', 'ogg', 'wav', 'mp4', 'mp3'],
    measure(bytes) {
      const kind = recordedKind(bytes)
      if (kind === undefined) return undefined
      const ms = wavMs(bytes)
      return ms === undefined ? { kind } : { kind, ms }
    },
    async hear({ bytes, kind, language }, signal) {
      const form = new FormData()
      // Servers tell the format by the name of the file.
      form.set('file', new File([new Uint8Array(bytes)], `utterance.${kind}`, { type: mediaTypes[kind] }))
      form.set('model', server.model)
      form.set('response_format', 'json')
      const base = language.split('-')[0]?.toLowerCase() ?? ''
      if (/^[a-z]{2}$/.test(base)) form.set('language', base)
      const answer = await ask(server, {
        path: '/audio/transcriptions',
        body: form,
        timeoutMs: hearingMs,
        bytesMax: answerMaxBytes,
        signal,
      })
      return wordsIn(answer, server.name)
    },
  }
}

function wordsIn(answer: Uint8Array, name: string): string {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(answer))
    if (typeof parsed === 'object' && parsed !== null && 'text' in parsed && typeof parsed.text === 'string') return parsed.text.trim()
  } catch {
    // Said below, as for every other shape.
  }
  throw new SpeechFault(`${name} sent something that is not a transcription.`)
}
