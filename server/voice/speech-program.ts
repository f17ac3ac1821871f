// The process of a voice or of ears on this machine: sherpa-onnx opens the model, then says sentences or hears recordings.
import { createRequire } from 'node:module'
import { serveEngine, type Work } from '@rostrum/base/engine'
import type { Heard, Said, SpeechSetup, ToHear, ToSay } from './local-speech.ts'

interface Samples {
  samples: Float32Array
  sampleRate: number
}

/** The parts of sherpa-onnx-node that are used here; it has no types of its own. */
interface Sherpa {
  OfflineTts: { createAsync(config: object): Promise<OfflineTts> }
  OfflineRecognizer: { createAsync(config: object): Promise<OfflineRecognizer> }
}

interface OfflineTts {
  generateAsync(request: {
    text: string
    sid: number
    speed: number
    enableExternalBuffer: boolean
    onProgress(): boolean
  }): Promise<Samples>
}

interface OfflineRecognizer {
  createStream(): { acceptWaveform(wave: Samples): void }
  decodeAsync(stream: object): Promise<{ text: string }>
}

function loadSherpa(): Sherpa {
  try {
    return createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa
  } catch {
    throw new Error(`sherpa-onnx-node has no engine for this machine (${process.platform}-${process.arch}), or was not installed.`)
  }
}

async function open(setup: unknown): Promise<Work> {
  const { type, config } = setup as SpeechSetup
  const sherpa = loadSherpa()
  if (type === 'voice') {
    const voice = await sherpa.OfflineTts.createAsync(config)
    return async (work, _emit, signal): Promise<Said> => {
      const { text, speaker } = work as ToSay
      const onProgress = () => !signal.aborted
      const { samples, sampleRate } = await voice.generateAsync({ text, sid: speaker, speed: 1, enableExternalBuffer: false, onProgress })
      return { samples, sampleRate }
    }
  }
  const ears = await sherpa.OfflineRecognizer.createAsync(config)
  return async (work): Promise<Heard> => {
    const { samples, sampleRate } = work as ToHear
    const stream = ears.createStream()
    stream.acceptWaveform({ samples, sampleRate })
    return { text: (await ears.decodeAsync(stream)).text }
  }
}

serveEngine(open)
