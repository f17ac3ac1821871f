// What no honest text has is cut when it comes in: runs of one character, lines and sentences without an end, thousands of lines.
// Whatever reads, says, searches or shows it is then spared them. Pure, and linear in the text.
import { z } from 'zod'
import { limits } from '../../contract/fields.ts'
import type { NewSlide as CreatedSlide } from '../../contract/new-content.ts'
import { cutBefore } from '../../contract/spoken.ts'
import type { Ids } from '../../platform/ids.ts'
import { invalidInput } from '../../platform/parse.ts'
import { withoutDirectives } from '../script/compile/directives.ts'
import { ownKey, readImages } from './blobs/blobs.ts'
import { parsedReading, titleOf } from './block-text.ts'
import type { Reading } from './block.ts'
import type { Slide } from './deck-rows.ts'
import type { DeckWarning } from './warnings.ts'

interface Bounds {
  /** Of one character, one behind the other. */
  run: number
  line: number
  /** Within a line. */
  sentence: number
  lines: number
}

const slideBounds: Bounds = { run: 200, line: 10_000, sentence: 5_000, lines: 1_000 }
/** Somebody may paste a book of one paragraph, or a table of short lines. */
const passageBounds: Bounds = { run: 200, line: 50_000, sentence: 10_000, lines: 50_000 }

const inWords = ({ run, line, sentence, lines }: Bounds) => {
  const [ofLine, ofSentence, ofLines] = [line, sentence, lines].map((bound) => bound.toLocaleString('en'))
  return `a run of more than ${run} of one character, a sentence of more than ${ofSentence} characters, a line of more than ${ofLine}, or more than ${ofLines} lines`
}

/** `text` itself where it keeps within its bounds. */
function bounded(text: string, bounds: Bounds): string {
  if (text.length <= bounds.run) return text
  const calm = withoutRuns(text, bounds.run)
  const kept: string[] = []
  let start = 0
  for (let lines = 1; lines <= bounds.lines; lines++) {
    const found = calm.indexOf('\n', start)
    const end = found < 0 ? calm.length : found
    kept.push(end - start > bounds.sentence ? withoutLongSentences(calm.slice(start, end), bounds) : calm.slice(start, end))
    if (found < 0) break
    start = end + 1
  }
  return kept.join('\n').toWellFormed()
}

/** Each run cut to `most`. A longer one holds two places that are half of it apart: the rest is not looked at one by one. */
function withoutRuns(text: string, most: number): string {
  const stride = most / 2
  const kept: string[] = []
  let from = 0
  for (let at = stride; at < text.length; at += stride) {
    if (text.charCodeAt(at) !== text.charCodeAt(at - stride)) continue
    const isSecondHalf = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))
    const place = isSecondHalf ? at - 1 : at
    const width = isHigh(text.charCodeAt(place)) && isLow(text.charCodeAt(place + 1)) ? 2 : 1
    const [first, second] = [text.charCodeAt(place), text.charCodeAt(place + 1)]
    const isSame = (index: number) => text.charCodeAt(index) === first && (width === 1 || text.charCodeAt(index + 1) === second)
    let [start, end] = [place, place + width]
    while (start - width >= from && isSame(start - width)) start -= width
    while (isSame(end)) end += width
    if (end - start > most * width) {
      kept.push(text.slice(from, start + most * width))
      from = end
    }
    at = Math.max(at, end - (end % stride))
  }
  return kept.length === 0 ? text : [...kept, text.slice(from)].join('')
}

const isHigh = (code: number) => code >= 0xd800 && code < 0xdc00
const isLow = (code: number) => code >= 0xdc00 && code < 0xe000

const isStop = (code: number) =>
  code === 0x2e ||
  code === 0x21 ||
  code === 0x3f ||
  code === 0x2026 ||
  code === 0x3002 ||
  code === 0xff01 ||
  code === 0xff1f ||
  code === 0x61f

function withoutLongSentences(line: string, bounds: Bounds): string {
  const kept: string[] = []
  let length = 0
  for (let start = 0; start < line.length && length < bounds.line;) {
    let end = start
    while (end < line.length && !isStop(line.charCodeAt(end))) end++
    const sentence = line.slice(start, Math.min(end, start + bounds.sentence - 1)) + line.slice(end, end + 1)
    kept.push(sentence.slice(0, bounds.line - length))
    length += sentence.length
    start = end + 1
  }
  return kept.join('')
}

/** A slide as it came, with its texts within their bounds. */
export function boundedSlide<T extends { textContent?: string | undefined; agentNotes?: string | undefined }>(
  slide: T,
): { slide: T; isCut: boolean } {
  const { textContent, agentNotes } = slide
  const [text, notes] = [textContent, agentNotes].map((each) => each && bounded(each, slideBounds))
  if (text === textContent && notes === agentNotes) return { slide, isCut: false }
  return {
    slide: { ...slide, ...(text !== undefined && { textContent: text }), ...(notes !== undefined && { agentNotes: notes }) },
    isCut: true,
  }
}

export const boundedPassage = (content: string): string => bounded(content, passageBounds)

export const slideCut = (index: number): DeckWarning => ({
  index,
  code: 'cut',
  detail: `The text of the slide or its notes held ${inWords(slideBounds)}: what was beyond is left out.`,
})

export const knowledgeCut: DeckWarning = {
  index: 0,
  isOfDeck: true,
  code: 'knowledge_cut',
  detail: `A passage of the background held ${inWords(passageBounds)}: what was beyond is left out.`,
}

// Turns slides as callers send them (Spec 2.3) into rows of a new version: identity and pictures of the present version are
// kept where a slide is the same.

export interface NewSlide extends CreatedSlide {
  /** Of a slide of the present version: it keeps its identity whatever changed. */
  id?: string | undefined
}

/** A slide's title: as given, else its first line of words. */
export function slideTitle(title: string | undefined, textContent: string): string {
  return title?.trim() || titleOf(textContent)
}

/** The blocks of text that somebody wrote. `given`: its title, where it has one of its own. */
export function writtenReading(text: string, title: string, given: string | undefined, isCorrected = false): string {
  const reading: Reading = parsedReading(text, title, given?.trim() ? 'given' : 'first_line')
  return JSON.stringify(isCorrected ? { ...reading, isCorrected } : reading)
}

const readings = new WeakMap<NewSlide, string>()

function readingOf(slide: NewSlide, title: string): string {
  return readings.get(slide) ?? writtenReading(slide.textContent ?? '', title, slide.title)
}

/** Reads the blocks of a slide ahead: those of the largest deck would hold the transaction, and everybody, for half a second. */
export function readAhead(slide: NewSlide): void {
  readings.set(slide, readingOf(slide, slideTitle(slide.title, slide.textContent ?? '')))
}

type Picture = Pick<Slide, 'image_url' | 'image_state' | 'images'>

/** Rows for `deckId`. Throws `invalid_request` for an address of ours that shows no picture of the present version. */
export function slideRows(deckId: string, wanted: readonly NewSlide[], present: readonly Slide[], ids: Ids, mediaBase: string): Slide[] {
  const pictures = wanted.map(({ imageUrl }, index) => pictureOf(imageUrl, index, present, mediaBase))
  const kept = keepIds(
    present.map((slide) => ({ id: slide.id, text: slide.text_content, imageKey: imageIdentity(slide) })),
    wanted.map((slide, index) => ({ text: slide.textContent ?? '', imageKey: imageIdentity(pictures[index] ?? noPicture) })),
    () => ids.uuid(),
  )
  const named = namedIds(wanted, present)
  const taken = new Set(named.filter((id) => id !== undefined))
  return wanted.map((slide, index) => {
    const text = slide.textContent ?? ''
    const picture = pictures[index] ?? noPicture
    const byMatch = kept[index] ?? ids.uuid()
    const title = slideTitle(slide.title, text)
    const id = named[index] ?? (taken.has(byMatch) ? ids.uuid() : byMatch)
    const unchanged = present.find((before) => before.id === id && before.text_content === text && before.title === title)
    return {
      deck_id: deckId,
      id,
      position: index,
      title,
      text_content: text,
      agent_notes: slide.agentNotes ?? '',
      narration: slide.narration ?? '',
      cited: '',
      is_silent: 0,
      ...picture,
      reading: unchanged?.reading ?? readingOf(slide, title),
      state: text.trim() === '' ? 'no_text' : 'ok',
    }
  })
}

const noPicture: Picture = { image_url: null, image_state: 'none', images: '[]' }

/** What makes two pictures the same picture: their pixels, or the address they are still to come from. */
function imageIdentity({ images, image_url }: Picture): string | undefined {
  return readImages(images)[0]?.key ?? image_url ?? undefined
}

/** Ids that the caller names and that are of the present version; each counts once. */
function namedIds(wanted: readonly NewSlide[], present: readonly Slide[]): (string | undefined)[] {
  const known = new Set(present.map(({ id }) => id))
  return wanted.map(({ id }) => (id !== undefined && known.delete(id.toLowerCase()) ? id.toLowerCase() : undefined))
}

function pictureOf(imageUrl: string | undefined, index: number, present: readonly Slide[], mediaBase: string): Picture {
  if (imageUrl === undefined) return noPicture
  const key = ownKey(imageUrl, mediaBase)
  const same = present.find((slide) =>
    key === undefined
      ? slide.image_url === imageUrl && slide.image_state === 'ready'
      : readImages(slide.images).some((image) => image.key === key),
  )
  if (same !== undefined) return { image_url: same.image_url, image_state: same.image_state, images: same.images }
  if (key === undefined) return { image_url: imageUrl, image_state: 'pending', images: '[]' }
  throw invalidInput([
    { pointer: `#/slides/${index}/imageUrl`, detail: 'is an address of this service that shows no picture of this deck.' },
  ])
}

// Which slide of a new version is which of the old one, so that questions, CTA rules and figures stay on their slide. Pure.

export interface IdentifiedSlide {
  id: string
  text: string
  /** Key of its widest picture. */
  imageKey?: string | undefined
}

/**
 * Ids for `next`, in order; each id of `previous` is given at most once. A slide keeps its id where text and picture are the
 * same, then where one of them is, then by position; the rest get a new one.
 */
export function keepIds(previous: readonly IdentifiedSlide[], next: readonly Omit<IdentifiedSlide, 'id'>[], newId: () => string): string[] {
  const ids: (string | undefined)[] = next.map(() => undefined)
  const free = new Set(previous)
  const matchBy = (keyOf: (slide: Omit<IdentifiedSlide, 'id'>) => string | undefined) => {
    if (free.size === 0) return
    const byKey = new Map<string, IdentifiedSlide[]>()
    for (const slide of free) {
      const key = keyOf(slide)
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), slide])
    }
    for (const [index, slide] of next.entries()) {
      const key = keyOf(slide)
      if (ids[index] !== undefined || key === undefined) continue
      const match = byKey.get(key)?.shift()
      if (match === undefined) continue
      free.delete(match)
      ids[index] = match.id
    }
  }
  matchBy(({ text, imageKey }) => (text === '' && imageKey === undefined ? undefined : JSON.stringify([text, imageKey ?? null])))
  matchBy(({ text }) => (text === '' ? undefined : text))
  matchBy(({ imageKey }) => imageKey)
  for (const [index, slide] of previous.entries()) {
    if (index < ids.length && ids[index] === undefined && free.delete(slide)) ids[index] = slide.id
  }
  return ids.map((id) => id ?? newId())
}

// Whether the notes of a deck are private instructions or what the presenter says (`notesAs`). Adopting copies their words into
// `narration`, which is public; the notes stay what they were. It is never guessed.

export const notesAs = z.enum(['private', 'narration'])
export type NotesAs = z.output<typeof notesAs>

/** The words of notes as they would be said: directives act and are no words. */
function wordsOf(notes: string): string {
  const words = withoutDirectives(notes)
  return words.length <= limits.narration ? words : words.slice(0, cutBefore(words, limits.narration)).trimEnd()
}

/** The slide under the setting: what its author wrote for the presenter stays either way. */
export function underNotesAs(slide: Slide, as: NotesAs): Slide {
  const words = wordsOf(slide.agent_notes)
  if (slide.is_silent === 1) return slide
  if (as === 'narration') return slide.narration === '' ? { ...slide, narration: words } : slide
  return words !== '' && slide.narration === words ? { ...slide, narration: '' } : slide
}

/** How many words would be said. */
export function countNotes(slides: readonly Slide[]): number {
  return slides.reduce((sum, { agent_notes }) => sum + wordsOf(agent_notes).split(/\s+/u).filter(Boolean).length, 0)
}
