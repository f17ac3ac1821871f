// Backup of an embedded store: one tar archive with a consistent copy of the database, every other file of the data directory
// (blobs, keys) and a manifest of hashes. A server may run meanwhile. PostgreSQL brings tools of its own.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { StartupError } from '../startup-error.ts'
import { databaseFile, holdFile, lockFile } from './data-directory.ts'
import { chunksOf, writeEnd, writeEntry } from './tar.ts'

/** The last entry of the archive. Restoring checks every other entry against it. */
export const manifestFile = 'manifest.json'
const packedFile = z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })
export const manifest = z.object({ format: z.literal('rostrum-backup-1'), files: z.array(packedFile) })
export type PackedFile = z.output<typeof packedFile>

/** More pages than any database has: one step, which a busy writer cannot make begin again. */
const allPages = 2 ** 31 - 1

export interface BackupResult {
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
export function refusePostgres(databaseUrl: string | null, command: string): void {
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
  const archive = await open(path, 'wx', 0o600)
  try {
    const files: PackedFile[] = []
    const pack = async (name: string, from: string) => {
      const packed = await packFile(archive, name, from)
      if (packed !== null) files.push(packed)
    }
    await pack(databaseFile, databaseCopy)
    for (const name of listOtherFiles(dataDir)) await pack(name, join(dataDir, name))
    const words = Buffer.from(JSON.stringify({ format: 'rostrum-backup-1', files } satisfies z.input<typeof manifest>, null, 2))
    await writeEntry(archive, { path: manifestFile, sizeBytes: words.length }, [words])
    await writeEnd(archive)
    await archive.sync()
    return files
  } finally {
    await archive.close()
  }
}

/** All files but the database, its log and the lock, in order of their paths, with `/`. */
function listOtherFiles(dataDir: string): string[] {
  const own: ReadonlySet<string> = new Set([databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`, lockFile, `${lockFile}-journal`])
  const found: string[] = []
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = relative(dataDir, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
    if (own.has(path)) continue
    if (!entry.isFile())
      throw new StartupError(`${join(dataDir, path)} is neither a file nor a directory. Move it out of the data directory.`)
    found.push(path)
  }
  return found.sort()
}

/** Returns null for a file that is gone by now. */
async function packFile(archive: FileHandle, path: string, from: string): Promise<PackedFile | null> {
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
    await writeEntry(archive, { path, sizeBytes }, hashing(chunksOf(file, sizeBytes), digest))
    return { path, sizeBytes, sha256: digest.digest('hex') }
  } finally {
    await file.close()
  }
}

async function* hashing(chunks: AsyncIterable<Uint8Array>, digest: { update(chunk: Uint8Array): unknown }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    digest.update(chunk)
    yield chunk
  }
}
