// The pages of a presentation, whatever its format: what stands on a slide becomes blocks, what stands on most of them at an edge
// is furniture. A slide that nobody drew is shown by the one picture that fills it.
import { type Canvas, createCanvas, GlobalFonts, type Image, type SKRSContext2D } from '@napi-rs/canvas'
import type { Box } from '@rostrum/contract/deck'
import { writeBlocks } from '../block-text.ts'
import { decodePicture, encodeVariants, readPicture, widths } from '../picture.ts'
import { cleanText, DocumentError, type OpenDocument, type RenderedPage, textMinForSpeech, unreadable } from '../protocol.ts'
import { draftOf, type Part, type TextPart } from './slide-draft.ts'
import type { Paragraph } from './text.ts'
import type { Zip } from './package.ts'

// The picture of a slide that nobody drew: its pictures at their places and its words beside them, in one plain face.

interface Placed {
  box: Box
  image: Image
}

interface Ground {
  /** Width by height. */
  aspect: number
  /** Points. */
  height: number
  /** `#rrggbb`. */
  color: string
}

const lineHeight = 1.2
const sizeMin = 7
const inset = 0.01

/** Undefined where the machine has no face to set words in. */
function typesetSlide(parts: readonly Part[], pictures: readonly Placed[], ground: Ground): Canvas | undefined {
  if (GlobalFonts.families.length === 0) return undefined
  const width = widths[0]
  const canvas = createCanvas(width, Math.max(1, Math.min(4_096, Math.round(width / ground.aspect))))
  const context = canvas.getContext('2d')
  context.fillStyle = ground.color
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const { box, image } of pictures) context.drawImage(image, ...inPixels(box, canvas))
  context.fillStyle = isDark(ground.color) ? '#ffffff' : '#1a1a1a'
  context.textBaseline = 'top'
  const scale = canvas.height / ground.height
  for (const part of parts) {
    if (part.kind === 'text' && part.box !== undefined) setText(context, part.paragraphs, inPixels(part.box, canvas), scale)
    if (part.kind !== 'table') continue
    for (const cell of part.rows.flat()) if (cell.box !== undefined) setText(context, cell.paragraphs, inPixels(cell.box, canvas), scale)
  }
  return canvas
}

function inPixels([x, y, w, h]: Box, { width, height }: Canvas): [number, number, number, number] {
  return [x * width, y * height, Math.max(1, w * width), Math.max(1, h * height)]
}

function isDark(color: string): boolean {
  const [red = 255, green = 255, blue = 255] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 < 128
}

/** Smaller until it fits, as PowerPoint does. */
function setText(
  context: SKRSContext2D,
  paragraphs: readonly Paragraph[],
  [x, y, w, h]: [number, number, number, number],
  scale: number,
): void {
  if (paragraphs.length === 0) return
  const room = w * (1 - 2 * inset)
  for (let shrink = 1; ; shrink *= 0.9) {
    const lines = paragraphs.flatMap((paragraph) => linesOf(context, paragraph, room, scale * shrink))
    const total = lines.reduce((sum, line) => sum + line.size * lineHeight, 0)
    const smallest = Math.min(...lines.map(({ size }) => size))
    if (total > h && smallest > sizeMin * scale) continue
    let at = y
    for (const line of lines) {
      context.font = line.font
      context.fillText(line.text, x + w * inset + line.indent, at)
      at += line.size * lineHeight
    }
    return
  }
}

interface Line {
  text: string
  font: string
  size: number
  indent: number
}

function linesOf(context: SKRSContext2D, paragraph: Paragraph, room: number, scale: number): Line[] {
  const size = paragraph.size * scale
  const font = `${paragraph.isBold ? 'bold ' : ''}${size.toFixed(1)}px sans-serif`
  const indent = paragraph.level * size
  const mark = paragraph.bullet === 'none' ? '' : '• '
  context.font = font
  const lines: Line[] = []
  let line = mark
  for (const word of paragraph.text.slice(0, 2_000).split(' ')) {
    const longer = line === '' || line === mark ? `${line}${word}` : `${line} ${word}`
    if (line !== '' && line !== mark && context.measureText(longer).width > room - indent) {
      lines.push({ text: line, font, size, indent })
      line = word
    } else line = longer
  }
  return [...lines, { text: line, font, size, indent }]
}

export interface SlideRead {
  parts: readonly Part[]
  notes: string
  /** Pictures that stand on it, by their names in the archive. */
  pictures: readonly { name: string; box: Box }[]
  ground: Ground
}

export interface SlideSource {
  read(): Promise<SlideRead>
  /** Its texts alone; empty where they cannot be read. */
  texts: readonly TextPart[]
}

const coveringShare = 0.5

export interface Presentation extends OpenDocument {
  /** A slide without its picture, for whom it is drawn elsewhere. */
  words(index: number): Promise<RenderedPage>
}

export function presentationOf(zip: Zip, slides: readonly SlideSource[]): Presentation {
  if (slides.length === 0) throw new DocumentError('The presentation has no slides.')
  const isFurniture = furnitureOf(slides)
  async function read(index: number): Promise<SlideRead> {
    const slide = await slides[index]?.read()
    if (slide === undefined) throw new DocumentError('The slide is missing from the file.')
    return slide
  }
  function pageOf(index: number, slide: SlideRead): RenderedPage {
    const { title, text, reading } = writeBlocks(draftOf(slide.parts, isFurniture))
    return {
      index,
      title,
      text,
      reading,
      notes: cleanText(slide.notes),
      images: [],
      state: text.length < textMinForSpeech && reading.blocks.length === 0 ? 'no_text' : 'ok',
    }
  }
  return {
    total: slides.length,
    words: async (index) => pageOf(index, await read(index)),
    async page(index) {
      const slide = await read(index)
      const page = pageOf(index, slide)
      const covering = slide.pictures.find(({ box }) => box[2] * box[3] > coveringShare)
      if (covering !== undefined) return { ...page, ...(await covered(zip, covering.name)) }
      return { ...page, ...(await typeset(zip, slide)) }
    },
  }
}

type Shown = Pick<RenderedPage, 'images' | 'warnings'>

async function covered(zip: Zip, name: string): Promise<Shown> {
  const picture = await decoded(zip, name, readPicture)
  if (picture?.ok === true) return { images: picture.images }
  return { images: [], warnings: unreadable(picture?.words ?? 'The picture of the slide is missing from the file.') }
}

/** Slides of words alone are set where they are shown. */
async function typeset(zip: Zip, slide: SlideRead): Promise<Shown> {
  const placed: Placed[] = []
  for (const { name, box } of slide.pictures.slice(0, picturesMax)) {
    const picture = await decoded(zip, name, decodePicture)
    if (picture?.ok === true && box[2] > 0 && box[3] > 0) placed.push({ box, image: picture.image })
  }
  const canvas = placed.length === 0 ? undefined : typesetSlide(slide.parts, placed, slide.ground)
  const lost = lossOf(slide, canvas === undefined ? slide.pictures.length : slide.pictures.length - placed.length)
  return {
    images: canvas === undefined ? [] : await encodeVariants(canvas),
    ...(lost !== undefined && { warnings: [{ code: 'drawn_without_pictures', detail: lost }] }),
  }
}

/** What neither text nor pictures of a slide show; undefined where that is nothing. */
function lossOf({ parts }: SlideRead, picturesLost: number): string | undefined {
  const has = (kind: Part['kind']) => parts.some((part) => part.kind === kind)
  const lost = [
    has('chart') && 'its chart',
    has('diagram') && 'its diagram',
    has('connector') && 'its drawing',
    picturesLost === 1 && 'a picture',
    picturesLost > 1 && `${picturesLost} pictures`,
  ].filter((each) => each !== false)
  return lost.length === 0 ? undefined : `The slide is typeset, not drawn: it lacks ${new Intl.ListFormat('en').format(lost)}.`
}

/** Undefined where it is missing. One that cannot be unpacked is only a picture: the slide has its words. */
async function decoded<T>(
  zip: Zip,
  name: string,
  decode: (bytes: Uint8Array) => Promise<T>,
): Promise<T | { ok: false; words: string } | undefined> {
  try {
    const media = await zip.read(name)
    return media && (await decode(media))
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, words: error.message }
    throw error
  }
}

/** Each is decoded whole. */
const picturesMax = 12
const slidesMin = 4
const furnitureShare = 0.4
const edge = 0.14

/** The same words at the same place of an edge on many slides: brand lines and numbers that somebody typed. */
function furnitureOf(slides: readonly SlideSource[]): (part: TextPart) => boolean {
  const counts = new Map<string, number>()
  for (const { texts } of slides) {
    const keys = new Set(texts.map(placeKey).filter((key) => key !== undefined))
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const least = Math.max(slidesMin, slides.length * furnitureShare)
  return (part) => {
    const key = placeKey(part)
    return key !== undefined && (counts.get(key) ?? 0) >= least
  }
}

/** Undefined for a text that is no candidate. */
function placeKey({ box, placeholder, paragraphs }: TextPart): string | undefined {
  if (box === undefined || paragraphs.length === 0 || placeholder === 'title' || placeholder === 'ctrTitle') return undefined
  const [x, y, w, h] = box
  const isAtEdge = y + h < edge || y > 1 - edge || x + w < edge || x > 1 - edge
  if (!isAtEdge) return undefined
  const words = paragraphs.map(({ text }) => text.replace(/\d+/g, '#')).join(' ')
  return words.length > 160 ? undefined : `${words} ${[x, y].map((value) => Math.round(value * 50)).join(' ')}`
}
