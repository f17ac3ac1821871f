// Fonts of the machine for Chinese, Japanese and Korean, which the drawing program does not bring along: without one those letters
// come out as boxes.
import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../platform/clock.ts'
import { residentBytes, wantedMs } from '../../../platform/engine.ts'
import { type Drawn, type Office, type OfficeJob, officeOf, refused } from './office.ts'

const folders = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.fonts'),
  join(homedir(), '.local/share/fonts'),
  '/System/Library/Fonts',
  '/Library/Fonts',
]
const known =
  /cjk|sourcehan|noto(?:sans|serif)(?:sc|tc|jp|kr)|wqy|droidsansfallback|ipag|ipaex|takao|nanum|uming|ukai|pingfang|hiragino|stheiti|applesdgothic/i
const isFont = /\.(?:ttf|ttc|otf)$/i
const isPlain = /regular|medium|-w3|\.ttc$/i
const sizeMax = 40 * 1024 * 1024
const filesMax = 3
const foldersMax = 2_000

/** A few of them: each costs the drawing process its size in memory. */
export function eastAsianFonts(): string[] {
  const found: string[] = []
  const open = [...folders]
  for (let seen = 0; open.length > 0 && seen < foldersMax; seen++) {
    const folder = open.shift() ?? ''
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) open.push(path)
      else if (isFont.test(entry.name) && known.test(entry.name.replaceAll(/[\s_-]/g, '')) && sizeOf(path) <= sizeMax) found.push(path)
    }
  }
  return found.toSorted((one, other) => Number(isPlain.test(other)) - Number(isPlain.test(one))).slice(0, filesMax)
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return Infinity
  }
}

// Draws presentations as they look: LibreOffice as WebAssembly, from a package, in a process of its own. One document at a time; the
// process ends after a minute without one, or when it has grown, and is killed at a limit of time or memory.

export interface ConverterLimits {
  /** For the process to start. */
  startMs: number
  /**
   * For a document, with the start of the process and a second attempt: shorter than a deck may be held (`platform/db/jobs.ts`), else
   * another server would begin with it too. A deck takes 2 to 12 s of work; a busy machine gives the process what is left over.
   */
  timeMs: number
  /** Whoever wanted less than a tenth of the processor for so long waits for something that does not come: it is killed, and tried once more. */
  stallMs: number
  /** The process is ended when nothing was drawn for so long. */
  idleMs: number
  memoryBytes: number
  /** Above it the process is not used for another document: memory that was taken is not given back. */
  reuseBytes: number
  /** What has to be free for a process to be started. */
  freeBytes: number
  resultBytes: number
}

const gibibyte = 1024 ** 3

export const converterLimits: ConverterLimits = {
  startMs: 120_000,
  timeMs: 180_000,
  stallMs: 12_000,
  idleMs: 60_000,
  memoryBytes: 2 * gibibyte,
  reuseBytes: 1.25 * gibibyte,
  freeBytes: 2 * gibibyte,
  resultBytes: 100 * 1024 * 1024,
}

export type FromDrawing = { type: 'ready' } | { type: 'done'; data: Uint8Array } | { type: 'failed'; detail: string }

export interface ConverterParts {
  clock: Clock
  /** Bytes that a new process could have. */
  freeBytes?: () => number
  limits?: ConverterLimits
  /** Of the process; only tests have another. */
  program?: string
}

const memoryEveryMs = 500
const idleShare = 0.1
const ownProgram = fileURLToPath(new URL('drawing-process.ts', import.meta.url))
const packageName = '@matbee/libreoffice-converter'

/** What draws presentations here: the LibreOffice that the operator names, else the package; nothing where he says `off`. */
export function officeFor(named: string | null, clock: Clock): Office | undefined {
  if (named === 'off') return undefined
  if (named !== null) return officeOf(named, clock)
  return hasConverter() ? createConverter({ clock }) : undefined
}

/** False where the optional package was not installed. */
export function hasConverter(): boolean {
  try {
    createRequire(import.meta.url).resolve(`${packageName}/wasm/loader`)
    return true
  } catch {
    return false
  }
}

export function createConverter({
  clock,
  freeBytes = () => process.availableMemory(),
  limits = converterLimits,
  program = ownProgram,
}: ConverterParts): Office {
  let child: ChildProcess | undefined
  let stopIdling = () => {}
  let queue: Promise<unknown> = Promise.resolve()
  let isClosed = false

  function end(): void {
    stopIdling()
    child?.kill('SIGKILL')
    child = undefined
  }

  async function ready(waiting: Waiting): Promise<ChildProcess | Drawn | 'stalled'> {
    stopIdling()
    if (child !== undefined && child.exitCode === null && child.signalCode === null) return child
    if (freeBytes() < limits.freeBytes) return refused('free_memory', `${freeBytes()} bytes are free`)
    const started = start(program)
    child = started
    const said = await answerOf(started, { ...waiting, timeMs: Math.min(limits.startMs, waiting.timeMs) })
    if (said.type === 'ready') return started
    end()
    if (said.type === 'ended') return said.cause === 'stalled' ? 'stalled' : refused(said.cause, 'while it started')
    return refused('start', said.type === 'failed' ? said.detail : '')
  }

  /** The last attempt may stand still; all of them together have the time of one. */
  async function draw(job: OfficeJob, signal: AbortSignal | undefined, until: number, isLast = false): Promise<Drawn> {
    signal?.throwIfAborted()
    if (isClosed) return refused('start', 'the server is closing')
    const waiting = () => ({ clock, limits, signal, timeMs: Math.max(0, until - clock.elapsed()), isLast })
    const process = await ready(waiting())
    if (process === 'stalled') return draw(job, signal, until, true)
    if ('ok' in process) return process
    process.send(job, () => {})
    const said = await answerOf(process, waiting())
    const isUsable = (said.type === 'done' || said.type === 'failed') && (await residentBytes(process.pid ?? 0)) < limits.reuseBytes
    if (isUsable) stopIdling = clock.after(limits.idleMs, end)
    else end()
    signal?.throwIfAborted()
    if (said.type === 'ended') return said.cause === 'stalled' ? draw(job, signal, until, true) : refused(said.cause, '')
    if (said.type === 'failed') return refused('no_pdf', said.detail)
    if (said.type === 'ready') return refused('start', '')
    if (said.data.length === 0) return refused('no_pdf', '')
    if (said.data.length > limits.resultBytes) return refused('pdf_size', `${said.data.length} bytes`)
    return { ok: true, file: said.data }
  }

  return {
    convert(job, signal) {
      const drawn = queue.then(() => draw(job, signal, clock.elapsed() + limits.timeMs))
      queue = drawn.catch(() => {})
      return drawn
    },
    close() {
      isClosed = true
      end()
    },
  }
}

function start(program: string): ChildProcess {
  const fonts = eastAsianFonts()
  const here = dirname(ownProgram)
  // Its own program is one file of the bundle, or a source with those that it imports.
  const readable = [ownProgram.endsWith('.ts') ? join(here, '..', '..') : here, ...packagesFor(here), ...fonts]
  const child = fork(program, fonts, {
    execPath: process.execPath,
    execArgv: [
      '--permission',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      '--allow-worker',
      '--disable-warning=SecurityWarning',
      // Code that runs once is not worth optimising, nor compiling before it runs: 2 s of work instead of 8, and less memory. What a
      // long deck runs again and again is: 21 s of work instead of 33 for 73 slides.
      '--wasm-lazy-compilation',
      '--wasm-tiering-budget=300000000',
      '--max-old-space-size=512',
    ],
    // The library goes there and back: a place that it may read.
    cwd: here,
    env: { MALLOC_ARENA_MAX: '2', HOME: '/' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // What fails while nobody waits for it is found out by whoever sends the next document.
  child.on('error', () => {})
  return child
}

/** Where the package and what it needs lie; it may be hoisted. */
function packagesFor(here: string): string[] {
  const require = createRequire(join(here, 'converter.ts'))
  return (require.resolve.paths(packageName) ?? []).filter((path) => path.endsWith('node_modules'))
}

interface Waiting {
  clock: Clock
  limits: ConverterLimits
  signal: AbortSignal | undefined
  timeMs: number
  isLast: boolean
}

type Cause = 'time' | 'memory' | 'crash' | 'stalled'
type Answer = FromDrawing | { type: 'ended'; cause: Cause }

/**
 * The next message of the process, or how it ended; at a limit or when it is called off it is killed. What it held is free again by
 * then: the next one needs it.
 */
function answerOf(child: ChildProcess, { clock, limits, signal, timeMs, isLast }: Waiting): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  let cause: Cause | undefined
  const kill = (why: Cause) => {
    cause ??= why
    child.kill('SIGKILL')
  }
  const stopTimer = clock.after(timeMs, () => kill('time'))
  let stopWatching = clock.after(memoryEveryMs, watch)
  let isOver = false
  function watch(): void {
    void residentBytes(child.pid ?? 0).then((bytes) => {
      if (isOver) return
      if (bytes > limits.memoryBytes) kill('memory')
      else stopWatching = clock.after(memoryEveryMs, watch)
    })
  }
  let stopStalling = () => {}
  const watchWork = async (before: number | undefined) => {
    const now = await wantedMs(child.pid ?? 0)
    if (isOver) return
    if (before !== undefined && now !== undefined && now - before < limits.stallMs * idleShare) kill('stalled')
    else stopStalling = clock.after(limits.stallMs, () => void watchWork(now))
  }
  if (!isLast) void watchWork(undefined)
  // The process is our own code: its messages are of this type.
  const onMessage = (message: unknown) => resolve(message as FromDrawing)
  const onEnd = () => resolve({ type: 'ended', cause: cause ?? 'crash' })
  const onAbort = () => kill('crash')
  child.on('message', onMessage)
  child.on('error', onEnd)
  child.on('exit', onEnd)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  return promise.finally(() => {
    isOver = true
    stopTimer()
    stopWatching()
    stopStalling()
    child.off('message', onMessage)
    child.off('error', onEnd)
    child.off('exit', onEnd)
    signal?.removeEventListener('abort', onAbort)
  })
}
