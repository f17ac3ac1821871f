// Restore of a backup into an empty data directory: everything is checked against the manifest, and the database by itself,
// before it gets the name under which a server would open it.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { bytes as bytesOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createTarDecoder } from 'modern-tar'
import { checkHistory, listRecorded, readMigrations } from '../migrations.ts'
import { StartupError } from '../store.ts'
import { type BackupResult, hashing, manifest, manifestFile, type PackedFile, refusePostgres } from './backup.ts'
import { databaseFile, prepareDirectory } from './data-directory.ts'

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
