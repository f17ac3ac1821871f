// Reads an OpenDocument presentation (OpenDocument 1.3, part 3) into the same slides as a PowerPoint file: pages and their frames from
// `content.xml`, sizes and bullets by style, notes as private notes. Hidden pages are not presented, annotations are not read.
import type { Box } from '../../../contract/deck.ts'
import { DocumentError, pagesMax } from '../render/protocol.ts'
import { humanDescription } from './described.ts'
import { readOdfChart } from './odf-chart.ts'
import { lengthOf, readStyles, type Styles } from './odf-styles.ts'
import { odfParagraphs } from './odf-text.ts'
import { openPackage, type Package } from './package.ts'
import { type Presentation, presentationOf, type SlideRead } from './pages.ts'
import { clamped, type Size } from './shapes.ts'
import type { CellPart, Part, TextPart } from './slide-draft.ts'
import { child, children, descendants, type Element } from './xml.ts'
import { openZip, protectedWords } from './zip.ts'

interface Deck {
  file: Package
  styles: Styles
}

/** Throws `DocumentError`. */
export async function openOdp(bytes: Uint8Array): Promise<Presentation> {
  const file = openPackage(await openZip(bytes))
  if (descendants(await optional(file, 'META-INF/manifest.xml'), 'encryption-data').length > 0) throw new DocumentError(protectedWords)
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
      parts.push({ ...place, kind: 'chart', chart: readOdfChart(await optional(file, `${partName(chart)}/content.xml`)) })
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

/** A part that is missing or damaged costs itself alone. */
async function optional(file: Package, name: string): Promise<Element | undefined> {
  try {
    return await file.part(name)
  } catch (error) {
    if (error instanceof DocumentError) return undefined
    throw error
  }
}

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
  return { ...placeOf(shape, size), kind: 'text', isInGroup: false, paragraphs, ...(placeholder !== undefined && { placeholder }) }
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
