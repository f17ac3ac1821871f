// The suites themselves (scripts/suites.ts): chance starts where the run says, and no report of a test is lost unseen.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import report from '../scripts/report.ts'
import type { Counts } from '../scripts/report.ts'
import { root, tests } from '../scripts/suites.ts'
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

const total = (counts: Counts, of: 'passed' | 'failed') => Object.values(counts).reduce((sum, tally) => sum + tally[of], 0)

test('a file fails whose reports did not all come, and one that says nothing is not among those that ended', async () => {
  const whole = await reported([pass('a.test.ts'), summary(1, 'a.test.ts'), pass('b.test.ts'), summary(2)])
  assert.deepEqual(whole.counts, {
    'a.test.ts': { passed: 1, failed: 0, ended: true },
    'b.test.ts': { passed: 1, failed: 0, ended: false },
  })
  const lost = await reported([pass('a.test.ts'), summary(3, 'a.test.ts'), summary(1)])
  assert.deepEqual(lost.counts, { 'a.test.ts': { passed: 1, failed: 1, ended: true } })
  assert.match(lost.words, /FAILED {2}a\.test\.ts ran 3 tests, and 1 reports came/)
})

test('reports that are lost where all files share one process fail the run too', async () => {
  assert.equal(total((await reported([pass(), pass(), summary(2)])).counts, 'failed'), 0)
  assert.equal(total((await reported([pass(), summary(2)])).counts, 'failed'), 1)
})

test('an error that nobody caught is told beside the failure of its file', async () => {
  const message = 'Error: A resource generated asynchronous activity: Error: too late'
  const { words } = await reported([pass('a.test.ts'), { type: 'test:diagnostic', data: { file: join(root, 'a.test.ts'), message } }])
  assert.match(words, /FAILED {2}a\.test\.ts: Error: .*too late/)
})

test('in a CI a file that failed beside others runs once more, alone; elsewhere, or where more fail, the first word counts', async () => {
  const folder = mkdtempSync(join(import.meta.dirname, '.again-'))
  const file = (name: string, passesFrom: number) =>
    writeFileSync(
      join(folder, `${name}.test.mjs`),
      `import { test } from 'node:test'
       import { appendFileSync, readFileSync } from 'node:fs'
       const told = import.meta.filename + '.told'
       appendFileSync(told, 'x')
       test('${name}', () => { if (readFileSync(told).length < ${passesFrom}) throw new Error('too early') })`,
    )
  const pattern = `${relative(root, folder)}/*.test.mjs`
  const { CI, NODE_TEST_CONTEXT } = process.env
  // A runner inside a runner would report to the outer one.
  delete process.env['NODE_TEST_CONTEXT']
  try {
    file('steady', 1)
    file('shaky', 2)
    process.env['CI'] = 'true'
    const again = await tests('again', [pattern], 2).run({})
    assert.deepEqual([again.passed, again.failed], [2, 0])
    assert.match(again.output, /too early[^]*AGAIN {3}.*shaky\.test\.mjs, alone: passed/)
    file('broken', 99)
    assert.deepEqual(await failedOf(pattern), 1)
    process.env['CI'] = ''
    file('late', 2)
    assert.deepEqual(await failedOf(pattern), 2)
    process.env['CI'] = 'true'
    for (const name of ['one', 'two', 'three', 'four']) file(name, 2)
    assert.deepEqual(await failedOf(pattern), 5)
  } finally {
    rmSync(folder, { recursive: true })
    for (const [name, value] of Object.entries({ CI, NODE_TEST_CONTEXT }))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
})

const failedOf = async (pattern: string) => (await tests('again', [pattern], 2).run({})).failed
