// Reads a PowerPoint file as a deck (ECMA-376): slide order from the relations of the presentation, what stands on each slide as
// blocks, speaker notes as private notes. Comments are not read; hidden slides are not presented.
import type { Box } from '@rostrum/contract/deck'
import { DocumentError, pagesMax } from '../protocol.ts'
import { readChart, readSmartArt } from './graphics.ts'
import { child, children, descendants, type Element, openPackage, openZip, type Package, targetOf } from './package.ts'
import { type Presentation, presentationOf, type SlideRead, type SlideSource } from './pages.ts'
import type { CellPart, Part, TextPart } from './slide-draft.ts'
import { chainOf, humanDescription, isOn, type Layers, oneLine, paragraphsOf, placeholderOf, type Relations } from './text.ts'

// What stands on a PowerPoint slide: its shapes in the order of the file, groups taken apart, each with its place on the slide.

interface Place {
  box?: Box
  alt?: string
}

/** As it stands in the file: a picture, a chart or a diagram lies in a part of its own. */
type Seen =
  | Exclude<Part, { kind: 'chart' | 'diagram' | 'picture' }>
  | (Place & { kind: 'chart'; relation: string })
  | (Place & { kind: 'diagram'; relation: string })
  | (Place & { kind: 'picture'; relation: string; video?: string })

interface Size {
  width: number
  height: number
}

/** From the units of a group to those of the slide. */
interface Frame {
  x: number
  y: number
  scaleX: number
  scaleY: number
}

interface Slide {
  size: Size
  layers: Layers
  relations: Relations
}

const whole: Frame = { x: 0, y: 0, scaleX: 1, scaleY: 1 }
const shapesMax = 3_000

function readShapes(slide: Element, context: Slide): Seen[] {
  const seen: Seen[] = []
  collect(child(slide, 'cSld', 'spTree'), whole, context, seen)
  return seen
}

function collect(tree: Element | undefined, frame: Frame, context: Slide, into: Seen[]): void {
  for (const shape of tree?.children ?? []) {
    if (into.length >= shapesMax) return
    const properties = shape.children.find(({ name }) => /^nv\p{L}+Pr$/u.test(name))
    const named = child(properties, 'cNvPr')
    if (isOn(named?.attributes['hidden'])) continue
    const place = { ...placeOf(shape, frame, context), ...altOf(named) }
    switch (shape.name) {
      case 'grpSp':
        collect(shape, frameWithin(shape, frame), context, into)
        break
      case 'sp':
        into.push(textShape(shape, place, context))
        break
      case 'cxnSp':
        into.push({ ...place, kind: 'connector' })
        break
      case 'graphicFrame':
        into.push(...framed(shape, place, context))
        break
      case 'pic':
        into.push(picture(shape, named, place))
        break
      case 'AlternateContent':
        collect(child(shape, 'Choice') ?? child(shape, 'Fallback'), frame, context, into)
        break
    }
  }
}

function altOf(named: Element | undefined): { alt?: string } {
  const isDecorative = descendants(named, 'decorative').some(({ attributes }) => isOn(attributes['val']))
  const alt = isDecorative ? undefined : humanDescription(named?.attributes['descr'])
  return alt === undefined ? {} : { alt: oneLine(alt) }
}

const transformOf = (shape: Element | undefined) => child(shape, 'spPr', 'xfrm') ?? child(shape, 'grpSpPr', 'xfrm') ?? child(shape, 'xfrm')

function placeOf(shape: Element, frame: Frame, { size, layers }: Slide): { box?: Box } {
  const transform =
    transformOf(shape) ??
    chainOf(shape, layers)
      .shapes.map(transformOf)
      .find((each) => each !== undefined)
  const box = transform && boxOf(transform, frame, size)
  return box === undefined ? {} : { box }
}

function boxOf(transform: Element, frame: Frame, { width, height }: Size): Box | undefined {
  const [w, h] = numbers(child(transform, 'ext'), 'cx', 'cy')
  if (w === undefined || h === undefined) return undefined
  const [x = 0, y = 0] = numbers(child(transform, 'off'), 'x', 'y')
  // A quarter turn exchanges the sides about the middle.
  const isTurned = Math.round(Math.abs(Number(transform.attributes['rot'] ?? 0)) / 5_400_000) % 2 === 1
  const [turnedX, turnedY, turnedW, turnedH] = isTurned ? [x + (w - h) / 2, y + (h - w) / 2, h, w] : [x, y, w, h]
  const left = (frame.x + turnedX * frame.scaleX) / width
  const top = (frame.y + turnedY * frame.scaleY) / height
  return clamped(left, top, left + (turnedW * frame.scaleX) / width, top + (turnedH * frame.scaleY) / height)
}

const within = (value: number) => Math.min(1, Math.max(0, value))
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

function clamped(left: number, top: number, right: number, bottom: number): Box {
  const [x, y] = [within(left), within(top)]
  return [rounded(x), rounded(y), rounded(Math.max(0, within(right) - x)), rounded(Math.max(0, within(bottom) - y))]
}

function numbers(element: Element | undefined, ...names: string[]): (number | undefined)[] {
  return names.map((name) => {
    const value = Number(element?.attributes[name] ?? Number.NaN)
    return Number.isFinite(value) ? value : undefined
  })
}

function frameWithin(group: Element, frame: Frame): Frame {
  const transform = transformOf(group)
  const [x, y, w, h] = [...numbers(child(transform, 'off'), 'x', 'y'), ...numbers(child(transform, 'ext'), 'cx', 'cy')]
  const [innerX, innerY, innerW, innerH] = [
    ...numbers(child(transform, 'chOff'), 'x', 'y'),
    ...numbers(child(transform, 'chExt'), 'cx', 'cy'),
  ]
  if (x === undefined || y === undefined || innerX === undefined || innerY === undefined) return frame
  const scaleX = frame.scaleX * ((w || 1) / (innerW || w || 1))
  const scaleY = frame.scaleY * ((h || 1) / (innerH || h || 1))
  return { x: frame.x + x * frame.scaleX - innerX * scaleX, y: frame.y + y * frame.scaleY - innerY * scaleY, scaleX, scaleY }
}

function textShape(shape: Element, place: Place, { layers, relations }: Slide): Seen {
  const chain = chainOf(shape, layers)
  const paragraphs = paragraphsOf(child(shape, 'txBody'), chain, relations)
  const { placeholder } = chain
  return { ...place, kind: 'text', paragraphs, ...(placeholder !== undefined && { placeholder }) }
}

function framed(shape: Element, place: Place, { relations, layers }: Slide): Seen[] {
  const data = child(shape, 'graphic', 'graphicData')
  const chart = child(data, 'chart')?.attributes['r:id']
  if (chart !== undefined) return [{ ...place, kind: 'chart', relation: chart }]
  const diagram = child(data, 'relIds')?.attributes['r:dm']
  if (diagram !== undefined) return [{ ...place, kind: 'diagram', relation: diagram }]
  const table = child(data, 'tbl')
  return table === undefined ? [] : [readTable(table, place, relations, layers)]
}

/** Cells that are covered by a merged one stay as empty ones, so that every row has its columns. */
function readTable(table: Element, place: Place, relations: Relations, { defaults, master }: Layers): Seen {
  const style = defaults ?? child(master, 'txStyles', 'otherStyle')
  const widths = children(child(table, 'tblGrid'), 'gridCol').map(({ attributes }) => Number(attributes['w'] ?? 0) || 0)
  const rows = children(table, 'tr')
  const heights = rows.map(({ attributes }) => Number(attributes['h'] ?? 0) || 0)
  const isPlaced = (list: number[]) => list.reduce((sum, each) => sum + each, 0) > 0
  const box = isPlaced(widths) && isPlaced(heights) ? place.box : undefined
  const cells = rows.map((row, y) =>
    children(row, 'tc').map((cell, x): CellPart => {
      const isCovered = isOn(cell.attributes['hMerge']) || isOn(cell.attributes['vMerge'])
      const chain = { placeholder: undefined, shapes: [cell], style }
      const paragraphs = isCovered ? [] : paragraphsOf(child(cell, 'txBody'), chain, relations)
      return { paragraphs, ...(box !== undefined && { box: cellBox(box, widths, x, heights, y) }) }
    }),
  )
  return { ...place, kind: 'table', hasHeader: isOn(child(table, 'tblPr')?.attributes['firstRow']), rows: cells }
}

function cellBox([x, y, w, h]: Box, widths: readonly number[], column: number, heights: readonly number[], row: number): Box {
  const share = (list: readonly number[], from: number, to: number) =>
    list.slice(from, to).reduce((sum, each) => sum + each, 0) / list.reduce((sum, each) => sum + each, 0)
  const [left, top] = [x + w * share(widths, 0, column), y + h * share(heights, 0, row)]
  return clamped(left, top, left + w * share(widths, column, column + 1), top + h * share(heights, row, row + 1))
}

function picture(shape: Element, named: Element | undefined, place: Place): Seen {
  const relation = child(shape, 'blipFill', 'blip')?.attributes['r:embed'] ?? ''
  const media = child(shape, 'nvPicPr', 'nvPr')
  const isVideo = child(media, 'videoFile') !== undefined || child(media, 'quickTimeFile') !== undefined
  const name = oneLine(named?.attributes['name'] ?? '').replace(/\.\w{2,4}$/, '')
  return { ...place, kind: 'picture', relation, ...(isVideo && { video: name }) }
}

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

const isText = (seen: Seen): seen is TextPart => seen.kind === 'text'

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
    parts.push(await partOf(deck.file, each, relations))
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

async function partOf(file: Package, seen: Seen, relations: Relations): Promise<Part> {
  switch (seen.kind) {
    case 'chart': {
      const { relation, ...place } = seen
      const space = await file.optional(relations.get(relation)?.target)
      return { ...place, chart: space === undefined ? { title: '', axes: [] } : readChart(space) }
    }
    case 'diagram': {
      const { relation, ...place } = seen
      const name = relations.get(relation)?.target
      const data = await file.optional(name)
      const drawing = name && data && items(data).length === 0 ? await drawingOf(file, name, relations) : undefined
      return { ...place, items: readSmartArt(data, drawing) }
    }
    default:
      return seen
  }
}

const numberOf = (name: string) => /(\d{1,6})\.xml$/.exec(name)?.[1]
const items = (data: Element) => readSmartArt(data, undefined)

/** The drawing that PowerPoint keeps of a diagram has the number of its data. */
function drawingOf(file: Package, name: string, relations: Relations): Promise<Element | undefined> {
  const drawn = [...relations.values()].filter(({ type }) => type === 'diagramDrawing').map(({ target }) => target)
  const number = numberOf(name)
  return file.optional(drawn.find((target) => numberOf(target) === number) ?? drawn[0])
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
