// What a text names by its form and by words of every language (`languages`), so that it holds for any deck: the kinds of value in it,
// and how many of something, a slide or a figure by its number.
import { askedKinds, everyWord, inEveryLanguage, type Language, type ValueType } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import { insidePattern } from '@rostrum/languages/word-pattern'
import { fold } from './tokens.ts'

export type { ValueType }

/** One bit per value type, so that a unit of text remembers its kinds in a number. */
export const valueBit = Object.fromEntries(askedKinds.map((kind, at) => [kind, 1 << at])) as Readonly<Record<ValueType, number>>

const unitsOf = (dimension: keyof Language['values']['measures']) =>
  everyWord(({ values }) => Object.values(values.measures[dimension] ?? {}).flatMap((list) => list.split(' ')))
const currencies = 'eur|usd|gbp|chf|jpy|cny|brl|sek|nok|dkk|pln|aed|sar'

/** By form alone: signs, figures, addresses. */
const byForm = lazily((): Partial<Record<ValueType, string>> => {
  const numerals = everyWord(({ values }) => Object.values(values.numerals).flatMap((list) => list.split(' ')))
  const figure = String.raw`(?:(?<!\d[.,]?)\d[\d.,]*|${numerals}|(?<![一二三四五六七八九十百千万两])[一二三四五六七八九十百千万两]+)`
  const between = everyWord(({ values }) => values.between)
  const days = everyWord(({ values }) => [...values.months, ...values.weekdays])
  return {
    money: String.raw`[$€£¥₹￥]\s?\d|\d\s?[$€£¥₹円元]|\d\s?(?:${currencies})\b|\b(?:${currencies})\s?\d|\b(?:${unitsOf('money')})\b`,
    duration: String.raw`(?:\b|(?<=[一-龯]))${figure}[\s-]*(?:(?:${between}|to\s\d+)\s)?(?:${unitsOf('time')})(?![\p{Ll}])|\b\d{4}\s?(?:-|to|until)\s?\d{4}\b`,
    count: String.raw`\d|\b${figure}\b`,
    date: String.raw`\b(?:1\d{3}|20\d{2})s?\b|\b(?:${days})\b|\d\s?[時月日点号]|\b\d{1,2}:\d{2}\b`,
    weight: String.raw`\d\s?(?:${unitsOf('mass')})(?![\p{Ll}])`,
    loudness: String.raw`\d\s?d(?:b|ezibel|ecib)`,
    percent: String.raw`\d\s?[%٪]`,
    temperature: String.raw`\d\s?°|\d\s?(?:celsius|fahrenheit)\b|\d\s?[cf]\b|℃`,
    length: String.raw`\d\s?(?:-|\s)?(?:${unitsOf('length')}|m2|m²|km2)(?![\p{Ll}])`,
    contact: String.raw`\S@[^\s@]+\.\S|https?:\/\/|\bwww\.|\+?\d[\d ()-]{7,}\d|(?<![\w-])[\w-]+\.(?:example|com|org|net|io|de|fr|es|br|cn|jp)\b`,
    version: String.raw`\bv?\d+\.(?:\d+|x)\b`,
  }
})

const rules = lazily(() =>
  askedKinds.flatMap((kind): [ValueType, RegExp][] => {
    const words = inEveryLanguage(({ values }) => values.words[kind])
    const sources = [byForm()[kind] ?? [], words.length === 0 ? [] : insidePattern(words).source].flat()
    return sources.length === 0 ? [] : [[kind, new RegExp(sources.join('|'), 'u')]]
  }),
)

/** A capital makes a name, but of the small words that open a sentence. */
const names = lazily(() => {
  const small = everyWord(({ words }) => words.leading.map((word) => word.charAt(0).toUpperCase() + word.slice(1)))
  const within = everyWord(({ values }) => values.in)
  const articles = everyWord(({ defines }) => defines.articles)
  return {
    inside: new RegExp(String.raw`(?<=[\p{L}\p{N},;:)'"”-]\s)(?!(?:${small})\b)\p{Lu}[\p{L}'’.-]+`, 'u'),
    leading: new RegExp(
      String.raw`^(?:\W*)(?:(?!(?:${small})\b)\p{Lu}[\p{L}'’-]+)(?:\s+(?:(?:of|de|the|von|van|da|do)\s)?\p{Lu}[\p{L}'’.-]+)+`,
      'u',
    ),
    place: new RegExp(String.raw`\b(?:${within})\s+(?:(?:${articles})\s+)?(?:\w+\s)?\p{Lu}\p{L}+`, 'u'),
  }
})
const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Arabic}]/u

/** The kinds of value in `text`, as bits. Text without letter case (CJK, Arabic) may always name a person or a place. */
export function valueBitsOf(text: string): number {
  const folded = fold(text)
  const lower = folded.toLowerCase()
  let bits = 0
  for (const [type, pattern] of rules()) if (pattern.test(lower)) bits |= valueBit[type]
  const isNamed = names().inside.test(folded) || names().leading.test(folded)
  if (isNamed) bits |= valueBit.person
  if (isNamed || names().place.test(folded)) bits |= valueBit.place
  if (unspacedScript.test(folded)) bits |= valueBit.person | valueBit.place
  return bits
}

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
