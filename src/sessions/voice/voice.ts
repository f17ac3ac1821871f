import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
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

// Talks to a server with OpenAI's audio protocol: one request, one whole answer within a time and a size. The address is the
// operator's own word, so it may be on this machine or on a private network.

export interface SpeechServer {
  /** As `rostrum doctor` and the log name it: `openai:gpt-4o-mini-tts`. */
  name: string
  model: string
  /** With the path of the version, such as `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string | null
  clock: Pick<Clock, 'after'>
}

interface Asked {
  path: string
  headers?: Readonly<Record<string, string>>
  /** Without one it is read, not sent. */
  body?: string | FormData
  timeoutMs: number
  bytesMax: number
  signal?: AbortSignal | undefined
}

/** The bytes of a 2xx answer. Throws `SpeechFault`, or the reason of `signal`. */
async function askServer(server: SpeechServer, asked: Asked): Promise<Uint8Array> {
  const { path, headers, body, timeoutMs, bytesMax, signal } = asked
  const timeout = new AbortController()
  const cancelTimeout = server.clock.after(timeoutMs, () => timeout.abort())
  const key: Record<string, string> = server.apiKey === null ? {} : { Authorization: `Bearer ${server.apiKey}` }
  try {
    const answer = await fetch(`${server.baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`, {
      headers: { ...key, ...headers },
      ...(body !== undefined && { method: 'POST', body }),
      // A key is for the server that was named, not for wherever it points.
      redirect: 'error',
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new SpeechFault(`${server.name} answered ${answer.status}.`, isLasting(answer.status))
    }
    return await readBounded(answer, server.name, bytesMax)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof SpeechFault) throw error
    throw new SpeechFault(timeout.signal.aborted ? `${server.name} took longer than ${timeoutMs} ms.` : `${server.name} does not answer.`)
  } finally {
    cancelTimeout()
  }
}

const isLasting = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429

async function readBounded(answer: Response, name: string, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  const body: ReadableStream<Uint8Array> | null = answer.body
  if (body !== null)
    for await (const part of body) {
      size += part.length
      if (size > bytesMax) throw new SpeechFault(`${name} sent more than ${bytesMax} bytes.`, true)
      parts.push(part)
    }
  return Buffer.concat(parts, size)
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
  warm?(): Promise<void>
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
      const bytes = await askServer(server, { path: '/audio/speech', headers, body, timeoutMs: sayingMs, bytesMax: clipMaxBytes, signal })
      return checkedClip(bytes, server.name)
    },
    async names() {
      if (server.name.startsWith('openai:')) return openaiVoices
      // No part of the protocol, but the servers that people run themselves answer it.
      const bytes = await askServer(server, { path: '/audio/voices', timeoutMs: namesMs, bytesMax: answerMaxBytes })
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
  warm?(): Promise<void>
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
      const answer = await askServer(server, {
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
