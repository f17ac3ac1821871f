// Reads a PowerPoint file as a deck (ECMA-376): slide order from the relations of the presentation, what stands on each slide as
// blocks, speaker notes as private notes. Comments are not read; hidden slides are not presented.
import type { Box } from '../../../contract/deck.ts'
import { DocumentError, pagesMax } from '../render/protocol.ts'
import { readChart } from './chart.ts'
import { chainOf, isOn, type Layers, placeholderOf } from './inherit.ts'
import { openPackage, type Package, targetOf } from './package.ts'
import { type Presentation, presentationOf, type SlideRead, type SlideSource } from './pages.ts'
import { readShapes, type Seen, type Size } from './shapes.ts'
import type { Part, TextPart } from './slide-draft.ts'
import { readSmartArt } from './smart-art.ts'
import { paragraphsOf, type Relations } from './text.ts'
import { child, children, type Element } from './xml.ts'
import { openZip } from './zip.ts'

const presentationPart = 'ppt/presentation.xml'
/** Where the file names none: 16:9. */
const sizeByDefault: Size = { width: 12_192_000, height: 6_858_000 }

interface Deck {
  file: Package
  size: Size
  defaults: Element | undefined
}

/** Throws `DocumentError`. Embedded files, macros, links and external relations are never opened. */
export async function openPptx(bytes: Uint8Array): Promise<Presentation> {
  const file = openPackage(await openZip(bytes))
  const presentation = await file.part(presentationPart)
  if (presentation === undefined) throw new DocumentError('The archive is not a PowerPoint file (.pptx).')
  const relations = await file.relations(presentationPart)
  const listed = children(child(presentation, 'sldIdLst'), 'sldId')
  if (listed.length > pagesMax) throw new DocumentError(`The file has ${listed.length} slides; the limit is ${pagesMax}.`)
  const deck: Deck = { file, size: sizeOf(presentation), defaults: child(presentation, 'defaultTextStyle') }
  const slides: SlideSource[] = []
  for (const slide of listed) {
    const name = relations.get(slide.attributes['r:id'] ?? '')?.target
    if (name === undefined || !file.zip.names.has(name)) continue
    const texts = await textsOf(deck, name)
    if (texts !== 'hidden') slides.push({ texts, read: () => readSlide(deck, name) })
  }
  return presentationOf(file.zip, slides)
}

function sizeOf(presentation: Element): Size {
  const { cx, cy } = child(presentation, 'sldSz')?.attributes ?? {}
  const size = { width: Number(cx), height: Number(cy) }
  return size.width > 0 && size.height > 0 ? size : sizeByDefault
}

/** A slide that cannot be read is kept: it becomes a placeholder. */
async function textsOf(deck: Deck, name: string): Promise<TextPart[] | 'hidden'> {
  try {
    const slide = await deck.file.part(name)
    const show = slide?.attributes['show']
    if (show !== undefined && !isOn(show)) return 'hidden'
    return slide === undefined ? [] : (await shapesOf(deck, name, slide)).seen.filter(isText)
  } catch (error) {
    if (error instanceof DocumentError) return []
    throw error
  }
}

const isText = (seen: Seen): seen is Extract<Seen, { kind: 'text' }> => seen.kind === 'text'

async function shapesOf(deck: Deck, name: string, slide: Element): Promise<{ seen: Seen[]; relations: Relations; layers: Layers }> {
  const { file, size, defaults } = deck
  const relations = await file.relations(name)
  const layoutName = targetOf(relations, 'slideLayout')
  const layout = layoutName === undefined ? undefined : await file.shared(layoutName)
  const masterName = layoutName === undefined ? undefined : targetOf(await file.relations(layoutName), 'slideMaster')
  const master = masterName === undefined ? undefined : await file.shared(masterName)
  const layers = { layout, master, defaults }
  return { seen: readShapes(slide, { size, layers, relations }), relations, layers }
}

async function readSlide(deck: Deck, name: string): Promise<SlideRead> {
  const slide = await deck.file.part(name)
  if (slide === undefined) throw new DocumentError('The slide is missing from the file.')
  const { seen, relations, layers } = await shapesOf(deck, name, slide)
  const parts: Part[] = []
  const pictures: { name: string; box: Box }[] = []
  for (const each of seen) {
    const part = await partOf(deck.file, each, relations)
    if (part !== undefined) parts.push(part)
    if (each.kind !== 'picture') continue
    pictures.push({ name: relations.get(each.relation)?.target ?? '', box: each.box ?? [0, 0, 0, 0] })
  }
  const { width, height } = deck.size
  const ground = { aspect: width / height, height: height / emuInPoint, color: groundOf([slide, layers.layout, layers.master]) }
  return { parts, pictures, ground, notes: await notesOf(deck, relations) }
}

const emuInPoint = 12_700

/** A plain colour behind the slide; white where it is none, or one of the theme. */
function groundOf(layers: readonly (Element | undefined)[]): string {
  const said = layers.map((layer) => child(layer, 'cSld', 'bg')).find((each) => each !== undefined)
  const color = child(said, 'bgPr', 'solidFill', 'srgbClr')?.attributes['val'] ?? ''
  if (/^[0-9a-f]{6}$/i.test(color)) return `#${color}`
  const named = child(said, 'bgPr', 'solidFill', 'schemeClr')?.attributes['val'] ?? child(said, 'bgRef', 'schemeClr')?.attributes['val']
  return named === 'tx1' || named === 'dk1' ? '#000000' : '#ffffff'
}

async function partOf(file: Package, seen: Seen, relations: Relations): Promise<Part | undefined> {
  switch (seen.kind) {
    case 'chart': {
      const { relation, ...place } = seen
      const space = await optional(file, relations.get(relation)?.target)
      return { ...place, chart: space === undefined ? { title: '', axes: [] } : readChart(space) }
    }
    case 'diagram': {
      const { relation, ...place } = seen
      const name = relations.get(relation)?.target
      const data = await optional(file, name)
      const drawing = name && data && items(data).length === 0 ? await drawingOf(file, name, relations) : undefined
      return { ...place, items: readSmartArt(data, drawing) }
    }
    case 'text':
    case 'table':
    case 'picture':
    case 'connector':
      return seen
    case 'other':
      return undefined
  }
}

const numberOf = (name: string) => /(\d{1,6})\.xml$/.exec(name)?.[1]
const items = (data: Element) => readSmartArt(data, undefined)

/** The drawing that PowerPoint keeps of a diagram has the number of its data. */
function drawingOf(file: Package, name: string, relations: Relations): Promise<Element | undefined> {
  const drawn = [...relations.values()].filter(({ type }) => type === 'diagramDrawing').map(({ target }) => target)
  const number = numberOf(name)
  return optional(file, drawn.find((target) => numberOf(target) === number) ?? drawn[0])
}

/** A chart or a diagram that is missing or damaged costs itself alone. */
async function optional(file: Package, name: string | undefined): Promise<Element | undefined> {
  try {
    return name === undefined ? undefined : await file.part(name)
  } catch (error) {
    if (error instanceof DocumentError) return undefined
    throw error
  }
}

/** The words of a notes page: its body alone. */
async function notesOf({ file, defaults }: Deck, relations: Relations): Promise<string> {
  const name = targetOf(relations, 'notesSlide')
  const notes = name === undefined ? undefined : await file.part(name)
  return children(child(notes, 'cSld', 'spTree'), 'sp')
    .filter((shape) => placeholderOf(shape)?.attributes['type'] === 'body')
    .flatMap((shape) => paragraphsOf(child(shape, 'txBody'), chainOf(shape, { defaults })).map(({ text }) => text))
    .join('\n')
}
