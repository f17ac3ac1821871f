// Decks of the shapes that real ones have, printed by Chromium, tagged and not, and sent as hosts send them: what is read of them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import type { TestDecks } from '../support/decks.ts'
import { openDecks } from '../support/decks.ts'
import { chromiumPath, launchBrowser } from './rig.ts'

const styles = `
  @page { size: 960px 540px; margin: 0 }
  body { margin: 0; font: 20px/1.35 sans-serif }
  section { position: relative; width: 960px; height: 540px; box-sizing: border-box; padding: 40px 60px; page-break-after: always; overflow: hidden }
  h1 { font-size: 40px; line-height: 1.15; margin: 0 0 24px }
  footer { position: absolute; left: 60px; right: 60px; bottom: 14px; font-size: 11px; display: flex; justify-content: space-between }
  table { border-collapse: collapse } td, th { border: 1px solid #888; padding: 6px 12px; text-align: left; width: 220px; vertical-align: top }
  .cover { text-align: center; padding-top: 170px } .wide { letter-spacing: 0.3em } .columns { display: flex; gap: 50px } .columns p { flex: 1; margin: 0 }
  .box { position: absolute; width: 150px; height: 60px; border: 2px solid #336; display: flex; align-items: center; justify-content: center }
  pre { font: 17px/1.3 monospace; margin: 0 }
  .glyphs { margin: 0; padding: 0; list-style: none } .glyphs li { padding-left: 28px; text-indent: -28px } .glyphs li span { display: inline-block; width: 28px; text-indent: 0 }`

const slides = [
  '<section class="cover"><h1>How pumps learned<br>to be quiet</h1><p>Northwind Pumps, a talk for the curious</p></section>',
  `<section><h1>What makes the noise</h1><ul><li>The blades cut the water, and at full load each of them makes a pressure wave that the housing hands on to the floor it stands on<ul><li>twelve blades, twelve waves</li></ul></li><li>The bearing hums</li></ul>$</section>`,
  `<section><h1>What we changed</h1><ul class="glyphs"><li><span>❏</span>A housing of two shells that do not touch each other anywhere, so that nothing is handed on to the floor</li><li><span>➢</span>Bearings of ceramics</li><li><span>✓</span>Feet of rubber</li></ul>$</section>`,
  `<section><h1>Before and after</h1><div class="columns"><p>Before the change the pump was heard through two walls, and the com&shy;plaints of those who live next to it filled a folder of its own at the town hall.</p><p>After it the pump is not heard in the room beside, and the folder has had no new sheet since the spring of the year before.</p></div>$</section>`,
  `<section><h1>What it costs</h1><table><tr><th>Model</th><th>Price</th><th>Made for</th></tr><tr><td>Small</td><td>900 €</td><td>a house with a garden and a pond</td></tr><tr><td>Large</td><td>2,400 €</td><td>a school</td></tr></table>$</section>`,
  `<section><h1>Three steps</h1><ol><li>Measure the noise</li></ol>$</section>`,
  `<section><h1>Three steps</h1><ol><li>Measure the noise</li><li>Change the housing</li></ol>$</section>`,
  `<section><h1 class="wide">SILENCE</h1><p>Nobody has asked for it, everybody noticed it.</p>$</section>`,
  `<section><h1>How it is switched</h1><pre>if (load &gt; 0.8) {\n  pump.slow(5);\n}</pre>$</section>`,
  `<section><h1>From the well to the tap</h1><div class="box" style="left:60px;top:200px">Well</div><div class="box" style="left:330px;top:200px">Pump</div><div class="box" style="left:600px;top:200px">Water tank</div>$</section>`,
  '<section style="background:linear-gradient(90deg,#136,#9cf)"></section>',
]
const foot = (number: number) => `<footer><span>Northwind Pumps · Confidential</span><span>${number} / ${slides.length}</span></footer>`
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><style>${styles}</style>${slides.map((slide, at) => slide.replace('$', foot(at + 1))).join('')}</html>`

const expected: [title: string, rest: readonly string[]][] = [
  ['How pumps learned to be quiet', ['Northwind Pumps, a talk for the curious']],
  [
    'What makes the noise',
    [
      '- The blades cut the water, and at full load each of them makes a pressure wave that the housing hands on to the floor it stands on',
      '  - twelve blades, twelve waves',
      '- The bearing hums',
    ],
  ],
  [
    'What we changed',
    [
      '- A housing of two shells that do not touch each other anywhere, so that nothing is handed on to the floor',
      '- Bearings of ceramics',
      '- Feet of rubber',
    ],
  ],
  [
    'Before and after',
    [
      'Before the change the pump was heard through two walls, and the complaints of those who live next to it filled a folder of its own at the town hall.',
      'After it the pump is not heard in the room beside, and the folder has had no new sheet since the spring of the year before.',
    ],
  ],
  [
    'What it costs',
    [
      '| Model | Price | Made for',
      '| --- | --- | --- |',
      '| Small | 900 € | a house with a garden and a pond',
      '| Large | 2,400 € | a school',
    ],
  ],
  ['Three steps', ['1. Measure the noise']],
  ['Three steps', ['1. Measure the noise', '2. Change the housing']],
  ['SILENCE', ['Nobody has asked for it, everybody noticed it.']],
  ['How it is switched', ['```', 'if (load > 0.8) {', '  pump.slow(5);', '}', '```']],
  ['From the well to the tap', ['[Well]', '[Pump]', '[Water tank]']],
]

describe('a deck that a browser printed', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let it: TestDecks
  let chromium: Awaited<ReturnType<typeof launchBrowser>>
  before(async () => {
    it = await openDecks()
    chromium = await launchBrowser()
  })
  after(async () => {
    await chromium?.close()
    await it?.close()
  })

  for (const tagged of [false, true])
    test(`${tagged ? 'tagged' : 'untagged'}: titles, wrapped lines, lists, columns, tables, code and labels as they are seen, footers set apart`, async () => {
      const page = await chromium.newPage()
      await page.setContent(html)
      const pdf = await page.pdf({ width: '960px', height: '540px', printBackground: true, tagged })
      await page.close()
      const at = await it.newSession()
      await it.request('PUT', `${at}/deck`, pdf, { 'Content-Type': 'application/pdf' })
      await it.jobs.idle()
      // The body is the view of the operation; its schema is checked where it is made.
      const deck = (await (await it.request('GET', `${at}/deck`)).json()) as DeckView
      assert.equal(deck.state, 'ready')
      for (const [index, [title, rest]] of expected.entries()) {
        const slide = deck.slides[index]
        assert.deepEqual([slide?.title, slide?.textContent.split('\n')], [title, [title, ...rest]], `page ${index + 1}`)
      }
      assert.deepEqual([deck.slides.length, deck.slides.at(-1)?.state], [slides.length, 'no_text'])
      assert.deepEqual(
        deck.warnings.filter(({ code }) => code === 'title_guessed'),
        [],
      )
    })
})
