// The room's renderer against Preact, in a real browser: the same trees, one after the other, must give the same page and the same
// effects. What it does beyond that (focus, typed text, moments) is held case by case.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { chromiumPath, launchBrowser } from '../../test/e2e/rig.ts'
import type { Tree } from './renderer-page.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

async function pageScript(): Promise<string> {
  const built = await build({
    root: join(import.meta.dirname, '..'),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      minify: false,
      rolldownOptions: { input: join(import.meta.dirname, 'renderer-page.ts'), output: { format: 'iife' } },
    },
  })
  const [bundle] = [built].flat()
  if (bundle === undefined || !('output' in bundle)) throw new Error('Nothing was built.')
  return bundle.output[0].code
}

const word = fc.constantFrom('one', 'two', 'three', '')
const props = fc.record(
  {
    id: word,
    'aria-label': fc.option(word),
    hidden: fc.boolean(),
    'aria-pressed': fc.boolean(),
    'data-n': fc.nat(3),
    class: word,
  },
  { requiredKeys: [] },
)
const key = fc.constantFrom('a', 'b', 'c', 'd')
const shape = fc.record({ class: word, 'data-n': fc.nat(3) }, { requiredKeys: [] })
const drawing = fc.record({ tag: fc.constantFrom('g', 'rect'), key, props: shape, kids: fc.constant([]) })
const { tree } = fc.letrec<{ tree: Tree; kids: readonly Tree[] }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    word,
    fc.record({ list: tie('kids') }),
    fc.record({ tag: fc.constantFrom('div', 'section'), key, props, kids: tie('kids') }),
    fc.record({
      tag: fc.constant('svg'),
      key,
      props: shape,
      kids: fc.uniqueArray(drawing, { maxLength: 3, selector: (each) => each.key }),
    }),
    fc.record({ counter: fc.constantFrom('x', 'y'), key, kids: tie('kids') }),
  ),
  // A key is used once among siblings.
  kids: fc.uniqueArray(tie('tree'), {
    maxLength: 4,
    selector: (kid) => (kid !== null && typeof kid === 'object' && 'key' in kid ? kid.key : kid),
  }),
}))

describe('the renderer of the room', { skip, concurrency: false }, () => {
  let browser: Browser
  let page: Page

  before(async () => {
    browser = await launchBrowser()
    page = await browser.newPage()
    await page.addScriptTag({ content: await pageScript() })
  })
  after(() => browser.close())

  test('draws what Preact draws, keeps the state that it keeps, and begins and ends the same effects', async () => {
    const trees = fc.array(tree, { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(trees, async (each) => assert.equal(await page.evaluate(`compare(${JSON.stringify(each)})`), null)),
      { numRuns: 150 },
    )
  })

  test('takes over what the server drew without replacing an element', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (each) => assert.equal(await page.evaluate(`takeOver(${JSON.stringify(each)})`), null)),
      { numRuns: 300 },
    )
  })

  const cases: Readonly<Record<string, string>> = {
    'a field keeps its focus while rows come, go and change places around it': `
      const { root, show } = stage([['a'], ['field'], ['b']], ([key]) => h(key === 'field' ? 'input' : 'p', { key }))
      root.querySelector('input').focus()
      await show([['c'], ['b'], ['field'], ['a']])
      await show([['field']])
      return document.activeElement === root.querySelector('input')`,
    'a field shows its value again, and only then loses what was typed': `
      const { root, show } = stage(['one'], (value) => h('input', { value }))
      root.querySelector('input').value = 'typed'
      await show(['two'])
      return root.querySelector('input').value === 'two'`,
    'events reach the newest handler, and none when it is gone': `
      const heard = []
      const { root, show } = stage([1], (n) => h('button', { onClick: n && (() => heard.push(n)) }))
      root.querySelector('button').click()
      await show([2])
      root.querySelector('button').click()
      await show([0])
      root.querySelector('button').click()
      return heard.join() === '1,2'`,
    'an effect ends while its element is still in the page, and its ref is empty afterwards': `
      const ref = { current: null }
      let stood
      const Part = () => {
        useEffect(() => () => (stood = ref.current.isConnected), [])
        return h('p', { ref })
      }
      const { show } = stage([1], (n) => (n ? h(Part, {}) : null))
      await show([0])
      return stood === true && ref.current === null`,
    'what a component that is gone still asks for draws nothing': `
      let late
      const Part = () => {
        const [text, setText] = useState('here')
        late = setText
        return h('p', { children: text })
      }
      const { root, show } = stage([1], (n) => (n ? h(Part, {}) : null))
      await show([0])
      late('again')
      await null
      return root.textContent === ''`,
  }
  for (const [name, body] of Object.entries(cases)) {
    test(name, async () => {
      const stage = `(first, make) => {
        const root = document.body.appendChild(document.createElement('div'))
        let setRows
        const App = () => {
          const [rows, set] = useState(first)
          setRows = set
          return rows.map(make)
        }
        own.hydrate(h(App, {}), root)
        return { root, show: async (rows) => (setRows(rows), await null, await null) }
      }`
      const run = `(async () => { const { h } = own; const { useState, useEffect } = ownHooks; const stage = ${stage}; ${body} })()`
      assert.equal(await page.evaluate(run), true)
    })
  }
})
