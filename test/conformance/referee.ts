// Runs the official conformance suite against an address, and reads what it found.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const patient = join(import.meta.dirname, 'patient.ts')
const modules = join(import.meta.dirname, '../../node_modules')
const newer = join(modules, '@modelcontextprotocol/conformance/dist/index.js')
/** 0.1.16, the last release of the older line: judged by it are servers that speak 2025-11-25 alone. */
const older = join(modules, 'conformance-0.1/dist/index.js')

export interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

export type Findings = ReadonlyMap<string, readonly Check[]>

/** Checks by scenario of the set that `revision` requires. */
export function referee(url: string, revision: string): Promise<Findings> {
  return run(newer, url, ['--requirements', revision])
}

/** Checks by scenario of the active suite of the older release. */
export function olderReferee(url: string): Promise<Findings> {
  return run(older, url, ['--suite', 'active'])
}

async function run(program: string, url: string, args: readonly string[]): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-conformance-'))
  try {
    const call = [program, 'server', '--url', url, ...args, '-o', folder]
    const child = spawn(process.execPath, [`--import=${patient}`, ...call], { stdio: 'ignore' })
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
