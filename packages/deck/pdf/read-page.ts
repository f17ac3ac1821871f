// A page of a PDF as a person reads it: title, blocks in reading order, furniture set apart. Geometry in, words out; every letter of
// the page is in one of the three.
import type { Box } from '@rostrum/contract/deck'
import type { PageDraft } from '../block.ts'
import type { Draft, FigureKind } from '@rostrum/contract/block'
import { blocksOf, boxOf, join, type Sheet } from './flow.ts'
import { type Area, around, heightOf, type Link, median, type Shape, widthOf } from './geometry.ts'
import { bodySize, type Habits, type PageLines, titleOf } from './title.ts'
import type { Line } from './lines.ts'
import { alignedTables, type Found, tableOf, taggedTables } from './tables.ts'

// Tables whose cells are drawn as boxes, filled or framed, that all but touch: the boxes say what belongs together.

const boxesMax = 400
const rowsMin = 3

/** The words of cards that stand apart are no table, nor those of a drawing, whose boxes keep no columns. */
function boxedTables(lines: readonly Line[], shapes: readonly Shape[], sheet: Sheet): Found[] {
  const { width, height } = sheet.page
  const isCell = ({ kind, area }: Shape) =>
    kind === 'path' && widthOf(area) > 0.03 * width && widthOf(area) < 0.6 * width && heightOf(area) > 6 && heightOf(area) < 0.3 * height
  const boxes = shapes.filter(isCell).slice(0, boxesMax)
  return gridsOf(boxes.map(({ area }) => area)).flatMap((rows) => {
    const held = rows.map((cells) =>
      cells.map((cell) => lines.filter(({ area }) => isInside(area, cell))).filter((cell) => cell.length > 0),
    )
    const full = held.filter((cells) => cells.length > 0)
    const isTable = full.length >= rowsMin && full.filter((cells) => cells.length > 1).length * 2 > full.length
    return isTable ? tableOf(full, sheet) : []
  })
}

const near = (a: number, b: number) => Math.abs(a - b) < 3

/** Rows of boxes that are as high as each other, under each other in the same columns, each row close to the one above. */
function gridsOf(areas: readonly Area[]): Area[][][] {
  const rows: Area[][] = []
  for (const area of areas.toSorted((a, b) => a.y0 - b.y0 || a.x0 - b.x0)) {
    const row = rows.find(([first]) => first !== undefined && near(first.y0, area.y0) && near(first.y1, area.y1))
    if (row === undefined) rows.push([area])
    else row.push(area)
  }
  const grids: Area[][][] = []
  for (const row of rows.filter((cells) => isClose(cells.toSorted((a, b) => a.x0 - b.x0)))) {
    const grid = grids.find((one) => goesOn(one.at(-1) ?? [], row))
    if (grid === undefined) grids.push([row])
    else grid.push(row)
  }
  return grids.filter((grid) => grid.length >= rowsMin)
}

const isClose = (cells: readonly Area[]) =>
  cells.length > 1 && cells.every((cell, at) => at === 0 || Math.abs(cell.x0 - (cells[at - 1]?.x1 ?? 0)) < gapMax(cell))

/** Cells lie side by side; cards leave as much between them as a line is high. */
const gapMax = (cell: Area) => Math.min(8, 0.3 * heightOf(cell))

function goesOn(above: readonly Area[], row: readonly Area[]): boolean {
  const [last, first] = [above[0], row[0]]
  if (last === undefined || first === undefined || Math.abs(first.y0 - last.y1) > gapMax(first)) return false
  const shared = row.filter((cell) => above.some((other) => near(other.x0, cell.x0) && near(other.x1, cell.x1))).length
  return shared >= 2 && shared >= Math.min(row.length, above.length)
}

function isInside({ x0, x1, y0, y1 }: Area, cell: Area): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2]
  return x > cell.x0 && x < cell.x1 && y > cell.y0 && y < cell.y1
}

// Words inside drawings: names in boxes, numbers at axes, what is written along a line. They are labels, nobody reads them as sentences.

const wordsMax = 6
const shapesMax = 600
const figure = /^[<>~≈+\-–—]?\s?[$€£¥]?\d[\d\s.,:%$€£¥/]*\s?[\p{L}%]{0,4}$/u

/** Labels of a page, with what they are labels of; everything else is text. */
function labelsOf(lines: readonly Line[], shapes: readonly Shape[], page: PageLines): { labels: readonly Line[]; shows: FigureKind } {
  const boxes = shapes.filter((shape) => isBox(shape, page)).slice(0, shapesMax)
  const held = new Map<Shape, Line[]>()
  for (const line of lines) {
    const box = smallestAround(boxes, line)
    if (box !== undefined) held.set(box, [...(held.get(box) ?? []), line])
  }
  const named = [...held.values()].filter((inside) => isLabel(inside))
  const turned = lines.filter(({ isTurned }) => isTurned)
  const figures = lines.filter(({ text, mark, isTurned }) => mark === undefined && !isTurned && figure.test(text))
  const isChart = figures.length >= 4 && figures.length * 2 >= lines.length
  const isDiagram = named.length >= 3
  const labels = new Set([...turned, ...(isChart ? figures : []), ...(isDiagram ? named.flat() : [])])
  return { labels: [...labels], shows: isChart ? 'chart' : 'diagram' }
}

const isBox = ({ kind, area, isFilled, isStroked }: Shape, { width, height }: PageLines) =>
  kind === 'path' &&
  (isFilled || isStroked) &&
  heightOf(area) > 8 &&
  widthOf(area) > 12 &&
  widthOf(area) * heightOf(area) < 0.2 * width * height

function smallestAround(boxes: readonly Shape[], { area }: Line): Shape | undefined {
  let best: Shape | undefined
  const [x, y] = [(area.x0 + area.x1) / 2, (area.y0 + area.y1) / 2]
  for (const box of boxes) {
    const { x0, x1, y0, y1 } = box.area
    const isInside = x > x0 && x < x1 && y > y0 && y < y1 && widthOf(area) < 1.15 * (x1 - x0) && heightOf(area) < 1.5 * (y1 - y0)
    if (isInside && (best === undefined || widthOf(box.area) * heightOf(box.area) < widthOf(best.area) * heightOf(best.area))) best = box
  }
  return best
}

function isLabel(lines: readonly Line[]): boolean {
  const words = lines.flatMap(({ text }) => text.split(' '))
  return words.length <= wordsMax && lines.every(({ mark }) => mark === undefined)
}

// Columns and bands of a page, in the order in which they are read: cut where a gap goes through from side to side.

interface Placed {
  area: Area
  size: number
  lineCount: number
}

const depthMax = 12
/** Of what is written, without the room between lines. */
const lineHeight = 1.02

/** Parts of the page; within each, lines stand below one another. */
function regionsOf<T extends Placed>(items: readonly T[], depth = 0): T[][] {
  if (items.length < 2 || depth > depthMax) return items.length === 0 ? [] : [byPlace(items)]
  const lineCount = items.reduce((sum, each) => sum + each.lineCount, 0)
  const size = items.reduce((sum, each) => sum + each.size * each.lineCount, 0) / lineCount
  const gap = columnGap(items) * size
  const columns = split(items, (area) => [area.x0, area.x1], gap)
  if (columns.length > 1) return columns.flatMap((column) => regionsOf(column, depth + 1))
  const bands = split(items, (area) => [area.y0, area.y1], 0.1 * size)
  if (bands.length < 2) return [byPlace(items)]
  // A band across the page parts what is above it from what is below; bands that hold columns are read one after the other.
  const merged = joined(bands, gap)
  return merged.length < 2 ? merged.map((band) => byPlace(band)) : merged.flatMap((band) => regionsOf(band, depth + 1))
}

/** Texts of several lines show where their columns end; single lines may stand apart by chance. */
function columnGap(items: readonly Placed[]): number {
  const single = items.filter(({ lineCount }) => lineCount === 1).length
  const all = items.reduce((sum, { lineCount }) => sum + lineCount, 0)
  return single * 5 > all ? 1.2 : 0.4
}

/** Bands that are columns of the same make belong together: a row of one is not read before the next column's. */
function joined<T extends Placed>(bands: readonly T[][], gap: number): T[][] {
  const all: T[][] = []
  let columns: T[][] = []
  for (const band of bands) {
    const both = [...(all.at(-1) ?? []), ...band]
    const together = all.length === 0 ? [] : split(both, (area) => [area.x0, area.x1], gap)
    const alone = split(band, (area) => [area.x0, area.x1], gap)
    const isSame =
      together.length > 1 && (alone.length > 1 || columns.length > 1) && together.length >= Math.max(alone.length, columns.length)
    const isPlain = alone.length === 1 && columns.length === 1
    if (all.length > 0 && (isSame || isPlain)) {
      all[all.length - 1] = both
      columns = isPlain ? [both] : together
    } else {
      all.push([...band])
      columns = alone
    }
  }
  return all
}

function split<T extends Placed>(items: readonly T[], range: (area: Area) => [number, number], gap: number): T[][] {
  const sorted = items.toSorted((a, b) => range(a.area)[0] - range(b.area)[0])
  const parts: T[][] = []
  let end = -Infinity
  for (const item of sorted) {
    const [from, to] = range(item.area)
    if (from - end > gap || parts.length === 0) parts.push([item])
    else parts.at(-1)?.push(item)
    end = Math.max(end, to)
  }
  return parts
}

/** By their first lines. */
const byPlace = <T extends Placed>(items: readonly T[]): T[] => items.toSorted((a, b) => firstEnd(a) - firstEnd(b) || a.area.x0 - b.area.x0)
const firstEnd = ({ area: { y0, y1 }, size, lineCount }: Placed) => (lineCount === 1 ? y1 : y0 + lineHeight * size)

/** More pieces than a page that is shown to people holds: they are read from top to bottom, no more is made of them. */
const linesMax = 1_500

export function readPage(page: PageLines, shapes: readonly Shape[], habits: Habits, links: readonly Link[] = []): PageDraft {
  const all = page.lines.filter(({ text }) => text !== '')
  const furniture = all.filter((line) => habits.isFurniture(line, page))
  const ours = minus(all, furniture)
  const boxed = ours.length > linesMax ? [] : boxedTables(ours, shapes, { page, habits, bodySize: bodySize(ours) })
  const title = titleOf(minus(ours, linesIn(boxed)).slice(0, linesMax), page, habits)
  const titleText = title.lines.reduce((text, line) => (text === '' ? line.text : join(text, line.text, habits.words)), '').trim()
  const rest = titleText === '' ? ours : minus(ours, title.lines)
  const sheet = { page, habits, bodySize: bodySize(rest) }
  return {
    title: titleText,
    titleFrom: titleText === '' ? 'none' : title.from,
    isTitleSure: title.isSure,
    blocks: rest.length > linesMax ? plain(rest, sheet) : linked(laidOut(rest, shapes, boxed, sheet), links, page),
    furniture: furniture.map(({ text }) => text),
  }
}

function plain(lines: readonly Line[], { page }: Sheet): Draft[] {
  return lines.map(({ text, area }) => ({ kind: 'paragraph', text, boxes: [boxOf(area, page)] }))
}

type Item = Placed & ({ lines: readonly Line[] } | { block: Draft })

function laidOut(lines: readonly Line[], shapes: readonly Shape[], boxed: readonly Found[], sheet: Sheet): Draft[] {
  const tagged = taggedTables(lines, sheet)
  const taken = new Set(linesIn(tagged))
  const drawn = [...tagged, ...boxed.filter((table) => !table.lines.some((line) => taken.has(line)))]
  const tables = [...drawn, ...alignedTables(minus(lines, linesIn(drawn)), shapes, sheet)]
  const free = minus(lines, linesIn(tables))
  const { labels, shows } = labelsOf(free, shapes, sheet.page)
  const text = minus(free, labels)
  const items: Item[] = [...textsOf(text), ...tables.map(({ block, area }) => ({ block, area, size: sheet.bodySize, lineCount: 1 }))]
  const blocks = regionsOf(items).flatMap((region) => regionBlocks(region, sheet))
  if (labels.length === 0) return blocks
  const written = wholeLabels(
    regionsOf(labels.map((line) => ({ ...line, line, lineCount: 1 })))
      .flat()
      .map(({ line }) => line),
  ).map((lines) => ({
    text: lines.map((line) => line.text.replace(/[[\]|]/gu, ' ').trim()).join(' '),
    boxes: lines.map(({ area }) => boxOf(area, sheet.page)),
  }))
  return [...blocks, { kind: 'figure', shows, labels: written }]
}

/** What was written line below line is one text, whatever stands beside it. */
function textsOf(lines: readonly Line[]): Item[] {
  const free = new Set(lines)
  const texts = lines
    .toSorted((a, b) => a.written[0] - b.written[0])
    .flatMap((first) => {
      const text: Line[] = []
      for (let line: Line | undefined = first; line !== undefined && free.delete(line); line = line.after) text.push(line)
      return text.length === 0 ? [] : [text]
    })
  return texts.map((text) => ({
    lines: text,
    area: around(text.map(withMark)),
    size: median(text.map(({ size }) => size)),
    lineCount: text.length,
  }))
}

/** A name that takes two lines in its box is one label. */
function wholeLabels(lines: readonly Line[]): Line[][] {
  const labels: Line[][] = []
  for (const line of lines) {
    const begun =
      labels.find((label) => label.at(-1)?.after === line && label.at(-1)?.wraps !== undefined) ??
      labels.find((label) => isBelow(line, label.at(-1) ?? line))
    if (begun === undefined) labels.push([line])
    else begun.push(line)
  }
  return labels
}

function isBelow(line: Line, last: Line): boolean {
  const step = (line.baseline - last.baseline) / Math.max(1, last.size)
  const isInLine =
    Math.abs(line.area.x0 - last.area.x0) < last.size / 2 || Math.abs(line.area.x0 + line.area.x1 - last.area.x0 - last.area.x1) < last.size
  const isAlike = Math.abs(line.size - last.size) < 0.18 * last.size && !line.isTurned && !last.isTurned
  return isAlike && isInLine && step > 0.6 && step < 1.4 && [line, last].every(({ text }) => /\p{L}{2}/u.test(text))
}

const withMark = ({ area, mark }: Line): Area => (mark === undefined ? area : { ...area, x0: Math.min(area.x0, mark.area.x0) })

const linesIn = (tables: readonly Found[]) => tables.flatMap((table) => table.lines)

function minus(lines: readonly Line[], others: readonly Line[]): Line[] {
  const out = new Set(others)
  return lines.filter((line) => !out.has(line))
}

function regionBlocks(region: readonly Item[], sheet: Sheet): Draft[] {
  const blocks: Draft[] = []
  let lines: Line[] = []
  const end = () => {
    if (lines.length > 0) blocks.push(...blocksOf(lines, sheet))
    lines = []
  }
  for (const item of region) {
    if ('lines' in item) lines.push(...item.lines)
    else {
      end()
      blocks.push(item.block)
    }
  }
  end()
  return blocks
}

/** A paragraph all of whose lines lie in links to one address is that link. */
function linked(blocks: readonly Draft[], links: readonly Link[], { width, height }: { width: number; height: number }): Draft[] {
  const urlAt = ([x, y, w, h]: Box) => {
    const [mx, my] = [(x + w / 2) * width, (y + h / 2) * height]
    const over = ({ area: { x0, x1, y0, y1 } }: Link) => mx > x0 && mx < x1 && my > y0 && my < y1 && x1 - x0 > 0.6 * w * width
    return links.find(over)?.url
  }
  return blocks.map((block) => {
    if (links.length === 0 || block.kind !== 'paragraph') return block
    const urls = new Set((block.boxes ?? []).map(urlAt))
    const [url] = urls
    return urls.size === 1 && url !== undefined && !/[[\]]/u.test(block.text) ? { ...block, kind: 'link', url } : block
  })
}
