// Compiles a deck into the script of a talk, without a model: the same deck gives the same bytes. Reads private notes for directives
// alone (directives.ts); every other word is public text, read out by rule, or a phrase of the language pack.
import type { Beat, Script, ScriptInput, ScriptSlide } from './beat.ts'
import { fitted, lengthOf } from './budget.ts'
import { readDirectives, type Directives } from './directives.ts'
import { askSentence, bounded, sentencesMost, slideSentences, type Sentence } from './narration.ts'
import { phrasesFor, type Phrases } from './phrases.ts'
import { speakable } from './speak-line.ts'
import { clauseOffsets, estimateMs } from './timing.ts'

export const compilerVersion = 5

const pauseMs = 250
const bridgePauseMs = 500
const slowFactor = 1.2
const fastFactor = 0.85
const budgetTolerance = 0.1
const rememberedTitles = 3

interface Part {
  slide: ScriptSlide
  directives: Directives
  sentences: Sentence[]
  /** The slide holds more than is said of it. */
  isLong: boolean
}

type Draft = Sentence & {
  slide: ScriptSlide
  slideIndex: number
  estMs: number
  pauseMs: number
  pace?: 'slow' | 'fast'
  emphasis?: readonly string[]
}

function own(kind: Sentence['kind'], texts: readonly string[], phrases: Phrases): Sentence[] {
  return texts.flatMap((text) =>
    bounded(text, phrases.stop).map((piece): Sentence => ({ kind, text: piece, sources: [], isDroppable: false })),
  )
}

function opening(input: ScriptInput, phrases: Phrases): Sentence[] {
  const title = speakable(input.title, input.language)
  return own('opening', [...(title === '' ? [] : [phrases.welcome(title)]), phrases.disclosure, phrases.howToAsk], phrases)
}

/** The slides that say most figures and statements, in their order: what a listener should keep. */
function mattered(parts: readonly Part[], language: string): string[] {
  const middle = parts.length > 4 ? parts.slice(1, -1) : parts
  const weighed = middle
    .map(({ slide, sentences }, at) => ({
      title: speakable(slide.title, language),
      at,
      weight: sentences.reduce((sum, { text }) => sum + (text.match(/\d/gu) ? 2 : 1), 0),
    }))
    .filter(({ title }) => /[\p{L}\p{N}]/u.test(title) && title.length <= 60 && !/[?!？！؟]/u.test(title))
  const best = weighed.toSorted((a, b) => b.weight - a.weight || a.at - b.at).slice(0, rememberedTitles)
  return best.toSorted((a, b) => a.at - b.at).map(({ title }) => title.replace(/(?<![.;:])[.;:]+$/u, '').replace(/\s?:\s/u, ', '))
}

function closing(input: ScriptInput, parts: readonly Part[], phrases: Phrases): Sentence[] {
  const titles = mattered(parts, input.language)
  const cta = input.ctaText === undefined ? '' : speakable(input.ctaText, input.language)
  const offer =
    cta === ''
      ? []
      : own('cta', [phrases.cta(cta)], phrases).map((sentence, at): Sentence => (at === 0 ? { ...sentence, showsCta: true } : sentence))
  return [
    ...(titles.length > 1 ? own('closing', [phrases.remember(titles)], phrases) : []),
    ...offer,
    ...own('closing', [phrases.thanks], phrases),
  ]
}

/** Names the next slide at every second change and before the last: at each one it would tire. */
function bridge(at: number, parts: readonly Part[], input: ScriptInput, phrases: Phrases): Sentence[] {
  const next = parts[at + 1]
  const title = speakable(next?.slide.title ?? '', input.language)
  if (!next || !/[\p{L}\p{N}]/u.test(title) || next.sentences.length < 2) return []
  if (at === parts.length - 2 && parts.length > 3) return own('bridge', [phrases.lastBridge(title)], phrases)
  if (at % 2 === 1) return []
  const say = phrases.bridges[(at / 2) % phrases.bridges.length]
  return say ? own('bridge', [say(title)], phrases) : []
}

/** A bridge has just said the title: said again at once, it would stutter. */
function withoutTitle(part: Part): Part {
  const [first, ...rest] = part.sentences
  return first?.kind === 'title' && rest.length > 0 ? { ...part, sentences: rest } : part
}

const sameWords = (a: string, b: string) =>
  a
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim() ===
  b
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function partOf(slide: ScriptSlide, isFirst: boolean, input: ScriptInput, phrases: Phrases): Part[] {
  const directives = readDirectives(slide.agentNotes ?? '')
  if (directives.skip) return []
  const deckTitle = input.title.split(/[:：–—]/u)[0] ?? ''
  const hidesTitle = isFirst && (sameWords(slide.title, input.title) || sameWords(slide.title, deckTitle))
  const most = sentencesMost(input.slides.length)
  const found = slideSentences(slide, input.language, phrases, { hidesTitle, most: most + 1 })
  const sentences = found.slice(0, most)
  const asks = directives.asks.map((question) => askSentence(question, slide, phrases))
  return [{ slide, directives, sentences: [...sentences, ...asks], isLong: found.length > most }]
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
    pauseMs: Math.round(
      (sentence.kind === 'bridge' || sentence.kind === 'title' ? bridgePauseMs : pauseMs) * Math.min(1, 150 / (input.speechWpm ?? 150)),
    ),
    ...(directives.pace === undefined || isOwn ? {} : { pace: directives.pace }),
    ...(emphasis.length > 0 && !isOwn ? { emphasis } : {}),
  }
}

/** The beats of one slide with its own directives: time for the slide, a pause at its end, the call to action. */
function slideDrafts(part: Part, sentences: readonly Sentence[], input: ScriptInput): Draft[] {
  let drafts = sentences.map((sentence) => timed(sentence, part, input))
  const { seconds, pauseMs: pause, cta } = part.directives
  if (seconds !== undefined) drafts = fitted(drafts, seconds * 1000)
  const last = drafts.at(-1)
  if (last && pause !== undefined) drafts[drafts.length - 1] = { ...last, pauseMs: last.pauseMs + pause }
  const end = drafts.findLastIndex(({ sources }) => sources.length > 0)
  const ending = drafts[end]
  if (ending && cta && input.ctaText !== undefined) drafts[end] = { ...ending, showsCta: true }
  return drafts
}

function finished(drafts: readonly Draft[]): Beat[] {
  const counts = new Map<string, number>()
  return drafts.map(({ slide, slideIndex, isDroppable: _, ...rest }, index): Beat => {
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

/** Compiles `input`. Every slide gets a beat unless its notes say `[skip]`; a deck with nothing left to say gives no beats. */
export function compileScript(input: ScriptInput): Script {
  const phrases = phrasesFor(input.language)
  const kept = input.slides.filter((slide) => !readDirectives(slide.agentNotes ?? '').skip)
  const whole = kept.flatMap((slide, at) => partOf(slide, at === 0, input, phrases))
  const bridges = whole.map((_, at) => bridge(at, whole, input, phrases))
  const parts = whole.map((part, at) => ((bridges[at - 1] ?? []).length > 0 ? withoutTitle(part) : part))
  const all = parts.flatMap((part, at) => {
    const before = at === 0 ? opening(input, phrases) : []
    const after = at === parts.length - 1 ? closing(input, parts, phrases) : (bridges[at] ?? [])
    return slideDrafts(part, [...before, ...part.sentences, ...after], input)
  })
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
