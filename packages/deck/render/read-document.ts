// Reads a document in a process of its own and survives whatever the document does to it: a page that kills or stalls its
// reader becomes a placeholder, and another process goes on behind it. Limits in time and memory end in words.
import { fileURLToPath } from 'node:url'
import type { Clock } from '@rostrum/base/clock'
import { createEngine, type Engine, EngineFailed } from '@rostrum/base/engine'
import { type Opened, type PagePart, placeholder, type RenderedPage, type RenderJob, type ToReader, unreadable } from '../protocol.ts'

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
/** What takes too long may do so in one part. */
const lessWords = {
  words: 'The words of the page take too long to read: it is shown without them.',
  picture: 'The page takes too long to draw: its words are told without it.',
} as const
/** Whoever stalls a reader on many pages has ever less time for each. */
const slowestShare = 4
const slowWords = 'The file takes too long to read. Save it with simpler graphics.'
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
  const broken = new Map<number, { words: string; without?: PagePart }>()
  let isSurveying = false
  let slow = 0
  let engine: Engine | undefined
  let isLate = false
  let reason = lateWords
  const endLate = () => {
    isLate = true
    engine?.close()
  }
  let stopTimers = [clock.after(limits.documentMs, endLate)]
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
    if (total === undefined) await begin(opened.total)
    total = opened.total
    isSurveying = true
    const begun = clock.elapsed()
    for (const index of opened.surveyed) {
      // What pages have in common is told by fewer too.
      if (clock.elapsed() - begun > limits.pageMs) break
      if (broken.has(index)) continue
      at = index
      await ask({ type: 'survey', index })
    }
    isSurveying = false
    for (let index = from; index < total; index++) {
      at = index
      const { words = '', without } = broken.get(index) ?? {}
      if (broken.has(index) && without === undefined) await keep(placeholder(index, words))
      else if (without === undefined) await keep((await ask({ type: 'page', index })) as RenderedPage)
      else await keep(lessened((await ask({ type: 'page', index, without })) as RenderedPage, without, words))
    }
  }

  /** A file of few pages has no reason to take as long as one of many. */
  async function begin(pages: number): Promise<void> {
    const mostMs = limits.openMs + pages * limits.pageMs
    if (mostMs < limits.documentMs) stopTimers = [...stopTimers, clock.after(mostMs, () => ((reason = slowWords), endLate()))]
    await sink.total(pages)
  }

  try {
    for (let deaths = 0; total === undefined || from < total; deaths++) {
      engine = openReader(job, clock, { ...limits, pageMs: limits.pageMs / Math.min(slowestShare, 2 ** slow) })
      if (signal?.aborted) throw calledOff()
      try {
        await readOn(engine)
      } catch (error) {
        if (signal?.aborted) throw calledOff()
        if (isLate) return { ok: false, reason }
        if (!(error instanceof EngineFailed)) throw error
        if (error.why === 'start') return { ok: false, reason: error.message }
        const cause = error.why === 'time' || error.why === 'memory' ? error.why : 'crash'
        if (at === undefined) return { ok: false, reason: documentWordsFor[cause] }
        if (deaths >= limits.deathsMax)
          return { ok: false, reason: `${deaths + 1} pages of the file could not be read. ${wordsFor[cause]}` }
        if (cause === 'time') slow++
        const words = wordsFor[cause]
        const isLessened = cause === 'time' && job.kind === 'pdf' && job.textOnly !== true && !broken.has(at)
        broken.set(at, isLessened ? { words, without: isSurveying ? 'words' : 'picture' } : { words })
        if (at === from && !isLessened) await keep(placeholder(from, words))
      } finally {
        engine.close()
      }
    }
  } finally {
    for (const stop of stopTimers) stop()
    signal?.removeEventListener('abort', onAbort)
  }
  return readable > 0 ? { ok: true } : { ok: false, reason: `No page of the file could be read. ${lastWarning}`.trim() }
}

/** Without words nothing is left of a page that is not drawn. */
function lessened(page: RenderedPage, without: PagePart, words: string): RenderedPage {
  if (page.text === '' && page.images.length === 0) return placeholder(page.index, words)
  return { ...page, warnings: [...(page.warnings ?? []), ...unreadable(lessWords[without])] }
}

const calledOff = () => new Error('The reading was called off.')

function openReader(job: RenderJob, clock: Clock, { openMs, pageMs, memoryBytes }: ReadLimits): Engine {
  return createEngine({
    program: readerFile,
    setup: job,
    clock,
    limits: { startMs: openMs, workMs: pageMs, memoryBytes },
    flags: ['--max-old-space-size=384'],
    isModest: true,
    // Who has no entry in /etc/passwd, as users of some clusters, has no home that a library could ask for.
    env: { HOME: '/', ...(setsWords.has(job.kind) ? {} : { DISABLE_SYSTEM_FONTS_LOAD: '1' }) },
  })
}
