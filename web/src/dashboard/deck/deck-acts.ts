// What a host does to a deck: change, move and delete slides, change a spoken sentence.
import { call, tagged } from '../data/api.ts'
import { deckQuery, leavingSlides, refreshSession, scriptQuery, sessionPath, withoutLeaving } from '../data/queries.ts'
import { commitWaiting, doneLater, orToast } from '../data/undoable.ts'
import { cache, refresh } from '../data/use-query.ts'
import type { Deck, Proposal, ScriptAnswer, ScriptFinding, Slide } from '../data/wire.ts'

const slidePath = (sessionId: string, slideId: string) => sessionPath(sessionId, `/deck/slides/${encodeURIComponent(slideId)}`)

/** After a change of the deck: its slides, and the script that is compiled from them. */
export async function refreshDeck(sessionId: string): Promise<void> {
  await Promise.all([refresh('session', sessionId, 'deck'), refresh('session', sessionId, 'script'), refreshSession(sessionId)])
}

export async function changeSlide(
  sessionId: string,
  slideId: string,
  change: Partial<Record<'title' | 'textContent' | 'agentNotes', string>> & { index?: number; polls?: readonly object[] },
): Promise<void> {
  await call('PATCH', slidePath(sessionId, slideId), { body: change })
  await refreshDeck(sessionId)
}

/** Whether the notes of the deck are private or said. */
export async function sayNotes(sessionId: string, notesAs: 'private' | 'narration'): Promise<void> {
  await call('PATCH', sessionPath(sessionId, '/deck'), { body: { notesAs } })
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
    act: () => call('DELETE', slidePath(sessionId, slide.id), { keepalive: true }).then(stays),
    onUndo: () => void stays(),
  })
}

export const refreshScript = (sessionId: string): Promise<void> => cache.invalidateQueries({ queryKey: scriptQuery(sessionId).queryKey })

export interface ServerClip {
  audioUrl: string | null
  audioMs: number | null
  /** Of the server, asked to say it; null where it has none. */
  voice: string | null
}

/** The sentence in the server's voice, or in another that is tried, made now where it has to be; without an address the browser says it. */
export function clipOf(sessionId: string, beatId: string, signal: AbortSignal, voice?: string | null): Promise<ServerClip> {
  const body = voice === undefined ? {} : { body: { voice } }
  return call('POST', sessionPath(sessionId, `/script/${encodeURIComponent(beatId)}/clip`), { signal, ...body })
}

/** The whole talk as it is to be said; refused where it was changed since it was read under this tag. */
export const putScript = (sessionId: string, slides: readonly object[], ifMatch: string): Promise<ScriptAnswer> =>
  tagged('PUT', sessionPath(sessionId, '/script'), { body: { slides }, ifMatch })

/** What a listener would stumble over in a text that is not saved. */
export const lintOf = (sessionId: string, slides: readonly object[], signal: AbortSignal): Promise<{ findings: ScriptFinding[] }> =>
  call('POST', sessionPath(sessionId, '/script/lint'), { body: { slides }, signal })

export const restoreVersion = (sessionId: string, version: number, ifMatch: string): Promise<ScriptAnswer> =>
  tagged('POST', sessionPath(sessionId, `/script/versions/${version}/restore`), { body: {}, ifMatch })

/** Null takes the host's words back. */
export const correctTranslation = (sessionId: string, language: string, original: string, text: string | null): Promise<unknown> =>
  call('PATCH', sessionPath(sessionId, `/translations/${language}`), { body: { original, text } })

/** What a model would say of the slide instead, in a tone; it reads the private notes or not. */
export async function proposalsFor(
  sessionId: string,
  wish: { slideId: string; withNotes: boolean; tone: string },
  signal: AbortSignal,
): Promise<Proposal[]> {
  return (await call<{ proposals: Proposal[] }>('POST', sessionPath(sessionId, '/script/proposals'), { body: wish, signal })).proposals
}
