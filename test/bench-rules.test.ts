import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { inWords, isIdle, pointsOf, worthOf } from '../bench/rules/ledger.ts'
import { isDeclared, putSwitches, without, withSwitches } from '../bench/rules/switches.ts'
import { rules } from '../bench/rules/table.ts'

test('every rule of the ledger names a binding that its file declares, and no two rules share a name', () => {
  assert.deepEqual(
    rules.filter((rule) => !isDeclared(rule)).map(({ file, binding }) => `${file}: ${binding}`),
    [],
  )
  assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length)
  assert.ok(rules.length >= 40)
})

test('a rule that is owed to a guarantee names the test that holds it', () => {
  const missing = rules.flatMap(({ owed }) =>
    owed === undefined || existsSync(new URL(`../packages/${owed}`, import.meta.url)) ? [] : [owed],
  )
  assert.deepEqual(missing, [])
})

test('a rule is worth what is right with it and wrong without, less the other way round', () => {
  const on = new Map([
    ['kept', true],
    ['won', true],
    ['lost', false],
    ['wrong', false],
  ])
  const off = new Map([
    ['kept', true],
    ['won', false],
    ['lost', true],
    ['wrong', false],
    ['unknown', true],
  ])
  assert.deepEqual(worthOf(on, off), { won: 1, lost: 1 })
  assert.equal(pointsOf({ won: 5, lost: 2 }), 3)
  assert.deepEqual(
    [
      { won: 5, lost: 2 },
      { won: 4, lost: 0 },
      { won: 0, lost: 1 },
      { won: 0, lost: 0 },
    ].map(inWords),
    ['+3 (5, 2)', '+4', '-1 (0, 1)', '0'],
  )
})

test('a rule that wins as much as it loses is not idle: it does something', () => {
  assert.equal(
    isIdle([
      { won: 1, lost: 1 },
      { won: 0, lost: 0 },
    ]),
    false,
  )
  assert.equal(
    isIdle([
      { won: 0, lost: 0 },
      { won: 0, lost: 0 },
    ]),
    true,
  )
})

test('a switched source does the same until the rule is off, and again after it', async () => {
  const rule = { name: 'two', layer: 'ranking' as const, file: 'x.ts', binding: 'two', neutral: '0' }
  const source = withSwitches('export const two = 2\nexport const twice = (n) => n * two\n', [rule])
  globalThis.rulesOfTheLedger = new Map()
  const made = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { two: number; twice: (n: number) => number }
  assert.equal(made.twice(3), 6)
  assert.equal(await without('two', async () => made.twice(3)), 0)
  assert.deepEqual([made.two, made.twice(3)], [2, 6])
})

test('every switch of the ledger finds its binding and its neutral in the scope of the file', async () => {
  putSwitches(rules)
  for (const file of new Set(rules.map((rule) => rule.file))) await import(`../packages/${file}`)
  assert.deepEqual(
    rules.filter(({ name }) => globalThis.rulesOfTheLedger?.has(name) !== true).map(({ name }) => name),
    [],
  )
  for (const { name } of rules) await without(name, async () => undefined)
})

test('what a listener should not hear is found by its kind', async () => {
  const { faultOf } = await import('../bench/rules/faults.ts')
  const said = (text: string) => faultOf([text], 'en', new Set())
  assert.deepEqual(['See https://a.example.', 'if (x) { return }', 'It is made of', 'Prices.', 'Prices fell by a third.'].map(said), [
    'address',
    'code',
    'half',
    'label',
    undefined,
  ])
  const heard = new Set<string>()
  assert.equal(faultOf(['The pump runs all night.'], 'en', heard), undefined)
  assert.equal(faultOf(['The pump runs all night.'], 'en', heard), 'again')
})

test('a title is right by its letters, and where several are, by any of them', async () => {
  const { isTitle } = await import('../bench/rules/faults.ts')
  assert.equal(isTitle('What is it ?', 'What is it?'), true)
  assert.equal(isTitle('Two', ['One', 'Two']), true)
  assert.equal(isTitle('Footer', null), false)
})
