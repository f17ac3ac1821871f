// A client that costs little: requests as ready bytes over a few kept sockets, so that a server and not its caller is what a run
// measures; and the CPU that a process has used, in microseconds.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/server.ts'
import { median } from './report.ts'

const lanesUsual = 8
/**
 * Calls after which what the engine compiles on the way is compiled (`--trace-opt` shows it at work until then, on threads whose CPU
 * counts): a server runs for weeks, a round for a second.
 */
const settledUsual = 30_000
const headEnd = Buffer.from('\r\n\r\n')

export interface Target {
  pid: number
  port: number
  path: string
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
}

/** Of every thread of the process, user and system. */
export function cpuMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanos = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
  return nanos.reduce((sum, each) => sum + each, 0) / 1_000
}

/** Sends `count` requests over `lanes` connections, each waiting for its answer; throws at the first that is not 200. */
export async function load(target: Target, count: number, lanes = lanesUsual): Promise<void> {
  const bytes = bytesOf(target)
  let left = count
  const lane = async () => {
    const line = await open(target.port)
    try {
      while (left-- > 0) await asked(line, bytes, target)
    } finally {
      line.close()
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Microseconds of CPU that the server spends on one request. */
export async function cost(target: Target, count: number, lanes?: number): Promise<number> {
  const before = cpuMicros(target.pid)
  await load(target, count, lanes)
  return (cpuMicros(target.pid) - before) / count
}

/** The cost of each target, taken in turns: in each round every target once, so that what a busy machine does hits all of them. */
export async function costs<Name extends string>(
  targets: Readonly<Record<Name, Target>>,
  { rounds, count, lanes, settled = settledUsual }: { rounds: number; count: number; lanes?: number; settled?: number },
): Promise<Record<Name, number[]>> {
  // The keys of a record of these names are these names.
  const names = Object.keys(targets) as Name[]
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>
  for (const name of names) await load(targets[name], settled)
  for (let round = 0; round < rounds; round++) {
    for (const name of names) taken[name].push(await cost(targets[name], count, lanes))
  }
  return taken
}

/** The median of the ratios of neighbours: `ours[i]` and `theirs[i]` were taken one after the other. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return median(ours.map((each, round) => each / (theirs[round] ?? Number.NaN)))
}

/** Requests at a steady rate, over as many connections as it takes; gives the wait for each answer in milliseconds. */
export async function paced(target: Target, perSecond: number, seconds: number): Promise<number[]> {
  const bytes = bytesOf(target)
  const idle: Line[] = []
  const waits: Promise<number>[] = []
  const began = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    await setTimeout(Math.max(0, began + (n * 1_000) / perSecond - performance.now()))
    const line = idle.pop() ?? (await open(target.port))
    const from = performance.now()
    waits.push(
      asked(line, bytes, target).then(() => {
        idle.push(line)
        return performance.now() - from
      }),
    )
  }
  const times = await Promise.all(waits)
  for (const line of idle) line.close()
  return times
}

/** What a server answered to a target: the floor gives the same. */
export interface KnownAnswer {
  method: string
  path: string
  status: number
  headers: Readonly<Record<string, string>>
  value: unknown
}

/** Node writes these itself. */
const ownHeaders: ReadonlySet<string> = new Set(['connection', 'content-length', 'date', 'keep-alive'])

async function answered({ port, path, method, headers, body }: Target): Promise<KnownAnswer> {
  const response = await fetch(`http://localhost:${port}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const sent = Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name)))
  return { method, path, status: response.status, headers: sent, value: await response.json() }
}

export interface Bare {
  /** The same question to the floor. */
  floorOf(target: Target): Target
  stop(): void
}

/** The floor: what `node:http` alone costs to give the answers that these targets give now, in a process of its own. */
export async function startBare(...targets: readonly Target[]): Promise<Bare> {
  const known = await Promise.all(targets.map(answered))
  const port = await freePort()
  const file = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  const child = spawn(process.execPath, [file, String(port), JSON.stringify(known)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { floorOf: (target) => ({ ...target, pid: child.pid ?? 0, port }), stop: () => void child.kill() }
}

function bytesOf({ port, path, method, headers, body = '' }: Target): Buffer {
  const length = method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: `localhost:${port}`, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

async function asked(line: Line, bytes: Buffer, { path }: Target): Promise<void> {
  const head = await line.ask(bytes)
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`${path} answered: ${head}`)
}

interface Line {
  /** Gives the head of the answer, once its body has come too. */
  ask(bytes: Buffer): Promise<string>
  close(): void
}

function open(port: number): Promise<Line> {
  return new Promise((resolve, reject) => {
    let waiting: PromiseWithResolvers<string> | undefined
    let got: Buffer = Buffer.alloc(0)
    const socket = connect(port, '127.0.0.1', () => resolve(line))
    const line: Line = {
      ask(bytes) {
        waiting = Promise.withResolvers<string>()
        socket.write(bytes)
        return waiting.promise
      },
      close: () => void socket.destroy(),
    }
    socket.setNoDelay(true).once('error', reject)
    socket.once('close', () => waiting?.reject(new Error('The server closed the connection.')))
    socket.on('data', (chunk: Buffer) => {
      got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
      const end = got.indexOf(headEnd)
      if (end === -1) return
      const head = got.toString('latin1', 0, end)
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1])
      if (Number.isNaN(length)) waiting?.reject(new Error(`An answer without a length: ${head}`))
      if (got.length < end + headEnd.length + length) return
      got = Buffer.alloc(0)
      waiting?.resolve(head)
    })
  })
}
