// What an installation has of its own: its secret, which signs cookies and keys, the configured one or one made on the first start and
// kept in the data directory; and its version.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ids } from './platform/clock.ts'

/** The first signs, all verify. Two processes that start at once end with the same one: the file is made exclusively. */
export function signingSecrets(config: { secrets: readonly string[]; dataDir: string }, ids: Ids): readonly string[] {
  if (config.secrets.length > 0) return config.secrets
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const file = join(config.dataDir, 'secret')
  try {
    writeFileSync(file, Buffer.from(ids.bytes(48)).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return [readFileSync(file, 'utf8').trim()]
}

export function packageVersion(): string {
  // Ours, and npm keeps it whole.
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
