// Tables: what a tagged document says are cells, else rows of words that keep the same columns between rulings or at a distance.
import type { Draft, Words } from '../blocks/block.ts'
import { boxOf, join } from './flow.ts'
import type { Area, Shape, Tag } from './geometry.ts'
import { around, heightOf, widthOf } from './geometry.ts'
import type { Line } from './lines.ts'
import type { Sheet } from './flow.ts'

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
  const columns = columnsOf(rows.flat().map((cell) => around(cell.map(({ area }) => area))))
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
  const tags = first.flat().map(({ tag }) => roleAbove(tag, /^T[HD]$/u)?.role)
  if (tags.every((role) => role === 'TH') && tags.length > 0) return true
  const isBold = (cells: readonly (readonly Line[])[]) => cells.flat().every((line) => line.isBold)
  if (isBold(first) && !rest.every(isBold)) return true
  const counts = (cells: readonly (readonly Line[])[]) => cells.flat().filter(({ text }) => /\d/u.test(text)).length
  return counts(first) === 0 && rest.some((cells) => counts(cells) > 0)
}

function columnsOf(areas: readonly Area[]): Area[] {
  const columns: Area[] = []
  // Narrow cells tell the columns; one that spans several must not join them.
  const typical = areas.map(widthOf).toSorted((a, b) => a - b)[Math.floor(areas.length * 0.9)] ?? Infinity
  for (const area of areas.filter((each) => widthOf(each) <= typical).toSorted((a, b) => a.x0 - b.x0)) {
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
  const rulings = shapes.filter(({ area }) => heightOf(area) < 4 && widthOf(area) > 0.12 * sheet.page.width).slice(0, 300)
  const rows = rowsOf(lines.filter(({ isTurned, mark }) => !isTurned && mark === undefined))
  const found: Found[] = []
  let run: Line[][] = []
  const end = () => {
    if (isTable(run, rulings))
      found.push(
        ...tableOf(
          run.map((row) => row.map((line) => [line])),
          sheet,
        ),
      )
    run = []
  }
  for (const row of rows) {
    const last = run.at(-1)
    if (row.length < 2) end()
    else if (last === undefined || keepsColumns(last, row)) run.push(row)
    else {
      end()
      run.push(row)
    }
  }
  end()
  return found
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

function keepsColumns(a: readonly Line[], b: readonly Line[]): boolean {
  const size = Math.max(a[0]?.size ?? 0, b[0]?.size ?? 0)
  const gap = (b[0]?.area.y0 ?? 0) - (a[0]?.area.y1 ?? 0)
  const starts = b.filter((line) => a.some((other) => isAligned(line, other))).length
  return gap < 3 * size && starts >= 2 && starts * 2 > Math.min(a.length, b.length)
}

function isAligned(a: Line, b: Line): boolean {
  const slack = 0.6 * a.size
  const middle = ({ area: { x0, x1 } }: Line) => (x0 + x1) / 2
  return Math.abs(a.area.x0 - b.area.x0) < slack || Math.abs(a.area.x1 - b.area.x1) < slack || Math.abs(middle(a) - middle(b)) < slack
}

function isTable(rows: readonly (readonly Line[])[], rulings: readonly Shape[]): boolean {
  if (rows.length < 2) return false
  const cells = rows.flat()
  const area = around(cells.map((line) => line.area))
  const crossing = rulings.filter(
    (ruling) =>
      ruling.area.y0 > area.y0 - 20 &&
      ruling.area.y1 < area.y1 + 20 &&
      ruling.area.x0 < area.x0 + 0.3 * widthOf(area) &&
      ruling.area.x1 > area.x1 - 0.5 * widthOf(area),
  )
  if (crossing.length >= 2) return true
  const columns = Math.max(...rows.map((row) => row.length))
  if (rows.length < 3) return false
  const words = cells.reduce((sum, { text }) => sum + text.split(' ').length, 0) / cells.length
  const figures = cells.filter(({ text }) => /^[\d\s.,:%$€£¥+\-–—×x/<>~≈]*\d[\d\s.,:%$€£¥+\-–—×x/<>~≈a-zA-Z]{0,6}$/u.test(text)).length
  const size = cells[0]?.size ?? 12
  const pitch = ((rows.at(-1)?.[0]?.baseline ?? 0) - (rows[0]?.[0]?.baseline ?? 0)) / Math.max(1, rows.length - 1) / size
  return (figures * 10 >= cells.length * 4 && columns >= 2) || (columns >= 3 && pitch > 1.7 && words <= 5)
}
