// The boxes that one path of a PDF draws: whoever fills the cells of a table in one colour makes a single path of them.

type Call = (...values: readonly number[]) => number

/** Of PDFium (`fpdf_edit.h`). */
export interface PathCalls {
  Path_CountSegments: Call
  Path_GetPathSegment: Call
  PathSegment_GetPoint: Call
  PathSegment_GetType: Call
  memory: () => ArrayBufferLike
}

/** Left, bottom, right, top in the space of the path. */
export type Corners = [left: number, bottom: number, right: number, top: number]

const [lineTo, moveTo] = [0, 2]
const segmentsMax = 1_500

/** Empty for a path that draws anything but boxes, or a single one: its bounds tell as much. */
export function boxesOf(pdfium: PathCalls, path: number, scratch: number): Corners[] {
  const count = pdfium.Path_CountSegments(path)
  if (count < 8 || count > segmentsMax) return []
  const boxes: { x: number[]; y: number[] }[] = []
  for (let n = 0; n < count; n++) {
    const segment = pdfium.Path_GetPathSegment(path, n)
    const type = pdfium.PathSegment_GetType(segment)
    if (type !== lineTo && type !== moveTo) return []
    if (pdfium.PathSegment_GetPoint(segment, scratch, scratch + 4) === 0) return []
    const [x = 0, y = 0] = new Float32Array(pdfium.memory(), scratch, 2)
    if (type === moveTo) boxes.push({ x: [], y: [] })
    boxes.at(-1)?.x.push(x)
    boxes.at(-1)?.y.push(y)
  }
  // A path may end by moving on and drawing nothing.
  const drawn = boxes.filter(({ x }) => x.length > 1)
  return drawn.length > 1 && drawn.every(isBox)
    ? drawn.map(({ x, y }) => [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)])
    : []
}

const slack = 0.01

/** Four corners, each side along an edge of the page. */
function isBox({ x, y }: { x: readonly number[]; y: readonly number[] }): boolean {
  const isStraight = x.every(
    (at, n) => n === 0 || Math.abs(at - (x[n - 1] ?? 0)) < slack || Math.abs((y[n] ?? 0) - (y[n - 1] ?? 0)) < slack,
  )
  return isStraight && x.length >= 4 && x.length <= 6 && sides(x) === 2 && sides(y) === 2
}

const sides = (values: readonly number[]) => new Set(values.map((value) => Math.round(value / slack / 10))).size
