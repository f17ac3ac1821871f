// The trained weights as the code uses them, checked against the features they were trained for. Made by bench/qa/train.ts.
import { answerabilityFeatureNames, type AnswerabilityWeights } from './answerability.ts'
import { rankFeatureNames } from './features.ts'
import weights from './weights.json' with { type: 'json' }

function inOrder(names: readonly string[], values: Readonly<Record<string, number>>): number[] {
  return names.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`weights.json has no weight for ${name}: run bench/qa/train.ts`)
    return value
  })
}

export const rankWeights: readonly number[] = inOrder(rankFeatureNames, weights.rank)

export const answerabilityWeights: AnswerabilityWeights = {
  known: inOrder(answerabilityFeatureNames, weights.known),
  plain: inOrder(answerabilityFeatureNames, weights.plain),
  cutoffs: weights.cutoffs,
}
