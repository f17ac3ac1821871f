// The suites themselves (scripts/suites.ts): chance starts where the run says, and whatever becomes of a file beside others, it is told
// and counted.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import report, { type Tally, saidIn } from '../scripts/report.ts'
import type { Manner } from '../scripts/shards.ts'
import { root } from '../scripts/start.ts'
import { type Outcome, tests } from '../scripts/suites.ts'
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

/** What a suite of these files comes to, each of some lines. */
async function outcomeOf(
  files: Readonly<Record<string, string>>,
  manner: Manner,
  env: Record<string, string> = {},
  alone: readonly string[] = [],
): Promise<Outcome> {
  const folder = mkdtempSync(join(import.meta.dirname, '.suite-'))
  const { NODE_TEST_CONTEXT } = process.env
  // A runner inside a runner would report to the outer one.
  delete process.env['NODE_TEST_CONTEXT']
  try {
    for (const [name, lines] of Object.entries(files))
      writeFileSync(
        join(folder, `${name}.test.mjs`),
        `import assert from 'node:assert'\nimport { after, before, beforeEach, describe, test } from 'node:test'\n${lines}`,
      )
    const place = relative(root, folder)
    const apart = alone.map((name) => `${place}/${name}.test.mjs`)
    return await tests('suite', [`${place}/*.test.mjs`], { ...manner, alone: apart }).run(env)
  } finally {
    rmSync(folder, { recursive: true })
    if (NODE_TEST_CONTEXT !== undefined) process.env['NODE_TEST_CONTEXT'] = NODE_TEST_CONTEXT
  }
}

const together: Manner = { atOnce: 1, filesMost: 99 }
const counts = ({ passed, failed }: Outcome) => [passed, failed]
const fine = `test('fine', () => {})\n`

test('files of one process are counted each, and those that skip or put off do not count', async () => {
  const lines = `${fine}test('two', () => {})\ntest.skip('skipped', () => {})\ntest.todo('put off')\ndescribe('a group', () => { test('three', () => {}) })`
  const outcome = await outcomeOf({ a: lines, b: fine }, together)
  assert.deepEqual([...counts(outcome), outcome.output], [4, 0, ''])
})

test('a failure is told with its place and its words, in a group too', async () => {
  const outcome = await outcomeOf({ a: `${fine}describe('group', () => { test('in it', () => assert.equal(1, 2)) })`, b: fine }, together)
  assert.deepEqual(counts(outcome), [2, 1])
  assert.match(outcome.output, /FAILED {2}in it\n +\S+a\.test\.mjs:\d+\n[^]*1 == 2[^]*TOGETHER .*a\.test\.mjs/)
})

const endings: readonly [title: string, lines: string, counted: [number, number], told: RegExp][] = [
  ['does not parse', 'test(', [0, 1], /bad\.test\.mjs[^]*SyntaxError/],
  ['throws as it loads', `${fine}throw new Error('no start')`, [0, 2], /no start/],
  ['awaits at its top', `await 1\n${fine}`, [0, 1], /top-level await/],
  ['ends the process as it loads', 'process.exit(0)', [0, 1], /bad\.test\.mjs did not say how it ended \(exit code 0\)/],
  ['ends the process in a test', `${fine}test('ends', () => process.exit(0))`, [0, 1], /bad\.test\.mjs did not say how it ended/],
  ['kills its process', `test('ends', () => process.kill(process.pid, 'SIGKILL'))`, [0, 1], /bad\.test\.mjs did not say .*killed/],
  ['fails before its tests', `before(() => { throw new Error('not ready') })\n${fine}`, [0, 2], /not ready/],
  ['fails after its tests', `after(() => { throw new Error('not undone') })\n${fine}`, [1, 1], /not undone/],
  [
    'throws what nobody catches',
    `test('late', async () => { setTimeout(() => { throw new Error('stray') }); await new Promise((end) => setTimeout(end, 9)) })`,
    [1, 1],
    /bad\.test\.mjs.* threw what nobody caught\n[^]*stray/,
  ],
  [
    'rejects what nobody awaits',
    `test('late', async () => { void Promise.reject(new Error('stray')); await new Promise((end) => setTimeout(end, 9)) })`,
    [1, 1],
    /bad\.test\.mjs.* threw what nobody caught\n[^]*stray/,
  ],
  ['leaves the environment changed', `test('fine', () => { process.env.LEFT = '1' })`, [1, 1], /bad\.test\.mjs left LEFT changed/],
]

for (const [title, lines, [passed, failed], told] of endings)
  test(`a file that ${title} fails, and those beside it run as ever`, async () => {
    const outcome = await outcomeOf({ a: fine, bad: lines, c: fine, d: fine }, together)
    assert.deepEqual(counts(outcome), [3 + passed, failed], outcome.output)
    assert.match(outcome.output, told)
  })

test('a test that waits for ever is told by its name, a file that stands still is ended, and those beside them run', async () => {
  const standing = `test('standing', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))`
  const waiting = `const server = (await import('node:net')).createServer().listen(0); await new Promise(() => {})`
  const files = { a: fine, standing, waiting: `test('for ever', async () => { ${waiting} })`, d: fine }
  const outcome = await outcomeOf(files, { ...together, fileMs: 20_000 })
  assert.deepEqual(counts(outcome), [2, 2])
  assert.match(outcome.output, /FAILED {2}for ever\n[^]*timed out/)
  assert.match(outcome.output, /standing\.test\.mjs did not say how it ended \(killed/)
})

test('what a file does before and after each of its tests is not done for those of another', async () => {
  const strict = `beforeEach(() => assert.ok(globalThis.isOpen))\nbefore(() => { globalThis.isOpen = true })\nafter(() => { globalThis.isOpen = false })\n${fine}`
  assert.deepEqual(counts(await outcomeOf({ a: strict, b: strict, c: fine }, together)), [3, 0])
})

test('a file that is to be alone finds what nobody before it has changed', async () => {
  const first = `test('first', () => { assert.equal(globalThis.isTaken, undefined); globalThis.isTaken = true })`
  assert.deepEqual(counts(await outcomeOf({ a: first, b: first }, together)), [1, 1])
  const outcome = await outcomeOf({ a: first, b: first }, together, {}, ['a', 'b'])
  assert.deepEqual(counts(outcome), [2, 0])
})

test('a suite that names no file fails nothing, and one whose process cannot start fails each of its files', async () => {
  assert.deepEqual(counts(await outcomeOf({}, together)), [0, 0])
  assert.deepEqual(counts(await outcomeOf({ a: fine, b: fine }, together, { NODE_OPTIONS: '--no-such-option' })), [0, 2])
})

test('properties start from the seed of the run', async () => {
  const words = `import fc from ${JSON.stringify(import.meta.resolve('fast-check'))}
    test('seed', () => assert.equal(fc.readConfigureGlobal().seed, Number(process.env.ROSTRUM_TEST_SEED)))`
  assert.deepEqual(counts(await outcomeOf({ a: words }, together, { ROSTRUM_TEST_SEED: '4711' })), [1, 0])
})

test('reports that are lost on their way fail the process', async () => {
  const details = { type: 'test' }
  const pass = { type: 'test:pass', data: { name: 'a test', nesting: 1, details } }
  const file = { type: 'test:pass', data: { name: 'a.test.ts', nesting: 0, details: { type: 'suite' } } }
  const summary = { type: 'test:summary', data: { counts: { tests: 2 } } }
  const tallies = async (events: readonly object[]): Promise<Tally[]> => {
    // The members that the reporter reads.
    const source = (async function* () {
      yield* events
    })() as AsyncIterable<TestEvent>
    let words = ''
    for await (const part of report(source)) words += part
    return saidIn(words).flatMap((said) => (said.what === 'ended' ? [{ passed: said.passed, failed: said.failed }] : []))
  }
  const [none, two] = [
    { passed: 0, failed: 0 },
    { passed: 2, failed: 0 },
  ]
  assert.deepEqual(await tallies([pass, pass, file, summary]), [two, none])
  assert.deepEqual(await tallies([pass, file, summary]), [
    { passed: 1, failed: 0 },
    { passed: 0, failed: 1 },
  ])
})

/** Passes from that try on. */
const shaky = (passesFrom: number) => `
  import { appendFileSync, readFileSync } from 'node:fs'
  const told = import.meta.filename + '.told'
  appendFileSync(told, 'x')
  test('shaky', () => { if (readFileSync(told).length < ${passesFrom}) throw new Error('too early') })`

test('in a CI a file that failed beside others runs once more, alone; elsewhere, or where more fail, the first word counts', async () => {
  const { CI } = process.env
  const beside: Manner = { atOnce: 2, filesMost: 2 }
  try {
    process.env['CI'] = 'true'
    const again = await outcomeOf({ steady: fine, shaky: shaky(2) }, beside)
    assert.deepEqual(counts(again), [2, 0])
    assert.match(again.output, /too early[^]*AGAIN {3}.*shaky\.test\.mjs, alone: passed/)
    assert.deepEqual(counts(await outcomeOf({ steady: fine, shaky: shaky(2), broken: shaky(9) }, beside)), [2, 1])
    const many = Object.fromEntries(['one', 'two', 'three', 'four'].map((name) => [name, shaky(2)]))
    assert.deepEqual(counts(await outcomeOf(many, beside)), [0, 4])
    process.env['CI'] = ''
    assert.deepEqual(counts(await outcomeOf({ steady: fine, shaky: shaky(2) }, beside)), [1, 1])
  } finally {
    if (CI === undefined) delete process.env['CI']
    else process.env['CI'] = CI
  }
})
