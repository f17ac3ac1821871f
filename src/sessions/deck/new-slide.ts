// Turns slides as callers send them (Spec 2.3) into rows of a new version: identity and pictures of the present version are
// kept where a slide is the same.
import type { Ids } from '../../platform/ids.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { NewSlide as CreatedSlide } from '../../contract/new-content.ts'
import type { Reading } from './blocks/block.ts'
import { parsedReading, titleOf } from './blocks/parse-blocks.ts'
import type { Slide } from './deck-rows.ts'
import { keepIds } from './slide-identity.ts'
import { ownKey, readImages } from './slide-image.ts'

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
