// Words that stand in one place on many recognised pages: the brand line of a template that is a picture. They are furniture. Pure.
import type { Box } from '../../../contract/deck.ts'
import type { Draft, Words } from '../blocks/block.ts'
import { writeBlocks, type Written } from '../blocks/write-blocks.ts'
import type { ReadSlide } from './wanted.ts'

const pagesMin = 3
const shareMin = 0.4
/** In parts of the page, either way. */
const slack = 0.03

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The slides without such words, undefined where a slide has none of them. */
export function withoutRepeated(slides: readonly ReadSlide[]): (Written | undefined)[] {
  const seen = slides.map(({ reading }) => reading.blocks.flatMap(piecesOfBlock).filter(isRecognised))
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
    const blocks = reading.blocks.flatMap((block) => withoutPieces(block, keep))
    if (gone.length === 0) return undefined
    return writeBlocks({ ...reading, title, blocks, furniture: [...reading.furniture, ...gone] })
  })
}

const isRecognised = ({ confidence }: Words) => confidence !== undefined
const piecesOfBlock = (block: Draft): readonly Words[] =>
  block.kind === 'list' ? block.items : block.kind === 'figure' ? block.labels : block.kind === 'table' ? [] : [block]

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

function withoutPieces(block: Draft, keep: (words: Words) => boolean): Draft[] {
  switch (block.kind) {
    case 'list': {
      const items = block.items.filter(keep)
      return items.length === 0 ? [] : [{ ...block, items }]
    }
    case 'figure': {
      const labels = block.labels.filter(keep)
      return labels.length === 0 && block.labels.length > 0 && block.boxes === undefined && block.data === undefined
        ? []
        : [{ ...block, labels }]
    }
    case 'table':
      return [block]
    case 'heading':
    case 'paragraph':
    case 'code':
    case 'quote':
    case 'link':
      return keep(block) ? [block] : []
  }
}
