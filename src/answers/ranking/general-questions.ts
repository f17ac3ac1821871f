// What everybody asks of any deck, in words of which the deck itself may hold none: what it costs, how to get in touch, how to join, when,
// where, and who has it already. By the kind of value asked for and by the words that slides use over such values.
import { baseLanguage, generalTopics, inEveryLanguage, languageOf, wordsOf } from '../../platform/languages.ts'
import { lazily } from '../../platform/lazily.ts'
import { insidePattern } from '../../platform/word-pattern.ts'
import { fold } from './fold.ts'
import { foreignLanguageOf } from './question-types.ts'
import type { Candidate } from './rank.ts'
import type { IndexedChunk, IndexedUnit, SessionIndex } from './session-index.ts'
import { tokenise } from './tokens.ts'
import { valueBit } from './value-types.ts'
import { stopWords } from './word-weights.ts'

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

/** "When was the workshop?": the date on the first slide, where the question names the talk and asks for nothing else. */
export function dateOfTalk(question: string, index: SessionIndex): readonly Pick<Candidate, 'chunk' | 'unit'>[] {
  const [chunk] = index.chunks
  const text = fold(question).toLowerCase()
  const topic = topicsOf(index.language, index.language).find(({ wanted }) => wanted === valueBit.date)
  const rest = topic === undefined ? text : text.replace(topic.asked, ' ')
  if (chunk?.source.type !== 'slide' || rest === text) return []
  const { talk } = wordsOf(index.language)
  const said = tokenise(rest, index.language).filter(({ weight }) => weight > 0)
  if (said.length === 0 || said.some(({ word }) => !talk.some((name) => fold(name).toLowerCase() === word))) return []
  return chunk.units.flatMap((unit) => (unit.isDated && (unit.values & valueBit.date) !== 0 ? [{ chunk, unit }] : [])).slice(0, 1)
}

/** The first and the last slide say with an address alone how to get in touch. */
function addressed({ chunks }: SessionIndex): readonly Pick<Candidate, 'chunk' | 'unit'>[] {
  const slides = chunks.filter(({ source }) => source.type === 'slide')
  const found = [slides.at(0), slides.at(-1)].map((chunk) =>
    (chunk?.units ?? []).flatMap((unit) =>
      chunk && (unit.values & valueBit.contact) !== 0 && unit.text.includes('@') ? [{ chunk, unit }] : [],
    ),
  )
  return (found.find((units) => units.length > 0) ?? []).slice(0, quotesMax)
}

/** Units that answer a question of nothing but such words, those of one chunk; none where it asks for more, or the deck holds none. */
export function generalAnswer(question: string, index: SessionIndex): readonly Pick<Candidate, 'chunk' | 'unit'>[] {
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
