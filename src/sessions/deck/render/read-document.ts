// Reads a document in a process of its own and survives whatever the document does to it: a page that kills or stalls its
// reader becomes a placeholder, and another process goes on behind it. Limits in time and memory end in words.
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../platform/clock.ts'
import { createEngine, type Engine, EngineFailed } from '../../../platform/engine.ts'
import { type Opened, placeholder, type RenderedPage, type RenderJob, type ToReader } from './protocol.ts'

export interface ReadLimits {
  /** For the process to start and the file to open. */
  openMs: number
  pageMs: number
  documentMs: number
  memoryBytes: number
  /** Readers that may die in one document. */
  deathsMax: number
}

export const readLimits: ReadLimits = { openMs: 20_000, pageMs: 10_000, documentMs: 180_000, memoryBytes: 768 * 1024 * 1024, deathsMax: 3 }

export interface PageSink {
  total(total: number): Promise<void>
  /** Resolves when the page is stored; the next is read then. */
  page(page: RenderedPage): Promise<void>
}

export type ReadOutcome = { ok: true } | { ok: false; reason: string }

/** What is drawn in fonts of the machine: to list these takes longer than all else that a reader does before its first page. */
const setsWords: ReadonlySet<RenderJob['kind']> = new Set(['pptx', 'logo'])
const readerFile = fileURLToPath(new URL('reader.ts', import.meta.url))
const wordsFor = {
  time: 'The page takes too long to draw.',
  memory: 'The page needs too much memory.',
  crash: 'The page is damaged and cannot be shown.',
} as const
const documentWordsFor = {
  time: 'The file takes too long to open.',
  memory: 'The file needs too much memory to open.',
  crash: 'The file is damaged and cannot be opened.',
} as const
const lateWords = 'The file takes longer than 3 minutes to read. Split it, or save it with simpler graphics.'

export interface ReadOptions {
  limits?: ReadLimits
  /** Aborted: the reader is killed and the call rejects. */
  signal?: AbortSignal
}

export async function readDocument(
  job: RenderJob,
  sink: PageSink,
  clock: Clock,
  { limits = readLimits, signal }: ReadOptions = {},
): Promise<ReadOutcome> {
  let total: number | undefined
  let readable = 0
  let lastWarning = ''
  let from = 0
  /** The page that the reader is at; undefined while it opens the file. */
  let at: number | undefined
  const broken = new Map<number, string>()
  let engine: Engine | undefined
  let isLate = false
  const stopTimer = clock.after(limits.documentMs, () => {
    isLate = true
    engine?.close()
  })
  const onAbort = () => engine?.close()
  signal?.addEventListener('abort', onAbort)

  async function keep(page: RenderedPage): Promise<void> {
    if (page.state !== 'placeholder') readable++
    lastWarning = page.warnings?.at(-1)?.detail ?? lastWarning
    await sink.page(page)
    from = page.index + 1
  }

  /** Each answer is asked for when the one before is stored: a slow store never piles up pages. */
  async function readOn(reader: Engine): Promise<void> {
    const ask = (piece: ToReader) => reader.run(piece)
    at = undefined
    // The reader is our own code: its answers are of these types.
    const opened = (await reader.ready()) as Opened
    if (total === undefined) await sink.total(opened.total)
    total = opened.total
    for (const index of opened.surveyed) {
      if (broken.has(index)) continue
      at = index
      await ask({ type: 'survey', index })
    }
    for (let index = from; index < total; index++) {
      at = index
      const words = broken.get(index)
      await keep(words === undefined ? ((await ask({ type: 'page', index })) as RenderedPage) : placeholder(index, words))
    }
  }

  try {
    for (let deaths = 0; total === undefined || from < total; deaths++) {
      engine = openReader(job, clock, limits)
      if (signal?.aborted) throw calledOff()
      try {
        await readOn(engine)
      } catch (error) {
        if (signal?.aborted) throw calledOff()
        if (isLate) return { ok: false, reason: lateWords }
        if (!(error instanceof EngineFailed)) throw error
        if (error.why === 'start') return { ok: false, reason: error.message }
        const cause = error.why === 'time' || error.why === 'memory' ? error.why : 'crash'
        if (at === undefined) return { ok: false, reason: documentWordsFor[cause] }
        if (deaths >= limits.deathsMax)
          return { ok: false, reason: `${deaths + 1} pages of the file could not be read. ${wordsFor[cause]}` }
        broken.set(at, wordsFor[cause])
        if (at === from) await keep(placeholder(from, wordsFor[cause]))
      } finally {
        engine.close()
      }
    }
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', onAbort)
  }
  return readable > 0 ? { ok: true } : { ok: false, reason: `No page of the file could be read. ${lastWarning}`.trim() }
}

const calledOff = () => new Error('The reading was called off.')

function openReader(job: RenderJob, clock: Clock, { openMs, pageMs, memoryBytes }: ReadLimits): Engine {
  return createEngine({
    program: readerFile,
    setup: job,
    clock,
    limits: { startMs: openMs, workMs: pageMs, memoryBytes },
    flags: ['--max-old-space-size=384'],
    // Who has no entry in /etc/passwd, as users of some clusters, has no home that a library could ask for.
    env: { HOME: '/', ...(setsWords.has(job.kind) ? {} : { DISABLE_SYSTEM_FONTS_LOAD: '1' }) },
  })
}
