// What a file says, as sections: Markdown and plain text here, a PDF in the killable process that also reads decks, without drawing it.
import type { Clock } from '../../platform/clock.ts'
import { ServiceError } from '../../platform/errors.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { SentFile } from '../../platform/sent-file.ts'
import { readDocument, readLimits, type ReadOptions } from '../deck/render/read-document.ts'
import { sniffFile } from '../deck/sniff.ts'
import { type Section, sectionsOf } from './passages.ts'

/** Knowledge is text: more than this is no document that people wrote to be quoted. */
const textMaxBytes = 1024 * 1024
/** Somebody waits for the answer. */
const limits = { ...readLimits, documentMs: 60_000 }
const taken = 'Send a PDF, a Markdown file or plain text in UTF-8.'

/** Throws `unsupported_media_type`, `payload_too_large` or `invalid_request` with what to send instead. */
export async function readKnowledge(file: SentFile, clock: Clock, options: ReadOptions = {}): Promise<Section[]> {
  const kind = await sniffFile(file)
  if (kind !== 'pdf' && kind !== 'markdown') throw new ServiceError('unsupported_media_type', taken)
  const title = nameOf(file.name)
  if (kind === 'markdown' && file.sizeBytes > textMaxBytes)
    throw new ServiceError('payload_too_large', 'The text is larger than 1 MiB. Split it into files.')
  const bytes = await file.bytes()
  const sections = kind === 'pdf' ? await pagesOf(bytes, title, clock, options) : textOf(bytes, title)
  if (sections.length > 0) return sections
  const detail = kind === 'pdf' ? 'has no text that can be read: it may be a scan. Send a PDF with text.' : 'has no text.'
  throw invalidInput([{ pointer: '#/file', detail }])
}

function textOf(bytes: Uint8Array, title: string): Section[] {
  return sectionsOf(new TextDecoder().decode(bytes), title)
}

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

// Lets one file of knowledge be read at a time in this process, and refuses when too many wait: each PDF takes a process of its own.

const waitingMax = 8

export function createKnowledgeReader(clock: Clock): (file: SentFile, signal: AbortSignal) => Promise<Section[]> {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return (file, signal) => {
    if (waiting >= waitingMax) {
      throw new ServiceError('temporarily_unavailable', 'Too many files are being read. Try again in a minute.', {
        headers: { 'Retry-After': '60' },
      })
    }
    waiting++
    const reading = last.then(() => readKnowledge(file, clock, { signal })).finally(() => waiting--)
    last = reading.catch(() => undefined)
    return reading
  }
}
