// Turns slides as callers send them (Spec 2.3) into rows of a new version: identity and pictures of the present version are
// kept where a slide is the same.
import { z } from 'zod'
import { limits } from '@rostrum/contract/fields'
import type { NewSlide as CreatedSlide } from '@rostrum/contract/new-content'
import { cutBefore } from '@rostrum/contract/spoken'
import type { Ids } from '@rostrum/base/clock'
import { invalidInput } from '../platform/parse.ts'
import { type Bounds, bounded, inWords } from '../platform/bounded-text.ts'
import { withoutDirectives } from '@rostrum/telling/directives'
import { ownKey } from '../platform/blobs/blobs.ts'
import { readImages } from './slide-images.ts'
import { parsedReading, titleOf } from '@rostrum/deck/block-text'
import type { Reading } from '@rostrum/deck/block'
import type { Slide } from './deck-rows.ts'
import type { DeckWarning } from '@rostrum/deck/warnings'

const slideBounds: Bounds = { run: 200, line: 10_000, sentence: 5_000, lines: 400 }
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

export const slideCut = (index: number): DeckWarning => ({
  index,
  code: 'cut',
  detail: `The text of the slide or its notes held ${inWords(slideBounds)}: what was beyond is left out.`,
})

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

/** As it was sent, its texts within their bounds, its title known and its blocks read. */
export interface PreparedSlide extends NewSlide {
  title: string
  reading: string
  isCut: boolean
}

export function prepareSlide(sent: NewSlide): PreparedSlide {
  const { slide, isCut } = boundedSlide(sent)
  const text = slide.textContent ?? ''
  const title = slideTitle(slide.title, text)
  return { ...slide, title, reading: writtenReading(text, title, slide.title), isCut }
}

type Picture = Pick<Slide, 'image_url' | 'image_state' | 'images'>

/** Rows for `deckId`. Throws `invalid_request` for an address of ours that shows no picture of the present version. */
export function slideRows(
  deckId: string,
  wanted: readonly PreparedSlide[],
  present: readonly Slide[],
  ids: Ids,
  mediaBase: string,
): Slide[] {
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
    const { title } = slide
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
      reading: unchanged?.reading ?? slide.reading,
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
