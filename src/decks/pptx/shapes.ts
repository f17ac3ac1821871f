// What a PowerPoint slide says: paragraphs of its shapes in order, tables row by row, alt text of pictures, and the picture
// that fills it. Page numbers, dates and footers are left out.
import type { Element } from './xml.ts'
import { child, descendants } from './xml.ts'

export interface SlidePicture {
  /** Relation id of the media file. */
  relation: string
  /** Share of the slide's area, 0..1. */
  share: number
}

export interface SlideShapes {
  title: string
  /** Lines below the title, bullets indented by level. */
  lines: string[]
  altTexts: string[]
  pictures: SlidePicture[]
}

const furniture = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

/** `area` is that of the slide, in the square of the file's units. */
export function readShapes(slide: Element, area: number): SlideShapes {
  const shapes: SlideShapes = { title: '', lines: [], altTexts: [], pictures: [] }
  const tree = child(slide, 'cSld', 'spTree')
  if (tree !== undefined) collect(tree, area, shapes)
  return shapes
}

function collect(tree: Element, area: number, into: SlideShapes): void {
  for (const shape of tree.children) {
    switch (shape.name) {
      case 'grpSp':
        collect(shape, area, into)
        break
      case 'sp':
        collectText(shape, into)
        break
      case 'graphicFrame':
        for (const table of descendants(shape, 'tbl')) into.lines.push(...tableLines(table))
        collectAltText(shape, into)
        break
      case 'pic': {
        const relation = child(shape, 'blipFill', 'blip')?.attributes['r:embed']
        const size = child(shape, 'spPr', 'xfrm', 'ext')?.attributes
        const share = (Number(size?.['cx'] ?? 0) * Number(size?.['cy'] ?? 0)) / area
        if (relation !== undefined) into.pictures.push({ relation, share: Number.isFinite(share) ? share : 0 })
        collectAltText(shape, into)
        break
      }
      case 'AlternateContent': {
        const chosen = child(shape, 'Choice') ?? child(shape, 'Fallback')
        if (chosen !== undefined) collect(chosen, area, into)
        break
      }
    }
  }
}

function placeholderOf(shape: Element): string | undefined {
  const placeholder = child(shape, 'nvSpPr', 'nvPr', 'ph')
  return placeholder === undefined ? undefined : (placeholder.attributes['type'] ?? 'body')
}

function collectText(shape: Element, into: SlideShapes): void {
  const placeholder = placeholderOf(shape)
  if (placeholder !== undefined && furniture.has(placeholder)) return
  const body = child(shape, 'txBody')
  if (body === undefined) return
  const paragraphs = paragraphsOf(body)
  if ((placeholder === 'title' || placeholder === 'ctrTitle') && into.title === '') {
    into.title = paragraphs
      .map(({ text }) => text)
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim()
    return
  }
  const isList = placeholder === 'body' && paragraphs.length > 1
  for (const { text, level } of paragraphs) into.lines.push(isList || level > 0 ? `${'  '.repeat(level)}- ${text}` : text)
}

/** Paragraphs with words, in order. */
export function paragraphsOf(body: Element): { text: string; level: number }[] {
  return body.children
    .filter((each) => each.name === 'p')
    .map((paragraph) => ({ text: paragraphText(paragraph), level: levelOf(paragraph) }))
    .filter(({ text }) => text !== '')
}

function levelOf(paragraph: Element): number {
  const level = Number(child(paragraph, 'pPr')?.attributes['lvl'] ?? 0)
  return Number.isInteger(level) && level > 0 ? Math.min(level, 8) : 0
}

function paragraphText(paragraph: Element): string {
  const parts = paragraph.children.map((part) => {
    if (part.name === 'r') return child(part, 't')?.text ?? ''
    if (part.name === 'br') return ' '
    const isFurniture = part.name !== 'fld' || /^(?:slidenum|datetime)/.test(part.attributes['type'] ?? '')
    return isFurniture ? '' : (child(part, 't')?.text ?? '')
  })
  return parts.join('').replace(/\s+/g, ' ').trim()
}

function tableLines(table: Element): string[] {
  return table.children
    .filter((row) => row.name === 'tr')
    .map((row) =>
      row.children
        .filter((cell) => cell.name === 'tc')
        .map((cell) =>
          paragraphsOf(child(cell, 'txBody') ?? cell)
            .map(({ text }) => text)
            .join(' '),
        )
        .filter((text) => text !== '')
        .join(' | '),
    )
    .filter((line) => line !== '')
}

function collectAltText(shape: Element, into: SlideShapes): void {
  const properties = shape.children.find((each) => each.name.startsWith('nv'))
  const words = child(properties, 'cNvPr')?.attributes['descr']?.replace(/\s+/g, ' ').trim() ?? ''
  // Programs that describe pictures by themselves say so on the following line; file names are no description.
  if (words !== '' && !/^\S+\.(?:png|jpe?g|gif|emf|wmf|svg)$/i.test(words)) into.altTexts.push(words)
}

/** The words of a notes page: its body alone. */
export function notesText(notes: Element): string {
  const tree = child(notes, 'cSld', 'spTree')
  if (tree === undefined) return ''
  return tree.children
    .filter((shape) => shape.name === 'sp' && placeholderOf(shape) === 'body')
    .flatMap((shape) => paragraphsOf(child(shape, 'txBody') ?? shape).map(({ text }) => text))
    .join('\n')
}
