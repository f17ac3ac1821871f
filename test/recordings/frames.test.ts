// Pictures of a film: a band with a host's brand, and captions, below the slide where they would cover it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { Brand } from '@rostrum/contract/brand'
import { pictureDrawer } from '../../server/recordings/film.ts'

const filled = (colour: string, width: number, height: number) => {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = colour
  context.fillRect(0, 0, width, height)
  return canvas.encode('png')
}
const [width, height] = [1_280, 720]
const logo = { width: 160, height: 80, ink: '#ffffff' }

async function drawn(brand: Brand | null, slideIndex = 0, more: { lowText?: true; caption?: string } = {}) {
  const files = new Map([
    ['slide', await filled('#3050a0', 1_600, 900)],
    ['logo', await filled('#ffffff', 160, 80)],
  ])
  const { caption = '', ...rest } = more
  const slides = [1, 2].map(() => ({ title: 'Pumps', text: '', imageUrl: 'slide', ...rest }))
  const draw = await pictureDrawer({ width, height, slides, brand }, async (url) => files.get(url))
  const bytes = await draw({ fromMs: 0, untilMs: 1, slideIndex, caption })
  const picture = await loadImage(Buffer.from(bytes))
  const canvas = createCanvas(picture.width, picture.height)
  canvas.getContext('2d').drawImage(picture, 0, 0)
  const at = (x: number, y: number) => Array.from(canvas.getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3))
  return { bytes, width: picture.width, height: picture.height, at }
}

const near = (found: readonly number[], wanted: readonly number[]) =>
  assert.ok(
    found.every((part, index) => Math.abs(part - (wanted[index] ?? 0)) < 24),
    `${found.join()} instead of ${wanted.join()}`,
  )

test('the line of the band is in the accent as far as the talk is, and the logo stands below it', async () => {
  const half = await drawn({ accent: '#ffd400', logoUrl: 'logo', logo })
  assert.deepEqual([half.width, half.height], [1_280, 720])
  const line = height - Math.round(height * 0.07) + 1
  near(half.at(300, line), [255, 212, 0])
  assert.notDeepEqual(
    half.at(1_000, line).map((part) => part > 128),
    [true, true, false],
  )
  near((await drawn({ accent: '#ffd400', logoUrl: 'logo', logo }, 1)).at(1_200, line), [255, 212, 0])
  near(half.at(40, height - 22), [255, 255, 255])
  // The slide ends where the band begins, whole.
  near(half.at(640, line - 6), [48, 80, 160])
})

test('without a brand the slide has the whole picture; the same input gives the same picture', async () => {
  const plain = await drawn(null)
  near(plain.at(640, height - 4), [48, 80, 160])
  assert.deepEqual((await drawn(null)).bytes, plain.bytes)
  assert.deepEqual((await drawn({ name: 'Northwind' })).bytes, (await drawn({ name: 'Northwind' })).bytes)
  // Nor where nothing of the brand can be drawn.
  for (const nothing of [{ hideFooter: true }, { logoUrl: 'gone', logo }]) assert.deepEqual((await drawn(nothing)).bytes, plain.bytes)
})

test('where the words of a slide reach down to the captions, it stands above them', async () => {
  const caption = 'A caption that is long enough to fill two lines of the picture, or so'
  const covered = await drawn(null, 0, { caption })
  near(covered.at(2, 360), [48, 80, 160])
  const above = await drawn(null, 0, { caption, lowText: true })
  near(above.at(640, 570), [48, 80, 160])
  near(above.at(132, 570), [48, 80, 160])
  near(above.at(120, 300), [20, 23, 26])
  near(above.at(20, 600), [20, 23, 26])
})
