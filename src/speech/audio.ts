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
  if (bytes.length < 12 || text(bytes, 0, 4) !== 'RIFF' || text(bytes, 8, 4) !== 'WAVE') return undefined
  const view = viewOf(bytes)
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    const size = view.getUint32(at + 4, true)
    const name = text(bytes, at, 4)
    if (name === 'fmt ' && at + 20 <= bytes.length) bytesPerSecond = view.getUint32(at + 16, true)
    if (name === 'data') {
      const length = Math.min(size, bytes.length - at - 8)
      return bytesPerSecond === 0 ? 0 : Math.round((length / bytesPerSecond) * 1_000)
    }
    at += 8 + size + (size % 2)
  }
  return 0
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
  if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WAVE') return 'wav'
  if (text(bytes, 4, 4) === 'ftyp') return 'mp4'
  return text(bytes, 0, 3) === 'ID3' || frameAt(bytes, 0) !== undefined ? 'mp3' : undefined
}
