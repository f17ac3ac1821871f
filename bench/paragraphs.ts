// Of a presentation that was printed: which paragraphs of the file come back whole and in order from the PDF.
//
// A paragraph is an `a:p` with a letter or a figure that stands on a shown slide itself: in a shape, a group, a cell of a table, a
// diagram (its drawing). Not one: what the master draws, placeholders of date, footer and number and the fields in them, shapes that are
// hidden, words of charts and descriptions of pictures, the same words at the same place on 40 % of the slides, and what the print does
// not hold, since the program that printed left it out. It has come back where the reader gives it as one piece (the title, a paragraph,
// an item, a cell, a label, a line of code), compared by letters and figures in lower case. Where its author broke lines it may also
// come back as those lines; so may a title of several paragraphs, and a sentence that was broken by new paragraphs (the next begins in
// lower case, nothing ends the one before). All paragraphs of a shape or a cell may come back as one label or cell. `strict` takes none
// of that: each `a:p` as one piece. A paragraph is in order where it comes after those that stand above it in the same text or cell.
import { child, children, descendants, type Element, openPackage, openZip, type Package, targetOf } from '@rostrum/deck/office/package'
import { piecesOf } from '@rostrum/deck/block'
import type { Block } from '@rostrum/contract/block'
import { loadPdf } from '../packages/deck/pdf/pdfium.ts'
import { openPdf } from '../packages/deck/render/pdf.ts'

export interface Returned {
  total: number
  whole: number
  /** Whole, and after what stands before it. */
  inOrder: number
  notPrinted: number
  lost: readonly { slide: number; text: string; why: string }[]
}

interface Paragraph {
  text: string
  /** As its author broke it. */
  lines: readonly string[]
  place: string
}

/** Paragraphs of one text, in order. */
interface Frame {
  paragraphs: readonly Paragraph[]
  isTitle: boolean
}

interface Page {
  pieces: readonly string[]
  /** Labels and cells. */
  held: ReadonlySet<string>
  /** All that was printed, in the order of the file. */
  raw: string
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
/** Readers take it for the number of an item. */
const typedNumber = /^\(?\d{1,2}[.)](?=\s*\S)/u

export async function returnedFrom(file: Uint8Array, printed: Uint8Array): Promise<Returned & { strict: Returned }> {
  const slides = await framesOf(file)
  const pages = await pagesOf(printed)
  if (pages.length !== slides.length) throw new Error(`${slides.length} slides, ${pages.length} pages`)
  const often = repeated(slides)
  const count = (isStrict: boolean): Returned => {
    const all = { total: 0, whole: 0, inOrder: 0, notPrinted: 0 }
    const lost: { slide: number; text: string; why: string }[] = []
    for (const [at, frames] of slides.entries()) {
      const page = pages[at] ?? { pieces: [], held: new Set(), raw: '' }
      const used = new Set<number>()
      for (const frame of frames) {
        const own = frame.paragraphs.filter((each) => !often(each))
        const paragraphs = isStrict ? own.map((each) => ({ ...each, lines: [each.text] })) : rejoined(own, frame.isTitle)
        const shown = paragraphs.filter(({ text }) => page.raw.includes(text))
        const isOne = !isStrict && shown.length > 1 && page.held.has(shown.map(({ text }) => text).join(''))
        const places = isOne ? [] : shown.map((each, n) => ({ each, place: placeOf(each, page.pieces, used, n) }))
        const found = places.flatMap(({ place }) => (place === undefined ? [] : [place]))
        all.notPrinted += paragraphs.length - shown.length
        all.total += shown.length
        all.whole += isOne ? shown.length : found.length
        all.inOrder += isOne ? shown.length : longestRise(found)
        for (const { each, place } of places)
          if (place === undefined) lost.push({ slide: at + 1, text: each.lines.join(' / '), why: whyOf(each, page.pieces) })
      }
    }
    return { ...all, lost }
  }
  return { ...count(false), strict: count(true) }
}

/** Where it comes back; what stands on the slide more than once, each time in turn. */
function placeOf({ text, lines }: Paragraph, pieces: readonly string[], used: Set<number>, nth: number): number | undefined {
  const begins = pieces.flatMap((_, at) => {
    const taken = lengthAt(at)
    return taken === 0 ? [] : [{ at, taken }]
  })
  const last = Math.max(-1, ...used)
  const first = (nth > 0 ? begins.find(({ at }) => at > last) : undefined) ?? begins[0]
  for (let n = 0; n < (first?.taken ?? 0); n++) used.add((first?.at ?? 0) + n)
  return first?.at

  /** As one piece, or as the lines of its author. */
  function lengthAt(at: number): number {
    const ends = lines.reduce<string[]>(
      (all, line) => [...all, (all.at(-1) ?? '') + plain(all.length === 0 ? line.replace(typedNumber, '') : line)],
      [],
    )
    let held = ''
    for (let to = at; to < pieces.length && !used.has(to); to++) {
      held += pieces[to]
      if (held === text) return to - at + 1
      if (!ends.includes(held)) return 0
    }
    return 0
  }
}

function whyOf({ text }: Paragraph, pieces: readonly string[]): string {
  const around = pieces.find((piece) => piece.includes(text))
  if (around !== undefined) return `in: ${around}`
  return `parts: ${pieces.filter((piece) => piece.length > 1 && text.includes(piece)).join(' | ')}`
}

function longestRise(places: readonly number[]): number {
  const best = places.map(() => 1)
  for (const [at, place] of places.entries())
    for (let before = 0; before < at; before++)
      if ((places[before] ?? 0) < place) best[at] = Math.max(best[at] ?? 1, (best[before] ?? 0) + 1)
  return Math.max(0, ...best)
}

function repeated(slides: readonly (readonly Frame[])[]): (paragraph: Paragraph) => boolean {
  const counts = new Map<string, number>()
  for (const frames of slides)
    for (const key of new Set(frames.flatMap(({ paragraphs }) => paragraphs).map(({ text, place }) => `${text} ${place}`)))
      counts.set(key, (counts.get(key) ?? 0) + 1)
  return ({ text, place }) => (counts.get(`${text} ${place}`) ?? 0) >= Math.max(4, 0.4 * slides.length)
}

async function pagesOf(printed: Uint8Array): Promise<Page[]> {
  const document = await openPdf(printed, true)
  for (const index of document.surveyed ?? []) document.survey?.(index)
  const pdf = await loadPdf(printed)
  const pages: Page[] = []
  for (let index = 0; index < document.total; index++) {
    const { title, reading } = await document.page(index)
    const blocks = reading?.blocks ?? []
    const texts = [title, ...blocks.flatMap(textsOf)].map((text) => plain(text.replace(typedNumber, '')))
    const held = new Set(
      blocks
        .filter(({ kind }) => kind === 'table' || kind === 'figure')
        .flatMap(textsOf)
        .map(plain),
    )
    const glyphs = pdf.withPage(index, (page) => page.geometry().glyphs)
    pages.push({ pieces: texts.filter((text) => text !== ''), held, raw: plain(glyphs.map(({ text }) => text).join('')) })
  }
  return pages
}

const textsOf = (block: Block) => piecesOf(block).flatMap(({ text }) => (block.kind === 'code' ? text.split('\n') : [text]))

// The file.

async function framesOf(file: Uint8Array): Promise<Frame[][]> {
  const book = openPackage(await openZip(file))
  const presentation = await book.part('ppt/presentation.xml')
  const relations = await book.relations('ppt/presentation.xml')
  const slides: Frame[][] = []
  for (const { attributes } of child(presentation, 'sldIdLst')?.children ?? []) {
    const name = relations.get(attributes['r:id'] ?? '')?.target ?? ''
    const slide = await book.part(name)
    if (slide === undefined || /^(?:0|false)$/.test(slide.attributes['show'] ?? '')) continue
    slides.push(await framesIn(child(slide, 'cSld', 'spTree'), name, book))
  }
  return slides
}

async function framesIn(tree: Element | undefined, part: string, book: Package): Promise<Frame[]> {
  const frames: Frame[] = []
  for (const shape of tree?.children ?? []) {
    const about = shape.children.find(({ name }) => /^nv\w+Pr$/.test(name))
    if (/^(?:1|true)$/.test(child(about, 'cNvPr')?.attributes['hidden'] ?? '')) continue
    if (shape.name === 'grpSp' || shape.name === 'spTree') frames.push(...(await framesIn(shape, part, book)))
    else if (shape.name === 'AlternateContent') frames.push(...(await framesIn(child(shape, 'Choice'), part, book)))
    else if (shape.name === 'graphicFrame') frames.push(...(await framesOfGraphic(shape, part, book)))
    else {
      const type = child(about, 'nvPr', 'ph')?.attributes['type'] ?? ''
      if (/^(?:sldNum|dt|ftr|hdr)$/.test(type)) continue
      const paragraphs = paragraphsOf(child(shape, 'txBody'), placeIn(shape))
      frames.push({ paragraphs, isTitle: /^(?:title|ctrTitle)$/.test(type) })
    }
  }
  return frames
}

async function framesOfGraphic(shape: Element, part: string, book: Package): Promise<Frame[]> {
  const place = placeIn(shape)
  const cells = descendants(shape, 'tc').map((cell) => ({ paragraphs: paragraphsOf(child(cell, 'txBody'), place), isTitle: false }))
  if (descendants(shape, 'relIds').length === 0) return cells
  // The drawing of a diagram is named in its data.
  const relations = await book.relations(part)
  const data = await book.part(relations.get(descendants(shape, 'relIds')[0]?.attributes['r:dm'] ?? '')?.target ?? '')
  const named = descendants(data, 'dataModelExt')[0]?.attributes['relId'] ?? ''
  const drawing = await book.part(relations.get(named)?.target ?? targetOf(relations, 'diagramDrawing') ?? '')
  return [...cells, ...(await framesIn(child(drawing, 'spTree'), part, book))]
}

/** Paragraphs that are lines of one. */
function rejoined(paragraphs: readonly Paragraph[], isTitle: boolean): Paragraph[] {
  const all: Paragraph[] = []
  for (const paragraph of paragraphs) {
    const last = all.at(-1)
    const isBroken = /^\p{Ll}/u.test(paragraph.lines[0] ?? '') && /[\p{L}\p{N},-]$/u.test(last?.lines.at(-1) ?? '')
    if (last !== undefined && (isTitle || isBroken))
      all[all.length - 1] = { text: last.text + paragraph.text, lines: [...last.lines, ...paragraph.lines], place: last.place }
    else all.push(paragraph)
  }
  return all
}

const placeIn = (shape: Element) => {
  const at = descendants(shape, 'off')[0]?.attributes
  return `${at?.['x']} ${at?.['y']}`
}

function paragraphsOf(body: Element | undefined, place: string): Paragraph[] {
  return children(body, 'p').flatMap((paragraph) => {
    const lines = wordsOf(paragraph)
      .replace(/_x000[BDbd]_|[\v\f]/g, '\n')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => plain(line) !== '')
    const text = plain(lines.join(' ').replace(typedNumber, ''))
    return text === '' ? [] : [{ text, lines, place }]
  })
}

function wordsOf(parent: Element): string {
  return parent.children
    .map((run) => {
      if (run.name === 'br') return '\n'
      if (run.name === 't') return run.text
      if (run.name === 'fld' && /^(?:slidenum|datetime)/.test(run.attributes['type'] ?? '')) return ''
      return run.name === 'AlternateContent' ? wordsOf(child(run, 'Choice') ?? run) : wordsOf(run)
    })
    .join('')
}
