// Turns one slide into sentences, before they are timed: a title sentence, its lines as they can be said, and what its directives add.
import type { SourceRef } from '../content.ts'
import { sentenceSpans } from '../sentences.ts'
import { linesOf } from '../slide-lines.ts'
import type { BeatKind, ScriptSlide } from './beat.ts'
import type { Phrases } from './phrases.ts'
import { speakable } from './speak-line.ts'
import { cutBefore } from './timing.ts'

/** A beat that has no place or time yet. */
export interface Sentence {
  kind: BeatKind
  text: string
  sources: readonly SourceRef[]
  /** Words of the line, for ranking what may be dropped; only narration may be. */
  isDroppable: boolean
  waitMs?: number
  showsCta?: true
}

export const sentenceMax = 240
const askWaitMs = 8_000
const ending = /[.!?…。！？؟:][)"'”’»」]*$/u

/** Ends a statement with the language's stop unless it ends itself. */
export function stopped(text: string, stop: string): string {
  const bare = text.replace(/(?<![\s,;:，；：،؛])[\s,;:，；：،؛]+$/u, '')
  return ending.test(bare) && !bare.endsWith(':') ? bare : `${bare}${stop}`
}

/** Pieces of at most 240 characters, cut at clause marks where there are any. */
export function bounded(text: string, stop: string): string[] {
  const pieces: string[] = []
  let rest = text
  while (stopped(rest, stop).length > sentenceMax) {
    const mark = Math.max(
      ...[', ', '; ', ': ', '、', '，', '；'].map((sign) => rest.lastIndexOf(sign, sentenceMax - 4) + sign.trimEnd().length),
    )
    const at = mark > sentenceMax / 3 ? mark : cutBefore(rest, sentenceMax - 4)
    pieces.push(stopped(rest.slice(0, at), stop))
    rest = rest.slice(at).trimStart()
  }
  if (/[\p{L}\p{N}]/u.test(rest)) pieces.push(stopped(rest, stop))
  return pieces
}

const addressLine = /^(?:[^\s@]+@[^\s@.]+\.[^\s@]+|(?:https?:\/\/|www\.)\S+)$/u

const sourceOf = (slide: ScriptSlide): SourceRef => ({ type: 'slide', id: slide.id, index: slide.index })

/** A line with a colon of its own would have two. */
function takesConnector(text: string): boolean {
  return !/[:：]/u.test(text) && text.length < sentenceMax - 30
}

/** Ten minutes of talk: nobody listens to more over one picture. */
const slideSentencesMost = 120
/** Eight hours. */
const talkSentencesMost = 6_000

/** How many sentences may be said of each of so many slides. */
export const sentencesMost = (slides: number): number => Math.min(slideSentencesMost, Math.ceil(talkSentencesMost / slides))

/** What the slide says, at most `most` lines and sentences. */
function lineTexts(slide: ScriptSlide, language: string, most: number): string[] {
  const texts: string[] = []
  for (const { text } of linesOf(slide)) {
    for (const { start, end } of sentenceSpans(text)) {
      const said = speakable(text.slice(start, end), language)
      if (/[\p{L}\p{N}]/u.test(said)) texts.push(said)
      if (texts.length >= most) return texts
    }
  }
  return texts
}

/** "Pricing, in four points." for a short title with three to six, else "Pricing." */
function titleText(slide: ScriptSlide, count: number, language: string, phrases: Phrases): string {
  const title = speakable(slide.title, language)
  const hasCount =
    count >= 3 &&
    count <= 6 &&
    slide.index % 2 === 1 &&
    !/[,:?!：？！]/u.test(title) &&
    title.split(/\s+/u).length <= 3 &&
    title.length < 40
  return hasCount ? phrases.titleWithCount(title, count) : title
}

/** At most `most` sentences of the slide's public text. An image-only slide gets its description or a neutral invitation to look, never a guess. */
export function slideSentences(
  slide: ScriptSlide,
  language: string,
  phrases: Phrases,
  options: { hidesTitle: boolean; most: number },
): Sentence[] {
  const sources = [sourceOf(slide)]
  const texts = lineTexts(slide, language, options.most)
  const hasTitle = /[\p{L}\p{N}]/u.test(slide.title)
  const sentences: Sentence[] = []
  const add = (kind: BeatKind, text: string, isDroppable: boolean) => {
    for (const piece of bounded(text, phrases.stop)) sentences.push({ kind, text: piece, sources, isDroppable })
  }
  if (hasTitle && !(options.hidesTitle && texts.length > 0)) add('title', titleText(slide, texts.length, language, phrases), false)
  texts.forEach((text, at) => {
    const isLast = at === texts.length - 1 && texts.length >= 3 && slide.index % 2 === 0
    const connector = isLast && takesConnector(text) ? (phrases.last[(slide.index / 2) % phrases.last.length] ?? '') : ''
    add('narration', addressLine.test(text) ? phrases.address(text) : `${connector}${text}`, true)
  })
  if (texts.length === 0 && !hasTitle) {
    const description = speakable(slide.altText ?? '', language)
    add('narration', /[\p{L}\p{N}]/u.test(description) ? phrases.pictureOf(description) : phrases.picture, false)
  }
  return sentences.slice(0, options.most)
}

/** The question of an `[ask:]` directive, waited for. */
export function askSentence(question: string, slide: ScriptSlide, phrases: Phrases): Sentence {
  return { kind: 'narration', text: stopped(question, phrases.stop), sources: [sourceOf(slide)], isDroppable: false, waitMs: askWaitMs }
}
