// `multipart/form-data` (RFC 7578) of a body that is already there: where its parts begin and end is looked up in pieces, so that a part
// of any size costs no memory.
import { invalidInput } from '../parse.ts'
import type { SentBody, SentFile, SentPart } from '../sent-file.ts'

/** More than that is no form that an operation here takes. */
const partsMax = 1_000
const headMaxBytes = 16_384
const fieldMaxBytes = 65_536

const broken = () => invalidInput([{ pointer: '#', detail: 'is not valid multipart/form-data.' }])

export async function partsOf(body: SentFile, contentType: string): Promise<Awaited<ReturnType<SentBody['parts']>>> {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) throw broken()
  const marks = await marksIn(body, Buffer.from(`\r\n--${boundary}`))
  const files: SentPart[] = []
  const fields = new Map<string, string>()
  for (const [at, mark] of marks.slice(0, -1).entries()) {
    const part = await partAt(body, mark.end, marks[at + 1]?.start ?? mark.end)
    if (part.isFile) files.push(part)
    else if (part.file.sizeBytes > fieldMaxBytes) throw broken()
    else fields.set(part.field, Buffer.from(await part.file.head(fieldMaxBytes)).toString('utf8'))
  }
  return { files, fields }
}

interface Mark {
  /** Where what comes before the delimiter ends, and where what follows its line begins. */
  start: number
  end: number
}

/** Every delimiter, the closing one last. */
async function marksIn(body: SentFile, delimiter: Buffer): Promise<Mark[]> {
  const marks: Mark[] = []
  // The first delimiter stands at the very beginning, where no line ends before it.
  const lead = Buffer.from('\r\n')
  let held: Buffer = lead
  let heldFrom = -lead.length
  for await (const chunk of body.chunks()) {
    held = Buffer.concat([held, chunk])
    let from = 0
    for (;;) {
      const at = held.indexOf(delimiter, from)
      // What follows the delimiter says whether it is the last; white space may stand before the end of its line.
      const line = at === -1 ? undefined : lineAfter(held, at + delimiter.length)
      if (at === -1 || line === undefined) break
      if (line !== 'other') {
        marks.push({ start: Math.max(0, heldFrom + at), end: heldFrom + line.end })
        if (line.isLast) return marks
        if (marks.length > partsMax) throw broken()
      }
      from = at + delimiter.length
    }
    const open = held.indexOf(delimiter, from)
    const keep = open === -1 ? Math.max(from, held.length - delimiter.length) : open
    if (open !== -1 && held.length - open > delimiter.length + 1_024) throw broken()
    heldFrom += keep
    held = held.subarray(keep)
  }
  throw broken()
}

/** Undefined: more has to come. `other`: a delimiter by its look alone. */
function lineAfter(held: Buffer, from: number): { end: number; isLast: boolean } | 'other' | undefined {
  if (held.length < from + 2) return undefined
  if (held[from] === 0x2d && held[from + 1] === 0x2d) return { end: from + 2, isLast: true }
  let at = from
  while (held[at] === 0x20 || held[at] === 0x09) at++
  if (at + 1 >= held.length) return undefined
  return held[at] === 0x0d && held[at + 1] === 0x0a ? { end: at + 2, isLast: false } : 'other'
}

async function partAt(body: SentFile, from: number, until: number): Promise<SentPart & { isFile: boolean }> {
  const start = Buffer.from(await body.part(from, until, { name: '', type: '' }).head(headMaxBytes))
  const end = start.indexOf('\r\n\r\n')
  if (end === -1) throw broken()
  const lines = start.subarray(0, end).toString('utf8').split('\r\n')
  const header = (name: string) =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  const disposition = header('content-disposition') ?? ''
  const field = parameter(disposition, 'name')
  if (!/^form-data\s*;/i.test(disposition) || field === undefined) throw broken()
  const name = parameter(disposition, 'filename')
  const type = (header('content-type') ?? '').toLowerCase()
  return { field, isFile: name !== undefined, file: body.part(from + end + 4, until, { name: name ?? '', type }) }
}

/** As browsers write it: quotes and ends of lines are percent-encoded (WHATWG, multipart/form-data encoding algorithm). */
function parameter(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:\\\\"|[^"])*)"|([^\\s;]+))`, 'i').exec(disposition)
  const text = found?.[1]?.replaceAll('\\"', '"') ?? found?.[2]
  return text?.replaceAll(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
