// Native engines (speech, language models) run in processes of their own: they end the process on a bad file, hold its processor for
// seconds and its memory by the gigabyte. One piece of work at a time, urgent ones first; each has a time, and the process a size. What
// dies is started again by the next piece. See docs/decisions/024-engines-have-processes-of-their-own.md.
import { type ChildProcess, execFile, fork } from 'node:child_process'
import type { Clock } from './clock.ts'
import { readdir, readFile } from 'node:fs/promises'

export type ToEngine = { type: 'open'; setup: unknown } | { type: 'work'; work: unknown } | { type: 'stop' }

export type FromEngine =
  | { type: 'ready' }
  | { type: 'part'; part: unknown }
  | { type: 'done'; result: unknown }
  | { type: 'failed'; detail: string }

export interface EngineLimits {
  /** To load a model, which may be gigabytes. */
  startMs: number
  workMs: number
  memoryBytes: number
}

export interface EngineOptions {
  /** The file that the process runs; it calls `serveEngine`. */
  program: string
  /** Handed to it when it starts. */
  setup: unknown
  clock: Clock
  limits: EngineLimits
  /** It tries its own code in a process before it loads it. */
  mayStartProcesses?: boolean
}

/** Words for the operator. */
export class EngineFailed extends Error {
  override name = 'EngineFailed'
}

interface Asked {
  isUrgent?: boolean
  signal?: AbortSignal | undefined
  onPart?(part: unknown): void
}

export interface Engine {
  /** Resolves when the model is loaded. Throws `EngineFailed`. */
  ready(): Promise<void>
  /** Throws `EngineFailed`, or the reason of `signal`. */
  run(work: unknown, asked?: Asked): Promise<unknown>
  close(): void
}

interface Waiting extends Asked {
  work: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

const waitingMax = 64
const memoryEveryMs = 500
/** After a start that failed: whoever asks meanwhile hears the same at once. */
const restMs = 30_000
const wordsMax = 300

export function createEngine(options: EngineOptions): Engine {
  const { clock } = options
  let waiting: Waiting[] = []
  let isBusy = false
  let isClosed = false
  let started: Promise<Running> | undefined
  let running: Running | undefined
  let lastFault: { error: EngineFailed; until: number } | undefined

  function start(): Promise<Running> {
    if (lastFault !== undefined && clock.now() < lastFault.until) return Promise.reject(lastFault.error)
    started ??= startProcess(options, () => (started = running = undefined)).then(
      (process) => {
        lastFault = undefined
        if (isClosed) process.end('it was closed')
        return (running = process)
      },
      (error: unknown) => {
        started = undefined
        const fault = error instanceof EngineFailed ? error : new EngineFailed('The engine cannot be started.', { cause: error })
        lastFault = { error: fault, until: clock.now() + restMs }
        throw fault
      },
    )
    return started
  }

  async function work({ work, signal, onPart, resolve, reject }: Waiting): Promise<void> {
    const giveUp = () => {
      reject(signal?.reason)
      running?.send({ type: 'stop' })
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      const process = await start()
      if (signal?.aborted !== true) resolve(await process.work(work, (part) => signal?.aborted !== true && onPart?.(part)))
    } catch (error) {
      reject(error)
    } finally {
      signal?.removeEventListener('abort', giveUp)
      isBusy = false
      next()
    }
  }

  function next(): void {
    if (isBusy) return
    const one = waiting.find(({ isUrgent }) => isUrgent) ?? waiting[0]
    if (one === undefined) return
    waiting = waiting.filter((other) => other !== one)
    isBusy = true
    void work(one)
  }

  return {
    ready: async () => void (await start()),
    run(work, asked = {}) {
      const { signal } = asked
      if (isClosed) return Promise.reject(new EngineFailed('The engine is closed.'))
      if (signal?.aborted) return Promise.reject(signal.reason as Error)
      if (waiting.length >= waitingMax) return Promise.reject(new EngineFailed(`${waitingMax} pieces of work are waiting.`))
      return new Promise((resolve, reject) => {
        const one: Waiting = { ...asked, work, resolve, reject }
        waiting.push(one)
        signal?.addEventListener('abort', () => {
          if (!waiting.includes(one)) return
          waiting = waiting.filter((other) => other !== one)
          reject(signal.reason)
        })
        next()
      })
    },
    close() {
      isClosed = true
      for (const { reject } of waiting.splice(0)) reject(new EngineFailed('The engine is closed.'))
      running?.end('it was closed')
    },
  }
}

interface Running {
  send(message: ToEngine): void
  work(work: unknown, onPart: (part: unknown) => void): Promise<unknown>
  end(why: string): void
}

async function startProcess(
  { program, setup, clock, limits, mayStartProcesses = false }: EngineOptions,
  onEnd: () => void,
): Promise<Running> {
  const child = forked(program, mayStartProcesses)
  let hear: ((message: FromEngine) => void) | undefined
  let fail: ((error: EngineFailed) => void) | undefined
  let whyEnded: string | undefined
  let lastWords = ''
  child.stderr?.on('data', (part: Buffer) => (lastWords = (lastWords + part.toString()).slice(-4_000)))
  // The program is our own code: its messages are of this type.
  child.on('message', (message) => hear?.(message as FromEngine))
  const send = (message: ToEngine) => void (child.connected && child.send(message, () => {}))

  function end(why: string): void {
    whyEnded ??= why
    child.kill('SIGKILL')
  }
  let stopWatching = clock.after(memoryEveryMs, watch)
  function watch(): void {
    void residentBytes(child.pid ?? 0).then((bytes) => {
      if (whyEnded !== undefined) return
      if (bytes > limits.memoryBytes) end(`it needs more than ${Math.round(limits.memoryBytes / 1_048_576)} MiB of memory`)
      else stopWatching = clock.after(memoryEveryMs, watch)
    })
  }
  function over(): void {
    whyEnded ??= 'it ended by itself'
    stopWatching()
    onEnd()
    fail?.(new EngineFailed(`The engine was ended: ${whyEnded}.`))
  }
  // `close` comes after all that it wrote.
  child.on('close', over)
  child.on('error', over)

  /** The next answer to `message`. */
  function answer(message: ToEngine, timeMs: number, onPart?: (part: unknown) => void): Promise<unknown> {
    if (whyEnded !== undefined) return Promise.reject(new EngineFailed(`The engine was ended: ${whyEnded}.`))
    return new Promise((resolve, reject) => {
      const stopTimer = clock.after(timeMs, () => end(`it took longer than ${timeMs / 1_000} s`))
      const settle = (act: () => void) => {
        stopTimer()
        hear = fail = undefined
        act()
      }
      fail = (error) => settle(() => reject(error))
      hear = (said) => {
        if (said.type === 'part') onPart?.(said.part)
        else if (said.type === 'failed') settle(() => reject(new EngineFailed(said.detail.slice(0, wordsMax))))
        else settle(() => resolve(said.type === 'done' ? said.result : undefined))
      }
      send(message)
    })
  }

  try {
    await answer({ type: 'open', setup }, limits.startMs)
  } catch (error) {
    const byItself = whyEnded === 'it ended by itself'
    end('it did not start')
    const words = wordsOf(lastWords)
    // Native engines write why to standard error and end. Once they work, what they write may quote what they were given.
    throw byItself && words !== '' ? new EngineFailed(words) : error
  }
  return { send, end, work: (work, onPart) => answer({ type: 'work', work }, limits.workMs, onPart) }
}

/** The last line, without the place in the engine's own source that may stand before it. */
function wordsOf(written: string): string {
  const last = written.trimEnd().split('\n').at(-1)?.trim() ?? ''
  const [place = '', ...rest] = last.split(' ')
  return (place.includes(':') && rest.length > 0 ? rest.join(' ') : last).slice(0, wordsMax)
}

function forked(program: string, mayStartProcesses: boolean): ChildProcess {
  return fork(program, [], {
    execPath: process.execPath,
    // No file may be written, no process started, no socket opened.
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--allow-addons',
      '--allow-worker',
      ...(mayStartProcesses ? ['--allow-child-process'] : []),
      '--disable-warning=SecurityWarning',
    ],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

// The other side of `engine.ts`, inside the process of an engine: opens it once, then does one piece of work after the other. It ends
// with the server, whose channel closes.

/** Does one piece of work; what it throws is told in words. */
export type Work = (work: unknown, emit: (part: unknown) => void, signal: AbortSignal) => Promise<unknown>

export function serveEngine(open: (setup: unknown) => Promise<Work>): void {
  let work: Work | undefined
  let stopping = new AbortController()
  const tell = (message: FromEngine) => process.send?.(message)
  const failed = (error: unknown) => tell({ type: 'failed', detail: error instanceof Error ? error.message : String(error) })

  async function hear(message: ToEngine): Promise<void> {
    if (message.type === 'stop') return stopping.abort()
    if (message.type === 'open') {
      work = await open(message.setup)
      tell({ type: 'ready' })
      return
    }
    stopping = new AbortController()
    const result = await work?.(message.work, (part) => tell({ type: 'part', part }), stopping.signal)
    tell({ type: 'done', result })
  }

  // The server is our own code: its messages are of this type.
  process.on('message', (message) => void hear(message as ToEngine).catch(failed))
  process.on('disconnect', () => process.exit())
}

// How much memory a process of ours holds, asked from outside: a reader busy inside a decoder cannot answer.

const pageBytes = 4_096

/** Resident bytes; 0 once the process has gone or where nobody can tell. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return askPs(pid)
  try {
    const statm = await readFile(`/proc/${pid}/statm`, 'latin1')
    return Number(statm.split(' ')[1] ?? 0) * pageBytes
  } catch {
    return 0
  }
}

/**
 * Time in which threads of a process ran or waited for their turn on a busy machine: what it wanted of the processor. Undefined once
 * it has gone or where nobody can tell.
 */
export async function wantedMs(pid: number): Promise<number | undefined> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lines = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').catch(() => '')))
  const times = lines.flatMap((line) => line.split(' ').slice(0, 2)).map(Number)
  return times.length === 0 ? undefined : times.reduce((sum, nanoseconds) => sum + (nanoseconds || 0), 0) / 1_000_000
}

/** Of a process and all that it started in its group; 0 once they have gone or where nobody can tell. */
export async function residentBytesOfGroup(group: number): Promise<number> {
  if (process.platform !== 'linux') return askPs(group, '-g')
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const sizes = await Promise.all(pids.map((pid) => bytesInGroup(pid, group)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The line of a process: its name in brackets may hold anything, what follows is in fixed places (proc(5)). */
async function bytesInGroup(pid: string, group: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return Number(fields[2]) === group ? Number(fields[21] ?? 0) * pageBytes : 0
}

function askPs(id: number, by = '-p'): Promise<number> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', by, String(id)], (error, output) => {
      const sizes = error === null ? output.split('\n').map((line) => Number(line.trim()) * 1024 || 0) : []
      resolve(sizes.reduce((sum, size) => sum + size, 0))
    })
  })
}
