// What a host does to a deck: change, move and delete slides, change a spoken sentence.
import type { InputOf, OutputOf } from '../../../../client/operations.ts'
import { call, tagged } from '../data/api.ts'
import { deckQuery, leavingSlides, refreshSession, scriptQuery, withoutLeaving } from '../data/queries.ts'
import { commitWaiting, doneLater, orToast } from '../data/undoable.ts'
import { cache, refresh } from '../data/use-query.ts'
import type { Deck, Proposal, ScriptAnswer, Slide } from '../data/wire.ts'

/** After a change of the deck: its slides, and the script that is compiled from them. */
export async function refreshDeck(sessionId: string): Promise<void> {
  await Promise.all([refresh('session', sessionId, 'deck'), refresh('session', sessionId, 'script'), refreshSession(sessionId)])
}

export async function changeSlide(
  sessionId: string,
  slideId: string,
  change: Omit<InputOf<'update_slide'>, 'sessionId' | 'slideId'>,
): Promise<void> {
  await call('update_slide', { sessionId, slideId, ...change })
  await refreshDeck(sessionId)
}

/** Whether the notes of the deck are private or said. */
export async function sayNotes(sessionId: string, notesAs: 'private' | 'narration'): Promise<void> {
  await call('update_deck', { sessionId, notesAs })
  await refreshDeck(sessionId)
}

/** Has the slides say these lines, which their reader took for headers and footers. */
export async function putBack(sessionId: string, lines: readonly string[]): Promise<void> {
  await call('update_deck', { sessionId, putBack: [...lines] })
  await refreshDeck(sessionId)
}

/** Shows the new order, then calls `onShown`; the server's answer settles it. */
export async function moveSlide(sessionId: string, slide: Slide, index: number, onShown = () => {}): Promise<void> {
  // The server counts slides that are deleted on the screen alone.
  await commitWaiting()
  const { queryKey } = deckQuery(sessionId)
  cache.setQueryData<Deck>(queryKey, (deck) => {
    if (deck === undefined) return deck
    const rest = deck.slides.filter(({ id }) => id !== slide.id)
    rest.splice(index, 0, slide)
    return { ...deck, slides: rest.map((each, at) => ({ ...each, index: at })) }
  })
  onShown()
  await orToast(changeSlide(sessionId, slide.id, { index }), () => void refreshDeck(sessionId))
}

/** Takes the slide away on the screen now and on the server in 8 s, unless the host takes it back. */
export function deleteSlide(sessionId: string, slide: Slide): void {
  const { queryKey } = deckQuery(sessionId)
  leavingSlides.add(slide.id)
  cache.setQueryData<Deck>(queryKey, (deck) => deck && withoutLeaving(deck))
  const stays = () => {
    leavingSlides.delete(slide.id)
    return refreshDeck(sessionId)
  }
  doneLater(`Slide ${slide.index + 1} deleted.`, {
    act: () => call('delete_slide', { sessionId, slideId: slide.id }, { keepalive: true }).then(stays),
    onUndo: () => void stays(),
  })
}

export const refreshScript = (sessionId: string): Promise<void> => cache.invalidateQueries({ queryKey: scriptQuery(sessionId).queryKey })

export type ServerClip = OutputOf<'say_beat'>

/** The sentence in the server's voice, or in another that is tried, made now where it has to be; without an address the browser says it. */
export const clipOf = (sessionId: string, beatId: string, signal: AbortSignal, voice?: string | null): Promise<ServerClip> =>
  call('say_beat', { sessionId, beatId, ...(voice !== undefined && { voice }) }, { signal })

/** The whole talk as it is to be said; refused where it was changed since it was read under this tag. */
export const putScript = (sessionId: string, slides: InputOf<'put_script'>['slides'], ifMatch: string): Promise<ScriptAnswer> =>
  tagged('put_script', { sessionId, slides }, { ifMatch })

/** What a listener would stumble over in a text that is not saved. */
export const lintOf = (
  sessionId: string,
  slides: InputOf<'lint_script'>['slides'],
  signal: AbortSignal,
): Promise<OutputOf<'lint_script'>> => call('lint_script', { sessionId, slides }, { signal })

export const restoreVersion = (sessionId: string, version: number, ifMatch: string): Promise<ScriptAnswer> =>
  tagged('restore_script', { sessionId, version }, { ifMatch })

/** Null takes the host's words back. */
export const correctTranslation = (sessionId: string, language: string, original: string, text: string | null): Promise<unknown> =>
  call('correct_translation', { sessionId, language, original, text })

/** What a model would say of the slide instead, in a tone; it reads the private notes or not. */
export async function proposalsFor(
  sessionId: string,
  wish: Omit<InputOf<'propose_script'>, 'sessionId'>,
  signal: AbortSignal,
): Promise<Proposal[]> {
  return (await call('propose_script', { sessionId, ...wish }, { signal })).proposals
}
