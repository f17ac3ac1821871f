// Sentences that the host has put in their own words: kept at recompile while the slide says what it said. Pure.
import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { BeatEditRow } from './tables.ts'
import type { Slide } from '../decks/deck-rows.ts'
import type { ScriptSlide } from '@rostrum/telling/beat'
import type { Beat } from '@rostrum/contract/beat'
import { clauseOffsets } from '@rostrum/contract/spoken'
import { estimateMs } from '@rostrum/telling/spoken-words'

export interface EditedBeat extends Beat {
  /** Epoch ms; only where the text was changed. */
  editedAt?: number
}

export type BeatEdit = Pick<Selectable<BeatEditRow>, 'slide_id' | 'slide_hash' | 'kind' | 'ordinal' | 'text_content' | 'edited_at'>

/** Digest of what a slide says, notes included: directives shape its sentences too. */
export function slideHash(slide: ScriptSlide | undefined): string {
  const parts = slide === undefined ? [] : [slide.title, slide.text, slide.agentNotes ?? '', slide.narration ?? '']
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** The same of a row, as the compiler is given it. */
export function rowHash({ id, position, title, text_content, agent_notes, narration }: Slide): string {
  const words = { ...(agent_notes !== '' && { agentNotes: agent_notes }), ...(narration !== '' && { narration }) }
  return slideHash({ id, index: position, title, text: text_content, blocks: [], ...words })
}

/** Where a beat stands, in words that outlive a recompile: its slide, its kind, and its number among those. */
export interface BeatPlace {
  slide_id: string
  kind: string
  ordinal: number
}

/** Of all beats in one pass: a long talk has thousands. */
function placesOf(beats: readonly Beat[]): BeatPlace[] {
  const counts = new Map<string, number>()
  return beats.map(({ slideId, kind }) => {
    const ordinal = counts.get(`${slideId} ${kind}`) ?? 0
    counts.set(`${slideId} ${kind}`, ordinal + 1)
    return { slide_id: slideId, kind, ordinal }
  })
}

export function placeOf(beats: readonly Beat[], at: number): BeatPlace {
  const place = placesOf(beats.slice(0, at + 1))[at]
  if (place === undefined) throw new RangeError('There is no such beat.')
  return place
}

/** The beat with another sentence, timed anew. */
export function reworded(
  beat: Beat,
  { text_content: text, edited_at: editedAt }: BeatEdit,
  pace: { language: string; wpm: number },
): EditedBeat {
  const { emphasis, ...rest } = beat
  const stressed = emphasis?.filter((words) => text.includes(words)) ?? []
  const timed = { estMs: estimateMs(text, pace.language, pace.wpm), clauses: clauseOffsets(text) }
  return { ...rest, text, ...timed, ...(stressed.length > 0 && { emphasis: stressed }), editedAt }
}

export function applyEdits(
  beats: readonly Beat[],
  slides: readonly ScriptSlide[],
  edits: readonly BeatEdit[],
  pace: { language: string; wpm: number },
): EditedBeat[] {
  if (edits.length === 0) return [...beats]
  const edited = new Set(edits.map(({ slide_id }) => slide_id))
  const hashes = new Map(slides.flatMap((slide) => (edited.has(slide.id) ? [[slide.id, slideHash(slide)]] : [])))
  const keyOf = (place: BeatPlace) => `${place.slide_id} ${place.kind} ${place.ordinal}`
  const byPlace = new Map(edits.map((edit) => [keyOf(edit), edit]))
  const places = placesOf(beats)
  return beats.map((beat, at) => {
    const place = places[at]
    const edit = place && byPlace.get(keyOf(place))
    return edit !== undefined && edit.slide_hash === hashes.get(beat.slideId) ? reworded(beat, edit, pace) : beat
  })
}
