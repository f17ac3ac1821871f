// Reads a document in a process of its own and survives whatever the document does to it: a page that kills or stalls its
// reader becomes a placeholder, and another process goes on behind it. Limits in time and memory end in words.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../platform/clock.ts'
import { residentBytes } from '../../../platform/engine.ts'
import { type FromReader, type RenderedPage, type RenderJob, type ToReader, placeholder } from './protocol.ts'

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

type End =
  | { type: 'done' }
  | { type: 'failed'; reason: string }
  | { type: 'died'; cause: 'page_time' | 'document_time' | 'memory' | 'crash'; at: number | undefined }

const memoryEveryMs = 250
/** What is drawn in fonts of the machine: to list these takes longer than all else that a reader does before its first page. */
const setsWords: ReadonlySet<RenderJob['kind']> = new Set(['pptx', 'logo'])
const readerFile = fileURLToPath(new URL('reader.ts', import.meta.url))
const wordsFor = {
  page_time: 'The page takes too long to draw.',
  memory: 'The page needs too much memory.',
  crash: 'The page is damaged and cannot be shown.',
} as const
const documentWordsFor = {
  page_time: 'The file takes too long to open.',
  memory: 'The file needs too much memory to open.',
  crash: 'The file is damaged and cannot be opened.',
  document_time: 'The file takes longer than 3 minutes to read. Split it, or save it with simpler graphics.',
} as const

export interface ReadOptions {
  limits?: ReadLimits
  /** Aborted: the reader is killed and the call rejects. */
  signal?: AbortSignal
}

export async function readDocument(
  job: Omit<RenderJob, 'from'>,
  sink: PageSink,
  clock: Clock,
  { limits = readLimits, signal }: ReadOptions = {},
): Promise<ReadOutcome> {
  const deadline = clock.elapsed() + limits.documentMs
  let total: number | undefined
  let readable = 0
  let lastWarning = ''
  let from = 0
  const broken = new Map<number, string>()
  const counting: PageSink = {
    async total(count) {
      if (total === undefined) await sink.total(count)
      total = count
    },
    async page(page) {
      if (page.state !== 'placeholder') readable++
      lastWarning = page.warnings?.at(-1)?.detail ?? lastWarning
      await sink.page(page)
      from = page.index + 1
    },
  }
  for (let deaths = 0; ; deaths++) {
    const end = await runReader({ ...job, from, broken }, counting, clock, { ...limits, documentMs: deadline - clock.elapsed() }, signal)
    if (end.type === 'failed') return { ok: false, reason: end.reason }
    if (end.type === 'died') {
      if (end.cause === 'document_time') return { ok: false, reason: documentWordsFor.document_time }
      if (end.at === undefined) return { ok: false, reason: documentWordsFor[end.cause] }
      if (deaths >= limits.deathsMax)
        return { ok: false, reason: `${deaths + 1} pages of the file could not be read. ${wordsFor[end.cause]}` }
      const isBehind = total !== undefined && from >= total
      if (end.at > from) broken.set(end.at, wordsFor[end.cause])
      else if (!isBehind) await counting.page(placeholder(from, wordsFor[end.cause]))
      if (total === undefined || from < total) continue
    }
    return readable > 0 ? { ok: true } : { ok: false, reason: `No page of the file could be read. ${lastWarning}`.trim() }
  }
}

function runReader(job: RenderJob, sink: PageSink, clock: Clock, limits: ReadLimits, signal: AbortSignal | undefined): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>()
  const child = fork(readerFile, [], {
    execPath: process.execPath,
    // No file may be written, no process started, no socket opened (Node 25 and later); native code draws the pictures.
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--allow-addons',
      '--allow-worker',
      '--disable-warning=SecurityWarning',
      '--max-old-space-size=384',
    ],
    // Who has no entry in /etc/passwd, as users of some clusters, has no home that a library could ask for.
    env: { HOME: '/', ...(setsWords.has(job.kind) ? {} : { DISABLE_SYSTEM_FONTS_LOAD: '1' }) },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let at: number | undefined
  let isOver = false
  let work = Promise.resolve()
  let stopPageTimer = clock.after(limits.openMs, () => end({ type: 'died', cause: 'page_time', at }))
  const stopDocumentTimer = clock.after(limits.documentMs, () => end({ type: 'died', cause: 'document_time', at }))
  let stopWatching = clock.after(memoryEveryMs, watchMemory)

  function end(how: End | Error): void {
    if (isOver) return
    isOver = true
    stopPageTimer()
    stopDocumentTimer()
    stopWatching()
    signal?.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
    // What was being stored is stored before the caller goes on.
    work.then(() => (how instanceof Error ? reject(how) : resolve(how)), reject)
  }
  function onAbort(): void {
    end(new Error('The reading was called off.'))
  }
  function watchMemory(): void {
    void residentBytes(child.pid ?? 0).then((bytes) => {
      if (isOver) return
      if (bytes > limits.memoryBytes) end({ type: 'died', cause: 'memory', at })
      else stopWatching = clock.after(memoryEveryMs, watchMemory)
    })
  }
  function tell(message: ToReader): void {
    if (!isOver && child.connected) child.send(message, () => {})
  }
  function store(act: () => Promise<void>): void {
    work = work.then(act)
    work.then(
      () => tell({ type: 'next' }),
      (error: unknown) => end(error instanceof Error ? error : new Error('The page was not stored.')),
    )
  }
  function hear(message: FromReader): void {
    if (isOver) return
    stopPageTimer()
    switch (message.type) {
      case 'total':
        return store(() => sink.total(message.total))
      case 'started':
        at = message.index
        stopPageTimer = clock.after(limits.pageMs, () => end({ type: 'died', cause: 'page_time', at }))
        return
      case 'page':
        at = message.page.index + 1
        return store(() => sink.page(message.page))
      case 'failed':
      case 'done':
        return end(message)
    }
  }
  // The reader is our own code: its messages are of this type.
  child.on('message', (message) => hear(message as FromReader))
  child.on('error', () => end({ type: 'died', cause: 'crash', at }))
  // Its end may be heard before its last words: those have all come once the channel is closed.
  const onGone = () => {
    if (!child.connected) end({ type: 'died', cause: 'crash', at })
  }
  child.on('exit', onGone)
  child.on('disconnect', onGone)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  tell({ type: 'read', job })
  return promise
}
