// What `install` put into the data directory: a folder for each name, with a note of where it came from.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CommandError } from '../command.ts'
import { download, megabytes } from './download.ts'
import { unpack } from './unpack.ts'

export interface Order {
  name: string
  url: string
  sizeBytes: number | null
  sha256: string | null
  licence: string
}

/** `installed.json` of a folder. */
export interface Origin {
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

export function installedIn(dir: string): readonly { name: string; origin: Origin | undefined }[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => ({ name, origin: originOf(join(dir, name)) }))
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

export function sizeOfFolder(folder: string): number {
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
export function orderFor(
  known: Omit<Order, 'name'> | undefined,
  name: string,
  said: (option: string) => string | undefined,
  unchecked: boolean,
): Order {
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
