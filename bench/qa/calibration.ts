// What confidence means: of the answers given with about so much of it, how many hold the answer.
import { isAnswered, quotesAnswer, type Asked } from './score.ts'

const edges = [0, 0.4, 0.6, 0.8, 0.9, 1.01]

/** A line for each band of confidence, and the distance between the two, weighted by how many answers it has. */
export function calibration(asked: readonly Asked[]): string[] {
  const given = asked.filter((item) => isAnswered(item))
  const isRight = (item: Asked) => item.question.kind === 'answerable' && quotesAnswer(item)
  let distance = 0
  const lines = edges.slice(1).flatMap((below, at) => {
    const from = edges[at] ?? 0
    const band = given.filter(({ end: { confidence } }) => confidence >= from && confidence < below)
    if (band.length === 0) return []
    const said = band.reduce((sum, { end }) => sum + end.confidence, 0) / band.length
    const right = band.filter(isRight).length / band.length
    distance += (Math.abs(said - right) * band.length) / given.length
    return [
      `confidence ${from.toFixed(1)} to ${Math.min(1, below).toFixed(1)}: ${(100 * right).toFixed(0)} % right (${band.length}, said ${said.toFixed(2)})`,
    ]
  })
  return [...lines, `calibration error ${distance.toFixed(3)} over ${given.length} answers`]
}
