// What a piece of recorded sound is and how long it lasts, read from its own bytes (never from a name or a media type): WAV (RIFF)
// and MP3 (ISO 11172-3) for what is played, those and WebM, Ogg and MP4 for what was recorded.

export interface Sound {
  extension: 'wav' | 'mp3'
  /** Whole milliseconds at speed 1. */
  ms: number
}

const text = (bytes: Uint8Array, from: number, length: number) => String.fromCharCode(...bytes.subarray(from, from + length))
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Undefined for anything that is not whole, playable sound. */
export function soundOf(bytes: Uint8Array): Sound | undefined {
  const wav = wavMs(bytes)
  if (wav !== undefined) return wav > 0 ? { extension: 'wav', ms: wav } : undefined
  const mp3 = mp3Ms(bytes)
  return mp3 > 0 ? { extension: 'mp3', ms: mp3 } : undefined
}

/** Undefined where it is no WAV. Servers that stream write a length they do not know yet: what is there counts. */
export function wavMs(bytes: Uint8Array): number | undefined {
  if (!isWav(bytes)) return undefined
  const { data, bytesPerSecond } = wavParts(bytes) ?? { data: [], bytesPerSecond: 0 }
  return bytesPerSecond === 0 ? 0 : Math.round((data.length / bytesPerSecond) * 1_000)
}

const isWav = (bytes: Uint8Array) => bytes.length >= 12 && text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WAVE'

function wavParts(bytes: Uint8Array) {
  if (!isWav(bytes)) return undefined
  const view = viewOf(bytes)
  let form = { format: 0, channels: 0, sampleRate: 0, bytesPerSecond: 0, bits: 0 }
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true)
    const name = text(bytes, at, 4)
    if (name === 'fmt ' && at + 24 <= bytes.length)
      form = {
        format: view.getUint16(at + 8, true),
        channels: view.getUint16(at + 10, true),
        sampleRate: view.getUint32(at + 12, true),
        bytesPerSecond: view.getUint32(at + 16, true),
        bits: view.getUint16(at + 22, true),
      }
    if (name === 'data') return { ...form, data: bytes.subarray(at + 8, at + 8 + Math.min(size, bytes.length - at - 8)) }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** A WAV of 16 bits, one channel. */
export function wavFrom(samples: Float32Array, sampleRate: number): Uint8Array {
  const bytes = Buffer.alloc(44 + samples.length * 2)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(sampleRate, 24)
  bytes.writeUInt32LE(sampleRate * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples.length * 2, 40)
  for (const [at, sample] of samples.entries()) bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), 44 + at * 2)
  return bytes
}

/** The first channel of a WAV of 16 bits; undefined for anything else. */
export function samplesOf(bytes: Uint8Array): { samples: Float32Array; sampleRate: number } | undefined {
  const parts = wavParts(bytes)
  if (parts === undefined || parts.format !== 1 || parts.bits !== 16 || parts.channels === 0 || parts.sampleRate === 0) return undefined
  const { data, channels, sampleRate } = parts
  const view = viewOf(data)
  const samples = new Float32Array(Math.floor(data.length / (2 * channels)))
  for (const at of samples.keys()) samples[at] = view.getInt16(at * 2 * channels, true) / 32_768
  return samples.length === 0 ? undefined : { samples, sampleRate }
}

const bitrates = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const sampleRates = [44_100, 48_000, 32_000] as const

interface Frame {
  bytes: number
  seconds: number
}

/** Layer III alone, which is what players and servers mean by MP3. */
function frameAt(bytes: Uint8Array, at: number): Frame | undefined {
  const [sync = 0, head = 0, rates = 0] = bytes.subarray(at, at + 3)
  const version = (head >> 3) & 3
  if (sync !== 0xff || (head & 0xe0) !== 0xe0 || version === 1 || ((head >> 1) & 3) !== 1) return undefined
  const kilobits = bitrates[version === 3 ? 1 : 2][rates >> 4]
  const base = sampleRates[(rates >> 2) & 3]
  if (kilobits === undefined || kilobits === 0 || base === undefined) return undefined
  const sampleRate = version === 3 ? base : version === 2 ? base / 2 : base / 4
  const samples = version === 3 ? 1_152 : 576
  return { bytes: Math.floor(((samples / 8) * kilobits * 1_000) / sampleRate) + ((rates >> 1) & 1), seconds: samples / sampleRate }
}

/** By counting frames: a variable rate has no other truth, and the headers that tell a length are optional. 0 for anything else. */
function mp3Ms(bytes: Uint8Array): number {
  let at = text(bytes, 0, 3) === 'ID3' ? 10 + tagLength(bytes) : 0
  let seconds = 0
  let frames = 0
  for (let frame = frameAt(bytes, at); frame !== undefined; frame = frameAt(bytes, at)) {
    seconds += frame.seconds
    frames++
    at += frame.bytes
  }
  // Two bytes in a row look like a frame by chance now and then; two frames in a row do not.
  return frames < 2 ? 0 : Math.round(seconds * 1_000)
}

const tagLength = (bytes: Uint8Array) => [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0)

export type Recorded = 'webm' | 'ogg' | 'wav' | 'mp4' | 'mp3'

/** What a browser or a recorder has made, by its first bytes. */
export function recordedKind(bytes: Uint8Array): Recorded | undefined {
  if (viewOf(bytes).byteLength < 12) return undefined
  if (viewOf(bytes).getUint32(0) === 0x1a45dfa3) return 'webm'
  if (text(bytes, 0, 4) === 'OggS') return 'ogg'
  if (isWav(bytes)) return 'wav'
  if (text(bytes, 4, 4) === 'ftyp') return 'mp4'
  return text(bytes, 0, 3) === 'ID3' || frameAt(bytes, 0) !== undefined ? 'mp3' : undefined
}
