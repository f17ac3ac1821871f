// Tables: what a tagged document says are cells, else rows of words that keep the same columns between rulings or at a distance.
import type { Draft, Words } from '@rostrum/contract/block'
import { boxOf, join, type Sheet } from './flow.ts'
import { type Area, around, type Shape, type Tag, widthOf } from './geometry.ts'
import type { Line } from './lines.ts'

export interface Found {
  block: Draft
  lines: readonly Line[]
  area: Area
}

const roleAbove = (tag: Tag | undefined, role: RegExp): Tag | undefined =>
  tag === undefined || role.test(tag.role) ? tag : roleAbove(tag.parent, role)

export function taggedTables(lines: readonly Line[], sheet: Sheet): Found[] {
  const tables = new Map<Tag, Map<Tag, Map<Tag, Line[]>>>()
  for (const line of lines) {
    const cell = roleAbove(line.tag, /^T[HD]$/u)
    const row = roleAbove(cell?.parent, /^TR$/u)
    const table = roleAbove(row?.parent, /^Table$/u)
    if (cell === undefined || row === undefined || table === undefined) continue
    const rows = tables.get(table) ?? new Map<Tag, Map<Tag, Line[]>>()
    const cells = rows.get(row) ?? new Map<Tag, Line[]>()
    cells.set(cell, [...(cells.get(cell) ?? []), line])
    rows.set(row, cells)
    tables.set(table, rows)
  }
  return [...tables.values()].flatMap((rows) => {
    const held = [...rows.values()].map((cells) => [...cells.values()])
    return tableOf(held, sheet)
  })
}

/** Cells find their column by where they stand, so that an empty one is empty. */
export function tableOf(rows: readonly (readonly Line[])[][], sheet: Sheet): Found[] {
  const lines = rows.flat(2)
  const columns = columnsOf(rows.map((cells) => cells.map((cell) => around(cell.map(({ area }) => area)))))
  if (columns.length < 2 || rows.length < 2) return []
  const ordered = rows.toSorted((a, b) => topOf(a) - topOf(b))
  const block: Draft = {
    kind: 'table',
    hasHeader: hasHeader(ordered),
    rows: ordered.map((cells) => {
      const row: Line[][] = columns.map(() => [])
      for (const cell of cells) row[columnAt(columns, around(cell.map(({ area }) => area)))]?.push(...cell)
      return row.map((held) => cellOf(held, sheet))
    }),
  }
  return [{ block, lines, area: around(lines.map(({ area }) => area)) }]
}

const topOf = (cells: readonly (readonly Line[])[]) => Math.min(...cells.flat().map(({ area }) => area.y0))

function cellOf(lines: readonly Line[], { page, habits }: Sheet): Words {
  const sorted = lines.toSorted((a, b) => a.baseline - b.baseline || a.area.x0 - b.area.x0)
  const text = sorted.reduce((all, line) => (all === '' ? line.text : join(all, line.text, habits.words)), '')
  return { text: text.replace(/\s+/gu, ' ').replaceAll('|', '/').trim(), boxes: sorted.map(({ area }) => boxOf(area, page)) }
}

/** Its first row is set otherwise, or names what the others count. */
function hasHeader(rows: readonly (readonly (readonly Line[])[])[]): boolean {
  const [first = [], ...rest] = rows
  const isBold = (cells: readonly (readonly Line[])[]) => cells.flat().every((line) => line.isBold)
  if (isBold(first) && !rest.every(isBold)) return true
  const counts = (cells: readonly (readonly Line[])[]) => cells.flat().filter(({ text }) => /\d/u.test(text)).length
  return counts(first) === 0 && rest.some((cells) => counts(cells) > 0)
}

/** The rows with the most cells tell the columns: those of the others may span several. */
function columnsOf(rows: readonly (readonly Area[])[]): Area[] {
  const most = Math.max(0, ...rows.map((row) => row.length))
  const columns: Area[] = []
  for (const area of rows
    .filter((row) => row.length === most)
    .flat()
    .toSorted((a, b) => a.x0 - b.x0)) {
    const last = columns.at(-1)
    if (last !== undefined && area.x0 < last.x1) Object.assign(last, { x1: Math.max(last.x1, area.x1) })
    else columns.push({ ...area })
  }
  return columns
}

function columnAt(columns: readonly Area[], { x0, x1 }: Area): number {
  let best = 0
  let most = -Infinity
  for (const [at, column] of columns.entries()) {
    const shared = Math.min(x1, column.x1) - Math.max(x0, column.x0)
    if (shared > most) [best, most] = [at, shared]
  }
  return best
}

/** Rows of a page whose cells keep their columns, ruled or set apart. */
export function alignedTables(lines: readonly Line[], shapes: readonly Shape[], sheet: Sheet): Found[] {
  const edges = edgesOf(shapes)
  const own = new Set(lines)
  const next = new Map(
    lines.flatMap((line) => {
      const { after } = line
      return after !== undefined && own.has(after) && isSameCell(line, after, edges) ? [[line, after]] : []
    }),
  )
  const goingOn = new Set(next.values())
  const rows = rowsOf(lines.filter((line) => !line.isTurned && line.mark === undefined && !goingOn.has(line)))
  const found: Found[] = []
  let run: Line[][] = []
  const end = () => {
    const held = tableRows(run, edges, next)
    if (held.length > 1 && !areCards(held, shapes)) found.push(...tableOf(held, sheet))
    run = []
  }
  for (const row of rows) {
    const last = run.at(-1)
    if (last !== undefined && row.length === 1 && isUnder(run, row[0])) run.push(row)
    else if (row.length < 2) end()
    else if (last === undefined || keepsColumns(run, row)) run.push(row)
    else {
      end()
      run.push(row)
    }
  }
  end()
  return found
}

/** Columns that are drawn apart, each in a box of its own: names in a drawing, or cards side by side, not a table. */
function areCards(rows: readonly (readonly (readonly Line[])[])[], shapes: readonly Shape[]): boolean {
  const cells = rows.flat().map((cell) => around(cell.map(({ area }) => area)))
  const columns = columnsOf(rows.map((row) => row.map((cell) => around(cell.map(({ area }) => area))))).map((column) =>
    around(cells.filter(({ x0, x1 }) => x0 < column.x1 && x1 > column.x0)),
  )
  const boxes = columns.map((column) =>
    shapes.find(
      ({ kind, area }) =>
        kind === 'path' && isWithin(column, area) && !cells.some((cell) => isWithin(cell, area) && !isWithin(cell, column)),
    ),
  )
  return boxes.every((box, at) => {
    const before = boxes[at - 1]
    return box !== undefined && (at === 0 || (before !== undefined && box.area.x0 - before.area.x1 > apart))
  })
}

const apart = 2

const isWithin = (inner: Area, { x0, x1, y0, y1 }: Area) =>
  inner.x0 > x0 - 1 &&
  inner.x1 < x1 + 1 &&
  (inner.y0 + inner.y1) / 2 > y0 &&
  (inner.y0 + inner.y1) / 2 < y1 &&
  inner.y1 - inner.y0 < y1 - y0

interface Edge {
  y: number
  x0: number
  x1: number
}

const edgesMax = 800

/** Rulings, and the upper and lower sides of boxes. */
function edgesOf(shapes: readonly Shape[]): Edge[] {
  return shapes
    .filter(({ kind, area }) => kind === 'path' && widthOf(area) > 20)
    .slice(0, edgesMax)
    .flatMap(({ area: { x0, x1, y0, y1 } }) =>
      y1 - y0 < 4
        ? [{ y: (y0 + y1) / 2, x0, x1 }]
        : [
            { y: y0, x0, x1 },
            { y: y1, x0, x1 },
          ],
    )
    .toSorted((a, b) => a.y - b.y)
}

/** A line of its own below a row, within one of its columns: the cell goes on. */
function isUnder(run: readonly (readonly Line[])[], line: Line | undefined): boolean {
  const last = run.at(-1)?.[0]
  if (line === undefined || last === undefined || line.baseline - last.baseline > 1.6 * line.size) return false
  return run.flat().some((other) => isAligned(line, other))
}

/** The rows of a table, each of cells of one or more lines; none where these lines are no table. */
function tableRows(run: readonly (readonly Line[])[], edges: readonly Edge[], next: ReadonlyMap<Line, Line>): Line[][][] {
  const lines = run.flat().flatMap((line) => textFrom(line, next))
  if (run.length < 2) return []
  const area = around(lines.map((line) => line.area))
  const size = lines[0]?.size ?? 12
  const levels = levelsOf(
    edges.filter(({ y }) => y > area.y0 - 2 * size && y < area.y1 + 2 * size),
    area,
  )
  const bands = new Map<number, Line[]>()
  for (const line of lines) {
    const band = levels.findIndex((y) => y > line.baseline - 0.3 * size)
    bands.set(band, [...(bands.get(band) ?? []), line])
  }
  const columns = columnsOf(run.map((row) => row.map((line) => line.area)))
  const split = (held: readonly Line[]): Line[][] => {
    const cells: Line[][] = columns.map(() => [])
    for (const line of held) cells[columnAt(columns, line.area)]?.push(line)
    return cells.filter((cell) => cell.length > 0)
  }
  // Ruled between rows: what stands between two rulings is a row, however many lines its cells take.
  if (bands.size >= 3 && columns.length > 1) {
    const rows = [...bands.values()].map(split)
    return rows.flat().some(isColumn) ? [] : rows
  }
  return isTable(run, levels.length) ? run.map((row) => row.map((line) => textFrom(line, next))) : []
}

function textFrom(first: Line, next: ReadonlyMap<Line, Line>): Line[] {
  const all: Line[] = []
  for (let line: Line | undefined = first; line !== undefined; line = next.get(line)) all.push(line)
  return all
}

/** Wrapped, or written below the other as lines of one text are, with no ruling between. */
function isSameCell(line: Line, below: Line, edges: readonly Edge[]): boolean {
  if (line.wraps !== undefined) return true
  const isParted = ({ y, x0, x1 }: Edge) => y > line.baseline && y < below.baseline && x0 < line.area.x1 && x1 > line.area.x0
  return below.baseline - line.baseline < 1.3 * line.size && below.isBold === line.isBold && !edges.some(isParted)
}

const cellWords = 60

/** More than a cell holds: two texts stand beside each other, framed alike. */
const isColumn = (lines: readonly Line[]) => lines.reduce((sum, { text }) => sum + text.split(' ').length, 0) > cellWords

/** Heights at which edges go through most of the width. */
function levelsOf(edges: readonly Edge[], area: Area): number[] {
  const levels: number[] = []
  let at: Edge[] = []
  const end = () => {
    const covered = at.reduce((sum, { x0, x1 }) => sum + Math.max(0, Math.min(x1, area.x1) - Math.max(x0, area.x0)), 0)
    const [first] = at
    if (first !== undefined && covered > 0.6 * widthOf(area)) levels.push(first.y)
    at = []
  }
  for (const edge of edges) {
    if (at[0] !== undefined && edge.y - at[0].y > 3) end()
    at.push(edge)
  }
  end()
  return levels
}

function rowsOf(lines: readonly Line[]): Line[][] {
  const rows: Line[][] = []
  for (const line of lines.toSorted((a, b) => a.baseline - b.baseline)) {
    const last = rows.at(-1)?.[0]
    if (last !== undefined && line.baseline - last.baseline < 0.4 * line.size) rows.at(-1)?.push(line)
    else rows.push([line])
  }
  return rows.map((row) => row.sort((a, b) => a.area.x0 - b.area.x0))
}

function keepsColumns(run: readonly (readonly Line[])[], b: readonly Line[]): boolean {
  const a = run.findLast((row) => row.length > 1) ?? []
  const last = run.at(-1)?.[0]
  const size = Math.max(last?.size ?? 0, b[0]?.size ?? 0)
  const gap = (b[0]?.area.y0 ?? 0) - (last?.area.y1 ?? 0)
  const starts = b.filter((line) => a.some((other) => isAligned(line, other))).length
  return gap < 3 * size && starts >= 2 && starts * 2 > Math.min(a.length, b.length)
}

function isAligned(a: Line, b: Line): boolean {
  const slack = 0.6 * a.size
  const middle = ({ area: { x0, x1 } }: Line) => (x0 + x1) / 2
  return Math.abs(a.area.x0 - b.area.x0) < slack || Math.abs(a.area.x1 - b.area.x1) < slack || Math.abs(middle(a) - middle(b)) < slack
}

const figure = /^[<>~≈+\-–—]?\s?[$€£¥]?\d[\d\s.,:%$€£¥/×x]*[\p{L}%]{0,6}$/u

/** Without rulings between the rows: figures in columns, or short words set further apart than lines of a text are. */
function isTable(rows: readonly (readonly Line[])[], rulings: number): boolean {
  const full = rows.filter((row) => row.length > 1)
  if (full.length < 3 && (rulings < 2 || full.length < 2)) return false
  if (full.length < rows.length) return false
  const cells = rows.flat()
  const columns = Math.max(...rows.map((row) => row.length))
  const words = cells.reduce((sum, { text }) => sum + text.split(' ').length, 0) / cells.length
  const figures = cells.filter(({ text }) => figure.test(text)).length
  const size = cells[0]?.size ?? 12
  const pitch = ((rows.at(-1)?.[0]?.baseline ?? 0) - (rows[0]?.[0]?.baseline ?? 0)) / Math.max(1, rows.length - 1) / size
  if (figures * 10 >= cells.length * 4) return true
  return (rulings >= 2 && words <= 4) || (columns >= 3 && pitch > 1.7 && words <= 5)
}
