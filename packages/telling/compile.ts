// Compiles a deck into the script of a talk, without a model: the same deck gives the same bytes. Reads private notes for directives
// alone (directives.ts); every other word is public: what its author has it say, what is presented of its blocks, what the background
// says of it, or a phrase of the language pack.
import { fill, languageOf } from '@rostrum/languages/languages'
import type { Script, ScriptInput, ScriptSlide } from './beat.ts'
import type { Beat } from '@rostrum/contract/beat'
import {
  countWords,
  estimateMs,
  fitted,
  hasVerb,
  isEnded,
  isFragment,
  isReference,
  isUnspeakable,
  keyOf,
  lengthOf,
  wordsOf,
} from './spoken-words.ts'
import { type Directives, readDirectives } from './directives.ts'
import { counted, type Explanation, explanations, termsOf } from './explain.ts'
import {
  askSentence,
  bounded,
  type Detail,
  details,
  isAgenda,
  pollSentences,
  type Sentence,
  saysSomething,
  sentencesMost,
  slideSentences,
} from './narration.ts'
import { speakable } from './speak-line.ts'
import { inside, isTangled, joined, newTelling, type Telling, withoutStop } from './telling.ts'
import { clauseOffsets } from '@rostrum/contract/spoken'

export const compilerVersion = 30

const pauseMs = 250
/** A breath where a slide is new. */
const slidePauseMs = 600
const lookMostMs = 30_000
const slowFactor = 1.2
const fastFactor = 0.85
const budgetTolerance = 0.1
const topicsMost = 3
const topicWordsMost = 5

interface Part {
  slide: ScriptSlide
  directives: Directives
  sentences: Sentence[]
  /** The slide holds more than is said of it. */
  isLong: boolean
}

type Draft = Sentence & Pick<Beat, 'slideIndex' | 'estMs' | 'pauseMs' | 'pace' | 'emphasis'> & { slide: ScriptSlide }

function own(kind: Sentence['kind'], texts: readonly string[], { phrases, language }: Telling): Sentence[] {
  return texts.flatMap((text) =>
    bounded(text, phrases.stop, language).map((piece): Sentence => ({ kind, text: piece, sources: [], isDroppable: false })),
  )
}

const statementsMost = 3
const wordsLeast = 5
const wordsMost = 20
const plainWordsLeast = 7

/** Half of the words of one are those of the other. */
const isMuchAlike = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  2 * one.intersection(other).size >= Math.min(one.size, other.size)

/** "This question", "the following", "I did": of something beside it, or of whoever wrote it. */
const leansOut =
  /(?<!\p{L})(?:this|these|those|following|I|diese[mnrs]?|folgende[mnrs]?|ich|ces|cette|suivante?s?|je|estos|estas|siguientes?|yo|essas?|esses?|seguintes?|eu|e\.g)(?!\p{L})/iu

/** Stands alone as a sentence that one could keep in mind. */
function isKept(text: string, { language, phrases }: Telling): boolean {
  const count = countWords(text, language)
  if (/[:;?!：；？！؛؟…[\](（]|\.{2}|^["“„«(]|^\p{L}+,/u.test(text) || count < wordsLeast || count > wordsMost) return false
  if (phrases.farewells.some((word) => text.toLowerCase().includes(word))) return false
  return !isFragment(text, language) && !isReference(text) && !leansOut.test(text)
}

/** What a talk comes back to at its end: three statements that carried most, from three slides and in their order, or none. */
function closingStatements(parts: readonly Part[], title: string, telling: Telling): string[] {
  const { language } = telling
  // What the talk speaks of again and again is its subject.
  const onSlides = counted(parts.map(({ slide }) => termsOf(`${slide.title}\n${slide.text}`, language)))
  const titled = new Set(termsOf(title, language))
  const subjectLeast = Math.max(3, parts.length / 8)
  const isSubject = (term: string) => (onSlides.get(term) ?? 0) >= subjectLeast || titled.has(term)
  const found = parts.flatMap(({ sentences }, at) =>
    // Of slides whose words are their author's own nothing is taken.
    sentences.flatMap(({ statement: text, isAuthored, waitMs }) => {
      // "Lack of ways to update a device that is sold." has a stop and says nothing that one could keep in mind.
      if (text === undefined || isAuthored === true || waitMs !== undefined || !isKept(text, telling) || !hasVerb(text, language)) return []
      // Without a stop it may be a label, a name, a reference: only a long plain line is taken for a sentence.
      if (!isEnded(text) && (countWords(text, language) < plainWordsLeast || /[()“”'"]|\p{Lu}-?\d/u.test(text))) return []
      const words = new Set(wordsOf(text, language))
      const terms = termsOf(text, language)
      const subject = new Set(terms.filter(isSubject)).size
      // Whose first words are of the subject speaks of it; another only in passing.
      if (subject < 2 && !terms.slice(0, 2).some(isSubject)) return []
      // What its author ended as a sentence is one; a line of a list, or of a picture, often is none. A figure is remembered.
      const weight = Math.min(4, subject) + (/\d/u.test(text) ? 1 : 0) + (isEnded(text) ? 2 : 0)
      return [{ text, at, words, weight }]
    }),
  )
  const best: typeof found = []
  for (const one of found.toSorted((a, b) => b.weight - a.weight || a.at - b.at)) {
    if (best.length >= statementsMost) break
    if (!best.some(({ at, words }) => at === one.at || isMuchAlike(words, one.words))) best.push(one)
  }
  return best.length < statementsMost ? [] : best.toSorted((a, b) => a.at - b.at).map(({ text }) => text)
}

/** Who speaks and of what, then how to ask. */
function opening(input: ScriptInput, kept: readonly ScriptSlide[], telling: Telling): Sentence[] {
  const { phrases, language } = telling
  const title = withoutStop(speakable(input.title, language))
  // Where a slide tells the parts, they are told there.
  const topics = kept.some((slide) => isAgenda(slide.title, language)) ? [] : topicsOf(kept, input, telling)
  const list = joined(topics, language)
  return own(
    'opening',
    [
      title === '' ? phrases.disclosure : fill(phrases.welcome, { title }),
      topics.length < 2 ? phrases.howToAsk : fill(phrases.topics, { list }),
    ],
    telling,
  )
}

/** Titles that stand in a sentence as they are: short, of words alone, each once. */
function topicsOf(slides: readonly ScriptSlide[], input: ScriptInput, telling: Telling): string[] {
  const { everywhere, phrases, language } = telling
  const isTopic = ({ title, isTitleSure }: ScriptSlide) =>
    isTitleSure !== false &&
    !isUnspeakable(title) &&
    !isEnded(title) &&
    !/[\d,:;()/&–—-]/u.test(title) &&
    // What lists the parts is none of them.
    !title.split(' ').some((word) => isAgenda(word, language)) &&
    !saysSomething(title, telling) &&
    // "a; and b and c" is heard as three.
    !isTangled(title, language) &&
    countWords(title, language) <= topicWordsMost &&
    countWords(title, language) >= 2 &&
    !everywhere.has(keyOf(title)) &&
    /\p{Ll}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Arabic}]/u.test(title) &&
    !phrases.farewells.some((word) => title.toLowerCase().includes(word))
  const middle = slides.slice(1, -1).filter(isTopic)
  const titles = [...new Map(middle.map(({ title }) => [keyOf(title), withoutStop(speakable(title, language))])).values()]
  const fresh = titles.filter((title) => !keyOf(input.title).includes(keyOf(title)))
  const step = Math.max(1, Math.floor(fresh.length / topicsMost))
  return fresh.filter((_, at) => at % step === 0).slice(0, topicsMost)
}

/** "06 Summary", "Hive: conclusions" among the last slides: the talk itself sums up. */
function sumsUp(slides: readonly ScriptSlide[], language: string): boolean {
  const titles = new Set(languageOf(language).talk.conclusion.map(keyOf))
  const last = slides.slice(Math.ceil(slides.length * 0.66))
  return last.some(({ title }) => title.split(/[:–—,]/u).some((part) => titles.has(keyOf(part.replace(/\d/gu, '')))))
}

function closing(input: ScriptInput, parts: readonly Part[], telling: Telling): Sentence[] {
  const { phrases, language } = telling
  // Who has summed up says it once.
  const hasSummary = sumsUp(
    parts.map(({ slide }) => slide),
    language,
  )
  const statements = hasSummary ? [] : closingStatements(parts, input.title, telling)
  const kept = statements.map((text, at) => fill(phrases.keep[at] ?? '', { text: inside(text, telling) }))
  const label = input.ctaText === undefined ? '' : speakable(input.ctaText, language)
  const offer =
    label === ''
      ? []
      : own('cta', [fill(phrases.cta, { label })], telling).map((sentence, at): Sentence =>
          at === 0 ? { ...sentence, showsCta: true } : sentence,
        )
  return [...own('closing', kept, telling), ...offer, ...own('closing', [phrases.thanks], telling)]
}

interface Deck {
  input: ScriptInput
  telling: Telling
  kept: readonly ScriptSlide[]
  explained: ReadonlyMap<string, Explanation[]>
  detail: Detail
}

function partOf(slide: ScriptSlide, at: number, { input, telling, kept, explained, detail }: Deck): Part {
  const directives = readDirectives(slide.agentNotes ?? '')
  const deckTitle = input.title.split(/[:：–—]/u)[0] ?? ''
  const most = sentencesMost(input.slides.length)
  const found = slideSentences(slide, {
    telling,
    emphasis: directives.emphasis,
    isFirst: at === 0,
    isLast: at === kept.length - 1,
    slides: kept.length,
    hidesTitle: at === 0 && [input.title, deckTitle].some((title) => keyOf(title) === keyOf(slide.title)),
    explanations: explained.get(slide.id) ?? [],
    most: most + 1,
    detail,
    seconds: directives.seconds,
  })
  const asks = directives.asks.map((question) => askSentence(question, slide, telling.phrases))
  const polls = pollSentences(directives.polls, slide, telling)
  return { slide, directives, sentences: [...found.slice(0, most), ...asks, ...polls], isLong: found.length > most }
}

function timed(sentence: Sentence, { slide, directives }: Part, input: ScriptInput): Draft {
  const isOwn = sentence.sources.length === 0
  const factor = isOwn || directives.pace === undefined ? 1 : directives.pace === 'slow' ? slowFactor : fastFactor
  const emphasis = directives.emphasis.filter((words) => sentence.text.includes(words))
  return {
    ...sentence,
    slide,
    slideIndex: slide.index,
    estMs: Math.round(estimateMs(sentence.text, input.language, input.speechWpm ?? 150) * factor),
    pauseMs: Math.round(pauseMs * Math.min(1, 150 / (input.speechWpm ?? 150))),
    ...(directives.pace === undefined || isOwn ? {} : { pace: directives.pace }),
    ...(emphasis.length > 0 && !isOwn ? { emphasis } : {}),
  }
}

/** The beats of one slide with its own directives: time for the slide, a pause at its end, the call to action. */
function slideDrafts(part: Part, sentences: readonly Sentence[], input: ScriptInput): Draft[] {
  let drafts = sentences.map((sentence) => timed(sentence, part, input))
  const { seconds, pauseMs: pause, cta } = part.directives
  if (seconds !== undefined) drafts = fitted(drafts, seconds * 1000)
  const pace = Math.min(1, 150 / (input.speechWpm ?? 150))
  const last = drafts.at(-1)
  if (last) {
    const breath = Math.round((slidePauseMs - pauseMs) * pace)
    // A slide of which little is said is looked at for the time that was wished for it.
    const look = Math.min(lookMostMs, Math.max(0, (seconds ?? 0) * 1_000 - lengthOf(drafts)))
    drafts[drafts.length - 1] = { ...last, pauseMs: last.pauseMs + Math.max(breath, look) + (pause ?? 0) }
  }
  const end = drafts.findLastIndex(({ sources }) => sources.length > 0)
  const ending = drafts[end]
  if (ending && cta && input.ctaText !== undefined) drafts[end] = { ...ending, showsCta: true }
  return drafts
}

function finished(drafts: readonly Draft[]): Beat[] {
  const counts = new Map<string, number>()
  return drafts.map(({ slide, slideIndex, isDroppable: _d, statement: _s, ...rest }, index): Beat => {
    const position = counts.get(slide.id) ?? 0
    counts.set(slide.id, position + 1)
    return { beatId: `${slide.id}.${position}`, slideId: slide.id, slideIndex, index, ...rest, clauses: clauseOffsets(rest.text) }
  })
}

function budgetWarnings(totalMs: number, input: ScriptInput): string[] {
  if (input.targetSeconds === undefined) return []
  const off = totalMs / (input.targetSeconds * 1000) - 1
  if (Math.abs(off) <= budgetTolerance) return []
  const spoken = Math.round(totalMs / 1000)
  return [
    `The talk takes ${spoken} seconds; its time budget is ${input.targetSeconds}. ${off > 0 ? 'Skip slides or raise the budget.' : 'Add text or lower the budget.'}`,
  ]
}

function lengthWarnings(parts: readonly Part[], most: number): string[] {
  return parts
    .filter(({ isLong }) => isLong)
    .map(({ slide }) => `Slide ${slide.index + 1} holds more than ${most} sentences; the talk says the first ${most}.`)
}

interface Told {
  parts: readonly Part[]
  drafts: readonly Draft[]
}

/** The whole talk in its own length. */
function tell(input: ScriptInput, detail: Detail): Told {
  const telling = newTelling(input.slides, input.language, languageOf(input.language).script)
  const kept = input.slides.filter((slide) => !readDirectives(slide.agentNotes ?? '').skip)
  const explained = explanations(
    kept.filter(({ narration = '', isSilent, cited }) => (narration.trim() === '' && isSilent !== true) || cited !== undefined),
    input.passages ?? [],
    { title: input.title, language: input.language, perSlideMost: detail.explanations },
  )
  const parts = kept.map((slide, at) => partOf(slide, at, { input, telling, kept, explained, detail }))
  const drafts = parts.flatMap((part, at) => {
    // Whoever wrote what is said on the first slide begins in their own way; that the presenter is no person is said all the same.
    const isTold = (kept[0]?.narration ?? '').trim() !== '' && kept[0]?.cited === undefined
    const before = at === 0 ? opening(input, kept, telling).slice(0, isTold ? 1 : undefined) : []
    const after = at === parts.length - 1 ? closing(input, parts, telling) : []
    return slideDrafts(part, [...before, ...part.sentences, ...after], input)
  })
  return { parts, drafts }
}

/** A long talk is wished: more is told of each slide, as far as there is more, before silences grow. */
function detailed(input: ScriptInput): Told {
  const [usual, ...others] = details
  const wishedMs = (input.targetSeconds ?? 0) * 1_000
  let told = tell(input, usual)
  for (const detail of others) if (lengthOf(told.drafts) < wishedMs) told = tell(input, detail)
  return told
}

/** Compiles `input`. Every slide gets a beat unless its notes say `[skip]`; a deck with nothing left to say gives no beats. */
export function compileScript(input: ScriptInput): Script {
  const { parts, drafts: all } = detailed(input)
  const drafts = input.targetSeconds === undefined ? all : fitted(all, input.targetSeconds * 1000)
  const totalMs = lengthOf(drafts)
  return {
    compilerVersion,
    language: input.language,
    beats: finished(drafts),
    totalMs,
    droppedBeats:
      parts.reduce((sum, { sentences }) => sum + sentences.length, 0) - drafts.filter(({ sources }) => sources.length > 0).length,
    warnings: [...budgetWarnings(totalMs, input), ...lengthWarnings(parts, sentencesMost(input.slides.length))],
  }
}
