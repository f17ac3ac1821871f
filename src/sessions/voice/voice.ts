// The voice of the server: one sentence in, one clip out. Three makers of it: a server with OpenAI's `POST /v1/audio/speech`, a voice
// in a folder of this machine, and its espeak program. No voice is bundled; nothing is loaded where none is configured.
import { type Sound, soundOf } from './audio.ts'
import { SpeechFault } from './speech-fault.ts'
import { askServer, type SpeechServer } from './speech-server.ts'

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
  /** Loads what the first sentence needs. Throws `SpeechFault`. */
  warm?(): Promise<void>
  /** Ends what runs for it. */
  close?(): void
}

const timeoutMs = 20_000
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
      const bytes = await askServer(server, { path: '/audio/speech', headers, body, timeoutMs, bytesMax: clipMaxBytes, signal })
      return checkedClip(bytes, server.name)
    },
  }
}
