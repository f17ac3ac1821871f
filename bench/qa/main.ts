// Accuracy anyone can check: asks the committed decks, and the development articles where they are at hand, and prints what was found.
// `node bench/qa/main.ts [--prose FILE] [--json]`. The articles are SQuAD 2.0 (CC BY-SA 4.0) and are not part of this repository.
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  askAll,
  citesRight,
  isAnswered,
  isInFirst3,
  isPlain,
  isRight,
  isTemplateOrQuote,
  isVerbatim,
  quotesAnswer,
  type Asked,
} from './score.ts'
import { readDecks, readProse, type QuestionKind } from './sets.ts'
import { calibration } from './calibration.ts'
import { askFollowUps } from './follow-ups.ts'
import { alone, recapped } from './variants.ts'
import { measureMerging } from './merging.ts'
import { measureSpeed } from './speed.ts'

export interface Figure {
  name: string
  value: number
  unit: '%' | 'ms' | ''
  goal: string
  isMet: boolean
  count: number
}

const firstQuestions = new URL('first-questions.json', import.meta.url)
/** The last of them were written when the rules stood. */
const heldOutDecks = 3
const proseHint =
  'Prose set skipped: point --prose at a JSON of SQuAD 2.0 articles (shape: bench/qa/sets.ts; source: https://rajpurkar.github.io/SQuAD-explorer/, CC BY-SA 4.0).'

function rate(name: string, items: readonly Asked[], hit: (item: Asked) => boolean, bound: { min: number } | { max: number }): Figure {
  const value = items.length === 0 ? 0 : (100 * items.filter(hit).length) / items.length
  const isMet = 'min' in bound ? value >= bound.min : value <= bound.max
  const goal = 'min' in bound ? `>= ${bound.min}` : `<= ${bound.max}`
  return { name, value, unit: '%', goal, isMet, count: items.length }
}

function pick(asked: readonly Asked[], kind: QuestionKind): Asked[] {
  return asked.filter(({ question }) => question.kind === kind)
}

/** Share of (answerable, off-topic) pairs that confidence puts in the right order. */
function auc(asked: readonly Asked[]): Figure {
  const known = (kind: QuestionKind) => pick(asked, kind).map(({ end }) => end.trace.known)
  const [on, off] = [known('answerable'), known('off-topic')]
  let wins = 0
  for (const a of on) for (const b of off) wins += a > b ? 1 : a === b ? 0.5 : 0
  const value = wins / Math.max(1, on.length * off.length)
  return { name: 'prose: AUC against off-topic', value, unit: '', goal: '>= 0.985', isMet: value >= 0.985, count: on.length + off.length }
}

function proseFigures(asked: readonly Asked[]): Figure[] {
  const able = pick(asked, 'answerable')
  return [
    rate('prose: right source first', able, isRight, { min: 85.3 }),
    rate('prose: right source in first 3', able, isInFirst3, { min: 95 }),
    rate('prose: first citation right, of those answered', able.filter(isAnswered), citesRight, { min: 85.3 }),
    rate('prose: answered', able, isAnswered, { min: 95 }),
    rate('prose: off-topic answered', pick(asked, 'off-topic'), isAnswered, { max: 5 }),
    rate('prose: answer in the quoted text, of those answered', able.filter(isAnswered), quotesAnswer, { min: 85 }),
    rate('prose: adversarial answered plainly (told, not aimed at)', pick(asked, 'adversarial'), isPlain, { max: 100 }),
    auc(asked),
  ]
}

function deckFigures(asked: readonly Asked[]): Figure[] {
  const able = pick(asked, 'answerable')
  return [
    rate('decks: right source first, of those answered', able.filter(isAnswered), citesRight, { min: 90 }),
    rate('decks: answered', able, isAnswered, { min: 90 }),
    rate('decks: answered plainly', able, isPlain, { min: 0 }),
    rate('decks: answer in the quoted text, of those answered', able.filter(isAnswered), quotesAnswer, { min: 85 }),
    rate('decks: off-topic answered', pick(asked, 'off-topic'), isAnswered, { max: 0 }),
    rate('decks: near-topic answered plainly', pick(asked, 'near-topic'), isPlain, { max: 15 }),
  ]
}

/** A first trial has a slide or two, and many a deck says at its end what mattered: neither may cost an answer. */
function variantFigures(single: readonly Asked[], recap: readonly Asked[]): Figure[] {
  const able = pick(single, 'answerable')
  return [
    rate('a slide alone: answered', able, isAnswered, { min: 85 }),
    rate('a slide alone: answered plainly', able, isPlain, { min: 0 }),
    rate('a slide alone: off-topic answered', pick(single, 'off-topic'), isAnswered, { max: 0 }),
    rate('decks with a recap: answered', pick(recap, 'answerable'), isAnswered, { min: 90 }),
    rate('decks with a recap: answered plainly', pick(recap, 'answerable'), isPlain, { min: 0 }),
    rate('decks with a recap: off-topic answered', pick(recap, 'off-topic'), isAnswered, { max: 0 }),
  ]
}

/** What people ask first of a deck they have just seen; the answer may stand on several slides, so the quoted text counts. */
function firstFigures(name: string, asked: readonly Asked[], min: number): Figure[] {
  const able = pick(asked, 'answerable')
  return [
    rate(`${name}: answered with the answer`, able, (item) => isAnswered(item) && quotesAnswer(item), { min }),
    rate(`${name}: plainly answered with something else (told)`, able, (item) => isPlain(item) && !quotesAnswer(item), { max: 100 }),
    rate(`${name}: off-topic answered`, pick(asked, 'off-topic'), isAnswered, { max: 0 }),
  ]
}

function followUpFigures(): Figure[] {
  const pairs = askFollowUps(readDecks())
  const share = (of: (pair: (typeof pairs)[number]) => boolean) => (100 * pairs.filter(of).length) / pairs.length
  const [right, refused] = [share(({ isRight }) => isRight), share(({ isRefused }) => isRefused)]
  return [
    { name: 'follow-ups: answered with the answer', value: right, unit: '%', goal: '>= 90', isMet: right >= 90, count: pairs.length },
    { name: 'follow-ups: refused', value: refused, unit: '%', goal: '<= 5', isMet: refused <= 5, count: pairs.length },
  ]
}

function speedFigures(): Figure[] {
  const { buildMs, questionMs } = measureSpeed(readDecks())
  const figure = (name: string, value: number, max: number): Figure => ({
    name,
    value,
    unit: 'ms',
    goal: `<= ${max}`,
    isMet: value <= max,
    count: 300,
  })
  return [figure('speed: index of 300 slides, CPU', buildMs, 100), figure('speed: one question to it, CPU', questionMs, 0.2)]
}

function mergingFigures(): Figure[] {
  const { precision, recall, f1, questions } = measureMerging(readDecks())
  return [
    { name: 'merging: F1 over pairs of questions', value: f1, unit: '', goal: '>= 0.9', isMet: f1 >= 0.9, count: questions },
    {
      name: 'merging: precision (a wrong merge loses a question)',
      value: precision,
      unit: '',
      goal: '>= 0.99',
      isMet: precision >= 0.99,
      count: questions,
    },
    { name: 'merging: recall (told)', value: recall, unit: '', goal: '>= 0', isMet: true, count: questions },
  ]
}

/** Runs the benchmark in process. Takes seconds, reads two files, asks no network. */
export async function runQa(options: { prose?: string } = {}): Promise<{ figures: Figure[]; notes: string[] }> {
  const decks = await askAll(readDecks())
  const first = await Promise.all(readDecks(firstQuestions).map(async (deck) => ({ asked: await askAll([deck]) })))
  const hasProse = options.prose !== undefined && existsSync(options.prose)
  const prose = hasProse && options.prose !== undefined ? await askAll(readProse(options.prose)) : []
  const all = [...decks, ...prose]
  const figures = [
    ...deckFigures(decks),
    ...variantFigures(await askAll(readDecks().flatMap(alone)), await askAll(readDecks().map(recapped))),
    ...firstFigures(
      'first questions',
      first.slice(0, -heldOutDecks).flatMap(({ asked }) => asked),
      80,
    ),
    ...firstFigures(
      'first questions, held out',
      first.slice(-heldOutDecks).flatMap(({ asked }) => asked),
      0,
    ),
    ...(hasProse ? proseFigures(prose) : []),
    rate('all: sentences that are a template or a verbatim quote', all, isTemplateOrQuote, { min: 100 }),
    rate('all: citations verbatim, with valid ids', all, isVerbatim, { min: 100 }),
    ...followUpFigures(),
    ...mergingFigures(),
    ...speedFigures(),
  ]
  const notes = [
    ...calibration([...decks, ...first.flatMap(({ asked }) => asked)]),
    'Fitted on these sets; cross-validated figures: node bench/qa/train.ts --prose FILE',
  ]
  return { figures, notes: hasProse ? notes : [...notes, proseHint] }
}

export function qaTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, goal, isMet, count }) => {
    const shown = unit === '%' ? `${value.toFixed(1)} %` : `${value.toFixed(3)}${unit === 'ms' ? ' ms' : ''}`
    return `${isMet ? 'ok  ' : 'MISS'}  ${name.padEnd(58)} ${shown.padStart(8)}  ${goal.padStart(9)}  (${count})`
  })
  return rows.join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { prose: { type: 'string' }, json: { type: 'boolean', default: false }, direct: { type: 'boolean', default: true } },
  })
  const { figures, notes } = await runQa(values.prose === undefined ? {} : { prose: values.prose })
  console.log(values.json ? JSON.stringify({ figures, notes }, null, 2) : `${qaTable(figures)}\n${notes.join('\n')}`)
}
