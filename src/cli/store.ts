// `rostrum backup <file>`: a consistent copy of the embedded store, while a server may use it.
import { resolve } from 'node:path'
import { backUp } from '../platform/db/sqlite/backup.ts'
import { openStore } from '../platform/db/open-store.ts'
import { restore } from '../platform/db/sqlite/restore.ts'
import type { Run } from './command.ts'

export const makeBackup: Run = async ({ config, positionals, print }) => {
  const target = resolve(positionals[0] ?? '')
  const { dataDir, databaseUrl } = config()
  // To exit clears what is half done; a signal by itself would leave it.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
  const made = await backUp({ dataDir, databaseUrl, target })
  print.result(
    `${target}: ${made.files} files, ${(made.sizeBytes / 1_048_576).toFixed(1)} MiB. It holds secrets: keep it as you keep keys.`,
    { target, ...made },
  )
  return 0
}

// `rostrum restore <file>`: a backup becomes the embedded store of an empty data directory.

export const restoreBackup: Run = async ({ config, positionals, print }) => {
  const source = resolve(positionals[0] ?? '')
  const { dataDir, databaseUrl } = config()
  const made = await restore({ dataDir, databaseUrl, source })
  print.result(`${made.files} files are in ${dataDir}. Start the service as usual.`, { dataDir, ...made })
  return 0
}

// `rostrum migrate`: brings the store to this version, which otherwise `serve` alone does.

export const migrate: Run = async ({ config: read, print }) => {
  const config = read()
  const store = await openStore({ ...config, migrates: true, outbox: { baseUrl: config.baseUrl, consumers: ['webhooks'] } })
  const { dialect } = store
  await store.close()
  print.result(`The ${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} store is at this version.`, { store: dialect, migrated: true })
  return 0
}
