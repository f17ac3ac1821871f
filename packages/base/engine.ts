// Work that could end, stall or fill the server is done in processes of its own: native engines (speech, language models), the reader of
// documents from anybody, the office that draws presentations. One piece of work at a time, urgent ones first; each has a time, and the
// process a size. What dies is started again by the next piece. See docs/decisions/003-documents-are-read-in-another-process.md and
// docs/decisions/024-engines-have-processes-of-their-own.md.
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { constants as osConstants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Clock } from './clock.ts'

export type ToEngine = { type: 'open'; setup: unknown } | { type: 'work'; work: unknown } | { type: 'stop' }

export type FromEngine =
  | { type: 'ready'; facts: unknown }
  | { type: 'part'; part: unknown }
  | { type: 'done'; result: unknown }
  | { type: 'failed'; detail: string }

export interface EngineLimits {
  /** To load a model, which may be gigabytes. */
  startMs: number
  workMs: number
  memoryBytes: number
  /** What has to be free for a process to be started. */
  freeBytes?: number
  /** It is ended when it had nothing to do for so long, and once it holds more after a piece: memory that was taken is not given back. */
  idleMs?: number
  reuseBytes?: number
}

export interface EngineOptions {
  /** The file that the process runs; it calls `serveEngine`. */
  program: string
  /** Handed to it when it starts. */
  setup: unknown
  clock: Clock
  limits: EngineLimits
  /** All files unless said. */
  mayRead?: readonly string[]
  /** Beside threads: native code unless said. */
  may?: readonly ('addons' | 'child-process')[]
  /** Of Node.js. */
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
  /** Gets what time of the cores the server and its talks leave. */
  isModest?: true
  /** Busy, it hears nothing: what is called off ends with its process. */
  isDeaf?: true
  /** Bytes that a new process could have. */
  freeBytes?: () => number
}

/** Words for the operator. `why` is absent where the program says it of one piece; `closed`: nobody wanted it any more. */
export class EngineFailed extends Error {
  override name = 'EngineFailed'
  readonly why: Why | undefined

  constructor(message: string, why?: Why, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}
type Why = 'start' | 'free_memory' | 'time' | 'memory' | 'crash' | 'closed'

interface Asked {
  isUrgent?: boolean
  signal?: AbortSignal | undefined
  onPart?(part: unknown): void
}

export interface Engine {
  /** Gives what the program says of what it has opened, once it is: a model is loaded then. Throws `EngineFailed`. */
  ready(): Promise<unknown>
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
const memoryEveryMs = 250
/** After a start that failed: whoever asks meanwhile hears the same at once. */
const restMs = 30_000
const wordsMax = 300

export function createEngine(options: EngineOptions): Engine {
  const { clock, limits, isDeaf, freeBytes = () => process.availableMemory() } = options
  let waiting: Waiting[] = []
  let isBusy = false
  let isClosed = false
  let running: Running | undefined
  let lastFault: { error: EngineFailed; until: number } | undefined
  let stopIdling = () => {}

  async function start(): Promise<Running> {
    stopIdling()
    // What the one before held is free again once it has gone.
    while (running?.isEnding()) await running.gone
    if (isClosed) throw closed()
    if (running === undefined) {
      if (lastFault !== undefined && clock.now() < lastFault.until) throw lastFault.error
      const free = limits.freeBytes === undefined ? Infinity : freeBytes()
      if (free < (limits.freeBytes ?? 0)) throw new EngineFailed(`${free} bytes of memory are free`, 'free_memory')
      running = startProcess(options, () => (running = undefined))
    }
    const process = running
    try {
      await process.opened
    } catch (error) {
      const fault = error instanceof EngineFailed ? error : new EngineFailed('The engine cannot be started.', 'start', { cause: error })
      if (fault.why !== 'closed') lastFault = { error: fault, until: clock.now() + restMs }
      throw fault
    }
    lastFault = undefined
    return process
  }

  /** Between two pieces. */
  async function rest(process: Running): Promise<void> {
    const { idleMs, reuseBytes = Infinity } = limits
    if (reuseBytes < Infinity && (await residentBytes(process.pid)) >= reuseBytes) process.end('closed', 'it has grown')
    else if (idleMs !== undefined && !isClosed) stopIdling = clock.after(idleMs, () => process.end('closed', 'it had nothing to do'))
  }

  async function work({ work, signal, onPart, resolve, reject }: Waiting): Promise<void> {
    const giveUp = () => {
      reject(signal?.reason)
      if (isDeaf) running?.end('closed', 'it was called off')
      else running?.send({ type: 'stop' })
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      const process = await start()
      if (signal?.aborted !== true) resolve(await process.work(work, (part) => signal?.aborted !== true && onPart?.(part)))
    } catch (error) {
      reject(error)
    } finally {
      signal?.removeEventListener('abort', giveUp)
      if (running !== undefined && !running.isEnding()) await rest(running)
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
    ready: async () => (await start()).opened,
    run(work, asked = {}) {
      const { signal } = asked
      if (isClosed) return Promise.reject(closed())
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
      stopIdling()
      for (const { reject } of waiting.splice(0)) reject(closed())
      running?.end('closed', 'it was closed')
    },
  }
}

const closed = () => new EngineFailed('The engine is closed.', 'closed')

interface Running {
  pid: number
  /** Rejects where it cannot be opened; it is ended then. */
  opened: Promise<unknown>
  /** Resolves when all that it held is free again. */
  gone: Promise<void>
  isEnding(): boolean
  send(message: ToEngine): void
  work(work: unknown, onPart: (part: unknown) => void): Promise<unknown>
  end(why: Why, words: string): void
}

function startProcess(options: EngineOptions, onGone: () => void): Running {
  const { setup, clock, limits } = options
  const child = forked(options)
  const pid = child.pid ?? 0
  // The threads that it starts have it too. Not where it has ended already.
  if (options.isModest === true && pid !== 0) setPriority(pid, osConstants.priority.PRIORITY_BELOW_NORMAL)
  const gone = Promise.withResolvers<void>()
  let hear: ((message: FromEngine) => void) | undefined
  let fail: ((error: EngineFailed) => void) | undefined
  let ended: EngineFailed | undefined
  let lastWords = ''
  child.stderr?.on('data', (part: Buffer) => (lastWords = (lastWords + part.toString()).slice(-4_000)))
  // The program is our own code: its messages are of this type.
  child.on('message', (message) => hear?.(message as FromEngine))
  const send = (message: ToEngine) => void (child.connected && child.send(message, () => {}))

  function end(why: Why, words: string): void {
    ended ??= new EngineFailed(`The engine was ended: ${words}.`, why)
    child.kill('SIGKILL')
  }
  let isGone = false
  function over(): void {
    if (isGone) return
    isGone = true
    ended ??= new EngineFailed('The engine was ended: it ended by itself.', 'crash')
    onGone()
    gone.resolve()
    fail?.(ended)
  }
  // `close` comes after all that it wrote.
  child.on('close', over)
  child.on('error', over)

  /** The next answer to `message`. */
  function answer(message: ToEngine, timeMs: number, onPart?: (part: unknown) => void): Promise<unknown> {
    if (ended !== undefined) return Promise.reject(ended)
    return new Promise((resolve, reject) => {
      const stopTimer = clock.after(timeMs, () => end('time', `it took longer than ${timeMs / 1_000} s`))
      const stopWatching = watchMemory(
        clock,
        limits.memoryBytes,
        () => residentBytes(pid),
        (words) => end('memory', words),
      )
      const settle = (act: () => void) => {
        stopTimer()
        stopWatching()
        hear = fail = undefined
        act()
      }
      fail = (error) => settle(() => reject(error))
      hear = (said) => {
        if (said.type === 'part') onPart?.(said.part)
        else if (said.type === 'failed') settle(() => reject(new EngineFailed(said.detail.slice(0, wordsMax))))
        else settle(() => resolve(said.type === 'done' ? said.result : said.facts))
      }
      send(message)
    })
  }

  const opened = answer({ type: 'open', setup }, limits.startMs).catch((error: EngineFailed) => {
    end('start', 'it did not start')
    if (error.why === undefined) throw new EngineFailed(error.message, 'start')
    const words = wordsOf(lastWords)
    // Native engines write why to standard error and end. Once they work, what they write may quote what they were given.
    throw error.why === 'crash' && words !== '' ? new EngineFailed(words, 'crash') : error
  })
  const work: Running['work'] = (asked, onPart) => answer({ type: 'work', work: asked }, limits.workMs, onPart)
  return { pid, opened, gone: gone.promise, isEnding: () => ended !== undefined, send, work, end }
}

/** The last line, without the place in the engine's own source that may stand before it. */
function wordsOf(written: string): string {
  const last = written.trimEnd().split('\n').at(-1)?.trim() ?? ''
  const [place = '', ...rest] = last.split(' ')
  return (place.includes(':') && rest.length > 0 ? rest.join(' ') : last).slice(0, wordsMax)
}

function forked({ program, mayRead = ['*'], may = ['addons'], flags = [], env = {}, cwd }: EngineOptions): ChildProcess {
  return fork(program, [], {
    execPath: process.execPath,
    // No file may be written, no process started, no socket opened.
    execArgv: [
      '--permission',
      ...mayRead.map((path) => `--allow-fs-read=${path}`),
      '--allow-worker',
      ...may.map((what) => `--allow-${what}`),
      '--disable-warning=SecurityWarning',
      ...flags,
    ],
    env,
    ...(cwd !== undefined && { cwd }),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** Looks again and again what `read` gives, and tells once it is more than `mostBytes`. */
export function watchMemory(clock: Clock, mostBytes: number, read: () => Promise<number>, tell: (words: string) => void): () => void {
  let isOver = false
  let stop = clock.after(memoryEveryMs, look)
  function look(): void {
    void read().then((bytes) => {
      if (isOver) return
      if (bytes > mostBytes) tell(`it needs more than ${Math.round(mostBytes / 1_048_576)} MiB of memory`)
      else stop = clock.after(memoryEveryMs, look)
    })
  }
  return () => {
    isOver = true
    stop()
  }
}

// The other side, inside the process: opens the engine once, then does one piece of work after the other. It ends with the server, whose
// channel closes; the main thread may be deep inside a decoder and hear nothing for hours, so a thread of its own watches too: an orphan
// has another parent.

const watchParent = `
const parent = process.ppid
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)
`

/** Does one piece of work; what it throws is told in words. */
export type Work = (work: unknown, emit: (part: unknown) => void, signal: AbortSignal) => Promise<unknown>

/** `open` may `say` of what it opens what `ready` then gives. */
export function serveEngine(open: (setup: unknown, say: (facts: unknown) => void) => Promise<Work>): void {
  const watch = new Worker(watchParent, { eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: 8 } })
  watch.unref()
  // Without it the limits of the server still hold while it lives.
  watch.on('error', () => {})
  let work: Work | undefined
  let stopping = new AbortController()
  const tell = (message: FromEngine) => process.send?.(message)
  const failed = (error: unknown) => tell({ type: 'failed', detail: error instanceof Error ? error.message : String(error) })

  async function hear(message: ToEngine): Promise<void> {
    if (message.type === 'stop') return stopping.abort()
    if (message.type === 'open') {
      let facts: unknown
      work = await open(message.setup, (said) => (facts = said))
      tell({ type: 'ready', facts })
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
