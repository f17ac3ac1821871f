// Pictures as attendees get them: decoded, drawn on white, and encoded anew in three widths, so that no byte of an upload
// (metadata, scripts, a second file behind the first) ever reaches a browser.
import { type Canvas, createCanvas, type Image, ImageData, loadImage } from '@napi-rs/canvas'
import { imageSize } from 'image-size'
import { sniff } from './sniff.ts'
import { blankPage, type OpenDocument, type RenderedImage, placeholder } from './protocol.ts'

export const widths = [1_600, 1_280, 640] as const
const quality = 80
const sideMax = 4_096
const pixelsMax = 4_000_000
const decodedPixelsMax = 40_000_000

/** A size at most 1,600 wide, 4 megapixels and 4,096 a side, aspect kept; undefined for a size that is no size. */
export function fittedSize(width: number, height: number, canGrow: boolean): { width: number; height: number; scale: number } | undefined {
  if (!Number.isFinite(width) || !Number.isFinite(height) || width <= 0 || height <= 0) return undefined
  const scale = Math.min(widths[0] / width, sideMax / height, Math.sqrt(pixelsMax / (width * height)), canGrow ? Infinity : 1)
  const fitted = { width: Math.floor(width * scale), height: Math.floor(height * scale), scale }
  return fitted.width >= 1 && fitted.height >= 1 ? fitted : undefined
}

/**
 * The picture and its narrower variants, widest first. The widest is JPEG, which everything reads (previews of links too) and
 * which is there soonest; phones get WebP, half the bytes for four times the work of encoding few pixels.
 */
export async function encodeVariants(canvas: Canvas): Promise<RenderedImage[]> {
  const sizes = [canvas.width, ...widths.filter((width) => width < canvas.width)]
  return Promise.all(sizes.map((width) => encode(canvas, width)))
}

async function encode(canvas: Canvas, width: number): Promise<RenderedImage> {
  const height = Math.max(1, Math.round((canvas.height * width) / canvas.width))
  const target = width === canvas.width ? canvas : createCanvas(width, height)
  if (target !== canvas) {
    const context = target.getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(canvas, 0, 0, width, height)
  }
  return target === canvas
    ? { bytes: await target.encode('jpeg', quality), extension: 'jpg', width, height }
    : { bytes: await target.encode('webp', quality), extension: 'webp', width, height }
}

/** A canvas of raw RGBA pixels. */
export function canvasOf(pixels: Uint8Array, width: number, height: number): Canvas {
  const canvas = createCanvas(width, height)
  const clamped = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  canvas.getContext('2d').putImageData(new ImageData(clamped, width, height), 0, 0)
  return canvas
}

export type Picture = { ok: true; images: RenderedImage[] } | { ok: false; words: string }

/** Decodes a picture of a document. The words say what was wrong and hold nothing of the file. */
export async function decodePicture(bytes: Uint8Array): Promise<{ ok: true; image: Image } | { ok: false; words: string }> {
  const kind = sniff(bytes)
  if (kind !== 'png' && kind !== 'jpeg' && kind !== 'webp') return { ok: false, words: 'The picture is not a PNG, JPEG or WebP file.' }
  const size = pictureSize(bytes)
  if (size === undefined) return { ok: false, words: 'The picture is damaged.' }
  if (size.width * size.height > decodedPixelsMax) {
    return { ok: false, words: `The picture has ${size.width} x ${size.height} pixels; the limit is 40 megapixels.` }
  }
  try {
    const image = await loadImage(Buffer.from(bytes))
    if (fittedSize(image.width, image.height, false) === undefined) return { ok: false, words: 'The picture is damaged.' }
    return { ok: true, image }
  } catch {
    return { ok: false, words: 'The picture is damaged.' }
  }
}

/** An uploaded or fetched picture, as attendees get it. */
export async function readPicture(bytes: Uint8Array): Promise<Picture> {
  const decoded = await decodePicture(bytes)
  if (!decoded.ok) return decoded
  const fitted = fittedSize(decoded.image.width, decoded.image.height, false)
  if (fitted === undefined) return { ok: false, words: 'The picture is damaged.' }
  try {
    const canvas = createCanvas(fitted.width, fitted.height)
    const context = canvas.getContext('2d')
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, fitted.width, fitted.height)
    context.imageSmoothingQuality = 'high'
    context.drawImage(decoded.image, 0, 0, fitted.width, fitted.height)
    return { ok: true, images: await encodeVariants(canvas) }
  } catch {
    return { ok: false, words: 'The picture is damaged.' }
  }
}

/** From its head, before anything decodes it: a few bytes can announce a billion pixels. Undefined where the head makes no sense. */
function pictureSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  try {
    const { width, height } = imageSize(bytes)
    return width > 0 && height > 0 ? { width, height } : undefined
  } catch {
    return undefined
  }
}

// A deck of uploaded pictures: each file is one slide, in the order sent. Text is for the owner to add.

export function openPictures(files: readonly Uint8Array[]): OpenDocument {
  return {
    total: files.length,
    async page(index) {
      const picture = await readPicture(files[index] ?? new Uint8Array())
      return picture.ok ? { ...blankPage(index), images: picture.images } : placeholder(index, picture.words)
    },
  }
}
