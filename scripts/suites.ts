// What the checks and the tests consist of, and how one suite is run and counted.
import { globSync } from 'node:fs'
import type { Tally } from './report.ts'
import { type FilesRun, type Manner, runFiles } from './shards.ts'
import { bin, root, seed, start } from './start.ts'

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
      const { code, stdout, stderr, seconds } = await start(program, args, env, { cwd })
      return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds, output: code === 0 ? '' : stdout + stderr }
    },
  }
}

/** Test files in shards of several; how many, and how many shards at once, is their manner. */
export function tests(name: string, patterns: readonly string[], manner: Manner): Suite {
  return {
    name,
    async run(env) {
      const exclude = (path: string) => path.includes('node_modules') || path.includes('/dist/')
      const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root, exclude }).toSorted())
      const gone = manner.alone?.filter((file) => !files.includes(file)) ?? []
      if (gone.length > 0) throw new Error(`scripts/suites.ts: to be alone, and not there: ${gone.join(', ')}`)
      const first = await runFiles(files, manner, env)
      const failed = files.filter((file) => (first.counts[file]?.failed ?? 0) > 0)
      if (!isSecondTryDue(failed.length, manner)) return outcomeOf(first)
      const second = await runFiles(failed, { ...manner, atOnce: 1, filesMost: 1 }, env)
      const told = failed.map((file) => `\nAGAIN   ${file}, alone: ${(second.counts[file]?.failed ?? 1) > 0 ? 'failed' : 'passed'}\n`)
      return outcomeOf({
        // What was of no file stays failed.
        counts: { ...first.counts, ...second.counts, '': sumOf([first.counts[''], second.counts['']]) },
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
const isSecondTryDue = (failed: number, { atOnce }: Manner) =>
  process.env['CI'] === 'true' && atOnce > 1 && failed > 0 && failed <= secondTriesMost

const sumOf = (tallies: readonly (Tally | undefined)[]): Tally => {
  const sum = (of: keyof Tally) => tallies.reduce((total, tally) => total + (tally?.[of] ?? 0), 0)
  return { passed: sum('passed'), failed: sum('failed') }
}

const outcomeOf = ({ counts, seconds, output }: FilesRun): Outcome => ({ ...sumOf(Object.values(counts)), seconds, output })

export const checks: readonly Suite[] = [
  command('types', bin('tsc'), ['-p', '.']),
  command('web types', bin('tsc'), ['-p', 'web']),
  command('lint', bin('oxlint'), ['--deny-warnings']),
  command('format', bin('oxfmt'), ['--check']),
  command('unused', bin('knip'), ['--no-progress']),
]

export const unit = tests('unit', ['{server,packages}/**/*.test.ts', 'client/**/*.test.ts', 'test/layers.test.ts'], {
  atOnce: 1,
  filesMost: Infinity,
})
// Most files wait much, for a browser, a process or a database: two cores have work for six. Those of the browser share one,
// and are a suite of their own, since they take the longest.
export const screens = tests('screens', ['test/e2e/**/*.test.ts', 'web/{src,test}/**/*.test.ts'], { atOnce: 2, filesMost: 6 })
export const contract = tests('contract', ['test/!(e2e|support)/**/*.test.ts', 'test/!(layers).test.ts', 'examples/**/*.test.ts'], {
  atOnce: 4,
  filesMost: 12,
  alone: [
    // It sees which patterns are built as modules load.
    'test/linear-patterns.test.ts',
    'test/bench-rules.test.ts',
    // The longest.
    'test/contract/cli.test.ts',
    'test/decks/converter.test.ts',
    'test/decks/hostile-documents.test.ts',
    'test/decks/kill.test.ts',
    'test/decks/upload.test.ts',
    'test/models/note-attacks.test.ts',
    'test/runs/kill.test.ts',
    'test/runs/room-sim.test.ts',
  ],
})

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
