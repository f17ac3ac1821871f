// Which slides say more than their text tells, and what becomes of them when their picture is read. Pure.
import type { Box } from '../../../contract/deck.ts'
import { type Block, type Draft, type PageDraft, piecesOf, type Reading, type Words } from '../blocks/block.ts'
import { writeBlocks, type Written } from '../blocks/write-blocks.ts'

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

const lettersOf = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Whether its picture is to be read. */
export function wantsRecognition(slide: ReadSlide): boolean {
  const { text, title, reading } = slide
  if (reading.isCorrected) return false
  if (lettersOf(text) < textMin || isGarbled(text)) return true
  const below = lettersOf(text) - lettersOf(title)
  return below < titleAlone || (below < shortText && pictureShare(reading.blocks) >= largeShare)
}

/** Fonts that do not tell which letters their signs are leave signs of private use, or none. */
export function isGarbled(text: string): boolean {
  const signs = text.match(/[^\s]/gu)?.length ?? 0
  const strange = text.match(/[\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0
  return signs > 0 && strange > signs / 5
}

function pictureShare(blocks: readonly Block[]): number {
  const boxes = blocks.flatMap((block) => (block.kind === 'figure' && block.data === undefined ? (block.boxes ?? []) : []))
  return boxes.reduce((sum, [, , width, height]: Box) => sum + width * height, 0)
}

/** The slide with what its picture says; undefined where that is nothing new. */
export function withRecognised({ title, text, reading }: ReadSlide, seen: PageDraft): Written | undefined {
  const isPicture = lettersOf(text) < textMin
  const isUnreadable = isGarbled(text)
  const known = isUnreadable ? '' : plain(`${title}\n${text}\n${reading.furniture.join('\n')}`)
  const found = unknownOf(seen.blocks, known)
  const ownTitle = isOwnTitle(title, reading.isTitleSure)
  const isTitled = !ownTitle && seen.title !== ''
  if (found.length === 0 && !isTitled) return undefined
  const head = isTitled
    ? { title: seen.title, titleFrom: seen.titleFrom, isTitleSure: seen.isTitleSure }
    : ownTitle
      ? { title, titleFrom: reading.titleFrom, isTitleSure: reading.isTitleSure }
      : { title: '', titleFrom: 'none' as const, isTitleSure: false }
  const own = isUnreadable ? [] : reading.blocks.filter((block) => piecesOf(block).some((piece) => lettersOf(piece.text) > 1))
  const blocks = isPicture || isUnreadable ? [...own, ...found] : besideText(reading.blocks, found)
  return writeBlocks({ ...head, blocks, furniture: reading.furniture })
}

/** A sure title may be two letters of Chinese on a page whose other signs say nothing. */
const isOwnTitle = (title: string, isSure: boolean) => !isGarbled(title) && (isSure ? /\p{L}/u.test(title) : lettersOf(title) >= 3)

/** Pieces that the slide's own text does not hold. */
function unknownOf(blocks: readonly Draft[], known: string): Draft[] {
  const isNew = ({ text }: Words) => plain(text) !== '' && !known.includes(plain(text)) && !isMisread(text, known)
  return blocks.flatMap((block): Draft[] => {
    if (block.kind === 'list') {
      const items = block.items.filter(isNew)
      return items.length === 0 ? [] : [{ ...block, items }]
    }
    if (block.kind === 'figure') {
      const labels = block.labels.filter(isNew)
      return labels.length === 0 ? [] : [{ ...block, labels }]
    }
    return piecesOf(block).some(isNew) ? [block] : []
  })
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

/** How sure the recognition is of the words that it gave, by their letters; undefined where all words are the document's own. */
export function confidenceOf({ blocks, titleFrom }: Reading): number | undefined {
  const seen = blocks
    .flatMap((block) => piecesOf(block))
    .filter((piece): piece is typeof piece & { confidence: number } => piece.confidence !== undefined)
  const known = seen.reduce((sum, { text }) => sum + lettersOf(text), 0)
  if (known === 0) return titleFrom === 'recognised' ? 1 : undefined
  return Math.round((seen.reduce((sum, { text, confidence }) => sum + confidence * lettersOf(text), 0) / known) * 100) / 100
}
