// The ears of the server: a recorded utterance in, its words out, by a server with OpenAI's `POST /v1/audio/transcriptions`, or by a
// recogniser in a folder of this machine (`local/`).
import { type Recorded, recordedKind, wavMs } from './audio.ts'
import { SpeechFault } from './speech-fault.ts'
import { askServer, type SpeechServer } from './speech-server.ts'

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

const timeoutMs = 30_000
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
      const answer = await askServer(server, { path: '/audio/transcriptions', body: form, timeoutMs, bytesMax: answerMaxBytes, signal })
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
