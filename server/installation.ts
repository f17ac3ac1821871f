// What an installation has of its own: its secret, which signs cookies and keys, the configured one or one made on the first start and
// kept in the data directory; and its version.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ids } from '@rostrum/base/clock'
import { prepareDirectory } from './platform/db/sqlite.ts'
import { StartupError } from './platform/db/store.ts'

/** The first signs, all verify. Two processes that start at once end with the same one: the file is made exclusively. */
export function signingSecrets(config: { secrets: readonly string[]; dataDir: string }, ids: Ids): readonly string[] {
  if (config.secrets.length > 0) return config.secrets
  prepareDirectory(config.dataDir)
  const file = join(config.dataDir, 'secret')
  try {
    if (!existsSync(file)) makeSecret(file, ids)
    return [readFileSync(file, 'utf8').trim()]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartupError(`The secret of this installation cannot be read (${reason}). Give the file to the user of this process.`, {
      cause: error,
    })
  }
}

/** Where it comes from, in words. */
export const secretSource = ({ secrets, dataDir }: { secrets: readonly string[]; dataDir: string }): string =>
  secrets.length > 0 ? 'ROSTRUM_SECRET' : `The secret in ${join(dataDir, 'secret')}`

function makeSecret(file: string, ids: Ids): void {
  try {
    writeFileSync(file, Buffer.from(ids.bytes(48)).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // Another process has been quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

export function packageVersion(): string {
  // Ours, and npm keeps it whole.
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
