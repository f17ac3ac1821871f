// The signing secret of a service that was not given one: made once, kept in the data directory, readable by its user alone.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Ids } from '../kernel/ids.ts'
import { randomBase62 } from '../kernel/ids.ts'

const secretLength = 43

/** The configured secrets, or the one of the data directory. Two processes that start at once get the same one. */
export function signingSecrets(configured: readonly string[], dataDir: string, ids: Ids): readonly string[] {
  if (configured.length > 0) return configured
  const path = join(dataDir, 'secret')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  try {
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, randomBase62(ids, secretLength))
    fsyncSync(file)
    closeSync(file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 32) throw new Error(`${path} holds no secret. Restore it from a backup, or delete it: everybody then signs in again.`)
  return [secret]
}
