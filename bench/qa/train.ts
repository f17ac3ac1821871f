// Trains the weights of retrieval and answerability on the development data and reports cross-validated figures: every article and
// deck is scored by weights that have not seen it. `node bench/qa/train.ts --prose FILE [--write]`; no randomness is involved.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  answerabilityFeatureNames,
  answerabilityFeatures,
  type Candidate,
  candidatesOf,
  logistic,
  rank,
} from '@rostrum/answers/ranking/rank'
import { rankFeatureNames } from '../../packages/answers/ranking/features.ts'
import { readQuestion } from '../../packages/answers/ranking/question.ts'
import { buildSessionIndex, type SessionIndex } from '@rostrum/answers/ranking/session-index'
import { synonymsVersion } from '@rostrum/answers/ranking/tokens'
import { fitLogistic, fitRanker, type LabelledRow, type RankCase } from './fit.ts'
import { readDecks, readProse, type Question, type Subject } from './sets.ts'

const folds = 8
/** A question that its passage does not answer still tells which passage it is about; it has no unit to aim at. */
const adversarialShare = 0.5
/** Below the 5 % owed: a cut-off learnt on some subjects lets a little more through on others. */
const falseAnswersMax = 0.046
/** The decks hold few off-topic questions: the cut-off keeps a distance from the worst of them. */
const deckMargin = 0.04

interface Indexed {
  subject: Subject
  index: SessionIndex
  fold: number
}

/** A question as its held-out ranker sees it. */
interface Judged {
  question: Question
  subject: Subject
  fold: number
  row: Float64Array | undefined
  isRight: boolean
}

function holds(text: string, answers: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return answers.some((answer) => lower.includes(answer.toLowerCase()))
}

const isFrom = ({ chunk }: Candidate, { source }: Question) => chunk.source.type === source?.type && chunk.source.index === source.index

function rankCase(question: Question, { index, subject }: Indexed): RankCase {
  const candidates = candidatesOf(readQuestion(question.text, index), index)
  const size = rankFeatureNames.length
  const rows = new Float64Array(candidates.length * size)
  candidates.forEach(({ features }, at) => rows.set(features, at * size))
  return {
    rows,
    count: candidates.length,
    isSource: Uint8Array.from(candidates, (candidate) => (isFrom(candidate, question) ? 1 : 0)),
    holdsAnswer: Uint8Array.from(candidates, (candidate) =>
      isFrom(candidate, question) && holds(candidate.unit.text, question.answers) ? 1 : 0,
    ),
    weight: subject.kind === 'deck' ? 2 : question.kind === 'answerable' ? 1 : adversarialShare,
  }
}

function judgeAll(items: readonly Indexed[], weights: readonly number[]): Judged[] {
  return items.flatMap(({ subject, index, fold }) =>
    subject.questions.map((question) => {
      const ranking = rank(question.text, index, { weights })
      const [best] = ranking.candidates
      return { question, subject, fold, row: answerabilityFeatures(ranking, index), isRight: best !== undefined && isFrom(best, question) }
    }),
  )
}

/** `known`: against other subjects. `plain`: against what the content does not say; adversarial prose has a small say. */
function labelled(items: readonly Judged[], goal: 'known' | 'plain'): LabelledRow[] {
  return items.flatMap(({ question, subject, row, isRight }): LabelledRow[] => {
    if (!row) return []
    const deck = subject.kind === 'deck' ? 4 : 1
    switch (question.kind) {
      case 'answerable':
        return goal === 'plain' && !isRight ? [{ row, label: 0, weight: deck / 2 }] : [{ row, label: 1, weight: deck }]
      case 'off-topic':
        return [{ row, label: 0, weight: deck * 2 }]
      case 'near-topic':
        return goal === 'plain' ? [{ row, label: 0, weight: deck * 3 }] : []
      case 'adversarial':
        return goal === 'plain' ? [{ row, label: 0, weight: 0.1 }] : []
    }
  })
}

interface Scored extends Judged {
  known: number
  plain: number
}

/** The lowest cut-off that lets at most `share` of `values` through. */
function cutoffFor(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => b - a)
  const allowed = Math.floor(sorted.length * share)
  return (sorted[allowed] ?? 0) + 1e-6
}

function cutoffs(scored: readonly Scored[], kind: 'deck' | 'prose'): { known: number; plain: number } {
  const own = scored.filter(({ subject }) => subject.kind === kind)
  const off = own.filter(({ question }) => question.kind === 'off-topic').map(({ known }) => known)
  const near = own.filter(({ question }) => question.kind === (kind === 'deck' ? 'near-topic' : 'off-topic')).map(({ plain }) => plain)
  return kind === 'deck'
    ? { known: cutoffFor(off, 0) + deckMargin, plain: cutoffFor(near, 0.07) }
    : { known: cutoffFor(off, falseAnswersMax), plain: cutoffFor(near, 0.02) }
}

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

function auc(scored: readonly Scored[]): number {
  const off = scored.filter(({ question }) => question.kind === 'off-topic').map(({ known }) => known)
  const on = scored.filter(({ question }) => question.kind === 'answerable').map(({ known }) => known)
  let wins = 0
  for (const a of on) for (const b of off) wins += a > b ? 1 : a === b ? 0.5 : 0
  return wins / Math.max(1, on.length * off.length)
}

/** Figures of held-out folds; the cut-offs, too, come from the other folds. */
function report(scored: readonly Scored[], kind: 'deck' | 'prose'): string {
  const own = scored.filter(({ subject }) => subject.kind === kind)
  const byFold = Array.from({ length: folds }, (_, fold) =>
    cutoffs(
      scored.filter((item) => item.fold !== fold),
      kind,
    ),
  )
  const isKnown = (item: Scored) => item.known >= (byFold[item.fold]?.known ?? 1)
  const isPlain = (item: Scored) => item.plain >= (byFold[item.fold]?.plain ?? 1)
  const of = (name: string) => own.filter(({ question }) => question.kind === name)
  const answered = (items: readonly Scored[]) => items.filter(isKnown)
  const able = of('answerable')
  const parts = [
    `right source first ${percent(able.filter(({ isRight }) => isRight).length, able.length)}`,
    `answered ${percent(answered(able).length, able.length)}`,
    `right among answered ${percent(answered(able).filter(({ isRight }) => isRight).length, answered(able).length)}`,
    `off-topic answered ${percent(answered(of('off-topic')).length, of('off-topic').length)}`,
    `near-topic plainly ${percent(answered(of('near-topic')).filter(isPlain).length, of('near-topic').length)}`,
    `plainly ${percent(answered(able).filter(isPlain).length, able.length)}`,
    `AUC ${auc(own).toFixed(3)}`,
  ]
  return `${kind}: ${parts.join(', ')}`
}

function named(names: readonly string[], values: Float64Array): Record<string, number> {
  return Object.fromEntries(names.map((name, at) => [name, Number((values[at] ?? 0).toFixed(4))]))
}

function train(subjects: readonly Subject[]): { json: object; lines: string[] } {
  const counts = { deck: 0, prose: 0 }
  const items = subjects.map((subject): Indexed => ({
    subject,
    index: buildSessionIndex(subject.id, subject.content),
    fold: counts[subject.kind]++ % folds,
  }))
  const cases = items.flatMap((item) =>
    item.subject.questions
      .filter(({ kind }) => kind === 'answerable' || kind === 'adversarial')
      .map((question) => ({ fold: item.fold, case: rankCase(question, item) })),
  )
  const size = rankFeatureNames.length
  const fit = (except: number) =>
    Array.from(
      fitRanker(
        cases.filter(({ fold }) => fold !== except).map((item) => item.case),
        size,
      ),
    )
  const judged = Array.from({ length: folds }, (_, fold) => fold).flatMap((fold) =>
    judgeAll(
      items.filter((item) => item.fold === fold),
      fit(fold),
    ),
  )
  const logisticFit = (rows: readonly Judged[], goal: 'known' | 'plain') =>
    fitLogistic(labelled(rows, goal), answerabilityFeatureNames.length)
  const scored = Array.from({ length: folds }, (_, fold) => fold).flatMap((fold): Scored[] => {
    const rest = judged.filter((item) => item.fold !== fold)
    const [known, plain] = [Array.from(logisticFit(rest, 'known')), Array.from(logisticFit(rest, 'plain'))]
    return judged
      .filter((item) => item.fold === fold)
      .map((item) => ({ ...item, known: item.row ? logistic(item.row, known) : 0, plain: item.row ? logistic(item.row, plain) : 0 }))
  })
  const rounded = (values: { known: number; plain: number }) => ({
    known: Number(values.known.toFixed(4)),
    plain: Number(values.plain.toFixed(4)),
  })
  const json = {
    about: 'Made by bench/qa/train.ts from decks.json and the 8 development articles; do not edit.',
    seed: 0,
    synonymsVersion,
    rank: named(
      rankFeatureNames,
      fitRanker(
        cases.map((item) => item.case),
        size,
      ),
    ),
    known: named(answerabilityFeatureNames, logisticFit(judged, 'known')),
    plain: named(answerabilityFeatureNames, logisticFit(judged, 'plain')),
    cutoffs: { deck: rounded(cutoffs(scored, 'deck')), prose: rounded(cutoffs(scored, 'prose')) },
  }
  return { json, lines: [report(scored, 'prose'), report(scored, 'deck')] }
}

const { values } = parseArgs({ options: { prose: { type: 'string' }, write: { type: 'boolean', default: false } } })
if (values.prose === undefined) {
  console.error('Say where the development articles are: --prose qa-dev.json')
  process.exitCode = 2
} else {
  const { json, lines } = train([...readProse(values.prose), ...readDecks()])
  console.log(lines.join('\n'))
  if (values.write)
    writeFileSync(new URL('../../packages/answers/ranking/weights.json', import.meta.url), `${JSON.stringify(json, null, 2)}\n`)
}
