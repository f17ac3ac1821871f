// How a body is received. A small one stays in memory; every other goes to a file of its own as it comes, so that a body that is never
// finished costs the process nothing but a connection. The file is removed when its call has ended, with this process, or, where that
// was killed, at the next start.
import { mkdtempSync, rmSync } from 'node:fs'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Ids, randomBase32 } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import { SentFile, spoolPrefix } from '../sent-file.ts'
import { createHoldings } from './holdings.ts'

/** As much as the buffers of its connection hold anyway. */
export const smallBytes = 64 * 1024

/** A body brings so much in each stretch of time, or is cut: some 4 KiB a second, where a telephone at the edge of its net has more. */
const stretchMs = 15_000
const leastBytes = 64 * 1024

const mebibyte = 1_048_576
const bounds = {
  /** A document for the reader fits beside what another has, and all of it in a container of half a gibibyte. */
  memory: { all: 128 * mebibyte, each: 56 * mebibyte, words: 'Your account has too many large bodies under way.' },
  disk: { all: 4_096 * mebibyte, each: 1_024 * mebibyte, words: 'Your account has too many large bodies under way.' },
  atOnce: { all: 256, each: 16, words: 'Your account sends 16 large bodies at once already: wait until one has arrived.' },
}

export interface Arriving {
  /** Read until it ends or is refused; never `return`ed, which would cut the connection before the answer. */
  chunks: AsyncIterator<Uint8Array, unknown>
  /** The account, or the address where there is none. */
  owner: string
  maxBytes: number
  /** `Content-Length`. */
  announced: number | undefined
}

export interface Received {
  file: SentFile
  /** Removes it and gives back what was held for it. */
  release(): void
}

export interface Spool {
  /** Throws `payload_too_large`, `request_timeout`, `rate_limited`, `temporarily_unavailable`, or `invalid_request` where it ended early. */
  receive(arriving: Arriving): Promise<Received>
  /** Removes what processes that are gone have left. */
  sweep(): Promise<void>
  close(): void
}

interface SpoolParts {
  /** Of which it makes one of its own. */
  directory: string
  clock: Clock
  ids: Ids
  /** The disk did not take a body. */
  onFailure(error: unknown): void
}

export function createSpool({ directory, clock, ids, onFailure }: SpoolParts): Spool {
  const [memory, disk, atOnce] = [createHoldings(bounds.memory), createHoldings(bounds.disk), createHoldings(bounds.atOnce)]
  let folder: string | undefined
  /** With a name that nobody can know before, and for this user alone: `directory` may be everybody's. */
  const folderOf = () => (folder ??= mkdtempSync(join(directory, `${spoolPrefix}${process.pid}-`)))

  async function spooled({ owner, maxBytes, chunks }: Arriving, before: readonly Uint8Array[], ends: (() => void)[]): Promise<SentFile> {
    const [inMemory, onDisk, one] = [memory(owner), disk(owner), atOnce(owner)]
    ends.push(inMemory.release, onDisk.release, one.release)
    one.add(1)
    const path = join(folderOf(), randomBase32(ids, 16))
    ends.push(() => rmSync(path, { force: true }))
    const file = await open(path, 'wx', 0o600)
    const pace = paced(clock)
    let sizeBytes = 0
    try {
      const keep = async (chunk: Uint8Array) => {
        sizeBytes += chunk.length
        if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
        onDisk.add(chunk.length)
        await written(file, chunk)
      }
      for (const chunk of before) await keep(chunk)
      for (;;) {
        const next = await pace.of(chunks.next())
        if (next.done === true) break
        await keep(next.value)
      }
    } finally {
      pace.stop()
      await file.close()
    }
    return new SentFile({ path, from: 0, hold: inMemory.add }, sizeBytes)
  }

  /** What fits into memory, else what came of it until it did not. */
  async function small({ chunks, maxBytes }: Arriving): Promise<{ all: Uint8Array } | { before: readonly Uint8Array[] }> {
    const before: Uint8Array[] = []
    let sizeBytes = 0
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) return { all: Buffer.concat(before) }
      before.push(next.value)
      sizeBytes += next.value.length
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
      if (sizeBytes > smallBytes) return { before }
    }
  }

  return {
    async receive(arriving) {
      const { announced = 0, maxBytes } = arriving
      if (announced > maxBytes) throw tooLarge(maxBytes)
      const ends: (() => void)[] = []
      const release = () => {
        for (const end of ends.splice(0)) end()
      }
      try {
        const begun = announced > smallBytes ? { before: [] } : await small(arriving)
        return { file: 'all' in begun ? SentFile.of(begun.all) : await spooled(arriving, begun.before, ends), release }
      } catch (error) {
        release()
        if (isOfDisk(error)) onFailure(error)
        throw isOfDisk(error) ? unstored() : asArrival(error)
      }
    },
    async sweep() {
      for (const name of await readdir(directory).catch(() => [])) {
        const path = join(directory, name)
        if (path !== folder && (await isLeft(path, name))) await rm(path, { recursive: true, force: true })
      }
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      folder = undefined
    },
  }
}

/** A folder of a process that is gone, which may have had the number of one that runs now. */
async function isLeft(path: string, name: string): Promise<boolean> {
  if (!name.startsWith(spoolPrefix)) return false
  const pid = Number.parseInt(name.slice(spoolPrefix.length), 10)
  const found = await stat(path).catch(() => undefined)
  const isOurs = found !== undefined && (process.getuid === undefined || found.uid === process.getuid())
  if (!isOurs) return false
  return pid === process.pid ? found.birthtimeMs < performance.timeOrigin : !runs(pid)
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function written(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
}

/** `of` rejects once a stretch of time has brought too little, and we did not keep the body waiting ourselves. */
function paced(clock: Clock) {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>()
  tooSlow.catch(() => undefined)
  let [came, seen] = [0, 0]
  let isOurTurn = true
  let cancel = () => {}
  const look = () => {
    cancel = clock.after(stretchMs, () => {
      if (came - seen < leastBytes && !isOurTurn)
        reject(new ServiceError('request_timeout', 'The body came too slowly: send at least 64 KiB in 15 seconds.'))
      else {
        seen = came
        look()
      }
    })
  }
  look()
  return {
    async of(coming: Promise<IteratorResult<Uint8Array, unknown>>) {
      isOurTurn = false
      const next = await Promise.race([coming, tooSlow])
      isOurTurn = true
      if (next.done !== true) came += next.value.length
      return next
    },
    stop: () => cancel(),
  }
}

export function tooLarge(maxBytes: number): ServiceError {
  const mebibytes = maxBytes / mebibyte
  const words = mebibytes >= 1 ? `${Number(mebibytes.toFixed(1))} MiB` : `${maxBytes} bytes`
  return new ServiceError('payload_too_large', `The body is larger than ${words}: send less.`)
}

const unstored = () =>
  new ServiceError('temporarily_unavailable', 'The service cannot store the body at present. Try again in a minute.', {
    headers: { 'Retry-After': '60' },
  })

/** The file failed, not the connection. */
const isOfDisk = (error: unknown) =>
  error instanceof Error && 'syscall' in error && ['mkdtemp', 'open', 'write', 'close'].includes(String(error.syscall)) && !isOfLine(error)

const isOfLine = (error: Error) => 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

export function asArrival(error: unknown): unknown {
  return error instanceof ServiceError
    ? error
    : new ServiceError('invalid_request', 'The body ended early: send as many bytes as `Content-Length` says.')
}
