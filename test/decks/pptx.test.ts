// What PowerPoint files may hold and still be whole decks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import { openPptx } from '../../packages/deck/office/pptx.ts'
import type { RenderedPage } from '@rostrum/deck/protocol'
import { buildZip, pptxParts } from '../support/documents.ts'

const mebibyte = 1024 * 1024
const titles = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']

/** A picture with so much behind its end, which no reader of pictures looks at. */
async function pictureOf(sizeBytes: number): Promise<Buffer> {
  const png = await createCanvas(64, 36).encode('png')
  return Buffer.concat([png, Buffer.alloc(sizeBytes - png.length)])
}

/** Slides with one picture behind them all. */
async function readShared(picture: Buffer): Promise<RenderedPage[]> {
  const none = Buffer.alloc(0)
  const parts = pptxParts(titles.map((title, at) => ({ title, lines: ['It is so'], picture: at === 0 ? picture : none })))
  const shared = parts.map((part) =>
    part.name.endsWith('.xml.rels') ? { ...part, data: part.data.toString().replace(/media\/image\d+\.png/, 'media/image1.png') } : part,
  )
  const deck = await openPptx(buildZip(shared))
  const pages: RenderedPage[] = []
  for (const at of titles.keys()) pages.push(await deck.page(at))
  return pages
}

test('slides that share a large background are all shown: the later ones were lost, for it counted anew for each', async () => {
  const pages = await readShared(await pictureOf(50 * mebibyte))
  assert.deepEqual(
    pages.map(({ title, images, warnings }) => [title, images[0]?.width, warnings]),
    titles.map((title) => [title, 64, undefined]),
  )
})

test('a picture that is too large costs the picture and not the slide', async () => {
  const pages = await readShared(await pictureOf(65 * mebibyte))
  assert.deepEqual(
    pages.map(({ title, images, warnings }) => [title, images.length, /limit/.test(warnings?.[0]?.detail ?? '')]),
    titles.map((title) => [title, 0, true]),
  )
})
