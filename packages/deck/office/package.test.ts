// The copy of a presentation that is drawn where it has more soft edges than the program that draws can take.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildZip } from '../../../test/support/documents.ts'
import { openZip, withoutCostlyBlur } from './package.ts'

const shadow = '<a:effectLst><a:outerShdw blurRad="63500" dist="38100"><a:prstClr val="black"/></a:outerShdw></a:effectLst>'
const glow = '<a:glow rad="101600"/><a:softEdge rad="12700"/><a:reflection blurRad="6350"/>'
const hard = '<a:outerShdw blurRad="0" dist="38100"/>'
const styled = (style: number) => `<p:style><a:effectRef idx="${style}"/></p:style>`
const theme = `<a:effectStyleLst><a:effectStyle>${hard}</a:effectStyle><a:effectStyle>${shadow}</a:effectStyle></a:effectStyleLst>`
const picture = new Uint8Array([137, 80, 78, 71, 0, 255, 13, 10])

const deckOf = (parts: Record<string, string>) =>
  new Uint8Array(
    buildZip([{ name: 'ppt/media/image1.png', data: picture }, ...Object.entries(parts).map(([name, data]) => ({ name, data }))]),
  )
const textOf = async (file: Uint8Array, name: string) => Buffer.from((await (await openZip(file)).read(name)) ?? []).toString()

test('a deck with many soft edges is drawn from a copy with hard ones; all else in it is the same', async () => {
  const slide = `<p:sld>${shadow.repeat(6)}${glow}<a:t>blurRad is a word here, 1 &lt; 2 – “ä”</a:t></p:sld>`
  const copy = await withoutCostlyBlur(
    deckOf({ 'ppt/slides/slide1.xml': slide, 'ppt/theme/theme1.xml': theme, 'docProps/app.xml': shadow }),
  )
  const expected = slide.replaceAll('"63500"', '"0"').replaceAll(/ (rad|blurRad)="(?:101600|12700|6350)"/g, ' $1="0"')
  assert.equal(await textOf(copy, 'ppt/slides/slide1.xml'), expected)
  assert.equal(await textOf(copy, 'ppt/theme/theme1.xml'), theme.replace('"63500"', '"0"'))
  assert.equal(await textOf(copy, 'docProps/app.xml'), shadow)
  assert.deepEqual(new Uint8Array((await (await openZip(copy)).read('ppt/media/image1.png')) ?? []), picture)
})

test('soft edges that come from the theme or the master count on every slide that shows them, those of hard styles do not', async () => {
  const slides = (count: number, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`ppt/slides/slide${at + 1}.xml`, text]))
  const isCopied = async (parts: Record<string, string>) => {
    const file = deckOf({ ...parts, 'ppt/theme/theme1.xml': theme })
    return (await withoutCostlyBlur(file)) !== file
  }
  assert.deepEqual(
    [
      await isCopied(slides(9, styled(2))),
      await isCopied(slides(9, styled(1))),
      await isCopied(slides(8, styled(2))),
      await isCopied({ ...slides(9, ''), 'ppt/slideMasters/slideMaster1.xml': shadow }),
      await isCopied({ ...slides(9, ''), 'ppt/slideLayouts/slideLayout1.xml': shadow, 'ppt/slideLayouts/slideLayout2.xml': '' }),
      await isCopied({ ...slides(2, hard.repeat(9)) }),
    ],
    [true, false, false, true, false, false],
  )
})

test('a file that is no archive, or unpacks without end, goes to the program as it came', async () => {
  const bomb = deckOf({ 'ppt/slides/slide1.xml': shadow.repeat(400_000) })
  for (const file of [new Uint8Array([1, 2, 3]), bomb]) assert.equal(await withoutCostlyBlur(file), file)
})
