// A server of speech for tests: real HTTP on loopback that speaks OpenAI's audio protocol and says what a script tells it to, well or
// badly. A sentence takes 60 ms a character, as a WAV of 8 kHz, or as MP3 frames of silence.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SpeechAct {
  /** `cut`: half of the bytes, then the connection breaks. `silent`: never a byte, until the server is told to let go. */
  ends?: 'well' | 'refuse' | 'reject' | 'cut' | 'garbage' | 'huge' | 'silent'
  delayMs?: number
  format?: 'wav' | 'mp3'
  /** Milliseconds that a character takes. */
  pace?: number
  /** A WAV is a hum of 200 Hz and no silence. */
  hums?: boolean
  /** What was heard, for a transcription. */
  text?: string
}

export interface SpeechRequest {
  path: string
  headers: IncomingMessage['headers']
  /** JSON of a sentence; empty for a recording. */
  body: { model?: string; input?: string; voice?: string; response_format?: string; speed?: number }
  /** Fields of a recording; the file as `name type size`. */
  form: Readonly<Record<string, string>>
}

export interface SpeechServer {
  /** With `/v1`. */
  baseUrl: string
  requests: SpeechRequest[]
  /** What it tells of the voices that it has; many tell nothing. */
  voices?: readonly (string | { id: string })[]
  act: (request: SpeechRequest) => SpeechAct
  /** The most sentences that were being said at once. */
  busiest: number
  /** Sentences that were asked for and have not been answered: `silent` ones wait here until this is called. */
  letGo(): void
  close(): Promise<void>
}

export const msPerCharacter = 60

/** PCM silence of 8 kHz, 8 bits. */
export function wavOf(ms: number, hums = false): Uint8Array {
  const samples = Math.round(ms * 8)
  const bytes = Buffer.alloc(44 + samples, 0x80)
  if (hums) for (let at = 0; at < samples; at++) bytes[44 + at] = 128 + Math.round(90 * Math.sin((2 * Math.PI * 200 * at) / 8_000))
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8_000, 24)
  bytes.writeUInt32LE(8_000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples, 40)
  return bytes
}

/** Frames of MPEG-2 layer III, 24 kHz, 64 kbit/s, mono: 24 ms and 192 bytes each, all of them silent. */
export function mp3Of(ms: number): Uint8Array {
  const frame = Buffer.alloc(192)
  frame.set([0xff, 0xf3, 0x84, 0xc4])
  return Buffer.concat(Array.from({ length: Math.max(2, Math.round(ms / 24)) }, () => frame))
}

const wait = (ms: number) => (ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => void setTimeout(resolve, ms).unref()))

export async function startSpeechServer(act: SpeechServer['act'] = () => ({})): Promise<SpeechServer> {
  let busy = 0
  let waiting: (() => void)[] = []
  const http = createServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const bytes = Buffer.concat(parts)
    if (request.method === 'GET')
      return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data: [], voices: server.voices }))
    const asked = await readRequest(request, bytes)
    server.requests.push(asked)
    const { ends = 'well', delayMs = 0, format = 'mp3', text = '', pace = msPerCharacter, hums } = server.act(asked)
    server.busiest = Math.max(server.busiest, ++busy)
    await wait(delayMs)
    if (ends === 'silent') await new Promise<void>((resolve) => waiting.push(resolve))
    busy--
    if (response.destroyed) return
    if (ends === 'refuse' || ends === 'reject') return void response.writeHead(ends === 'refuse' ? 503 : 400).end('{"error":{}}')
    const isSentence = asked.path.endsWith('/audio/speech')
    const ms = (asked.body.input?.length ?? 0) * pace
    const sound = isSentence ? (format === 'wav' ? wavOf(ms, hums) : mp3Of(ms)) : Buffer.from(JSON.stringify({ text }))
    const type = isSentence ? (format === 'wav' ? 'audio/wav' : 'audio/mpeg') : 'application/json'
    if (ends === 'huge') {
      response.writeHead(200, { 'Content-Type': type })
      for (let sent = 0; sent < 16; sent++) response.write(Buffer.alloc(1024 * 1024))
      return void response.end()
    }
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': sound.length })
    if (ends === 'garbage') return void response.end(Buffer.alloc(sound.length, 0x20))
    if (ends === 'well' || ends === 'silent') return void response.end(sound)
    response.write(sound.subarray(0, Math.floor(sound.length / 2)))
    setImmediate(() => response.destroy())
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const server: SpeechServer = {
    // It listens on a port, so this is an address of the network.
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    requests: [],
    act,
    busiest: 0,
    letGo() {
      for (const resolve of waiting) resolve()
      waiting = []
    },
    async close() {
      server.letGo()
      http.closeAllConnections()
      await new Promise<void>((resolve) => http.close(() => resolve()))
    },
  }
  return server
}

async function readRequest(request: IncomingMessage, bytes: Buffer): Promise<SpeechRequest> {
  const type = request.headers['content-type'] ?? ''
  const common = { path: request.url ?? '', headers: request.headers }
  if (type.startsWith('application/json')) return { ...common, body: JSON.parse(bytes.toString()) as SpeechRequest['body'], form: {} }
  const form = await new Request('http://form.invalid', {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(bytes),
  }).formData()
  const fields = Array.from(form.entries(), ([name, value]) => [
    name,
    typeof value === 'string' ? value : `${value.name} ${value.type} ${value.size}`,
  ])
  return { ...common, body: {}, form: Object.fromEntries(fields) as Record<string, string> }
}
