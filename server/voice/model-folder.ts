// Which model a folder holds, by the names of its files and by what the model says of itself, and how the engine is told to open it.
// The layouts are those of the archives that sherpa-onnx publishes; whatever is missing is named before the engine sees the folder,
// because it ends its process over it.
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { SpeechFault } from './voice.ts'

// What a model says of itself (ONNX: `ModelProto.metadata_props`): its kind, its speakers, its rate. Read from the file without the
// weights: a field that is not wanted is passed over by its length.

const propertyField = 14
/** Names of a hundred speakers. */
const propertyMaxBytes = 65_536
const fieldsMax = 10_000

/** Empty for anything that is not such a file. Throws where it cannot be read. */
export function onnxProperties(path: string): ReadonlyMap<string, string> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const properties = new Map<string, string>()
    for (let at = 0, count = 0; at < size && count < fieldsMax; count++) {
      const field = fieldAt(file, at)
      if (field === undefined) return new Map()
      if (field.number === propertyField && field.length <= propertyMaxBytes) {
        const [key, value] = pairIn(read(file, field.from, field.length))
        properties.set(key, value)
      }
      at = field.from + field.length
    }
    return properties
  } finally {
    closeSync(file)
  }
}

function read(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, from))
}

interface Field {
  number: number
  from: number
  length: number
}

function fieldAt(file: number, at: number): Field | undefined {
  const head = read(file, at, 20)
  const tag = varint(head, 0)
  if (tag === undefined) return undefined
  const [number, wire] = [Math.floor(tag.value / 8), tag.value % 8]
  const then = varint(head, tag.next)
  if (number === 0 || then === undefined) return undefined
  if (wire === 0) return { number, from: at + then.next, length: 0 }
  if (wire === 2) return { number, from: at + then.next, length: then.value }
  return wire === 1 || wire === 5 ? { number, from: at + tag.next, length: wire === 1 ? 8 : 4 } : undefined
}

function varint(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  let value = 0
  for (let part = 0; part < 7; part++) {
    const byte = bytes[at + part]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * part)
    if (byte < 0x80) return { value, next: at + part + 1 }
  }
  return undefined
}

/** Key and value are fields 1 and 2 of a property. */
function pairIn(bytes: Buffer): [string, string] {
  const pair: [string, string] = ['', '']
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at)
    const length = tag && varint(bytes, tag.next)
    if (!length) break
    if (tag.value === 10 || tag.value === 18)
      pair[tag.value === 10 ? 0 : 1] = bytes.toString('utf8', length.next, length.next + length.value)
    at = length.next + length.value
  }
  return pair
}

export interface VoiceFolder {
  /** `Kokoro`, `Piper`: as a person calls it. */
  kind: string
  /** In the order of their numbers; names where the model has them. */
  speakers: readonly string[]
  language: string
  sampleRate: number
  /** `OfflineTtsConfig` of sherpa-onnx. */
  config: object
}

export interface EarsFolder {
  kind: string
  /** `OfflineRecognizerConfig` of sherpa-onnx. */
  config: object
}

interface Files {
  folder: string
  names: readonly string[]
}

/** More threads gain little for one sentence, and the server needs the others. */
const numThreads = 2

const no = (detail: string) => new SpeechFault(detail, true)

function filesOf(folder: string): Files {
  try {
    return { folder, names: readdirSync(folder) }
  } catch {
    throw no(`There is no folder ${folder}. \`rostrum voice install\` makes one.`)
  }
}

/** The smaller, quantised file where there are two. */
function findModel({ folder, names }: Files, ...parts: readonly string[]): string | undefined {
  const found = names.filter((name) => name.endsWith('.onnx') && parts.every((part) => name.includes(part)))
  const name = found.find((name) => name.includes('int8')) ?? found[0]
  return name === undefined ? undefined : join(folder, name)
}

function findOne({ folder, names }: Files, isIt: (name: string) => boolean): string | undefined {
  const name = names.find(isIt)
  return name === undefined ? undefined : join(folder, name)
}

function need(path: string | undefined, files: Files, what: string): string {
  if (path === undefined) throw no(`${files.folder} holds no ${what}.`)
  return path
}

/** Throws a lasting `SpeechFault` in words for the operator. */
export function voiceFolder(folder: string): VoiceFolder {
  const files = filesOf(folder)
  const tokens = need(
    findOne(files, (name) => name === 'tokens.txt'),
    files,
    'tokens.txt',
  )
  const vocoder = findModel(files, 'vocos') ?? findModel(files, 'hifigan')
  const rest = { ...files, names: files.names.filter((name) => join(folder, name) !== vocoder) }
  const model = need(findModel(rest), files, 'voice (no .onnx file)')
  const properties = onnxProperties(model)
  const data = existsSync(join(folder, 'espeak-ng-data')) ? { dataDir: join(folder, 'espeak-ng-data') } : {}
  const lexicons = files.names.filter((name) => name.startsWith('lexicon') && name.endsWith('.txt')).map((name) => join(folder, name))
  const lexicon = lexicons.length === 0 ? {} : { lexicon: lexicons.join(',') }
  const voices = findOne(files, (name) => name === 'voices.bin')
  const common = { tokens, ...data, ...lexicon }
  const type = properties.get('model_type') ?? ''

  function told(kind: string, part: object): VoiceFolder {
    if (!properties.has('sample_rate')) throw no(`${model} does not say what it is: it is no voice of sherpa-onnx.`)
    const count = Math.max(1, Number(properties.get('n_speakers') ?? 1))
    const named = (properties.get('speaker_names') ?? '').split(',').filter(Boolean)
    return {
      kind,
      speakers: named.length === count ? named : Array.from({ length: count }, (_, at) => String(at)),
      language: properties.get('language') ?? '',
      sampleRate: Number(properties.get('sample_rate')),
      config: { model: { ...part, numThreads, debug: false, provider: 'cpu' }, maxNumSentences: 1 },
    }
  }

  if (type.startsWith('kokoro') || type.startsWith('kitten')) {
    const isKokoro = type.startsWith('kokoro')
    const part = { ...common, model, voices: need(voices, files, 'voices.bin') }
    return told(isKokoro ? 'Kokoro' : 'Kitten', isKokoro ? { kokoro: part } : { kitten: part })
  }
  if (type.startsWith('matcha'))
    return told('Matcha', {
      matcha: { ...common, acousticModel: model, vocoder: need(vocoder, files, 'vocoder (vocos-22khz-univ.onnx, from the same releases)') },
    })
  const isPiper = properties.get('comment')?.includes('piper') === true
  if (isPiper && !('dataDir' in data) && lexicons.length === 0) throw no(`${folder} holds no espeak-ng-data, which ${model} needs.`)
  return told(isPiper ? 'Piper' : 'VITS', { vits: { ...common, model } })
}

/** Throws a lasting `SpeechFault` in words for the operator. */
export function earsFolder(folder: string): EarsFolder {
  const files = filesOf(folder)
  const tokens = need(
    findOne(files, (name) => name === 'tokens.txt' || name.endsWith('-tokens.txt')),
    files,
    'tokens.txt',
  )
  const told = (kind: string, part: object, featureDim = 80): EarsFolder => ({
    kind,
    config: {
      featConfig: { sampleRate: 16_000, featureDim },
      modelConfig: { ...part, tokens, numThreads, debug: 0, provider: 'cpu' },
    },
  })
  const [encoder, decoder, joiner] = [findModel(files, 'encoder'), findModel(files, 'decoder'), findModel(files, 'joiner')]
  if (encoder !== undefined && decoder !== undefined && joiner !== undefined) {
    const isNemo = onnxProperties(encoder).get('model_type')?.startsWith('EncDec') === true
    return told('transducer', { transducer: { encoder, decoder, joiner }, ...(isNemo && { modelType: 'nemo_transducer' }) })
  }
  if (encoder !== undefined && decoder !== undefined && onnxProperties(encoder).get('model_type')?.startsWith('whisper') === true)
    return told('Whisper', { whisper: { encoder, decoder, task: 'transcribe' } })
  const preprocessor = findModel(files, 'preprocess')
  if (preprocessor !== undefined)
    return told('Moonshine', {
      moonshine: {
        preprocessor,
        encoder: need(findModel(files, 'encode'), files, 'encode.onnx'),
        uncachedDecoder: need(findModel(files, 'uncached_decode'), files, 'uncached_decode.onnx'),
        cachedDecoder: need(
          findOne(files, (name) => name.startsWith('cached_decode')),
          files,
          'cached_decode.onnx',
        ),
      },
    })
  const model = need(findModel(files), files, 'recogniser (no .onnx file)')
  const type = onnxProperties(model).get('model_type') ?? ''
  if (type === 'tdnn') return told('TDNN', { tdnn: { model } }, 23)
  if (type.startsWith('EncDec')) return told('NeMo CTC', { nemoCtc: { model } })
  if (type === 'zipformer2_ctc') return told('Zipformer CTC', { zipformerCtc: { model } })
  if (type === 'wenet_ctc') return told('WeNet CTC', { wenetCtc: { model } })
  if (type === 'sense_voice_ctc' || type === 'sense_voice')
    return told('SenseVoice', { senseVoice: { model, useInverseTextNormalization: 1 } })
  if (type === 'paraformer') return told('Paraformer', { paraformer: { model } })
  throw no(`${model} is no recogniser that is known here${type === '' ? '' : ` (${type})`}.`)
}
