import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@rostrum/base/clock'
import { createEngine, type Engine, EngineFailed } from '@rostrum/base/engine'
import { samplesOf, wavFrom } from './audio.ts'
import { earsFolder, voiceFolder } from './model-folder.ts'
import { checkedClip, clipMaxBytes, type Ears, SpeechFault, type Voice } from './voice.ts'

// What goes between the server and the process of a voice or of ears. Types alone.

/** `config` is that of the engine, from `model-folder.ts`. */
export interface SpeechSetup {
  type: 'voice' | 'ears'
  config: object
}

export interface ToSay {
  text: string
  speaker: number
}

export interface Said {
  samples: Float32Array
  sampleRate: number
}

export type ToHear = Said

export interface Heard {
  text: string
}

// A voice and ears on this machine (`ROSTRUM_TTS=sherpa:<folder>`, `ROSTRUM_STT=sherpa:<folder>`): no network, no key, any of the models
// that sherpa-onnx runs. Each has a process of its own.

export interface LocalVoice extends Voice {
  kind: string
  speakers: readonly string[]
  /** Resolves when the model is loaded. */
  warm(): Promise<unknown>
}

export interface LocalEars extends Ears {
  kind: string
  warm(): Promise<unknown>
}

const program = fileURLToPath(new URL('speech-program.ts', import.meta.url))
const limits = { startMs: 120_000, workMs: 30_000, memoryBytes: 4 * 1024 ** 3 }

function engineFor(setup: SpeechSetup, clock: Clock): Engine {
  return createEngine({ program, setup, clock, limits })
}

async function asFault<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof EngineFailed ? new SpeechFault(`${name}: ${error.message}`) : error
  }
}

/** Throws `SpeechFault` where the folder holds no voice. The model is loaded with the first sentence, or by `warm`. */
export function openLocalVoice(folder: string, wanted: string, clock: Clock): LocalVoice {
  const { kind, speakers, config } = voiceFolder(folder)
  const name = `sherpa:${basename(folder)}`
  const engine = engineFor({ type: 'voice', config }, clock)
  const [first = '0'] = speakers
  const voiceByDefault = speakers.includes(wanted) ? wanted : first
  return {
    name,
    kind,
    speakers,
    voiceByDefault,
    names: async () => speakers,
    warm: () => asFault(name, engine.ready()),
    async say(text, voice, signal, isUrgent = false) {
      // A session may name a voice of another maker.
      const speaker = Math.max(0, speakers.indexOf(speakers.includes(voice) ? voice : voiceByDefault))
      const work: ToSay = { text, speaker }
      // The program is our own code: its answers are of this type.
      const { samples, sampleRate } = (await asFault(name, engine.run(work, { signal, isUrgent }))) as Said
      if (samples.length === 0) throw new SpeechFault(`${name} made no sound of a sentence.`, true)
      const bytes = wavFrom(samples, sampleRate)
      if (bytes.length > clipMaxBytes) throw new SpeechFault(`${name} made more than ${clipMaxBytes} bytes of a sentence.`, true)
      return { bytes, extension: 'wav', ms: Math.round((samples.length / sampleRate) * 1_000) }
    },
    close: () => engine.close(),
  }
}

/** Throws `SpeechFault` where the folder holds no recogniser. It takes WAV alone: nothing here decodes what browsers record. */
export function openLocalEars(folder: string, clock: Clock): LocalEars {
  const { kind, config } = earsFolder(folder)
  const name = `sherpa:${basename(folder)}`
  const engine = engineFor({ type: 'ears', config }, clock)
  return {
    name,
    kind,
    takes: ['wav'],
    warm: () => asFault(name, engine.ready()),
    measure(bytes) {
      const sound = samplesOf(bytes)
      return sound && { kind: 'wav', ms: Math.round((sound.samples.length / sound.sampleRate) * 1_000) }
    },
    async hear({ bytes }, signal) {
      const sound = samplesOf(bytes)
      if (sound === undefined) throw new SpeechFault(`${name} was given something that is not a WAV of 16 bits.`, true)
      const work: ToHear = sound
      // The program is our own code: its answers are of this type.
      const { text } = (await asFault(name, engine.run(work, { signal, isUrgent: true }))) as Heard
      return text.trim()
    },
    close: () => engine.close(),
  }
}

// The espeak program of this machine as a voice (`ROSTRUM_TTS=espeak:<voice>`): no network, no key. The sentence goes in by standard
// input, never as an argument, and the program gets no environment but a search path.

const espeakMs = 20_000
/** The newer program first; both take these options. */
const programs = ['espeak-ng', 'espeak'] as const
/** Names of voices, such as `en-us+f3`; nothing that reads as an option. */
const voicePattern = /^[a-z0-9][a-z0-9+_-]{0,40}$/i

/** Where programs are installed. */
const usualPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

export function openEspeakVoice(voiceByDefault: string, path = usualPath): Voice {
  const name = `espeak:${voiceByDefault}`
  let known: readonly string[] = programs
  return {
    name,
    voiceByDefault,
    async say(text, voice, signal) {
      // A session may name a voice of another maker.
      const spoken = voicePattern.test(voice) ? voice : voiceByDefault
      for (const program of known) {
        const bytes = await run(program, ['-v', spoken, '--stdout', '-s', '160'], text, { path, signal })
        if (bytes === 'missing') continue
        known = [program]
        return checkedClip(bytes, name)
      }
      throw new SpeechFault('espeak-ng is not installed on this machine.', true)
    },
    async names(language) {
      for (const program of known) {
        const list = await run(program, [`--voices=${language.split('-')[0] ?? ''}`], '', { path, signal: undefined })
        // Priority, name, gender, title, file; voices of mbrola need files of their own.
        if (list !== 'missing')
          return [
            ...Buffer.from(list)
              .toString()
              .matchAll(/^ *\d+ +(\S+) +\S+ +\S+ +(?! *mb\/)/gm),
          ].map(([, of]) => of ?? '')
      }
      return []
    },
  }
}

function run(
  program: string,
  args: readonly string[],
  text: string,
  { path, signal }: { path: string; signal: AbortSignal | undefined },
): Promise<Uint8Array | 'missing'> {
  return new Promise((resolve, reject) => {
    const options = { timeout: espeakMs, killSignal: 'SIGKILL', env: { PATH: path }, ...(signal && { signal }) } as const
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
    const parts: Buffer[] = []
    let size = 0
    child.stdout.on('data', (part: Buffer) => {
      size += part.length
      if (size > clipMaxBytes) child.kill('SIGKILL')
      else parts.push(part)
    })
    child.on('error', (error) => {
      if ('code' in error && error.code === 'ENOENT') resolve('missing')
      else reject(signal?.aborted ? signal.reason : new SpeechFault(`${program} cannot be started.`))
    })
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts))
      else reject(signal?.aborted ? signal.reason : new SpeechFault(`${program} ended with ${code ?? 'a signal'}.`, code !== null))
    })
    // It may end before it has read everything; how it ended says more.
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
