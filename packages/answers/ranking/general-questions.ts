// What everybody asks of any deck, in words of which the deck itself may hold none: what it costs, how to get in touch, how to join, when,
// where, and who has it already. By the kind of value asked for and by the words that slides use over such values.
import { baseLanguage, generalTopics, inEveryLanguage, languageOf } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import { insidePattern, patternSource } from '@rostrum/languages/word-pattern'
import { fold, stopWords, tokenise } from './tokens.ts'
import { foreignLanguageOf, type Query } from './question.ts'
import type { IndexedChunk, IndexedUnit, SessionIndex } from './session-index.ts'
import { valueBit } from './values.ts'

/** Kinds of value that answer a question for it; any text where there is none. */
const wantedBy: Readonly<Record<(typeof generalTopics)[number], number>> = {
  price: valueBit.money,
  contact: valueBit.contact,
  joining: valueBit.contact,
  time: valueBit.date,
  place: valueBit.place,
  customers: 0,
}
const anyText = 0

/** `asked`: the words of such a question; `told`: those of a title or a line that answers one. Both on folded lower case. */
interface Topic {
  asked: RegExp
  told: RegExp
  wanted: number
}

const known = new Map<string, readonly Topic[]>()

/** Asked in one language, told in another. */
function topicsOf(language: string, askedIn: string): readonly Topic[] {
  const key = `${language} ${askedIn}`
  let topics = known.get(key)
  if (topics === undefined) {
    const [own, english] = [languageOf(language).general, languageOf('en').general]
    topics = generalTopics.flatMap((topic) => {
      const told = (own[topic] ?? english[topic])?.told ?? []
      const asked = (languageOf(askedIn).general[topic] ?? english[topic])?.asked ?? []
      return { asked: insidePattern(asked, 'gu'), told: insidePattern(told), wanted: wantedBy[topic] }
    })
    known.set(key, topics)
  }
  return topics
}

/** Names for the deck's subject, and verbs, that add nothing to such a question; the words of its first slide are others. */
const subject = lazily(() =>
  insidePattern(
    inEveryLanguage(({ subjects }) => subjects),
    'gu',
  ),
)
const quotesMax = 3
/** Slides come first; what is general is not said behind so many. */
const chunksMost = 1_000

/** The words of the first slide: what the talk is of. */
function subjectTerms(index: SessionIndex): ReadonlySet<string> {
  const first = index.chunks[0]
  if (first === undefined) return new Set()
  const lines = [first.title, ...first.units.map(({ text }) => text)].join('\n')
  return new Set(tokenise(lines, index.language).map(({ term }) => term))
}

function isBare(rest: string, index: SessionIndex, foreign: string | undefined): boolean {
  const own = subjectTerms(index)
  const small = foreign === undefined ? undefined : stopWords(foreign)
  return tokenise(rest.replace(subject(), ' '), index.language).every(
    ({ term, word, weight }) => weight === 0 || own.has(term) || small?.has(word) === true,
  )
}

function answersIn(chunk: IndexedChunk, { told, wanted }: Topic): readonly IndexedUnit[] {
  const holds = (text: string) => told.test(fold(text).toLowerCase())
  // One look at the whole chunk: nearly all say nothing of it.
  if (!holds([chunk.title, ...chunk.units.map(({ text }) => text)].join('\n'))) return []
  const isTitled = holds(chunk.title)
  // A title alone answers nothing.
  const units = chunk.units.filter(({ place }) => place?.block !== -1)
  return units.filter((unit) => (wanted === anyText || (unit.values & wanted) !== 0) && (isTitled || holds(unit.text)))
}

interface Place {
  chunk: IndexedChunk
  unit: IndexedUnit
}

/** The first and the last slide say with an address alone how to get in touch. */
function addressed({ chunks }: SessionIndex): readonly Place[] {
  const slides = chunks.filter(({ source }) => source.type === 'slide')
  const found = [slides.at(0), slides.at(-1)].map((chunk) =>
    (chunk?.units ?? []).flatMap((unit) =>
      chunk && (unit.values & valueBit.contact) !== 0 && unit.text.includes('@') ? [{ chunk, unit }] : [],
    ),
  )
  return (found.find((units) => units.length > 0) ?? []).slice(0, quotesMax)
}

/** Units that answer a question of nothing but such words, those of one chunk; none where it asks for more, or the deck holds none. */
export function generalAnswer(question: string, index: SessionIndex): readonly Place[] {
  const text = fold(question).toLowerCase()
  const own = baseLanguage(index.language)
  const foreign = foreignLanguageOf(question, own)
  for (const topic of topicsOf(own, foreign ?? own)) {
    const rest = text.replace(topic.asked, ' ')
    if (rest === text || !isBare(rest, index, foreign)) continue
    for (const chunk of index.chunks.slice(0, chunksMost)) {
      const units = answersIn(chunk, topic)
      if (units.length > 0) return units.slice(0, quotesMax).map((unit) => ({ chunk, unit }))
    }
    if (topic.wanted === valueBit.contact) return addressed(index)
  }
  return []
}

// "What is X?" wants the place that says what X is, not the one that says X most often: a sentence that opens with X and goes on to
// define it, a title that is X or asks the same, or the words that X is short for.

const isLatin = (word: string) => /^[a-z]/u.test(word)
const patterns = lazily(() => {
  const asked = insidePattern(inEveryLanguage(({ defines }) => defines.asked))
  const be = inEveryLanguage(({ defines }) => defines.be)
  const says = inEveryLanguage(({ defines }) => defines.says)
  const articles = inEveryLanguage(({ defines }) => defines.articles).join('|')
  const [spaced, unspaced] = [be.filter(isLatin).join('|'), be.filter((word) => !isLatin(word)).join('|')]
  const verbs = says.filter(isLatin).map(patternSource).join('|')
  const others = says.filter((word) => !isLatin(word)).join('|')
  return {
    asked,
    defining: new RegExp(
      String.raw`^[^\p{L}\p{N}_]*(?:\p{L}[\p{L}\d'-]*\s+){1,4}?(?:${spaced})\s+(?:${articles})\s|^.{1,12}(?:${unspaced})`,
      'u',
    ),
    /** Words, or a colon, behind what is being defined. */
    goesOn: new RegExp(String.raw`^.{1,60}?(?:[:：]|[–—] |”|"|[ )](?:${verbs})[ ]|${others})`, 'u'),
  }
})

export const definedTermsMax = 3

export function asksForDefinition(question: string): boolean {
  return patterns().asked.test(
    fold(question)
      .toLowerCase()
      .replace(/^[^\p{L}\p{N}]+/u, ''),
  )
}

/** How much more than its words say a unit is the definition of what `query` asks for: 0 to 1. */
export function definitionFit({ terms: asked, byTerm }: Query, unit: IndexedUnit): number {
  const { sequence, place, text, contextIds } = unit
  // "What is an objective in decision science?" under "Decision science": what the title says is not said again.
  const said = asked.filter(
    ({ variants }) => !variants.some(({ id, weight }) => weight === 1 && contextIds.includes(id) && !sequence.includes(id)),
  )
  const terms = said.length > 0 ? said : asked
  const opensAs = (least: number) =>
    terms.every((term, at) => byTerm.get(sequence[at] ?? -1)?.some((met) => asked[met.at] === term && met.weight >= least) === true)
  const opens = opensAs(0.6)
  const start = fold(text.slice(0, 120)).toLowerCase()
  const [only] = terms
  // A title that is no question names the long form, and says nothing of it.
  const isSaying = place?.block !== -1 || /[?？؟]\s*$/u.test(text)
  if (terms.length === 1 && only !== undefined && isSaying && start.includes(`(${only.word})`)) return 1
  if (asked.length === 1 && only !== undefined && only.word.length > 2 && isSaying && longFormIn(text, only.word) !== undefined) return 1
  if (place?.block === -1) {
    if (opens && sequence.length === terms.length) return 1
    return asksForDefinition(text) && terms.every((_term, at) => sequence.some((id) => byTerm.get(id)?.some((met) => met.at === at)))
      ? 1
      : 0
  }
  // Another word for it defines it less well.
  if (opens && sequence.length > terms.length && patterns().goesOn.test(start)) return opensAs(0.95) ? 1 : 0.5
  return terms.length < definedTermsMax && patterns().defining.test(start) ? 0.5 : 0
}

/** Words that the letters of an acronym may leave out. */
const smallWord = 3
const wordOf = /[\p{L}\p{N}]+/gu
const isInCapitals = (word: string) => /^[\p{Lu}\p{N}]/u.test(word)

/** The run of words in `text` that `acronym` is short for: beside it, or in capitals. */
export function longFormIn(text: string, acronym: string): { start: number; end: number } | undefined {
  const letters = acronym.toLowerCase()
  const words = [...text.matchAll(wordOf)].map(({ 0: word, index }) => ({ word, start: index, end: index + word.length }))
  for (let first = 0; first < words.length; first++) {
    let [at, met] = [first, 0]
    const run: string[] = []
    for (; at < words.length && met < letters.length; at++) {
      const word = words[at]?.word ?? ''
      const isMet = word.charAt(0).toLowerCase() === letters[met]
      if (isMet) run.push(word)
      else if (met === 0 || word.length > smallWord) break
      met += isMet ? 1 : 0
    }
    const [from, to] = [words[first], words[at - 1]]
    if (met < letters.length || from === undefined || to === undefined) continue
    const around = [words[first - 1]?.word, words[at]?.word]
    if (around.some((word) => word?.toLowerCase() === letters) || run.every((word) => word.length <= smallWord || isInCapitals(word)))
      if (run.some((word) => word.length > smallWord)) return { start: from.start, end: to.end }
  }
  return undefined
}

/** The place that says what `acronym` is short for. */
export function longFormOf(acronym: string, index: SessionIndex) {
  for (const chunk of index.chunks)
    for (const unit of chunk.units) {
      const found = longFormIn(unit.text, acronym)
      if (found !== undefined) return { chunk, unit, ...found }
    }
  return undefined
}
