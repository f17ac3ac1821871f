// `rostrum backup <file>`: a consistent copy of the embedded store, while a server may use it.
import { resolve } from 'node:path'
import { backUp } from '../storage/backup.ts'
import type { Run } from './command.ts'

export const run: Run = async ({ config, positionals, print }) => {
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
