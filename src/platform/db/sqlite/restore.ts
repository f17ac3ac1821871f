// Restore of a backup into an empty data directory: everything is checked against the manifest, and the database by itself,
// before it gets the name under which a server would open it.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkHistory, listRecorded, readMigrations } from '../migrations.ts'
import { StartupError } from '../startup-error.ts'
import { type BackupResult, manifest, manifestFile, type PackedFile, refusePostgres } from './backup.ts'
import { databaseFile, prepareDirectory } from './data-directory.ts'
import { readEntries } from './tar.ts'

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
  const words: Uint8Array[] = []
  const archive = await open(source, 'r')
  try {
    await readEntries(archive, async ({ path, sizeBytes }) => {
      if (path === manifestFile) {
        if (sizeBytes > manifestMaxBytes) throw new Error('its manifest is too large.')
        return { write: (chunk) => void words.push(chunk), end: async () => undefined }
      }
      const file = await create(join(dataDir, path === databaseFile ? unverifiedFile : path))
      const digest = createHash('sha256')
      return {
        async write(chunk) {
          digest.update(chunk)
          await file.writeFile(chunk)
        },
        async end() {
          unpacked.set(path, { path, sizeBytes, sha256: digest.digest('hex') })
          await file.sync()
          await file.close()
        },
      }
    })
  } finally {
    await archive.close()
  }
  if (words.length === 0) throw new Error('its manifest is missing.')
  const { files } = manifest.parse(JSON.parse(Buffer.concat(words).toString('utf8')))
  for (const file of files) {
    const found = unpacked.get(file.path)
    if (found?.sha256 !== file.sha256) throw new Error(`"${file.path}" is ${found === undefined ? 'missing' : 'damaged'}.`)
  }
  if (unpacked.size !== files.length || !unpacked.has(databaseFile)) throw new Error('it is not a whole backup of Rostrum.')
  return files
}

/** Fails on a path that was there before: an archive has each only once. */
async function create(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return open(path, 'wx', 0o600)
}

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
