// What files say, as passages: short Markdown and plain text here, long text in a thread, a PDF in the killable process that also reads
// decks, without drawing it.
import type { Clock } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import { invalidInput } from '../platform/parse.ts'
import type { SentFile } from '../platform/sent-file.ts'
import { createThreads, ThreadLate, type Threads } from '@rostrum/base/work'
import type { NewPassage } from '@rostrum/contract/new-content'
import { readDocument, readLimits, type ReadOptions } from '@rostrum/deck/render/read-document'
import { sniffFile } from '@rostrum/deck/sniff'
import { type KnowledgePart, passagesIn, type Section } from './passages.ts'

/** Knowledge is text: more than this is no document that people wrote to be quoted. */
const textMaxBytes = 1024 * 1024
/** Somebody waits for the answer. */
const limits = { ...readLimits, documentMs: 60_000 }
const taken = 'Send a PDF, a Markdown file or plain text in UTF-8.'

const thread = new URL('knowledge-thread.ts', import.meta.url)
/** Some 20 ms of work in all, and less than a thread takes to start. */
const shortMost = 20_000

/** Throws `unsupported_media_type`, `payload_too_large` or `invalid_request` with what to send instead. */
async function partOf(file: SentFile, clock: Clock, options: ReadOptions): Promise<KnowledgePart> {
  const kind = await sniffFile(file)
  if (kind !== 'pdf' && kind !== 'markdown') throw new ServiceError('unsupported_media_type', taken)
  const title = nameOf(file.name)
  if (kind === 'markdown') {
    if (file.sizeBytes > textMaxBytes) throw new ServiceError('payload_too_large', 'The text is larger than 1 MiB. Split it into files.')
    return { name: title, bytes: await file.bytes() }
  }
  const sections = await pagesOf(await file.bytes(), title, clock, options)
  if (sections.length > 0) return { sections }
  throw invalidInput([{ pointer: '#/file', detail: 'has no text that can be read: it may be a scan. Send a PDF with text.' }])
}

/** Of all files, at most `room`; null where they do not fit. What is long is read in a thread. */
export async function readKnowledge(files: readonly SentFile[], room: number, tools: KnowledgeTools): Promise<NewPassage[] | null> {
  const { clock, threads, ...options } = tools
  const parts: KnowledgePart[] = []
  for (const file of files) parts.push(await partOf(file, clock, options))
  // The thread posts what `passagesIn` returns.
  const passages = isShort(parts)
    ? passagesIn(parts, room)
    : ((await threads.run(thread, { parts, room })) as ReturnType<typeof passagesIn>)
  if (passages === 'no text') throw invalidInput([{ pointer: '#/file', detail: 'has no text.' }])
  return passages === 'no room' ? null : passages
}

export interface KnowledgeTools extends ReadOptions {
  clock: Clock
  threads: Threads
}

const isShort = (parts: readonly KnowledgePart[]): boolean =>
  parts.reduce(
    (sum, part) => sum + ('bytes' in part ? part.bytes.length : part.sections.reduce((all, { text }) => all + text.length, 0)),
    0,
  ) <= shortMost

async function pagesOf(bytes: Uint8Array, title: string, clock: Clock, options: ReadOptions): Promise<Section[]> {
  const sections: Section[] = []
  const outcome = await readDocument(
    { kind: 'pdf', files: [bytes], textOnly: true },
    {
      total: async () => {},
      async page({ index, text }) {
        const words = title === '' ? `Page ${index + 1}` : `${title}, page ${index + 1}`
        if (text !== '') sections.push({ title: words, text })
      },
    },
    clock,
    { limits, ...options },
  )
  if (!outcome.ok) throw invalidInput([{ pointer: '#/file', detail: `cannot be read. ${outcome.reason}` }])
  return sections
}

/** Without its folder and its ending, in one line. */
function nameOf(name: string): string {
  const file = name.split(/[\\/]/).at(-1) ?? ''
  return file
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
    .replace(/\.(?:pdf|md|markdown|txt)$/i, '')
    .trim()
    .slice(0, 150)
    .toWellFormed()
}

// Lets one call's files of knowledge be read at a time in this process, and refuses when too many wait: each PDF takes a process of its
// own, and long text a thread.

const waitingMax = 8

const busy = (words: string, seconds: number) =>
  new ServiceError('temporarily_unavailable', words, { headers: { 'Retry-After': String(seconds) } })

export function createKnowledgeReader(
  clock: Clock,
  threads: Threads = createThreads(),
): (files: readonly SentFile[], room: number, signal: AbortSignal) => Promise<NewPassage[] | null> {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return (files, room, signal) => {
    if (waiting >= waitingMax) throw busy('Too many files are being read. Try again in a minute.', 60)
    waiting++
    const reading = last
      .then(() => readKnowledge(files, room, { clock, threads, signal }))
      .catch((error: unknown) => {
        if (!(error instanceof ThreadLate)) throw error
        throw Object.assign(busy('The server has too much else to do to read this now. Try again in a minute.', 60), { cause: error })
      })
      .finally(() => waiting--)
    last = reading.catch(() => undefined)
    return reading
  }
}
