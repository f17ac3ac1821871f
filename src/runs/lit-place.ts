// What of a slide is lit while a sentence is said: the place that the script knows; of words that somebody wrote themselves, the parts
// of the slide that say the same. Pure.
import { tokenise } from '../answers/ranking/tokens.ts'
import type { PlaceOnSlide } from '../contract/deck.ts'
import { type Piece, piecesOf } from '../sessions/deck/blocks/block.ts'
import { litRegion } from '../sessions/deck/blocks/lit-region.ts'
import type { ShownSlide } from '../sessions/deck/deck-in-service.ts'
import type { Beat } from '../sessions/script/compile/beat.ts'

/** A sentence about more parts than these is about the slide. */
const spansMost = 8
/** So many parts of a slide are compared: one with more is looked at, not followed. */
const partsMost = 200
/** Of the words of a part, as much as they weigh, so much is in a sentence about it; and so many words at least. */
const shareLeast = 0.5
const weightLeast = 1.4

type Told = Pick<Beat, 'text' | 'sources' | 'region' | 'kind'>

export function litPlace(beat: Told, slide: ShownSlide, partsOf: (slide: ShownSlide) => readonly Part[]): PlaceOnSlide | undefined {
  const { sources, region } = beat
  const hasPicture = slide.image !== null
  const spans = sources.flatMap((source) => (source.type === 'slide' && source.id === slide.id ? (source.spans ?? []) : []))
  if (hasPicture && region !== undefined) return onPicture(region)
  if (!hasPicture && spans.length > 0) return inText(spans)
  if (beat.kind !== 'narration' || beat.text === '') return undefined
  const same = partsLike(beat.text, partsOf(slide))
  return hasPicture
    ? onPicture(same.flatMap(({ piece }) => piece.boxes ?? []))
    : inText(same.map(({ piece: { start, end } }) => [start, end] as const))
}

function onPicture(boxes: NonNullable<Beat['region']>): PlaceOnSlide | undefined {
  const region = litRegion(boxes)
  return region && { region }
}

const inText = (spans: NonNullable<PlaceOnSlide['spans']>): PlaceOnSlide | undefined =>
  spans.length === 0 || spans.length > spansMost ? undefined : { spans }

export interface Part {
  piece: Piece
  /** Its words that say something, with what they weigh. */
  weights: ReadonlyMap<string, number>
  language: string
}

/** Of one deck: each slide is taken apart once. */
export function partsIn(language: string): (slide: ShownSlide) => readonly Part[] {
  const known = new WeakMap<ShownSlide, readonly Part[]>()
  return (slide) => {
    const parts =
      known.get(slide) ??
      slide.blocks
        .flatMap(piecesOf)
        .slice(0, partsMost)
        .map((piece) => ({ piece, weights: weightsOf(piece.text, language), language }))
    known.set(slide, parts)
    return parts
  }
}

function weightsOf(text: string, language: string): Map<string, number> {
  return new Map(tokenise(text, language).flatMap(({ term, weight }) => (weight === 0 ? [] : [[term, weight] as const])))
}

const sum = (weights: Iterable<number>): number => Iterator.from(weights).reduce((all, weight) => all + weight, 0)

/** Those of which the sentence says most; none where no part stands out. */
function partsLike(text: string, parts: readonly Part[]): Part[] {
  const [first] = parts
  if (first === undefined) return []
  const said = weightsOf(text, first.language)
  const shared = parts.map((part) => {
    const weight = sum([...part.weights].flatMap(([term, each]) => (said.has(term) ? [each] : [])))
    return { part, weight, share: weight / Math.max(1, sum(part.weights.values())) }
  })
  const most = Math.max(...shared.map(({ weight }) => weight))
  if (most < weightLeast) return []
  const like = shared.filter(({ weight, share }) => weight >= weightLeast && (share >= shareLeast || weight === most))
  // Words that stand everywhere point nowhere.
  return like.length > Math.max(3, parts.length / 2) ? [] : like.map(({ part }) => part)
}
