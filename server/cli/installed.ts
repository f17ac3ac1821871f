// What `install` put into the data directory: a folder for each name, with a note of where it came from.
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import unbzip2 from 'unbzip2-stream'
import { CommandError } from './command.ts'

// Fetches one large file for the operator: into `<file>.part`, on from where an earlier try stopped, and under its own name only when
// size and checksum are right. The address is the operator's own word, or that of a table of ours.

export interface Wanted {
  url: string
  /** Where it is to lie. */
  file: string
  /** Null: nobody has told. */
  sizeBytes: number | null
  sha256: string | null
}

const tries = 4
const largestBytes = 64 * 1024 ** 3

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Gives the checksum of what lies there now. */
async function download({ url, file, sizeBytes, sha256 }: Wanted, note: (words: string) => void): Promise<string> {
  const part = `${file}.part`
  if (!existsSync(file)) {
    await fetchWhole(url, part, sizeBytes, note)
    renameSync(part, file)
  }
  const found = await checksumOf(file)
  if (sizeBytes !== null && sizeOf(file) !== sizeBytes) {
    const size = sizeOf(file)
    rmSync(file)
    throw wrongSize(url, size, sizeBytes)
  }
  if (sha256 !== null && found !== sha256) {
    rmSync(file)
    throw new CommandError(`${url} has the checksum ${found} and should have ${sha256}. It was removed; nothing was installed.`)
  }
  return found
}

const wrongSize = (url: string, size: number, wanted: number) =>
  new CommandError(`${url} is ${size} bytes and should be ${wanted}. Nothing was installed.`)

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)

export async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function fetchWhole(url: string, part: string, sizeBytes: number | null, note: (words: string) => void): Promise<void> {
  let most = sizeOf(part)
  for (let left = tries; ; left--) {
    const before = sizeOf(part)
    if (before > 0) note(`Going on at ${megabytes(before)}.`)
    const cause = await fetchMore(url, part, sizeBytes, note)
    if (cause === undefined) return
    // A server that gives a little each time may take as many tries as it needs.
    if (sizeOf(part) > most) left = tries
    most = Math.max(most, sizeOf(part))
    if (left > 1) continue
    throw new CommandError(`${cause} ${megabytes(sizeOf(part))} are kept: the same command goes on from there.`)
  }
}

/** Undefined when it is whole, else why it is not. */
async function fetchMore(url: string, part: string, sizeBytes: number | null, note: (words: string) => void): Promise<string | undefined> {
  const from = sizeOf(part)
  if (sizeBytes !== null && from === sizeBytes) return undefined
  let answer: Response
  try {
    answer = await fetch(url, from === 0 ? {} : { headers: { Range: `bytes=${from}-` } })
  } catch {
    return `${url} does not answer.`
  }
  // Nothing is left of it, or it is another file now: what there is cannot be gone on with.
  const isLost = answer.status === 416 || (answer.status === 206 && !answer.headers.get('content-range')?.startsWith(`bytes ${from}-`))
  if (isLost) {
    rmSync(part, { force: true })
    await answer.body?.cancel()
    return `${url} cannot go on at ${from} bytes.`
  }
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel()
    throw new CommandError(`${url} answered ${answer.status}.`)
  }
  const start = answer.status === 206 ? from : 0
  const length = Number(answer.headers.get('content-length') ?? Number.NaN)
  const told = Number.isNaN(length) ? undefined : start + length
  if (sizeBytes !== null && told !== undefined && told !== sizeBytes) {
    await answer.body.cancel()
    rmSync(part, { force: true })
    throw wrongSize(url, told, sizeBytes)
  }
  const whole = sizeBytes ?? told
  try {
    // Each piece is on the disk before the next is read: what came before a break is kept.
    await using to = await open(part, start === 0 ? 'w' : 'a')
    for await (const piece of counting(answer.body, start, whole, note)) await to.appendFile(piece)
  } catch (error) {
    if (error instanceof CommandError) {
      rmSync(part, { force: true })
      throw error
    }
    return `${url} broke off.`
  }
  return whole !== undefined && sizeOf(part) < whole ? `${url} broke off.` : undefined
}

/** Passes it on, tells of each tenth, and ends what grows beyond its size. */
async function* counting(body: AsyncIterable<Uint8Array>, start: number, whole: number | undefined, note: (words: string) => void) {
  let size = start
  let told = whole === undefined ? 0 : Math.floor((start / whole) * 10)
  for await (const piece of body) {
    size += piece.length
    if (size > (whole ?? largestBytes)) throw new CommandError(`The server sends more than the ${whole ?? largestBytes} bytes it should.`)
    yield piece
    const tenth = whole === undefined ? 0 : Math.floor((size / whole) * 10)
    if (whole !== undefined && tenth > told) note(`${tenth * 10} % of ${megabytes(whole)}`)
    told = Math.max(told, tenth)
  }
}

// Unpacks a tar archive, plain or packed by gzip or bzip2, into a folder of its own. Regular files and folders alone, without the one
// folder that archives of models put around everything; a path that leads out, or more than a bound, ends it.

const unpackedMaxBytes = 16 * 1024 ** 3
const entriesMax = 20_000

async function unpack(archive: string, into: string): Promise<void> {
  await unpackAll(archive, into).catch((error: unknown) => {
    // The disk, or who packed it, has a code of its own.
    if (error instanceof CommandError || (error instanceof Error && 'code' in error)) throw error
    throw new CommandError('The archive is cut off, or damaged.')
  })
}

async function unpackAll(archive: string, into: string): Promise<void> {
  let left = unpackedMaxBytes
  let count = 0
  const entries = Readable.toWeb(await plain(archive)).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of entries) {
    left -= header.size
    if (left < 0 || ++count > entriesMax) throw new CommandError('The archive is larger than a model can be.')
    const path = pathFor(header.name)
    if (header.type === 'directory' && path !== undefined) mkdirSync(join(into, path), { recursive: true })
    // Links, devices and whatever else: no model needs them.
    if (header.type !== 'file' || path === undefined) await body.cancel()
    else {
      const file = join(into, path)
      mkdirSync(dirname(file), { recursive: true })
      await pipeline(body, createWriteStream(file, { flags: 'wx' }))
    }
  }
}

/** Without the outermost folder; undefined for that folder itself. */
function pathFor(name: string): string | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || name.includes('\\') || parts.includes('..'))
    throw new CommandError('The archive holds a path that leads out of its folder. Nothing was installed.')
  return parts.length < 2 ? undefined : join(...parts.slice(1))
}

async function plain(archive: string): Promise<Readable> {
  const file = await open(archive)
  const { buffer } = await file.read(Buffer.alloc(3), 0, 3, 0)
  await file.close()
  const raw = createReadStream(archive)
  const out = new PassThrough()
  const fail = (error: Error) => void out.destroy(error)
  raw.on('error', fail)
  if (buffer.toString('latin1') === 'BZh') raw.pipe(unbzip2()).on('error', fail).pipe(out)
  else if (buffer[0] === 0x1f && buffer[1] === 0x8b) raw.pipe(createGunzip()).on('error', fail).pipe(out)
  else raw.pipe(out)
  return out
}

export interface Order {
  name: string
  url: string
  sizeBytes: number | null
  sha256: string | null
  licence: string
}

/** `installed.json` of a folder. */
interface Origin {
  url: string
  sha256: string
  licence: string
}

const noteName = 'installed.json'

/** `name` as a folder's name, or words. */
export function checkedName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) return name
  throw new CommandError('A name is made of letters, digits, points and hyphens.', 2)
}

/** What a table of ours knows of a file. */
export interface Known {
  name: string
  licence: string
  url: string
  sizeBytes: number
  /** Null: what other projects pin differs. */
  sha256: string | null
}

/** What can be had by name, and what lies in `dir` beside it, each with its state. `inUse`: folders. */
export function listed<More extends object>(
  dir: string,
  known: readonly (Known & More)[],
  inUse: readonly string[],
  moreOf: (folder: string) => More,
): (Known & More & { state: string })[] {
  const folders = existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []
  const here = folders.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name)
  const others = here
    .filter((name) => !known.some((each) => each.name === name))
    .map((name) => {
      const folder = join(dir, name)
      const { licence, url, sha256 } = originOf(folder) ?? { licence: '', url: folder, sha256: null }
      return { name, licence, url, sizeBytes: sizeOfFolder(folder), sha256, ...moreOf(folder) }
    })
  const stateOf = (name: string) => (!here.includes(name) ? '' : inUse.includes(join(dir, name)) ? 'in use' : 'installed')
  return [...known, ...others].map((each) => ({ ...each, state: stateOf(each.name) }))
}

function originOf(folder: string): Origin | undefined {
  try {
    // We wrote it; whatever else stands there is of no use to anybody.
    return JSON.parse(readFileSync(join(folder, noteName), 'utf8')) as Origin
  } catch {
    return undefined
  }
}

/** The address of the same file on a mirror: a folder that holds it by its name. */
export function mirrored(url: string, mirror: string | undefined): string {
  return mirror === undefined ? url : `${mirror.replace(/(?<!\/)\/+$/, '')}/${basename(new URL(url).pathname)}`
}

/** An address that may be fetched: https, or anything on this machine. */
export function checkedUrl(written: string): string {
  const url = URL.parse(written)
  const isHere = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere))) return written
  throw new CommandError('Write an https address.', 2)
}

interface Placing {
  dir: string
  note(words: string): void
  /** Throws where what was fetched is not what it should be; it is removed then. */
  check(folder: string): void
  /** Another way than to unpack it: puts `file` into `folder`. */
  place?(file: string, folder: string): void
}

/** Fetches, checks, unpacks and only then gives it its name. Gives the folder and the checksum of what was fetched. */
export async function install(order: Order, { dir, note, check, place }: Placing): Promise<{ folder: string; sha256: string }> {
  const { name, url, sizeBytes, licence } = order
  const folder = join(dir, name)
  if (existsSync(folder)) throw new CommandError(`${name} is installed in ${folder}. Remove that folder to have it anew.`)
  mkdirSync(dir, { recursive: true })
  const { bavail, bsize } = statfsSync(dir)
  const needed = (sizeBytes ?? 0) * (place === undefined ? 4 : 1)
  if (bavail * bsize < needed)
    throw new CommandError(`${dir} has room for ${megabytes(bavail * bsize)}; ${name} needs some ${megabytes(needed)}.`)
  const file = join(dir, `.${name}-${basename(new URL(url).pathname)}`)
  const making = join(dir, `.${name}.new`)
  rmSync(making, { recursive: true, force: true })
  const sha256 = await download({ url, file, sizeBytes, sha256: order.sha256 }, note)
  mkdirSync(making)
  try {
    if (place === undefined) await unpack(file, making)
    else place(file, making)
    check(making)
    writeFileSync(join(making, noteName), `${JSON.stringify({ url, sha256, licence } satisfies Origin, null, 2)}\n`)
    renameSync(making, folder)
  } finally {
    rmSync(making, { recursive: true, force: true })
    rmSync(file, { force: true })
  }
  return { folder, sha256 }
}

function sizeOfFolder(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Lines whose columns stand under each other. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What the operator said of what is to be fetched, over what a table of ours says. */
export function orderFor(all: readonly Known[], name: string, said: (option: string) => string | undefined, unchecked: boolean): Order {
  const known = all.find((each) => each.name === name)
  const [url, sha256] = [said('url'), said('sha256')?.toLowerCase()]
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw new CommandError('A checksum is 64 digits from 0 to f.', 2)
  if (known === undefined && url === undefined)
    throw new CommandError(`${name} is not known here: \`list\` shows what is, or give its --url.`)
  const mirror = said('mirror')
  const address = url ?? mirrored(known?.url ?? '', mirror === undefined ? undefined : checkedUrl(mirror))
  const expected = sha256 ?? (url === undefined ? (known?.sha256 ?? null) : null)
  if (expected === null && !unchecked)
    throw new CommandError(
      `No checksum of ${address} is known here. Read it where it is published and give --sha256, or say --unchecked to take what comes and note its checksum.`,
    )
  // Another checksum is another file, of another size.
  const isAsKnown = url === undefined && sha256 === undefined
  return {
    name: checkedName(name),
    url: checkedUrl(address),
    sizeBytes: isAsKnown && known?.sha256 ? known.sizeBytes : null,
    sha256: expected,
    licence: known?.licence ?? 'not known',
  }
}
