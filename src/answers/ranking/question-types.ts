// In which language a question is asked, and what kind of value it asks for, read from its small words (`languages`).
import { askedKinds, baseLanguage, languageTags, perLanguage, type ValueType } from '../../platform/languages.ts'
import { insidePattern } from '../../platform/word-pattern.ts'
import { fold } from './fold.ts'
import { stopWords } from './word-weights.ts'

const lexicon = perLanguage(({ asks }) =>
  askedKinds.flatMap((kind): [ValueType, RegExp][] => (asks[kind] === undefined ? [] : [[kind, insidePattern(asks[kind])]])),
)

/** The kind of value `question` asks for, in the language of `tag` (English where nobody has written it); undefined when it asks for none. */
export function questionTypeOf(question: string, tag: string): ValueType | undefined {
  const text = fold(question).toLowerCase()
  let first: { type: ValueType; at: number } | undefined
  for (const [type, pattern] of lexicon(baseLanguage(tag))) {
    const at = text.search(pattern)
    if (at >= 0 && (first === undefined || at < first.at)) first = { type, at }
  }
  return first?.type
}

/** Signs by which a writing system is known; the others are told by their small words. */
const signs: readonly [script: string, signs: RegExp][] = [
  ['Jpan', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Hans', /\p{Script=Han}/gu],
  ['Kore', /\p{Script=Hangul}/gu],
  ['Arab', /\p{Script=Arabic}/gu],
  ['Cyrl', /\p{Script=Cyrillic}/gu],
  ['Latn', /\p{Script=Latin}/gu],
]
const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script?.replace('Hant', 'Hans')
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Names and terms of a foreign script stand in questions of any. */
const signsShare = 0.25
const smallWordsMin = 2

const writtenIn = perLanguage((_words, tag) => scriptOf(tag))

/** The language that a question is asked in, where it is surely another than that of `tag`; only one that somebody has written. */
export function foreignLanguageOf(question: string, tag: string): string | undefined {
  const letters = question.match(/\p{L}/gu)?.length ?? 0
  const found = signs.find(([, sign]) => (question.match(sign)?.length ?? 0) > letters * signsShare)?.[0]
  const script = (found === 'Hans' || found === undefined) && kana.test(question) ? 'Jpan' : found
  const own = baseLanguage(tag)
  // Without one of its own signs Japanese may be in those of Chinese alone.
  if (script === 'Hans' && writtenIn(own) === 'Jpan') return undefined
  const others = languageTags().filter((other) => writtenIn(other) === script && other !== own)
  if (script !== 'Latn') return writtenIn(own) === script ? undefined : others[0]
  const words =
    fold(question)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  const smallIn = (language: string) => words.filter((word) => stopWords(language).has(word))
  const [best, next] = others.map((language) => ({ language, hits: smallIn(language).length })).toSorted((a, b) => b.hits - a.hits)
  if (best === undefined || best.hits < smallWordsMin || best.hits === next?.hits || best.hits < words.length / 4) return undefined
  const ours = smallIn(own)
  const isApart = ours.length < best.hits && ours.every((word) => stopWords(best.language).has(word))
  return isApart || best.hits > ours.length * 2 ? best.language : undefined
}
