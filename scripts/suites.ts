// What the checks and the tests consist of, and how one suite is run and counted.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { seedOf } from '../test/support/seed.ts'
import type { Counts } from './report.ts'

export const root = join(import.meta.dirname, '..')
/** Where chance begins in every suite of this run. */
const seed = seedOf(process.env['ROSTRUM_TEST_SEED'])
const bin = (name: string) => join(root, 'node_modules/.bin', name)

export interface Outcome {
  passed: number
  failed: number
  seconds: number
  /** Words about the failures. */
  output: string
}

export interface Suite {
  name: string
  run(env: Record<string, string>): Promise<Outcome>
}

/** A command that passes or fails as a whole. */
function command(name: string, program: string, args: readonly string[], cwd = root): Suite {
  return {
    name,
    async run(env) {
      const { code, output, seconds } = await start(program, args, env, cwd)
      return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds, output: code === 0 ? '' : output }
    },
  }
}

/**
 * Test files, each in a process of its own, `concurrency` of them at once; `'together'`: in one process,
 * for tests that start nothing.
 */
export function tests(name: string, patterns: readonly string[], concurrency: number | 'together'): Suite {
  return {
    name,
    async run(env) {
      const exclude = (path: string) => path.includes('node_modules') || path.includes('/dist/')
      const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude }).toSorted())
      if (files.length === 0) return { passed: 0, failed: 0, seconds: 0, output: '' }
      const first = await runFiles(files, concurrency, env)
      const failed = files.filter((file) => (first.counts[join(root, file)]?.failed ?? 0) > 0)
      if (!isSecondTryDue(failed.length, concurrency)) return outcomeOf(first)
      const second = await runFiles(failed, 1, env)
      const told = failed.map(
        (file) => `\nAGAIN   ${file}, alone: ${(second.counts[join(root, file)]?.failed ?? 1) > 0 ? 'failed' : 'passed'}\n`,
      )
      return outcomeOf({
        counts: { ...first.counts, ...second.counts },
        seconds: first.seconds + second.seconds,
        output: `${first.output}${told.join('')}${second.output}`,
      })
    },
  }
}

const secondTriesMost = 3

/**
 * On a shared machine of a CI a file that failed beside others may run once more, alone; what failed first stays in the output, to be
 * mended. More files than a few are no chance, and elsewhere the first word counts.
 */
const isSecondTryDue = (failed: number, concurrency: number | 'together') =>
  process.env['CI'] === 'true' && concurrency !== 'together' && failed > 0 && failed <= secondTriesMost

interface FilesRun {
  counts: Counts
  seconds: number
  /** Words about the failures. */
  output: string
}

const outcomeOf = ({ counts, seconds, output }: FilesRun): Outcome => {
  const tallies = Object.values(counts)
  const sum = (of: 'passed' | 'failed') => tallies.reduce((total, tally) => total + tally[of], 0)
  return { passed: sum('passed'), failed: sum('failed'), seconds, output }
}

async function runFiles(files: readonly string[], concurrency: number | 'together', env: Record<string, string>): Promise<FilesRun> {
  const args = [
    '--test',
    concurrency === 'together' ? '--test-isolation=none' : `--test-concurrency=${concurrency}`,
    // For one that hangs: no file takes so long, on however busy a machine.
    '--test-timeout=600000',
    // A test that failed half-way leaves its servers open; they must not hold the whole run.
    '--test-force-exit',
    '--disable-warning=ExperimentalWarning',
    `--import=${join(root, 'test/support/preload.ts')}`,
    `--test-reporter=${join(root, 'scripts/report.ts')}`,
    ...files,
  ]
  const { code, output, seconds } = await start(bin('node'), args, env, root)
  const match = /@counts (\{.*\})/.exec(output)
  // report.ts writes the line from a value of this type.
  const counts = match?.[1] === undefined ? {} : (JSON.parse(match[1]) as Counts)
  let words = ''
  for (const file of concurrency === 'together' ? [] : files) {
    const tally = (counts[join(root, file)] ??= { passed: 0, failed: 0, ended: false })
    if (tally.ended) continue
    tally.failed++
    words += `\nFAILED  ${file} did not say how it ended\n`
  }
  const isClean = Object.values(counts).every(({ failed }) => failed === 0)
  // A file that could not be loaded fails the run without a failed test.
  if (isClean && code !== 0) counts[''] = { passed: counts['']?.passed ?? 0, failed: 1, ended: true }
  return { counts, seconds, output: isClean && code === 0 ? '' : output.replace(/@counts .*\n?/, '') + words }
}

export const checks: readonly Suite[] = [
  command('types', bin('tsc'), ['-p', '.']),
  command('web types', bin('tsc'), ['-p', 'web']),
  command('lint', bin('oxlint'), ['--deny-warnings']),
  command('format', bin('oxfmt'), ['--check']),
  command('unused', bin('knip'), ['--no-progress']),
]

export const unit = tests('unit', ['src/**/*.test.ts', 'client/**/*.test.ts', 'test/layers.test.ts'], 'together')
// Most files wait much, for a browser, a process or a database: two cores have work for six. The runner takes the files of a suite in the
// order of their names, so those of the browser, the longest, are a suite of their own: at the end no long one is left alone.
export const screens = tests('screens', ['test/e2e/**/*.test.ts', 'web/{src,test}/**/*.test.ts'], 2)
export const contract = tests('contract', ['test/!(e2e|support)/**/*.test.ts', 'test/!(layers).test.ts', 'examples/**/*.test.ts'], 4)

function start(program: string, args: readonly string[], env: Record<string, string>, cwd: string) {
  const started = performance.now()
  // Each file is a process that loads some hundred modules: what the first has compiled, the others take.
  const NODE_COMPILE_CACHE = process.env['NODE_COMPILE_CACHE'] ?? join(root, 'node_modules/.cache/tests')
  const shared = { ...process.env, NODE_COMPILE_CACHE, ROSTRUM_TEST_SEED: String(seed) }
  const child = spawn(program, args, { cwd, env: { ...shared, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  return new Promise<{ code: number | null; output: string; seconds: number }>((resolve) => {
    const end = (code: number | null) => resolve({ code, output, seconds: (performance.now() - started) / 1000 })
    child.once('error', (error) => {
      output += error.message
      end(1)
    })
    child.once('close', end)
  })
}

/** One line for the suite, after what it has to say about failures. */
export function show(name: string, { passed, failed, seconds, output }: Outcome): void {
  if (output !== '') console.log(output.trim())
  console.log(`${failed === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(10)} ${passed} passed, ${failed} failed  (${seconds.toFixed(1)} s)`)
}

/** The sum, and how to have a run that failed again. */
export function showSum({ passed, failed }: { passed: number; failed: number }): void {
  if (failed > 0) console.log(`chance began at ROSTRUM_TEST_SEED=${seed}`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/** Runs suites, at most `atOnce` together, shows each as it ends and adds them up. */
export async function runAll(
  suites: readonly Suite[],
  env: Record<string, string>,
  atOnce: number,
): Promise<{ passed: number; failed: number }> {
  const total = { passed: 0, failed: 0 }
  const waiting = [...suites]
  const worker = async () => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
      const outcome = await suite.run(env)
      show(suite.name, outcome)
      total.passed += outcome.passed
      total.failed += outcome.failed
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return total
}
