// Reads an OpenDocument presentation (OpenDocument 1.3, part 3) into the same slides as a PowerPoint file: pages and their frames from
// `content.xml`, sizes and bullets by style, notes as private notes. Hidden pages are not presented, annotations are not read.
import type { Box } from '../../../contract/deck.ts'
import { cleanText, DocumentError, pagesMax } from '../render/protocol.ts'
import type { Chart } from './graphics.ts'
import { child, children, descendants, type Element, openPackage, openZip, type Package, protectedWords } from './package.ts'
import { type Presentation, presentationOf, type SlideRead } from './pages.ts'
import { clamped, type Size } from './pptx.ts'
import type { CellPart, Part, TextPart } from './slide-draft.ts'
import { humanDescription, isTypewriter, oneLine, type Paragraph, withoutTypedMark } from './text.ts'

// The styles of an OpenDocument file that matter to a reader: sizes and weights of type, which list levels are numbered, which pages
// are hidden, how large a page is.

interface TextLooks {
  /** Points. */
  size?: number
  isBold?: boolean
  font?: string
}

interface Styles {
  /** Of a style and those it is made from. */
  text(name: string): TextLooks
  bulletAt(list: string, level: number): 'none' | 'mark' | 'number'
  isHidden(page: string): boolean
  sizeOf(master: string): Size
}

/** Points in a unit. */
const units: Readonly<Record<string, number>> = { pt: 1, in: 72, cm: 72 / 2.54, mm: 72 / 25.4, px: 0.75, pc: 12 }
/** Where the file names none: 16:9. */
const pageByDefault: Size = { width: 28 * (72 / 2.54), height: 15.75 * (72 / 2.54) }
const ancestorsMax = 12

function lengthOf(value: string | undefined): number | undefined {
  const found = /^(-?[\d.]{1,12})(pt|in|cm|mm|px|pc)$/.exec(value ?? '')
  const number = Number(found?.[1] ?? Number.NaN) * (units[found?.[2] ?? ''] ?? Number.NaN)
  return Number.isFinite(number) ? number : undefined
}

function readStyles(content: Element, styles: Element | undefined): Styles {
  const holders = [child(content, 'automatic-styles'), child(styles, 'styles'), child(styles, 'automatic-styles')]
  const named = (kind: string) => {
    const found = new Map<string, Element>()
    for (const each of holders.flatMap((holder) => children(holder, kind))) {
      const name = each.attributes['style:name'] ?? ''
      if (!found.has(name)) found.set(name, each)
    }
    return found
  }
  const all = named('style')
  const lists = named('list-style')
  const layouts = named('page-layout')
  const masters = new Map(
    children(child(styles, 'master-styles'), 'master-page').map((each) => [each.attributes['style:name'] ?? '', each]),
  )
  const ancestry = (name: string) => {
    const found: Element[] = []
    for (
      let at = all.get(name);
      at !== undefined && found.length < ancestorsMax;
      at = all.get(at.attributes['style:parent-style-name'] ?? '')
    )
      found.push(at)
    return found
  }
  return {
    text(name) {
      const said = (attribute: string) =>
        ancestry(name)
          .map((style) => child(style, 'text-properties')?.attributes[attribute])
          .find((value) => value !== undefined)
      const size = lengthOf(said('fo:font-size'))
      const weight = said('fo:font-weight')
      const font = said('style:font-name') ?? said('fo:font-family')
      return {
        ...(size !== undefined && { size }),
        ...(weight !== undefined && { isBold: weight === 'bold' || Number(weight) >= 600 }),
        ...(font !== undefined && { font }),
      }
    },
    bulletAt(list, level) {
      const style = lists.get(list)?.children.find(({ attributes }) => attributes['text:level'] === String(level + 1))
      if (style === undefined) return 'mark'
      if (style.name === 'list-level-style-number') return style.attributes['style:num-format'] ? 'number' : 'none'
      return style.name === 'list-level-style-bullet' && (style.attributes['text:bullet-char'] ?? '').trim() === '' ? 'none' : 'mark'
    },
    isHidden: (page) =>
      ancestry(page).some((style) =>
        descendants(style, 'drawing-page-properties').some(({ attributes }) => attributes['presentation:visibility'] === 'hidden'),
      ),
    sizeOf(master) {
      const layout = layouts.get(masters.get(master)?.attributes['style:page-layout-name'] ?? '')
      const { 'fo:page-width': width, 'fo:page-height': height } = child(layout, 'page-layout-properties')?.attributes ?? {}
      const size = { width: lengthOf(width) ?? 0, height: lengthOf(height) ?? 0 }
      return size.width > 0 && size.height > 0 ? size : pageByDefault
    },
  }
}

// What an OpenDocument chart was drawn from: the table that it keeps, series in columns below their names.

const rowsMax = 60
const columnsMax = 21

function readOdfChart(content: Element | undefined): Chart {
  const chart = child(content, 'body', 'chart', 'chart')
  const axes = descendants(child(chart, 'plot-area'), 'axis').map((axis) => wordsOf(child(axis, 'title')))
  const title = wordsOf(child(chart, 'title'))
  const rows = descendants(child(chart, 'table'), 'table-row')
    .slice(0, rowsMax)
    .map((row) => children(row, 'table-cell').slice(0, columnsMax))
  const [head = [], ...body] = rows
  const series = head.slice(1).map((cell, at) => ({ name: wordsOf(cell), values: body.map((row) => valueOf(row[at + 1])) }))
  const held = series.filter(({ values }) => values.some((value) => value !== null))
  return {
    title,
    axes: axes.filter((name) => name !== ''),
    ...(held.length > 0 && { data: { categories: body.map(([first]) => wordsOf(first)), series: held } }),
  }
}

function wordsOf(holder: Element | undefined): string {
  const text = (each: Element): string => each.content.map((part) => (typeof part === 'string' ? part : text(part))).join('')
  return oneLine(descendants(holder, 'p').map(text).join(' '))
}

function valueOf(cell: Element | undefined): number | null {
  const value = Number(cell?.attributes['office:value'] ?? Number.NaN)
  return Number.isFinite(value) ? value : null
}

// The paragraphs of an OpenDocument shape: spans joined, lists with their levels, fields that number or date the page left out.

const sizeByDefault = 18
const left = new Set(['page-number', 'page-count', 'date', 'time', 'annotation', 'annotation-end', 'note', 'soft-page-break'])

interface Run {
  text: string
  style: TextLooks
  url: string | undefined
}

/** `shape` names the style of what stands in it. */
function odfParagraphs(holder: Element | undefined, styles: Styles, shape: Element): Paragraph[] {
  const named =
    shape.attributes['presentation:style-name'] ?? shape.attributes['draw:style-name'] ?? shape.attributes['draw:text-style-name']
  return paragraphsIn(holder, { styles, base: styles.text(named ?? ''), list: '', level: -1 })
}

interface Place {
  styles: Styles
  base: TextLooks
  list: string
  /** Of the list that it is in; -1 outside. */
  level: number
}

function paragraphsIn(holder: Element | undefined, place: Place): Paragraph[] {
  return (holder?.children ?? []).flatMap((each) => {
    switch (each.name) {
      case 'p':
      case 'h':
        return readParagraph(each, place)
      case 'list': {
        const list = each.attributes['text:style-name'] ?? place.list
        return each.children.flatMap((item) => paragraphsIn(item, { ...place, list, level: Math.min(8, place.level + 1) }))
      }
      default:
        return []
    }
  })
}

function readParagraph(paragraph: Element, { styles, base, list, level }: Place): Paragraph[] {
  const own = { ...base, ...styles.text(paragraph.attributes['text:style-name'] ?? '') }
  const runs = runsOf(paragraph, own, undefined, styles)
  const raw = runs.map(({ text }) => text).join('')
  const whole = oneLine(raw)
  if (whole === '') return []
  const said = runs.filter(({ text }) => text.trim() !== '')
  const urls = new Set(said.map(({ url }) => url))
  const [url] = urls
  const set = level < 0 ? 'none' : styles.bulletAt(list, level)
  const { text, isMarked } = set === 'none' ? withoutTypedMark(whole) : { text: whole, isMarked: false }
  const isCode = said.every(({ style }) => isTypewriter(style.font ?? ''))
  return [
    {
      text,
      level: Math.max(0, level),
      bullet: isMarked ? 'mark' : set,
      size: Math.max(...said.map(({ style }) => style.size ?? sizeByDefault)),
      isBold: said.every(({ style }) => style.isBold === true),
      ...(isCode && { code: cleanText(raw) }),
      ...(urls.size === 1 && url !== undefined && /^https?:\/\//i.test(url) && { url }),
    },
  ]
}

function runsOf(holder: Element, style: TextLooks, url: string | undefined, styles: Styles): Run[] {
  return holder.content.flatMap((each): Run[] => {
    if (typeof each === 'string') return [{ text: each.replace(/\s+/g, ' '), style, url }]
    switch (each.name) {
      case 's':
        return [{ text: ' '.repeat(Math.min(80, Number(each.attributes['text:c'] ?? 1) || 1)), style, url }]
      case 'tab':
        return [{ text: '\t', style, url }]
      case 'line-break':
        return [{ text: '\n', style, url }]
      case 'a':
        return runsOf(each, style, each.attributes['xlink:href'], styles)
      default:
        return left.has(each.name) ? [] : runsOf(each, { ...style, ...styles.text(each.attributes['text:style-name'] ?? '') }, url, styles)
    }
  })
}

interface Deck {
  file: Package
  styles: Styles
}

/** Throws `DocumentError`. */
export async function openOdp(bytes: Uint8Array): Promise<Presentation> {
  const file = openPackage(await openZip(bytes))
  if (descendants(await file.optional('META-INF/manifest.xml'), 'encryption-data').length > 0) throw new DocumentError(protectedWords)
  const content = await file.part('content.xml')
  const presentation = child(content, 'body', 'presentation')
  if (content === undefined || presentation === undefined)
    throw new DocumentError('The archive is not an OpenDocument presentation (.odp).')
  const styles = readStyles(content, await file.part('styles.xml'))
  const pages = children(presentation, 'page').filter((page) => !styles.isHidden(page.attributes['draw:style-name'] ?? ''))
  if (pages.length > pagesMax) throw new DocumentError(`The file has ${pages.length} slides; the limit is ${pagesMax}.`)
  const deck = { file, styles }
  return presentationOf(
    file.zip,
    pages.map((page) => {
      const size = styles.sizeOf(page.attributes['draw:master-page-name'] ?? '')
      return {
        texts: shapesOf(page).flatMap((shape) => textPart(shape, size, styles) ?? []),
        read: () => readPage(page, size, deck),
      }
    }),
  )
}

/** Groups taken apart: their shapes are placed on the page. */
function shapesOf(page: Element): Element[] {
  return page.children.flatMap((shape) =>
    shape.name === 'g' ? shapesOf(shape) : shape.name === 'notes' || shape.name === 'annotation' ? [] : [shape],
  )
}

async function readPage(page: Element, size: Size, { file, styles }: Deck): Promise<SlideRead> {
  const parts: Part[] = []
  const pictures: { name: string; box: Box }[] = []
  for (const shape of shapesOf(page)) {
    const text = textPart(shape, size, styles)
    if (text !== undefined && text.paragraphs.length > 0) {
      parts.push(text)
      continue
    }
    const place = { ...placeOf(shape, size), ...altOf(shape) }
    const table = child(shape, 'table')
    const chart = child(shape, 'object')?.attributes['xlink:href']
    if (table !== undefined) parts.push(tablePart(table, place, styles))
    else if (chart !== undefined)
      parts.push({ ...place, kind: 'chart', chart: readOdfChart(await file.optional(`${partName(chart)}/content.xml`)) })
    else if (shape.name === 'connector' || shape.name === 'line') parts.push({ ...place, kind: 'connector' })
    else if (child(shape, 'image') !== undefined || child(shape, 'plugin') !== undefined) {
      const name = partName(child(shape, 'image')?.attributes['xlink:href'] ?? '')
      const video = child(shape, 'plugin') === undefined ? undefined : (shape.attributes['draw:name'] ?? '').replace(/\.\w{2,4}$/, '')
      parts.push({ ...place, kind: 'picture', ...(video !== undefined && { video }) })
      pictures.push({ name, box: place.box ?? [0, 0, 0, 0] })
    }
  }
  const notes = children(child(page, 'notes'), 'frame').filter(({ attributes }) => attributes['presentation:class'] === 'notes')
  return {
    parts,
    pictures,
    ground: { aspect: size.width / size.height, height: size.height, color: '#ffffff' },
    notes: notes
      .flatMap((frame) => odfParagraphs(child(frame, 'text-box'), styles, frame))
      .map(({ text }) => text)
      .join('\n'),
  }
}

const partName = (address: string) => address.replace(/^\.\//, '')

/** How the classes of OpenDocument are called in PowerPoint. */
const placeholders: Readonly<Record<string, string>> = {
  title: 'title',
  subtitle: 'subTitle',
  outline: 'body',
  'page-number': 'sldNum',
  'date-time': 'dt',
  footer: 'ftr',
  header: 'hdr',
}

function textPart(shape: Element, size: Size, styles: Styles): TextPart | undefined {
  const holder = child(shape, 'text-box') ?? ((child(shape, 'p') ?? child(shape, 'list')) ? shape : undefined)
  if (holder === undefined) return undefined
  const placeholder = placeholders[shape.attributes['presentation:class'] ?? '']
  // A prompt of the program that nobody replaced.
  const isPrompt = shape.attributes['presentation:placeholder'] === 'true'
  const paragraphs = isPrompt ? [] : odfParagraphs(holder, styles, shape)
  return { ...placeOf(shape, size), kind: 'text', paragraphs, ...(placeholder !== undefined && { placeholder }) }
}

function placeOf({ attributes }: Element, { width, height }: Size): { box?: Box } {
  const [w, h] = [lengthOf(attributes['svg:width']), lengthOf(attributes['svg:height'])]
  if (w === undefined || h === undefined) return {}
  // What is turned is placed by its transformation.
  const moved = /translate\(([-\d.]{1,12}\w\w)[ ,]{1,3}([-\d.]{1,12}\w\w)\)/.exec(attributes['draw:transform'] ?? '')
  const x = lengthOf(attributes['svg:x'] ?? moved?.[1]) ?? 0
  const y = lengthOf(attributes['svg:y'] ?? moved?.[2]) ?? 0
  return { box: clamped(x / width, y / height, (x + w) / width, (y + h) / height) }
}

function altOf(shape: Element): { alt?: string } {
  const alt = humanDescription(child(shape, 'desc')?.text ?? child(shape, 'title')?.text)
  return alt === undefined ? {} : { alt }
}

function tablePart(table: Element, place: { box?: Box; alt?: string }, styles: Styles): Part {
  const rows = descendants(table, 'table-row').map((row) =>
    row.children
      .filter(({ name }) => name === 'table-cell' || name === 'covered-table-cell')
      .map((cell): CellPart => ({ paragraphs: cell.name === 'table-cell' ? odfParagraphs(cell, styles, cell) : [] })),
  )
  const hasHeader = table.attributes['table:use-first-row-styles'] === 'true' || child(table, 'table-header-rows') !== undefined
  return { ...place, kind: 'table', hasHeader, rows }
}
