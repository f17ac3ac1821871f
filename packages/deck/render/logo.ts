// A logo as pages get it: drawn anew as a PNG with its transparency, without empty edges, at most 480 x 160. Of an SVG only shapes,
// text and colours are drawn: nothing that it links to, and no script ever reaches a browser, for what leaves here are pixels.
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas'
import { SaxesParser } from 'saxes'
import { decodePicture, fittedSize } from '../picture.ts'
import { blankPage, type OpenDocument, placeholder, type RenderedImage } from '../protocol.ts'

const widthMax = 480
const heightMax = 160
/** An SVG is drawn this large before its empty edges are cut: it says little of how large it is meant. */
const drawnSide = 960

const elements = new Set(
  'svg g defs symbol use path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop clipPath mask style'.split(
    ' ',
  ),
)
/** An address of anything but a part of the picture itself. */
const leadsOut = /url\(\s*['"]?(?!#)|@import|expression|javascript:/i

function isSvg(bytes: Uint8Array): boolean {
  const head = new TextDecoder().decode(bytes.subarray(0, 4_096))
  return /^\s*<(?:\?xml|!--|!doctype|svg)/i.test(head) && /<svg[\s>]/.test(head)
}

/** The SVG with what is on the list alone. Throws for what is not well formed, and for entities of its own. */
export function plainSvg(source: string): string {
  const parser = new SaxesParser()
  let written = ''
  /** Depth of elements within one that is left out. */
  let skipped = 0
  let isStyle = false
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const isKnown = elements.has(name)
    if (skipped > 0 || !isKnown) {
      skipped++
      return
    }
    const kept = Object.entries(attributes).filter(([key, value]) => {
      if (/^on/i.test(key) || leadsOut.test(value)) return false
      return /(?:^|:)href$/i.test(key) ? value.startsWith('#') : !key.includes(':') || key.startsWith('xmlns')
    })
    written += `<${name}${kept.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`
    isStyle = name === 'style'
  })
  parser.on('closetag', ({ name }) => {
    isStyle = false
    if (skipped > 0) skipped--
    else written += `</${name}>`
  })
  const words = (text: string) => {
    if (skipped > 0 || (isStyle && leadsOut.test(text))) return
    written += escaped(text)
  }
  parser.on('text', words)
  parser.on('cdata', words)
  parser.write(source).close()
  return written
}

export function openLogo(file: Uint8Array): OpenDocument {
  return {
    total: 1,
    async page(index) {
      const canvas = isSvg(file) ? await drawnSvg(file) : await drawnPicture(file)
      if (typeof canvas === 'string') return placeholder(index, canvas)
      const image = await trimmed(canvas)
      return image === undefined
        ? placeholder(index, 'The logo is empty: nothing can be seen in it.')
        : { ...blankPage(index), images: [image] }
    },
  }
}

/** What is in a view box is drawn as large as there is room; a picture keeps its pixels. In words what is wrong otherwise. */
async function drawnSvg(file: Uint8Array): Promise<Canvas | string> {
  try {
    const source = Buffer.from(plainSvg(new TextDecoder('utf-8', { fatal: true }).decode(file)))
    const image = await loadImage(source)
    const scale = drawnSide / Math.max(image.width, image.height)
    if (!Number.isFinite(scale) || scale <= 0) return 'The SVG has no size: give it a viewBox.'
    image.width = Math.max(1, Math.round(image.width * scale))
    image.height = Math.max(1, Math.round(image.height * scale))
    const canvas = createCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas
  } catch {
    return 'The SVG cannot be drawn: save it as plain SVG with its text as paths, or as PNG.'
  }
}

async function drawnPicture(file: Uint8Array): Promise<Canvas | string> {
  const decoded = await decodePicture(file)
  if (!decoded.ok) return decoded.words
  const { image } = decoded
  const size = fittedSize(image.width, image.height, false)
  if (size === undefined) return 'The picture is damaged.'
  const canvas = createCanvas(size.width, size.height)
  canvas.getContext('2d').drawImage(image, 0, 0, size.width, size.height)
  return canvas
}

/** Less opaque than this is an empty edge. */
const seenFrom = 16

async function trimmed(canvas: Canvas): Promise<(RenderedImage & { ink: string }) | undefined> {
  const { width, height } = canvas
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
  let [left, top, right, bottom] = [width, height, -1, -1]
  const sums = [0, 0, 0, 0]
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const alpha = data[at + 3] ?? 0
      if (alpha < seenFrom) continue
      if (x < left) left = x
      if (x > right) right = x
      if (y < top) top = y
      if (y > bottom) bottom = y
      for (let part = 0; part < 3; part++) sums[part] = (sums[part] ?? 0) + (data[at + part] ?? 0) * alpha
      sums[3] = (sums[3] ?? 0) + alpha
    }
  }
  if (right < left) return undefined
  const [wide, high] = [right - left + 1, bottom - top + 1]
  const scale = Math.min(1, widthMax / wide, heightMax / high)
  const [w, h] = [Math.max(1, Math.round(wide * scale)), Math.max(1, Math.round(high * scale))]
  const target = createCanvas(w, h)
  const context = target.getContext('2d')
  context.imageSmoothingQuality = 'high'
  context.drawImage(canvas, left, top, wide, high, 0, 0, w, h)
  const ink = sums.slice(0, 3).map((sum) =>
    Math.round(sum / (sums[3] ?? 1))
      .toString(16)
      .padStart(2, '0'),
  )
  return { bytes: await target.encode('png'), extension: 'png', width: w, height: h, ink: `#${ink.join('')}` }
}
