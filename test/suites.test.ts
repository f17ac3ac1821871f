// The suites themselves (scripts/suites.ts): chance starts where the run says, and no report of a test is lost unseen.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import report from '../scripts/report.ts'
import type { Counts } from '../scripts/report.ts'
import { seedOf } from './support/seed.ts'

const preload = `--import=${join(import.meta.dirname, 'support/preload.ts')}`

/** What a Node.js process writes on standard output until it ends. */
async function outputOf(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...outside } = process.env
  const child = spawn(process.execPath, [preload, ...args], { env: { ...outside, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout) output += String(chunk)
  return output
}

for (const isolation of ['none', 'process'])
  test(`properties start from ROSTRUM_TEST_SEED with the isolation "${isolation}"`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostrum-seed-'))
    const file = join(folder, 'seed.test.mjs')
    const words = `import fc from ${JSON.stringify(import.meta.resolve('fast-check'))}
      import { test } from 'node:test'
      test(String(fc.readConfigureGlobal().seed), () => {})`
    writeFileSync(file, words)
    try {
      const args = ['--test', `--test-isolation=${isolation}`, '--test-reporter=tap', file]
      assert.match(await outputOf(args, { ROSTRUM_TEST_SEED: '4711' }), /^ok 1 - 4711$/m)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

test('a seed is a whole number or drawn, 1 where nothing is said, and anything else is refused in words', () => {
  assert.deepEqual([seedOf(undefined), seedOf(''), seedOf('7'), seedOf('0')], [1, 1, 7, 0])
  assert.notEqual(seedOf('random'), seedOf('random'))
  for (const wrong of ['-1', '1.5', 'x', '2147483648'])
    assert.throws(() => seedOf(wrong), /give a whole number from 0 to 2147483647, or "random"/)
})

test('a process that is made to exit has written all its reports first, however slow its reader', async () => {
  const sizeBytes = 3_000_000
  const output = await outputOf(['-e', `process.stdout.write('x'.repeat(${sizeBytes})); process.exit()`])
  assert.equal(output.length, sizeBytes)
})

const summary = (tests: number, file?: string) => ({ type: 'test:summary', data: { file, counts: { tests } } })
const pass = (entryFile?: string) => ({ type: 'test:pass', data: { name: 'a test', entryFile, details: {} } })

async function reported(events: readonly object[]): Promise<{ counts: Counts; words: string }> {
  // The members that the reporter reads.
  const source = (async function* () {
    yield* events
  })() as AsyncIterable<TestEvent>
  let words = ''
  for await (const part of report(source)) words += part
  return { words, counts: JSON.parse(/@counts (.*)/.exec(words)?.[1] ?? '') as Counts }
}

test('a file fails whose reports did not all come, and one that says nothing is not among those that ended', async () => {
  const whole = await reported([pass('a.test.ts'), summary(1, 'a.test.ts'), pass('b.test.ts'), summary(2)])
  assert.deepEqual(whole.counts, { passed: 2, failed: 0, ended: ['a.test.ts'] })
  const lost = await reported([pass('a.test.ts'), summary(3, 'a.test.ts'), summary(1)])
  assert.deepEqual(lost.counts, { passed: 1, failed: 1, ended: ['a.test.ts'] })
  assert.match(lost.words, /FAILED {2}a\.test\.ts ran 3 tests, and 1 reports came/)
})

test('reports that are lost where all files share one process fail the run too', async () => {
  assert.equal((await reported([pass(), pass(), summary(2)])).counts.failed, 0)
  assert.equal((await reported([pass(), summary(2)])).counts.failed, 1)
})
