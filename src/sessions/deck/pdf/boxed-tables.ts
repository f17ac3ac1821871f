// Tables whose cells are drawn as boxes, filled or framed, that all but touch: the boxes say what belongs together.
import type { Sheet } from './flow.ts'
import { type Area, heightOf, type Shape, widthOf } from './geometry.ts'
import type { Line } from './lines.ts'
import { type Found, tableOf } from './tables.ts'

const boxesMax = 400
const rowsMin = 3

/** The words of cards that stand apart are no table, nor those of a drawing, whose boxes keep no columns. */
export function boxedTables(lines: readonly Line[], shapes: readonly Shape[], sheet: Sheet): Found[] {
  const { width, height } = sheet.page
  const isCell = ({ kind, area }: Shape) =>
    kind === 'path' && widthOf(area) > 0.03 * width && widthOf(area) < 0.6 * width && heightOf(area) > 6 && heightOf(area) < 0.3 * height
  const boxes = shapes.filter(isCell).slice(0, boxesMax)
  return gridsOf(distinct(boxes.map(({ area }) => area))).flatMap((rows) => {
    const held = rows.map((cells) =>
      cells.map((cell) => lines.filter(({ area }) => isInside(area, cell))).filter((cell) => cell.length > 0),
    )
    const full = held.filter((cells) => cells.length > 0)
    const isTable = full.length >= rowsMin && full.filter((cells) => cells.length > 1).length * 2 > full.length
    return isTable ? tableOf(full, sheet) : []
  })
}

/** A box and its frame are one. */
function distinct(areas: readonly Area[]): Area[] {
  const kept: Area[] = []
  for (const area of areas)
    if (!kept.some((other) => near(other.x0, area.x0) && near(other.x1, area.x1) && near(other.y0, area.y0) && near(other.y1, area.y1)))
      kept.push(area)
  return kept
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
