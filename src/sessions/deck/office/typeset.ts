// The picture of a slide that nobody drew: its pictures at their places and its words beside them, in one plain face.
import { type Canvas, createCanvas, GlobalFonts, type Image, type SKRSContext2D } from '@napi-rs/canvas'
import type { Box } from '../../../contract/deck.ts'
import { widths } from '../render/picture.ts'
import type { Part } from './slide-draft.ts'
import type { Paragraph } from './text.ts'

export interface Placed {
  box: Box
  image: Image
}

export interface Ground {
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
export function typesetSlide(parts: readonly Part[], pictures: readonly Placed[], ground: Ground): Canvas | undefined {
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
