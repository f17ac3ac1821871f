// Runs the official conformance suite against an address, and reads what it found.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

export interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

/** Checks by scenario. */
export async function referee(url: string, revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-conformance-'))
  try {
    const child = spawn(process.execPath, [program, 'server', '--url', url, '--requirements', revision, '-o', folder], { stdio: 'ignore' })
    await new Promise((resolve) => child.once('close', resolve))
    return new Map(
      readdirSync(folder).map((name) => {
        const scenario = /^server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name
        return [scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
