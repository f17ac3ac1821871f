// A version of a deck is immutable, since runs keep the one they began with: a change of slides makes the next one.
import { ServiceError } from '@rostrum/base/errors'
import { type DeckWarning, readWarnings } from '@rostrum/deck/warnings'
import type { Ids } from '@rostrum/base/clock'
import { ringAfter, type Tx } from '../platform/db/store.ts'
import { deckTopic, ownSession } from '../sessions/session.ts'
import { findDeck, insertDeck, insertSlides, newestDeck, putInService, type Slide, slidesWithNotes } from './deck-rows.ts'
import { type NotesAs, slideCut } from './new-slide.ts'

export const noSuchSlide = () =>
  new ServiceError('not_found', 'There is no such slide in the present deck. `GET .../deck` shows their ids.')

export interface Revised {
  accountId: string
  sessionId: string
  slideId?: string
  now: number
  /** Whether new words of the slide were cut to their bounds; absent where it keeps its words. */
  isCut?: boolean
  notesAs?: NotesAs
}

/** Gets the slides in order and the place of the one named (the first where none is); answers the slides of the next version. */
export type SlidesChange = (slides: readonly Slide[], at: number) => readonly Slide[]

/** Within a write of the caller, who has the script compiled again. */
export async function reviseIn(
  tx: Tx,
  { accountId, sessionId, slideId, now, isCut, notesAs }: Revised,
  change: SlidesChange,
  { ids }: { ids: Ids },
): Promise<Slide[]> {
  const session = await ownSession(tx, accountId, sessionId)
  const newest = await newestDeck(tx, session.id)
  if (newest?.state === 'pending' || newest?.state === 'processing') {
    throw new ServiceError('conflict', 'A new deck is being read. Wait until it is ready, then change its slides.')
  }
  const shown = session.deck_id === null ? undefined : await findDeck(tx, session.deck_id)
  if (shown === undefined) throw noSuchSlide()
  const before = await slidesWithNotes(tx, shown.id)
  const at = slideId === undefined ? 0 : before.findIndex(({ id }) => id === slideId.toLowerCase())
  if (at < 0) throw noSuchSlide()
  const wanted = change(before, at)
  const deck = await insertDeck(tx, ids, {
    session_id: session.id,
    account_id: accountId,
    kind: 'slides',
    state: 'ready',
    progress_done: wanted.length,
    progress_total: wanted.length,
    warnings: JSON.stringify(
      toldOf(
        movedWarnings(shown.warnings, before, wanted),
        wanted.findIndex(({ id }) => id === before[at]?.id),
        isCut,
      ),
    ),
    notes_as: notesAs ?? shown.notes_as,
    created_at: now,
    finished_at: now,
  })
  const after = wanted.map((slide, position) => ({ ...slide, deck_id: deck.id, position }))
  await insertSlides(tx, after)
  await putInService(tx, deck, after.length, now)
  ringAfter(tx, deckTopic(session.id))
  return after
}

/** With what is to be said of the new words of the slide at `index`. */
function toldOf(warnings: readonly DeckWarning[], index: number, isCut: boolean | undefined): readonly DeckWarning[] {
  if (isCut === undefined) return warnings
  const others = warnings.filter((warning) => warning.isOfDeck || warning.index !== index || warning.code !== 'cut')
  return isCut ? [...others, slideCut(index)] : others
}

/** Warnings stay with their slide. */
function movedWarnings(column: string, before: readonly Slide[], after: readonly Slide[]): DeckWarning[] {
  return readWarnings(column).flatMap((warning) => {
    const place = after.findIndex(({ id }) => id === before[warning.index]?.id)
    return warning.isOfDeck ? [warning] : place < 0 ? [] : [{ ...warning, index: place }]
  })
}
