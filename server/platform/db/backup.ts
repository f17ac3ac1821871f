// Backup of an embedded store: one tar archive with a consistent copy of the database, every other file of the data directory
// (blobs, keys) and a manifest of hashes. A server may run meanwhile. PostgreSQL brings tools of its own.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { bytes as bytesOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createTarDecoder, createTarPacker, type TarPackController } from 'modern-tar'
import { z } from 'zod'
import { spoolPrefix } from '../sent-file.ts'
import { checkHistory, listRecorded, readMigrations } from './migrations.ts'
import { databaseFile, holdFile, lockFile, prepareDirectory } from './sqlite.ts'
import { StartupError } from './store.ts'

/** The last entry of the archive. Restoring checks every other entry against it. */
const manifestFile = 'manifest.json'
const packedFile = z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })
const manifest = z.object({ format: z.literal('rostrum-backup-1'), files: z.array(packedFile) })
type PackedFile = z.output<typeof packedFile>

/** More pages than any database has: one step, which a busy writer cannot make begin again. */
const allPages = 2 ** 31 - 1

interface BackupResult {
  files: number
  sizeBytes: number
}

/**
 * Writes the archive `target` with mode 0600, for it holds secrets; it appears under its name only when it is whole, and what a
 * backup that was killed has left beside it is removed. A blob
 * that is deleted while the backup runs is left out, as its deck is gone too. Throws `StartupError` with what to do.
 */
export async function backUp({
  dataDir,
  databaseUrl,
  target,
}: {
  dataDir: string
  databaseUrl: string | null
  target: string
}): Promise<BackupResult> {
  refusePostgres(databaseUrl, `pg_dump --format=custom --file=${target} "$DATABASE_URL"`)
  if (!existsSync(join(dataDir, databaseFile)))
    throw new StartupError(`There is no store in ${dataDir}. Name its directory with ROSTRUM_DATA_DIR.`)
  if (!existsSync(dirname(target)))
    throw new StartupError(`There is no directory ${dirname(target)}. Make it first, or name another place.`)
  if (isInside(target, dataDir)) throw new StartupError(`${target} lies in the data directory. Choose a place outside of it.`)
  // Or they would take each other's files for those of a dead one.
  const release = holdFile(lockOf(target), `Another backup is writing ${target}. Wait for its end, or choose another name.`)
  const place = makePlace(target)
  const clear = () => {
    for (const path of [place, lockOf(target)]) rmSync(path, { recursive: true, force: true })
    release()
  }
  process.once('exit', clear)
  try {
    // Asked for once nobody else writes it.
    if (existsSync(target)) throw new StartupError(`${target} exists already. Choose another name, or remove it first.`)
    const copy = join(place, databaseFile)
    const partial = join(place, 'backup.tar')
    await copyConsistently(join(dataDir, databaseFile), copy)
    const files = await writeArchive(partial, dataDir, copy)
    await rename(partial, target)
    return { files: files.length, sizeBytes: (await stat(target)).size }
  } finally {
    process.off('exit', clear)
    clear()
  }
}

const lockOf = (target: string): string => `${target}.partial-lock`

/** A new directory beside the target that only its owner may enter, for SQLite gives its copy the mode that it likes. */
function makePlace(target: string): string {
  const prefix = `${basename(target)}.partial-`
  const left = readdirSync(dirname(target)).filter((name) => name.startsWith(prefix) && name !== basename(lockOf(target)))
  for (const name of left) rmSync(join(dirname(target), name), { recursive: true, force: true })
  return mkdtempSync(join(dirname(target), prefix))
}

/** Backup and restore are for the embedded store; with PostgreSQL they stop and name its own command. */
function refusePostgres(databaseUrl: string | null, command: string): void {
  if (databaseUrl === null) return
  throw new StartupError(`DATABASE_URL is set: everything is in PostgreSQL, which has its own tools. Run: ${command}`)
}

function isInside(path: string, directory: string): boolean {
  const way = relative(resolve(directory), resolve(path))
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`))
}

async function copyConsistently(database: string, copy: string): Promise<void> {
  const source = new DatabaseSync(database, { readOnly: true, timeout: 5_000 })
  try {
    await copyDatabase(source, copy, { rate: allPages })
  } finally {
    source.close()
  }
}

async function writeArchive(path: string, dataDir: string, databaseCopy: string): Promise<PackedFile[]> {
  const { readable, controller: archive } = createTarPacker()
  const writing = pipeline(readable, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  const packing = packAll(archive, dataDir, databaseCopy).catch((error: unknown) => {
    archive.error(error)
    throw error
  })
  const [files] = await Promise.all([packing, writing])
  return files
}

async function packAll(archive: TarPackController, dataDir: string, databaseCopy: string): Promise<PackedFile[]> {
  const files: PackedFile[] = []
  for (const path of [databaseFile, ...listOtherFiles(dataDir)]) {
    const packed = await packFile(archive, path, path === databaseFile ? databaseCopy : join(dataDir, path))
    if (packed !== null) files.push(packed)
  }
  const words = Buffer.from(JSON.stringify({ format: 'rostrum-backup-1', files } satisfies z.input<typeof manifest>, null, 2))
  await pipeline([words], archive.add({ name: manifestFile, size: words.length, mode: 0o600 }))
  archive.finalize()
  return files
}

/** All files but the database, its log, the lock and what is being received, in order of their paths, with `/`. */
function listOtherFiles(dataDir: string): string[] {
  const own: ReadonlySet<string> = new Set([databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, lockFile, `${lockFile}-journal`])
  const found: string[] = []
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = relative(dataDir, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
    if (own.has(path) || path.startsWith(spoolPrefix)) continue
    if (!entry.isFile())
      throw new StartupError(`${join(dataDir, path)} is neither a file nor a directory. Move it out of the data directory.`)
    found.push(path)
  }
  return found.sort()
}

/** Returns null for a file that is gone by now. */
async function packFile(archive: TarPackController, path: string, from: string): Promise<PackedFile | null> {
  let file: FileHandle
  try {
    file = await open(from, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  try {
    const { size: sizeBytes } = await file.stat()
    const digest = createHash('sha256')
    const content = sizeBytes === 0 ? [] : file.createReadStream({ end: sizeBytes - 1, autoClose: false, highWaterMark: 1 << 20 })
    await pipeline(content, hashing(digest), archive.add({ name: path, size: sizeBytes, mode: 0o600 }))
    return { path, sizeBytes, sha256: digest.digest('hex') }
  } finally {
    await file.close()
  }
}

/** Passes on what it has hashed. */
const hashing = (digest: Hash) =>
  async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      digest.update(chunk)
      yield chunk
    }
  }

// Restore of a backup into an empty data directory: everything is checked against the manifest, and the database by itself,
// before it gets the name under which a server would open it.

const unverifiedFile = `${databaseFile}.restoring`
const manifestMaxBytes = 256 * 1024 * 1024

/** Fills `dataDir`, which must be empty or absent, from `source`. Throws `StartupError` and leaves the directory empty when the archive is damaged. */
export async function restore({
  source,
  dataDir,
  databaseUrl,
}: {
  source: string
  dataDir: string
  databaseUrl: string | null
}): Promise<BackupResult> {
  refusePostgres(databaseUrl, `pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${source}`)
  if (!existsSync(source)) throw new StartupError(`There is no file ${source}.`)
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new StartupError(`${dataDir} is not empty. Restore into a new directory (ROSTRUM_DATA_DIR), or move the old one away first.`)
  }
  prepareDirectory(dataDir)
  try {
    const files = await unpack(source, dataDir)
    checkDatabase(join(dataDir, unverifiedFile))
    await rename(join(dataDir, unverifiedFile), join(dataDir, databaseFile))
    await syncDirectory(dataDir)
    return { files: files.length, sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0) }
  } catch (error) {
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true, force: true })
    if (error instanceof StartupError) throw error
    throw new StartupError(`${source} cannot be restored: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

async function unpack(source: string, dataDir: string): Promise<PackedFile[]> {
  const unpacked = new Map<string, PackedFile>()
  let words: Uint8Array | undefined
  const archive = Readable.toWeb(createReadStream(source, { highWaterMark: 1 << 20 }))
  for await (const { header, body } of archive.pipeThrough(createTarDecoder({ strict: true }))) {
    const { name: path, size: sizeBytes, type } = header
    if (type !== 'file' || !isSafePath(path)) throw new Error(`it holds "${path}", which no backup contains.`)
    if (path === manifestFile) {
      if (sizeBytes > manifestMaxBytes) throw new Error('its manifest is too large.')
      words = await bytesOf(body)
      continue
    }
    const to = join(dataDir, path === databaseFile ? unverifiedFile : path)
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const digest = createHash('sha256')
    // Fails on a path that was there before: an archive has each only once.
    await pipeline(body, hashing(digest), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
    unpacked.set(path, { path, sizeBytes, sha256: digest.digest('hex') })
  }
  if (words === undefined) throw new Error('its manifest is missing.')
  const { files } = manifest.parse(JSON.parse(Buffer.from(words).toString('utf8')))
  for (const file of files) {
    const found = unpacked.get(file.path)
    if (found?.sha256 !== file.sha256) throw new Error(`"${file.path}" is ${found === undefined ? 'missing' : 'damaged'}.`)
  }
  if (unpacked.size !== files.length || !unpacked.has(databaseFile)) throw new Error('it is not a whole backup of Rostrum.')
  return files
}

/** Relative and leading nowhere else. */
const isSafePath = (path: string): boolean =>
  !path.includes('\\') && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')

function checkDatabase(path: string): void {
  const db = new DatabaseSync(path)
  try {
    const [verdict] = db.prepare('PRAGMA integrity_check').all()
    if (verdict?.['integrity_check'] !== 'ok') throw new Error('its database is damaged.')
    checkHistory(db.prepare(listRecorded).all(), readMigrations())
    // The log and its index would keep the old name.
    db.exec('PRAGMA journal_mode=DELETE')
  } finally {
    db.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
