// The sentences of one slide before they are timed: what its author wrote, or what is presented of its blocks with its title, the
// background that explains it, and what its directives add.
import { createHash } from 'node:crypto'
import { pollLimits, type PollSpec } from '@rostrum/contract/poll'
import { fill, languageOf } from '@rostrum/languages/languages'
import type { Piece } from '@rostrum/contract/block'
import { sentenceSpans } from '@rostrum/deck/sentences'
import type { ScriptSlide } from './beat.ts'
import type { Beat, BeatSource } from '@rostrum/contract/beat'
import type { Explanation } from './explain.ts'
import { presentBlocks } from './present-slide.ts'
import {
  countWords,
  hasVerb,
  isEnded,
  isFragment,
  isName,
  isRead,
  isReference,
  isUnspeakable,
  keyOf,
  sentenceWordsMost,
  withoutPlace,
} from './spoken-words.ts'
import { commaOf, type Phrases, remember, said as spoken, type Telling, turn, type Unit, withoutStop } from './telling.ts'
import { cutBefore } from '@rostrum/contract/spoken'

/** A beat that has no place or time yet. */
type Spoken = 'kind' | 'text' | 'sources' | 'region' | 'isAuthored' | 'waitMs' | 'poll' | 'resultOf' | 'showsCta'
export interface Sentence extends Pick<Beat, Spoken> {
  /** Narration may be left out of a talk that is too long; what holds a title may not. */
  isDroppable: boolean
  /** A statement of the slide, which the closing may come back to. */
  statement?: string
}

export interface SlidePlace {
  telling: Telling
  emphasis: readonly string[]
  /** The opening, or the closing, is said here: the slide needs no sentence of its own. */
  isFirst: boolean
  isLast: boolean
  slides: number
  /** The opening names it. */
  hidesTitle: boolean
  explanations: readonly Explanation[]
  most: number
  detail: Detail
  /** Wished length of the slide. */
  seconds?: number | undefined
}

export const sentenceMax = 240
const askWaitMs = 8_000
/** Time to look at a slide of which nothing is said, unless its notes name another. */
const silenceMs = 5_000
const regionMost = 40
/** How much is told of one slide: what is listened to, and more where a long talk is wished. */
export interface Detail {
  words: number
  units: number
  explanations: number
}
export const details: readonly [Detail, ...Detail[]] = [
  { words: 120, units: 9, explanations: 2 },
  { words: 160, units: 10, explanations: 4 },
  { words: 240, units: 12, explanations: 6 },
]
/** Names, a date, a line of brand: a slide of the title that holds no more is no slide to talk about. */
const coverWordsMost = 12
const titleWordsMost = 14
const ledWordsMost = 32
const ending = /[.!?…。！？؟:][)"'”’»」]*$/u

/** Ends a statement with the language's stop unless it ends itself. */
export function stopped(text: string, stop: string): string {
  const bare = text.replace(/(?<![\s,;:，；：،؛])[\s,;:，；：،؛]+$/u, '')
  return ending.test(bare) && !bare.endsWith(':') ? bare : `${bare}${stop}`
}

/** Pieces of at most 240 characters and 35 words. One that is cut within a clause goes on after a comma: a stop would make halves. */
export function bounded(text: string, stop: string, language: string, wordsMost = sentenceWordsMost): string[] {
  const isLong = (piece: string) => stopped(piece, stop).length > sentenceMax || countWords(piece, language) > wordsMost
  const comma = commaOf(language)
  const pieces: string[] = []
  // The first half is taken next; what ends in the middle of its sentence ends with a comma.
  const waiting = [{ text, end: stop }]
  let isOpen = false
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isLong(next.text)) {
      const { at, isClause } = cutOf(next.text, language)
      waiting.push({ text: next.text.slice(at).trimStart(), end: next.end })
      waiting.push({ text: next.text.slice(0, at).trimEnd(), end: isClause ? stop : comma })
    } else if (/[\p{L}\p{N}]/u.test(next.text)) {
      const piece = stopped(next.text, next.end)
      pieces.push(isOpen || !/^\p{Ll}[\p{Ll}'’]*(?![\p{L}\p{N}])/u.test(piece) ? piece : piece.charAt(0).toUpperCase() + piece.slice(1))
      isOpen = next.end === comma
    }
  }
  return pieces
}

/** The clause mark nearest to the middle; strong marks before commas. A stop that ends no sentence is one of an abbreviation. */
function cutOf(text: string, language: string): { at: number; isClause: boolean } {
  const middle = Math.min(text.length / 2, sentenceMax - 40)
  const ends = new Set(sentenceSpans(text).map(({ start }) => start))
  for (const [strength, marks] of [
    /[.!?;:。；：؛](?=\s|[^\s\d.])\s?/gu,
    /[,，،]\s?(?=(?:and|but|so|und|aber|denn|et|mais|y|pero|e|mas|但|而|并|ولكن)(?:\s|[\p{Script=Han}]))/gu,
    /[,、，،](?=\s|\D)\s?/gu,
  ].entries()) {
    const cuts = [...text.matchAll(marks)]
      .filter(([mark], at, all) => !mark.startsWith('.') || ends.has((all[at]?.index ?? 0) + mark.length))
      .map((match) => match.index + match[0].length)
      .filter((at) => at > text.length / 6 && at < sentenceMax - 4)
      // "Of many parts, including:" is no half that could stand alone.
      .filter((at) => strength > 0 || !isFragment(text.slice(0, at).replace(/[\s:;：；]{1,3}$/u, ''), language))
    const best = cuts.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
    if (best !== undefined && best < text.length - 8) return { at: best, isClause: strength === 0 }
  }
  let at = cutBefore(text, Math.max(8, Math.floor(middle)))
  for (let tries = 0; tries < 6 && isFragment(text.slice(0, at), language); tries++) at = cutBefore(text, Math.max(8, at - 2))
  return { at: Math.max(1, at), isClause: false }
}

/** No offset of a text: marks the piece that stands for the title. */
const titleStart = -1

const sourceOf = (slide: ScriptSlide, pieces: readonly Piece[] = []): BeatSource => {
  const spans = pieces.filter(({ start }) => start !== titleStart).map(({ start, end }) => [start, end] as const)
  return { type: 'slide', id: slide.id, index: slide.index, ...(spans.length > 0 && { spans }) }
}

/** Ten minutes of talk: nobody listens to more over one picture. */
const slideSentencesMost = 120
/** Eight hours. */
const talkSentencesMost = 6_000

/** How many sentences may be said of each of so many slides. */
export const sentencesMost = (slides: number): number => Math.min(slideSentencesMost, Math.ceil(talkSentencesMost / slides))

/** The sentences of what somebody wrote. A line that ends like a sentence ends one, whatever the next begins with; any other line goes on. */
export function sentencesOf(narration: string): string[] {
  const parts: string[] = []
  let isOpen = false
  for (const line of narration.split('\n')) {
    const text = line.trim()
    if (isOpen && text !== '') parts.push(`${parts.pop() ?? ''} ${text}`)
    else if (text !== '') parts.push(text)
    isOpen = text !== '' && !ending.test(text)
  }
  return parts.flatMap((part) => sentenceSpans(part).map(({ start, end }) => part.slice(start, end).replace(/\s+/gu, ' ')))
}

/** What somebody wrote for the presenter to say, as it is written. */
function authored(slide: ScriptSlide, narration: string, rules: readonly Sentence[], { telling, most }: SlidePlace): Sentence[] {
  const { language, phrases } = telling
  const cited = new Map((slide.cited ?? []).map((sentence) => [sentence.text, sentence]))
  const compiledAs = new Map(rules.map((sentence) => [sentence.text, sentence]))
  // Cut where a caption cannot hold it; one of many words is its author's to part, and the lint says so.
  const texts = sentencesOf(narration).flatMap((text) => bounded(text, phrases.stop, language, Infinity))
  return texts.slice(0, most).map((text): Sentence => {
    // What was left as it is stays what it was, but for its place: it was chosen. It is counted like its neighbours.
    const same = compiledAs.get(text)
    if (same !== undefined) return { ...same, kind: 'narration', isDroppable: false }
    const { sources = [sourceOf(slide)], region } = cited.get(text) ?? {}
    return { kind: 'narration', text, sources, ...(region && { region }), isAuthored: true, isDroppable: false }
  })
}

/** The slide is looked at in silence: a beat without words, and the time to look. */
function silent(slide: ScriptSlide, seconds: number | undefined): Sentence[] {
  return [{ ...looked(slide, seconds), isAuthored: true }]
}

function looked(slide: ScriptSlide, seconds = silenceMs / 1_000): Sentence {
  return { kind: 'narration', text: '', sources: [sourceOf(slide)], isDroppable: false, waitMs: seconds * 1_000 }
}

export function slideSentences(slide: ScriptSlide, place: SlidePlace): Sentence[] {
  const { telling } = place
  const own = slide.narration?.trim() ?? ''
  const isWritten = slide.isSilent === true || own !== ''
  // Of a slide that was changed the compiled sentences are made too: the next ones go on as if it had been left alone.
  const rules = isWritten && slide.cited === undefined ? [] : compiled(slide, place)
  const told = slide.isSilent === true ? silent(slide, place.seconds) : own === '' ? rules : authored(slide, own, rules, place)
  telling.isTitleAlone = told.every(({ kind }) => kind === 'title')
  remember(slide.blocks, telling)
  telling.titles.add(keyOf(withoutPlace(slide.title)))
  return told
}

function compiled(slide: ScriptSlide, place: SlidePlace): Sentence[] {
  const { telling, isFirst, isLast, slides, explanations } = place
  const { phrases, language } = telling
  // A list of works is looked up, not listened to.
  const isSources = sourcesTitle.test(slide.title.trim())
  const found = isSources ? [] : presentBlocks(slide, telling, { emphasis: place.emphasis, isLast })
  const pieces = (unit: Unit) => bounded(unit.text, phrases.stop, language)
  const whole = found.filter(
    (unit) =>
      !pieces(unit)
        .slice(0, -1)
        .some((piece) => openComma.test(piece)),
  )
  // Who is named on a cover is no point of the talk; what nobody can hold in mind is left to the eye where there is other to say.
  const told = (whole.filter(({ text }) => text !== '').length >= wholeLeast ? whole : found).filter(
    (unit) => !isFirst || slides === 1 || unit.statement !== undefined || !unit.pieces.every(({ text }) => isName(text, language)),
  )
  const explained = explanations.filter(({ text }) => !telling.seen.has(keyOf(text)))
  // A title slide is not read: the opening says what is on it.
  const isText = slide.blocks.some(({ kind }) => kind === 'list' || kind === 'table' || kind === 'code')
  const words = told.reduce((sum, { text }) => sum + countWords(text, language), 0)
  const isLong = told.some(({ statement = '' }) => countWords(statement, language) > 12)
  // Whole sentences are there to be told, wherever they stand.
  const isProse = slide.blocks.some((block) => block.kind === 'paragraph' && isProseLine(block, language))
  const isCover = isFirst && slides > 1 && !isLong && !isProse && (!isText || (place.hidesTitle && words < coverWordsMost))
  const units = isCover ? [] : withTitle(titleOf(slide, place, told.length > 0), chosen(told, explained, place), place)
  if (units.length + explained.length === 0 && !isFirst && !isLast) units.push(...fallback(slide, place))
  const sentences = units.flatMap(({ text, kind, pieces, statement }) => {
    const region = pieces.flatMap(({ boxes }) => boxes ?? []).slice(0, regionMost)
    return bounded(text, phrases.stop, language).map((piece, _at, all): Sentence => ({
      kind,
      text: piece,
      sources: [sourceOf(slide, pieces)],
      ...(region.length > 0 && { region }),
      isDroppable: kind === 'narration' && !pieces.some(({ start }) => start === titleStart),
      ...(statement !== undefined && all.length === 1 && { statement }),
    }))
  })
  const said = sentences.filter((sentence) => sentences.length === 1 || !sentence.isDroppable || saysEnough(sentence.text, language))
  for (const { text, source } of explained) {
    for (const piece of bounded(spoken(text, telling), phrases.stop, language)) {
      said.push({ kind: 'narration', text: piece, sources: [source], isDroppable: true })
    }
  }
  // Nothing that can be said: it is looked at, which is better than words about it.
  if (said.length === 0 && !isFirst && !isLast) return [looked(slide, place.seconds)]
  return said.slice(0, place.most)
}

const sourcesTitle =
  /^(?:references|bibliography|sources|(?:further |recommended |more )?(?:resources|reading)|weiterführende literatur|ressourcen|ressources|recursos(?: recomendados)?|参考资源|参考資料|works cited|(?:image |photo )?credits|literatur(?:verzeichnis)?|quellen(?:verzeichnis|angaben)?|bildnachweise?|références|bibliographie|sources|crédits|referencias|bibliografía|fuentes|referências|bibliografia|fontes|参考文献|参考资料|引用|出典|المراجع|المصادر)(?:\s?[(（,:：].{0,30})?$/iu
const proseWordsLeast = 5
/** So many sentences are enough to say of a slide. */
const wholeLeast = 2
const openComma = /[,،，、]$/u

function isProseLine(piece: Piece, language: string): boolean {
  return isRead(piece, language) && /[.!…。！]$/u.test(piece.text) && countWords(piece.text, language) >= proseWordsLeast
}

/** A word or two, alone or after a colon, are a label, unless they tell an amount. */
function saysEnough(text: string, language: string): boolean {
  // Behind its lead: of "Churn: 2 %, and Staff: 220" the last name belongs to its number.
  const core = text.slice(text.indexOf(': ') + 1)
  return /[?？؟]$/u.test(text) || countWords(core, language) >= 3 || (/\d/u.test(core) && /\p{L}{2}/u.test(core))
}

/** What is told of a slide that holds more than can be listened to: of each block its first sentence, then the second. */
function chosen(units: readonly Unit[], explained: readonly Explanation[], { telling, emphasis, detail }: SlidePlace): Unit[] {
  const weight = ({ text, rank }: Unit) => (emphasis.some((words) => text.includes(words)) ? -1 : rank)
  const order = units.toSorted((a, b) => weight(a) - weight(b))
  const kept = new Set<Unit>()
  // What is explained is read less, unless a long talk is wished: who looks at the slide reads it anyway.
  const isUsual = detail === details[0]
  let words = Math.min(
    isUsual ? detail.words * 0.6 : 0,
    2 * explained.reduce((sum, { text }) => sum + countWords(text, telling.language), 0),
  )
  const unitsMost = detail.units - (isUsual ? 2 * explained.length : 0)
  for (const unit of order) {
    words += countWords(unit.text, telling.language)
    if (kept.size >= unitsMost || (words > detail.words && kept.size > 0)) break
    kept.add(unit)
  }
  return units.filter((unit) => kept.has(unit))
}

/** Lists the parts of the talk, which need no name: "Next, agenda" nobody says. */
export const isAgenda = (title: string, language: string): boolean =>
  languageOf(language).talk.agenda.some((words) => keyOf(words) === keyOf(title))

/** As it is said; empty where it has been said, says nothing, or is only guessed. */
function titleOf(slide: ScriptSlide, place: SlidePlace, hasOther: boolean): string {
  const { telling, hidesTitle } = place
  const title = withoutPlace(slide.title)
  if (hidesTitle || isUnspeakable(title) || isAgenda(title, telling.language)) return ''
  // One that is only guessed is said where nothing else is.
  if (slide.isTitleSure === false && hasOther) return ''
  const key = keyOf(title)
  if (key === '' || telling.titles.has(key) || telling.everywhere.has(key)) return ''
  if (countWords(title, telling.language) <= 4 && telling.phrases.farewells.some((word) => title.toLowerCase().includes(word))) return ''
  const text = spoken(title, telling).replace(/(?<![\s:：])[\s:：]{1,5}$/u, '')
  return isFragment(text, telling.language) ? '' : text
}

/** Puts the title before what is said of its slide: in one sentence where it fits, as one of its own where it is one. */
function withTitle(title: string, units: readonly Unit[], place: SlidePlace): Unit[] {
  const { telling, isLast, slides } = place
  const { phrases, language } = telling
  const spoken = units.filter(({ text }) => text !== '')
  if (title === '') return spoken
  const piece: Piece = { text: title, start: titleStart, end: titleStart }
  const [first, ...rest] = units
  const isSentence = saysSomething(title, telling)
  if (isEnded(title) || countWords(title, language) > titleWordsMost || (isSentence && first?.statement !== undefined))
    return [{ kind: 'title', text: title, pieces: [], rank: 0 }, ...spoken]
  const named = withoutStop(title).replace(/\s?[:：]\s/gu, ', ')
  const lead = isSentence ? '{title}' : isLast && slides > 3 ? phrases.lastLead : leadFor(named, telling)
  // A question opens a slide by itself.
  if (first !== undefined && /[?？؟]$/u.test(first.text)) return spoken
  const text = /[:：]/u.test(named) ? '' : (first?.led?.(fill(lead, { title: named })) ?? '')
  if (first !== undefined && text !== '' && countWords(text, language) <= ledWordsMost) {
    return [{ ...first, text, pieces: [piece, ...first.pieces] }, ...rest.filter((unit) => unit.text !== '')]
  }
  if (isSentence) return [{ kind: 'title', text: named, pieces: [], rank: 0 }, ...spoken]
  const parts = fitting(phrases.parts, named, telling)
  // Slide after slide of pictures: a bridge to each would drone.
  const isPlain = spoken.length === 0 && telling.isTitleAlone && countWords(named, language) > 2
  const part = isPlain ? '{title}' : (parts[turn(telling, 'part') % parts.length] ?? '')
  return [{ kind: 'title', text: fill(part, { title: named }), pieces: [], rank: 0 }, ...spoken]
}

/** "IoT is complex", "However, prices fall" are said as they are; "On IoT is complex" nobody says. */
export function saysSomething(title: string, { language, phrases }: Telling): boolean {
  if (isReference(title) || /^\p{L}+, \p{Ll}/u.test(title)) return true
  const isListed = languageOf(language).words.finite.length > 0
  return (
    isListed && countWords(title, language) >= 3 && hasVerb(title, language) && !phrases.clauses.includes(keyOf(title).split(' ')[0] ?? '')
  )
}

/** Of ways to lead to a title those that may stand before it: "Now to" before a name, not before "When it fails". */
function fitting(ways: readonly string[], title: string, { phrases }: Telling): readonly string[] {
  const first = keyOf(title).split(' ')[0] ?? ''
  return phrases.clauses.includes(first) ? ways.filter((way) => /[,:] \{title\}/u.test(way)) : ways
}

/** "Next, next steps" would stutter. */
function leadFor(title: string, telling: Telling): string {
  const leads = fitting(telling.phrases.leads, title, telling)
  const at = turn(telling, 'lead')
  const [first = ''] = keyOf(title).split(' ')
  const isStutter = ` ${keyOf(leads[at % leads.length] ?? '')} `.includes(` ${first.slice(0, 6)}`)
  return leads[(isStutter ? at + 1 : at) % leads.length] ?? ''
}

/** A picture is pointed at once; what goes on with the same subject, or holds nothing to say, is left to the eye. */
function fallback(slide: ScriptSlide, { telling }: SlidePlace): Unit[] {
  const hasWords = slide.blocks.some(({ kind }) => kind !== 'figure')
  const isSeen = telling.titles.has(keyOf(withoutPlace(slide.title))) && keyOf(slide.title) !== ''
  if (hasWords || isSeen || turn(telling, 'picture') > 0) return []
  return [{ kind: 'narration', text: telling.phrases.picture, pieces: [], rank: 0 }]
}

/** The question of an `[ask:]` directive, waited for. */
export function askSentence(question: string, slide: ScriptSlide, phrases: Phrases): Sentence {
  return { kind: 'narration', text: stopped(question, phrases.stop), sources: [sourceOf(slide)], isDroppable: false, waitMs: askWaitMs }
}

/** The question of a `[poll:]` directive, and what comes of it. */
export function pollSentences(polls: readonly PollSpec[], slide: ScriptSlide, { phrases, language }: Telling): Sentence[] {
  const words = languageOf(language).polls
  const common = { kind: 'narration', sources: [sourceOf(slide)], isDroppable: false } as const
  return polls.flatMap(({ seconds = pollLimits.seconds, ...asked }, at): Sentence[] => {
    const before = polls.slice(0, at).filter(({ question }) => question === asked.question).length
    const told = JSON.stringify([slide.id, asked.kind, asked.question, asked.options ?? [], before])
    const pollId = `p${createHash('sha256').update(told).digest('hex').slice(0, 12)}`
    const question = stopped(asked.question, phrases.stop)
    const text = `${question}${/[。！？]$/u.test(question) ? '' : ' '}${stopped(words.how, phrases.stop)}`
    return [
      { ...common, text, waitMs: seconds * 1_000, poll: { pollId, ...asked } },
      { ...common, text: stopped(words.result, phrases.stop), resultOf: pollId },
    ]
  })
}
