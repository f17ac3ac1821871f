// Which slides say more than their text tells, and what becomes of them when their picture is read. Pure.
import type { Block, Draft, Words } from '@rostrum/contract/block'
import type { Box } from '@rostrum/contract/deck'
import { lettersOf, type PageDraft, piecesOf, type Reading, withWords } from '../block.ts'
import { writeBlocks, type Written } from '../block-text.ts'

export interface ReadSlide {
  title: string
  text: string
  reading: Reading
}

/** With fewer letters a page counts as a picture. */
const textMin = 20
/** With fewer letters below the title, what a picture on the slide says is its content. */
const shortText = 200
const largeShare = 1 / 3
/** Hardly more than its title: what else is on the slide is drawn. */
const titleAlone = 40

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Whether its picture is to be read. */
export function wantsRecognition(slide: ReadSlide): boolean {
  const { text, title, reading } = slide
  if (reading.isCorrected) return false
  if (lettersOf(text) < textMin) return true
  const below = lettersOf(text) - lettersOf(title)
  return below < titleAlone || (below < shortText && pictureShare(reading.blocks) >= largeShare)
}

function pictureShare(blocks: readonly Block[]): number {
  const boxes = blocks.flatMap((block) => (block.kind === 'figure' && block.data === undefined ? (block.boxes ?? []) : []))
  return boxes.reduce((sum, [, , width, height]: Box) => sum + width * height, 0)
}

/** The slide with what its picture says; undefined where that is nothing new. */
export function withRecognised({ title, text, reading }: ReadSlide, seen: PageDraft): Written | undefined {
  const isPicture = lettersOf(text) < textMin || reading.isGarbled === true
  const known = plain(`${title}\n${text}\n${reading.furniture.join('\n')}`)
  const found = unknownOf(seen.blocks, known)
  const ownTitle = isOwnTitle(title, reading.isTitleSure)
  const isTitled = !ownTitle && seen.title !== ''
  if (found.length === 0 && !isTitled) return undefined
  const head = isTitled
    ? { title: seen.title, titleFrom: seen.titleFrom, isTitleSure: seen.isTitleSure }
    : ownTitle
      ? { title, titleFrom: reading.titleFrom, isTitleSure: reading.isTitleSure }
      : { title: '', titleFrom: 'none' as const, isTitleSure: false }
  const own = reading.blocks.filter((block) => piecesOf(block).some((piece) => lettersOf(piece.text) > 1))
  const blocks = isPicture ? [...own, ...found] : besideText(reading.blocks, found)
  return writeBlocks({ ...head, blocks, furniture: reading.furniture })
}

/** A sure title may be two letters of Chinese on a page whose other signs say nothing. */
const isOwnTitle = (title: string, isSure: boolean) => (isSure ? /\p{L}/u.test(title) : lettersOf(title) >= 3)

/** Pieces that the slide's own text does not hold. */
function unknownOf(blocks: readonly Draft[], known: string): Draft[] {
  const isNew = ({ text }: Words) => plain(text) !== '' && !known.includes(plain(text)) && !isMisread(text, known)
  return blocks.flatMap((block) => withWords(block, isNew) ?? [])
}

/** Most of its words are on the slide: it is a line of the text, with a letter read wrong. */
function isMisread(text: string, known: string): boolean {
  const words = (text.match(/[\p{L}\p{N}]{3,}/gu) ?? []).map(plain)
  return words.length > 0 && words.filter((word) => known.includes(word)).length >= 0.7 * words.length
}

/** What stands in a picture beside text are the labels of that picture. */
function besideText(own: readonly Block[], found: readonly Draft[]): Draft[] {
  const labels = found
    .flatMap((block) => piecesOf(block))
    .map(({ text, boxes, confidence }) => ({ text, ...(boxes && { boxes }), ...(confidence !== undefined && { confidence }) }))
  const at = own.findIndex((block) => block.kind === 'figure' && block.labels.length === 0 && block.data === undefined)
  const figure = own[at]
  return figure?.kind === 'figure'
    ? own
        .toSpliced(at, 1, { ...figure, labels: [] })
        .map((block, place): Draft => (place === at && block.kind === 'figure' ? { ...block, labels } : block))
    : [...own, { kind: 'figure', shows: 'picture', labels }]
}

// Words that stand in one place on many recognised pages: the brand line of a template that is a picture. They are furniture. Pure.

const pagesMin = 3
const shareMin = 0.4
/** In parts of the page, either way. */
const slack = 0.03

/** The slides without such words, undefined where a slide has none of them. */
export function withoutRepeated(slides: readonly ReadSlide[]): (Written | undefined)[] {
  const seen = slides.map(({ reading }) => reading.blocks.flatMap((block) => piecesOf<Words>(block)).filter(isRecognised))
  const pages = seen.filter((pieces) => pieces.length > 0).length
  const atLeast = Math.max(pagesMin, shareMin * pages)
  const places = placesOf(seen)
  const repeated = (words: Words) => {
    const box = words.boxes?.[0]
    if (box === undefined || !isRecognised(words)) return false
    const there = places.get(plain(words.text))?.filter((place) => isNear(box, place.box)) ?? []
    return new Set(there.map(({ page }) => page)).size >= atLeast
  }
  return slides.map(({ title, reading }) => {
    const gone: string[] = []
    const keep = (words: Words) => {
      const isGone = repeated(words)
      if (isGone) gone.push(words.text)
      return !isGone
    }
    const blocks = reading.blocks.flatMap((block) => withWords(block, keep) ?? [])
    if (gone.length === 0) return undefined
    return writeBlocks({ ...reading, title, blocks, furniture: [...reading.furniture, ...gone] })
  })
}

const isRecognised = ({ confidence }: Words) => confidence !== undefined

interface Place {
  page: number
  box: Box
}

/** Where equal words stand. */
function placesOf(pages: readonly (readonly Words[])[]): Map<string, Place[]> {
  const places = new Map<string, Place[]>()
  for (const [page, pieces] of pages.entries())
    for (const { text, boxes } of pieces) {
      const box = boxes?.[0]
      if (box === undefined) continue
      const key = plain(text)
      const same = places.get(key)
      if (same === undefined) places.set(key, [{ page, box }])
      else same.push({ page, box })
    }
  return places
}

const isNear = ([x, y]: Box, [left, top]: Box) => Math.abs(x - left) < slack && Math.abs(y - top) < slack
