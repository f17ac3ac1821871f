// What a question names beside its subject: how many there are of something ("the three phases"), a slide ("on slide 14"), a figure or a
// table by its number.
import { everyWord, inEveryLanguage } from '../../platform/languages.ts'
import { lazily } from '../../platform/lazily.ts'
import { insidePattern } from '../../platform/word-pattern.ts'
import { fold } from './fold.ts'

const han = '一二三四五六七八九十'
const seriesMin = 2

const inWords = lazily(() => {
  const figures = Map.groupBy(
    inEveryLanguage(({ values }) => Object.entries(values.numerals)),
    ([figure]) => Number(figure),
  )
  return [...figures].map(([figure, words]): [number, RegExp] => [
    figure,
    new RegExp(`\\b(?:${words.map(([, list]) => list.replaceAll(' ', '|')).join('|')}) \\p{L}{3,}`, 'u'),
  ])
})
/** No measure behind it: "the 10 risks", not "10 days" or "10 %". */
const inFigures = lazily(() => {
  const measures = everyWord(({ values }) =>
    Object.values(values.measures).flatMap((units) => Object.values(units).flatMap((list) => list.split(' '))),
  )
  return new RegExp(String.raw`(?<![\d.,])(\d{1,2}) (?!(?:${measures})\b)\p{L}{3,}`, 'u')
})
const inHan = /([一二三四五六七八九十两])(?:个|种|大|项|条|つ)/u

/** How many of something the question says there are; undefined where it says nothing of the kind. */
export function seriesNamed(question: string): number | undefined {
  const text = fold(question).toLowerCase()
  const figure = inFigures().exec(text)?.[1]
  const sign = inHan.exec(text)?.[1]
  const count =
    figure !== undefined
      ? Number(figure)
      : sign !== undefined
        ? sign === '两'
          ? 2
          : han.indexOf(sign) + 1
        : (inWords().find(([, words]) => words.test(text))?.[0] ?? 0)
  return count >= seriesMin ? count : undefined
}

/** Groups of words for one kind of caption. */
const captions = lazily(() => {
  const groups = inEveryLanguage(({ places }) => places.captions).map((group) => group.split(' '))
  return { groups, any: new RegExp(String.raw`(?<!\p{L})(${groups.flat().join('|')})\.? ?(\d{1,3})(?!\d)`, 'u') }
})

/** How the words under the figure or the table begin that the question names. */
export function captionNamed(question: string): RegExp | undefined {
  const { groups, any } = captions()
  const [, noun, number] = any.exec(fold(question).toLowerCase()) ?? []
  if (noun === undefined) return undefined
  const nouns = groups.filter((group) => group.includes(noun)).flat()
  return new RegExp(String.raw`^\W*(?:${nouns.join('|')})\p{L}*\.? ?${number}(?!\d)`, 'u')
}

const slide = lazily(() => inEveryLanguage(({ places }) => places.named).map((pattern) => insidePattern([pattern])))
const cover = lazily(() => insidePattern(inEveryLanguage(({ places }) => places.cover)))

function firstOf(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found !== null) return found
  }
  return undefined
}

/** The slides that a question names, from 0, and the question without these words. */
export function slidesNamed(question: string, count: number): { named: readonly number[]; rest: string } {
  const folded = fold(question).toLowerCase()
  // Folding that changes the length would cut the wrong words.
  if (folded.length !== question.length) return { named: [], rest: question }
  const found = firstOf(slide(), folded) ?? cover().exec(folded)
  if (found === null) return { named: [], rest: question }
  const number = Number(found[1] ?? 1)
  if (number < 1 || number > count) return { named: [], rest: question }
  return { named: [number - 1], rest: `${question.slice(0, found.index)} ${question.slice(found.index + found[0].length)}`.trim() }
}
