// Fetches one large file for the operator: into `<file>.part`, on from where an earlier try stopped, and under its own name only when
// size and checksum are right. The address is the operator's own word, or that of a table of ours.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../command.ts'

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
export async function download({ url, file, sizeBytes, sha256 }: Wanted, note: (words: string) => void): Promise<string> {
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
