// What of a slide is lit: where the sentence that is being said stands, or what an answer has quoted. Pure.
import type { BeatData, Citation, PlaceOnSlide } from '../stream/wire.ts'

export interface Lit extends PlaceOnSlide {
  slideIndex: number
}

/** A sentence that is being said, was said last, or will be next; by its id as it is spoken. */
export interface LitSentence {
  id: string
  /** The answer that it belongs to. */
  answerId?: string
  lit: Lit | null
}

/** What is said runs a few sentences behind what has come. */
const keptMax = 12

export function withSentence(before: readonly LitSentence[], sentence: LitSentence): readonly LitSentence[] {
  return [...before.filter(({ id }) => id !== sentence.id), sentence].slice(-keptMax)
}

export function litOfBeat({ slideIndex, region, spans }: Pick<BeatData, 'slideIndex' | 'region' | 'spans'>): Lit | null {
  return region || spans ? { slideIndex, ...(region && { region }), ...(spans && { spans }) } : null
}

/** One slide at a time: that of the first citation, with all that is quoted from it. */
export function litOfAnswer(answerId: string, index: number, citations: readonly Citation[] = []): LitSentence {
  const slideIndex = citations.find(({ type }) => type === 'slide')?.index
  const cited = citations.filter((citation) => citation.type === 'slide' && citation.index === slideIndex)
  const region = cited.flatMap((citation) => citation.region ?? [])
  const spans = cited.map(({ start, end }) => [start, end] as const)
  return { id: `${answerId}:${index}`, answerId, lit: slideIndex === undefined ? null : { slideIndex, region, spans } }
}

/** For the sentence `id`. One of an answer that cites nothing goes on with what the one before it has shown. */
export function litNow(said: readonly LitSentence[], id: string | null): (LitSentence & { lit: Lit }) | null {
  const at = said.findIndex((sentence) => sentence.id === id)
  const now = said[at]
  if (now === undefined) return null
  const shown = said.slice(0, at + 1).findLast(({ lit, answerId }) => lit !== null && answerId === now.answerId)
  const lit = now.answerId === undefined ? now.lit : (shown?.lit ?? null)
  return lit === null ? null : { ...now, lit }
}
