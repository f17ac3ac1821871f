// A server with default settings behind a proxy that tells addresses, a host with a talk and a film on it, and what is measured from
// outside while somebody attacks: the resident size of the process, the longest turn of its thread, the waits of the host.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { startServer } from '../../test/support/server.ts'
import { percentile } from '../report.ts'
import { webm } from './files.ts'

export interface StageSizes {
  /** How long an attack goes on. */
  seconds: number
  filmMb: number
}

export interface Measured {
  atRestMb: number
  peakMb: number
  stallMs: number
  waitP95Ms: number
  waitMaxMs: number
}

export interface Answer {
  status: number
  body: Record<string, unknown>
}

export type Stage = Awaited<ReturnType<typeof openStage>>

export const sessionsPath = '/api/v1/agent/sessions'
const minutesOfPlan = 120
const keysOfHost = 4

export async function openStage(sizes: StageSizes) {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-hostile-'))
  const socket = join(directory, 'stall')
  const watch = fileURLToPath(new URL('../../test/support/stall-watch.ts', import.meta.url))
  const env = {
    STALL_SOCKET: socket,
    NODE_OPTIONS: `--import=${watch}`,
    ROSTRUM_TRUST_PROXY: '127.0.0.0/8',
    ROSTRUM_PLAN_MINUTES: String(minutesOfPlan),
  }
  const server = await startServer({ env, dataDir: join(directory, 'data') })
  async function close(): Promise<void> {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  const port = Number(new URL(server.baseUrl).port)
  const keys: string[] = []
  for (let n = 0; n < keysOfHost; n++) keys.push(await server.command('key', 'create', '--name', `host ${n}`))

  async function ask(method: string, path: string, { token = keys[0] ?? '', address, body, type }: Asked = {}): Promise<Answer> {
    const isText = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const headers = {
      ...(token !== '' && { Authorization: `Bearer ${token}` }),
      ...(address !== undefined && { 'X-Forwarded-For': address }),
      ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }),
    }
    const sent = isText ? body : JSON.stringify(body)
    const answer = await fetch(server.baseUrl + path, { method, headers, ...(sent !== undefined && { body: sent as string }) })
    const words = await answer.text()
    return { status: answer.status, body: words.startsWith('{') ? (JSON.parse(words) as Record<string, unknown>) : {} }
  }

  async function made(method: string, path: string, asked: Asked = {}): Promise<Record<string, unknown>> {
    const { status, body } = await ask(method, path, asked)
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body).slice(0, 300)}`)
    return body
  }

  const slides = ['Heat pumps', 'What they cost'].map((title) => ({ title, textContent: `${title}. A flow temperature of 55 degrees.` }))
  const talk = await made('POST', sessionsPath, { body: { title: 'Heat pumps', slides } })
  const [sessionId, slug] = [String(talk['sessionId']), String(talk['slug'])]
  await made('POST', `${sessionsPath}/${sessionId}/publish`)

  async function until<T>(seconds: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    for (const end = performance.now() + seconds * 1_000; performance.now() < end; await setTimeout(1_000)) {
      const seen = await look()
      if (seen !== undefined) return seen
    }
    return undefined
  }

  const recordings = `${sessionsPath}/${sessionId}/recordings`
  /** The address of the host's film. */
  async function film(): Promise<string> {
    const { recordingId } = await made('POST', recordings, { body: { format: 'webm' } })
    const one = `${recordings}/${String(recordingId)}`
    await until(60, async () => ((await made('GET', one))['state'] === 'making' ? true : undefined))
    const { totalMs } = await made('GET', `${one}/plan`)
    const bytes = webm(sizes.filmMb * 1_048_576, Number(totalMs))
    await made('PUT', `${one}/file`, { body: bytes, type: 'video/webm' })
    const ready = await until(120, async () => ((await made('GET', one)) as { url: string | null }).url ?? undefined)
    return new URL(ready ?? '').pathname
  }
  const filmPath = await film().catch(async (error: unknown) => {
    await close()
    throw error
  })

  let strangers = 0
  return {
    sizes,
    port,
    baseUrl: server.baseUrl,
    minutesOfPlan,
    host: { sessionId, slug, filmPath },
    ask,
    made,
    until,
    /** The token of an agent that nobody has claimed, from a network of its own. */
    async stranger(): Promise<string> {
      const body = { client_name: 'Copilot', identity_type: 'anonymous' }
      const agent = await made('POST', '/api/v1/auth/register', { token: '', address: `198.51.${strangers++}.7`, body })
      return String(agent['access_token'])
    },
    /** Sends the head of a request and what is there of its body, and reads nothing unless told to. */
    raw(head: readonly string[], body: Uint8Array = new Uint8Array(), reads = false): Socket {
      const line = connect(port, '127.0.0.1')
      line.on('error', () => undefined)
      if (reads) line.resume()
      line.write(`${[...head, `Host: localhost:${port}`].join('\r\n')}\r\n\r\n`)
      line.write(body)
      return line
    },
    /** Of a process that was started just now. */
    async during<T>(attack: () => Promise<T>): Promise<{ told: T; measured: Measured }> {
      await server.stop()
      rmSync(socket, { force: true })
      await server.restart()
      const atRestMb = statusMb(server.pid, 'VmRSS')
      const worker = new Worker(new URL('honest-host.ts', import.meta.url), {
        workerData: { url: server.baseUrl + sessionsPath, keys },
        execArgv: [],
      })
      await setTimeout(1_000)
      await longest(socket)
      const told = await attack()
      const stallMs = await longest(socket)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of threads, not of windows
      worker.postMessage('over')
      const [waits] = (await once(worker, 'message')) as [number[]]
      await worker.terminate()
      const peakMb = statusMb(server.pid, 'VmHWM')
      return { told, measured: { atRestMb, peakMb, stallMs, waitP95Ms: percentile(waits, 0.95), waitMaxMs: Math.max(...waits) } }
    },
    close,
  }
}

export interface Asked {
  /** The host's own where none is named; empty: without a credential. */
  token?: string
  /** As the proxy tells it. */
  address?: string
  body?: object | string | Uint8Array
  type?: string
}

function statusMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const kb = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) / 1_024
}

/** In ms of CPU, since it was asked last. */
function longest(socket: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let told = ''
    connect(socket)
      .on('data', (chunk) => (told += chunk.toString()))
      .on('end', () => resolve(Number(told)))
      .on('error', reject)
  })
}
