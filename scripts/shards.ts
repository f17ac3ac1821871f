// Runs test files in shards: several of them in one process, one after another (scripts/shard.ts), because to load what most of them
// share costs more than many of them take. A file that ends its process is told, and those behind it run in another.
import { join, relative } from 'node:path'
import { type Tally, mark, saidIn } from './report.ts'
import { bin, root, seed, start } from './start.ts'

export interface Manner {
  /** Processes. */
  atOnce: number
  /** Files of one process. */
  filesMost: number
  /** Files with a process of their own, which come first: the longest, and those that nothing may have run before. */
  alone?: readonly string[]
  /** For a file that hangs; a test has half of it. None takes so long, on however busy a machine. */
  fileMs?: number
}

export interface FilesRun {
  /** By the path of the file, and by '' what is of none. */
  counts: Record<string, Tally>
  seconds: number
  /** Words about the failures. */
  output: string
}

export async function runFiles(
  files: readonly string[],
  { atOnce, filesMost, alone = [], fileMs = 1_200_000 }: Manner,
  env: Record<string, string>,
): Promise<FilesRun> {
  const started = performance.now()
  const run: FilesRun = { counts: {}, seconds: 0, output: '' }
  const first = files.filter((file) => alone.includes(file))
  const waiting = inOrderOfChance(files.filter((file) => !alone.includes(file)))
  const worker = async () => {
    while (first.length + waiting.length > 0) {
      // Towards the end they are short, so that no long one is left alone.
      const size = atOnce === 1 ? filesMost : Math.min(filesMost, Math.ceil(waiting.length / (2 * atOnce)))
      let shard = first.length > 0 ? first.splice(0, 1) : waiting.splice(0, size)
      while (shard.length > 0) shard = await runShard(shard, run, fileMs, env)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  run.seconds = (performance.now() - started) / 1000
  return run
}

/** No file may count on the one before it: which that is, the seed of the run says. */
function inOrderOfChance(files: readonly string[]): string[] {
  let state = seed
  const drawn = () => {
    // A linear congruential generator (Numerical Recipes).
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
  return files
    .map((file) => ({ file, at: drawn() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ file }) => file)
}

/** Gives those that its end has left without a turn. */
async function runShard(files: readonly string[], run: FilesRun, fileMs: number, env: Record<string, string>): Promise<string[]> {
  const args = [
    // One that waits for what never comes is told by its name, before its process is ended.
    `--test-timeout=${fileMs / 2}`,
    // A test that failed half-way leaves its servers open; they must not hold the whole run.
    '--test-force-exit',
    '--disable-warning=ExperimentalWarning',
    `--import=${join(root, 'test/support/preload.ts')}`,
    `--test-reporter=${join(root, 'scripts/report.ts')}`,
    join(root, 'scripts/shard.ts'),
    ...files.map((file) => join(root, file)),
  ]
  const quiet = { limitMs: fileMs, word: mark }
  const { code, stdout, stderr } = await start(bin('node'), args, env, { quiet })
  const of = (file: string) => (run.counts[file] ??= { passed: 0, failed: 0 })
  const begun = new Set<string>()
  const ended = new Set<string>()
  let last = ''
  let words = ''
  for (const said of saidIn(stdout)) {
    const file = said.file === '' ? '' : relative(root, said.file)
    if (said.what === 'loads' || said.what === 'begins') last = file
    if (said.what === 'begins') begun.add(file)
    if (said.what === 'stray') {
      of(file).failed++
      words += `\nFAILED  ${file}, or a file before it, threw what nobody caught\n${said.words.replace(/^/gm, '        ')}\n`
    }
    if (said.what !== 'ended') continue
    ended.add(file)
    of(file).passed += said.passed
    of(file).failed += said.failed
    words += said.words
  }
  // The process says last how it ended itself; where it does not, it was at `last`, and nobody is to blame before that.
  const isWhole = ended.has('')
  const lost = files.filter((file) => (isWhole || begun.has(file) || last === '' ? !ended.has(file) : false) || (!isWhole && file === last))
  for (const file of lost) {
    of(file).failed++
    words += `\nFAILED  ${file} did not say how it ended (${code === null ? `killed: it took more than ${fileMs / 1000} s, or too much memory` : `exit code ${code}`})\n`
  }
  const isClean = files.every((file) => of(file).failed === 0) && of('').failed === 0
  // It failed as a whole, of no test or file.
  if (isClean && code !== 0) of('').failed++
  if (isClean && code === 0) return []
  // What the tests print beside their reports says something when the process ended before its time.
  if (lost.length > 0 || isClean || process.env['ROSTRUM_TEST_NOISE'] !== undefined)
    words += `\n${stdout.replace(/^@shard .*\n?/gm, '')}\n${stderr}\n`
  if (files.length > 1) words += `\nTOGETHER  ${files.join(' ')}\n`
  run.output += words
  return files.filter((file) => !ended.has(file) && !lost.includes(file))
}
