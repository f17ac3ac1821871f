// The two small optimisers of the training: a softmax over the units of a question, and a weighted logistic. Full batch, fixed start,
// fixed steps: the same data give the same weights on every machine of one architecture.

export interface RankCase {
  /** Features of all candidates, row by row. */
  rows: Float64Array
  count: number
  /** 1 where the candidate holds the answer; 1 where it is of the right source. */
  holdsAnswer: Uint8Array
  isSource: Uint8Array
  weight: number
}

/** How much of the objective is the right source; the rest is the unit that holds the answer. */
const sourceShare = 0.5

interface Adam {
  step(weights: Float64Array, gradient: Float64Array, rate: number): void
}

function adam(size: number): Adam {
  const mean = new Float64Array(size)
  const square = new Float64Array(size)
  let time = 0
  return {
    step(weights, gradient, rate) {
      time += 1
      for (let i = 0; i < size; i++) {
        const slope = gradient[i] ?? 0
        const first = 0.9 * (mean[i] ?? 0) + 0.1 * slope
        const second = 0.99 * (square[i] ?? 0) + 0.01 * slope * slope
        mean[i] = first
        square[i] = second
        weights[i] = (weights[i] ?? 0) - (rate * (first / (1 - 0.9 ** time))) / (Math.sqrt(second / (1 - 0.99 ** time)) + 1e-9)
      }
    },
  }
}

/** Adds the gradient of the weighted sum of -log P(answer unit) and -log P(right source) of one question. */
function addRankGradient(item: RankCase, weights: Float64Array, gradient: Float64Array, scores: Float64Array): void {
  const size = weights.length
  let highest = -Infinity
  for (let row = 0; row < item.count; row++) {
    let sum = 0
    for (let f = 0; f < size; f++) sum += (item.rows[row * size + f] ?? 0) * (weights[f] ?? 0)
    scores[row] = sum
    highest = Math.max(highest, sum)
  }
  const goal = item.holdsAnswer.includes(1) ? item.holdsAnswer : item.isSource
  let all = 0
  let right = 0
  let source = 0
  for (let row = 0; row < item.count; row++) {
    const mass = Math.exp((scores[row] ?? 0) - highest)
    scores[row] = mass
    all += mass
    if (goal[row] === 1) right += mass
    if (item.isSource[row] === 1) source += mass
  }
  for (let row = 0; row < item.count; row++) {
    const mass = scores[row] ?? 0
    const slope =
      (mass / all -
        (goal[row] === 1 ? (mass / right) * (1 - sourceShare) : 0) -
        (item.isSource[row] === 1 ? (mass / source) * sourceShare : 0)) *
      item.weight
    if (Math.abs(slope) < 1e-5) continue
    for (let f = 0; f < size; f++) gradient[f] = (gradient[f] ?? 0) + slope * (item.rows[row * size + f] ?? 0)
  }
}

/** One over the spread of each feature, so that one penalty and one step suit them all. */
function scalesOf(cases: readonly RankCase[], size: number): Float64Array {
  const [sums, squares] = [new Float64Array(size), new Float64Array(size)]
  let count = 0
  for (const item of cases) {
    count += item.count
    for (let i = 0; i < item.count * size; i++) {
      const value = item.rows[i] ?? 0
      sums[i % size] = (sums[i % size] ?? 0) + value
      squares[i % size] = (squares[i % size] ?? 0) + value * value
    }
  }
  return sums.map((sum, f) => 1 / Math.max(1e-3, Math.sqrt(Math.max(0, (squares[f] ?? 0) / count - (sum / count) ** 2))))
}

const rankPenalty = 0.003

export function fitRanker(cases: readonly RankCase[], size: number, epochs = 250): Float64Array {
  const scales = scalesOf(cases, size)
  const usable = cases
    .filter((item) => item.isSource.includes(1))
    .map((item) => ({ ...item, rows: item.rows.map((value, i) => value * (scales[i % size] ?? 1)) }))
  const total = usable.reduce((sum, item) => sum + item.weight, 0)
  const weights = new Float64Array(size)
  const scores = new Float64Array(Math.max(1, ...usable.map((item) => item.count)))
  const optimiser = adam(size)
  for (let epoch = 0; epoch < epochs; epoch++) {
    const gradient = new Float64Array(size)
    for (const item of usable) addRankGradient(item, weights, gradient, scores)
    for (let f = 0; f < size; f++) gradient[f] = (gradient[f] ?? 0) / total + rankPenalty * (weights[f] ?? 0)
    optimiser.step(weights, gradient, 0.05 * (1 - (0.8 * epoch) / epochs))
  }
  return weights.map((weight, f) => weight * (scales[f] ?? 1))
}

export interface LabelledRow {
  row: Float64Array
  label: 0 | 1
  weight: number
}

export function fitLogistic(rows: readonly LabelledRow[], size: number, penalty = 0.002, epochs = 400): Float64Array {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  const weights = new Float64Array(size)
  const optimiser = adam(size)
  for (let epoch = 0; epoch < epochs; epoch++) {
    const gradient = new Float64Array(size)
    for (const { row, label, weight } of rows) {
      let sum = 0
      for (let f = 0; f < size; f++) sum += (row[f] ?? 0) * (weights[f] ?? 0)
      const slope = ((1 / (1 + Math.exp(-sum)) - label) * weight) / total
      for (let f = 0; f < size; f++) gradient[f] = (gradient[f] ?? 0) + slope * (row[f] ?? 0)
    }
    for (let f = 1; f < size; f++) gradient[f] = (gradient[f] ?? 0) + penalty * (weights[f] ?? 0)
    optimiser.step(weights, gradient, 0.1 * (1 - (0.8 * epoch) / epochs))
  }
  return weights
}
