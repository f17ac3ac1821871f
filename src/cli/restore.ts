// `rostrum restore <file>`: a backup becomes the embedded store of an empty data directory.
import { resolve } from 'node:path'
import { restore } from '../storage/restore.ts'
import type { Run } from './command.ts'

export const run: Run = async ({ config, positionals, print }) => {
  const source = resolve(positionals[0] ?? '')
  const { dataDir, databaseUrl } = config()
  const made = await restore({ dataDir, databaseUrl, source })
  print.result(`${made.files} files are in ${dataDir}. Start the service as usual.`, { dataDir, ...made })
  return 0
}
