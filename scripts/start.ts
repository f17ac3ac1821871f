// How the checks and the processes of the suites are started.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { seedOf } from '../test/support/seed.ts'

export const root = join(import.meta.dirname, '..')
/** Where chance begins in every suite of this run. */
export const seed = seedOf(process.env['ROSTRUM_TEST_SEED'])
export const bin = (name: string) => join(root, 'node_modules/.bin', name)

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  seconds: number
}

interface Manner {
  cwd?: string
  /** It is killed when it has not said the word for so long. */
  quiet?: { limitMs: number; word: string }
}

export function start(program: string, args: readonly string[], env: Record<string, string>, { cwd = root, quiet }: Manner = {}) {
  const started = performance.now()
  // Each process loads some hundred modules: what the first has compiled, the others take.
  const NODE_COMPILE_CACHE = process.env['NODE_COMPILE_CACHE'] ?? join(root, 'node_modules/.cache/tests')
  const shared = { ...process.env, NODE_COMPILE_CACHE, ROSTRUM_TEST_SEED: String(seed) }
  const child = spawn(program, args, { cwd, env: { ...shared, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = quiet && setTimeout(() => child.kill('SIGKILL'), quiet.limitMs)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    if (quiet !== undefined && chunk.includes(quiet.word)) timer?.refresh()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk))
  return new Promise<Ended>((resolve) => {
    let orphans: NodeJS.Timeout | undefined
    const end = (code: number | null) => {
      clearTimeout(timer)
      clearTimeout(orphans)
      resolve({ code, stdout, stderr, seconds: (performance.now() - started) / 1000 })
    }
    child.once('error', (error) => {
      stderr += error.message
      end(1)
    })
    child.once('close', end)
    // What it has started and left behind may hold its output open for ever.
    child.once('exit', (code) => (orphans = setTimeout(() => end(code), 5_000)))
  })
}
