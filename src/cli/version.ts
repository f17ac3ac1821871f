// `rostrum version`.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Run } from './command.ts'

const manifest = z.object({ version: z.string() })

/** Of the package. */
export function packageVersion(): string {
  return manifest.parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version
}

export const run: Run = async ({ print }) => {
  const version = packageVersion()
  print.result(`rostrum ${version} (Node.js ${process.version})`, { version, node: process.version })
  return 0
}
