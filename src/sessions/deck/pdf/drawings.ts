// Words inside drawings: names in boxes, numbers at axes, what is written along a line. They are labels, nobody reads them as sentences.
import type { FigureKind } from '../blocks/block.ts'
import { heightOf, type Shape, widthOf } from './geometry.ts'
import type { PageLines } from './habits.ts'
import type { Line } from './lines.ts'

const wordsMax = 6
const shapesMax = 600
const figure = /^[<>~≈+\-–—]?\s?[$€£¥]?\d[\d\s.,:%$€£¥/]*\s?[\p{L}%]{0,4}$/u

/** Labels of a page, with what they are labels of; everything else is text. */
export function labelsOf(
  lines: readonly Line[],
  shapes: readonly Shape[],
  page: PageLines,
): { labels: readonly Line[]; shows: FigureKind } {
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
