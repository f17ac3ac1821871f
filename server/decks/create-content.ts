// Slides, `pdfUrl` and knowledge of a session that is being created or copied (Spec 2.3). Everything runs in the caller's transaction; fetching comes later.
import { ringAfter, type Tx } from '../platform/db/store.ts'
import { refusalWords } from '../platform/egress/destination.ts'
import { ServiceError } from '@rostrum/base/errors'
import { stepByStep } from '@rostrum/base/work'
import type { Ids } from '@rostrum/base/clock'
import type { Outbound } from '../platform/egress/outbound.ts'
import { settingOf } from '@rostrum/contract/session'
import { logoKey } from '../sessions/brand.ts'
import { ownKey } from '../platform/blobs/blobs.ts'
import { useBlobs } from '../platform/blobs/blob-uses.ts'
import { type NewSlide, type NotesAs, type PreparedSlide, prepareSlide, slideCut, slideRows, underNotesAs } from './new-slide.ts'
import { languageOfSlides } from '@rostrum/deck/language'
import { differing, followLanguage } from './follow-language.ts'
import {
  findDeck,
  insertDeck,
  insertFirstDeck,
  insertSlides,
  type NewDeck,
  newestDeck,
  putInService,
  type Slide,
  slidesWithNotes,
} from './deck-rows.ts'
import { deckTopic } from '../sessions/session.ts'
import { type DeckWarning, readWarnings } from '@rostrum/deck/warnings'
import { insertPassages, knowledgeCut, type PreparedPassage } from '../knowledge/passage-rows.ts'

const onSlide = 'what stands on a slide is its `textContent`.'
const said = 'what is said at a slide is its `narration`; `agentNotes` are private.'
/** What one slide takes and a whole deck does not, and what others call what it takes. */
export const slidesElsewhere = {
  'slides.polls': 'a poll is written in `agentNotes`, as `[poll: Question? | One | Two]`, or sent to `PATCH .../deck/slides/{slideId}`.',
  ...Object.fromEntries(['body', 'content', 'bullets', 'markdown'].map((name) => [`slides.${name}`, onSlide])),
  ...Object.fromEntries(['script', 'speech', 'speakerNotes', 'voiceover'].map((name) => [`slides.${name}`, said])),
}

/** What a new session brings along; `pdfUrl` is fetched later, in the background. */
interface NewContent {
  sessionId: string
  accountId: string
  /** As the host says; left out where the deck decides. */
  language?: string
  slides: readonly PreparedSlide[]
  pdfUrl?: string | undefined
  /** Slides as they were sent with a `pdfUrl`. */
  overrides: readonly NewSlide[]
  knowledge: readonly PreparedPassage[]
  now: number
}

/** Refuses addresses that may never be fetched, each by its member. Names are looked up, nothing is fetched. */
export async function checkAddresses(
  { outbound, mediaBase }: { outbound: Pick<Outbound, 'vet'>; mediaBase: string },
  content: { slides: readonly NewSlide[]; pdfUrl?: string | undefined },
): Promise<void> {
  const wanted = content.slides.flatMap(({ imageUrl }, index) =>
    imageUrl === undefined ? [] : [{ url: imageUrl, pointer: `#/slides/${index}/imageUrl` }],
  )
  if (content.pdfUrl !== undefined) wanted.push({ url: content.pdfUrl, pointer: '#/pdfUrl' })
  const verdicts = new Map<string, Promise<boolean>>()
  for (const { url } of wanted) {
    if (!verdicts.has(url))
      verdicts.set(url, ownKey(url, mediaBase) === undefined ? outbound.vet(url).then(({ ok }) => ok) : Promise.resolve(true))
  }
  const errors = []
  for (const { url, pointer } of wanted) if ((await verdicts.get(url)) === false) errors.push({ pointer, detail: refusalWords })
  if (errors.length > 0) throw new ServiceError('url_not_allowed', refusalWords, { errors: errors.slice(0, 20) })
}

interface Owner {
  sessionId: string
  accountId: string
  now: number
  notesAs?: NotesAs
}

/** Of slides that are all there. */
function readyDeck(owner: Owner, slides: number): NewDeck {
  return {
    session_id: owner.sessionId,
    account_id: owner.accountId,
    kind: 'slides',
    state: 'ready',
    progress_done: slides,
    progress_total: slides,
    notes_as: owner.notesAs ?? 'private',
    created_at: owner.now,
    finished_at: owner.now,
  }
}

/** That waits for the worker to fetch its file; `overrides` replace text and notes of its pages. */
function waitingDeck(owner: Owner, { pdfUrl, overrides }: { pdfUrl: string; overrides: readonly NewSlide[] }): NewDeck {
  return {
    session_id: owner.sessionId,
    account_id: owner.accountId,
    kind: 'pdf',
    source_url: pdfUrl,
    overrides: overrides.length === 0 ? null : JSON.stringify(overrides),
    notes_as: owner.notesAs ?? 'private',
    created_at: owner.now,
  }
}

/** What takes time of slides that are to be stored, in turns with everything else; before the transaction. */
export const prepareSlides = (slides: readonly NewSlide[]): Promise<PreparedSlide[]> =>
  slides.length === 0 ? Promise.resolve([]) : stepByStep(preparing(slides))

function* preparing(slides: readonly NewSlide[]): Generator<undefined, PreparedSlide[]> {
  const prepared: PreparedSlide[] = []
  for (const slide of slides) {
    prepared.push(prepareSlide(slide))
    yield
  }
  return prepared
}

/** What their owner is told of texts that were cut to their bounds. */
const cutsOf = (slides: readonly PreparedSlide[]) => slides.flatMap(({ isCut }, index) => (isCut ? [slideCut(index)] : []))

/** A version made of JSON slides: in service at once, pictures follow. */
export async function createFromSlides(
  tx: Tx,
  owner: Owner,
  slides: readonly PreparedSlide[],
  { ids, mediaBase }: { ids: Ids; mediaBase: string },
): Promise<string> {
  const present = await newestDeck(tx, owner.sessionId)
  const before = present === undefined ? [] : await slidesWithNotes(tx, present.id)
  const id = ids.uuid()
  const own = slideRows(id, slides, before, ids, mediaBase)
  const rows = owner.notesAs === 'narration' ? own.map((slide) => underNotesAs(slide, 'narration')) : own
  const warnings = JSON.stringify([...cutsOf(slides), ...(await followLanguage(tx, owner.sessionId, rows))])
  const deck = await insertDeck(tx, ids, { id, ...readyDeck(owner, slides.length), warnings })
  await insertSlides(tx, rows)
  await putInService(tx, deck, rows.length, owner.now)
  ringAfter(tx, deckTopic(owner.sessionId))
  return deck.id
}

export async function createFromUrl(
  tx: Tx,
  owner: Owner,
  wanted: { pdfUrl: string; overrides: readonly NewSlide[] },
  { ids }: { ids: Ids },
): Promise<string> {
  const deck = await insertDeck(tx, ids, waitingDeck(owner, wanted))
  ringAfter(tx, deckTopic(owner.sessionId))
  return deck.id
}

/** Says on the deck in service whether passages were cut. The caller holds the session. */
export async function tellCut(tx: Tx, sessionId: string, isCut: boolean): Promise<void> {
  const deck = await tx
    .selectFrom('decks')
    .innerJoin('sessions', 'sessions.deck_id', 'decks.id')
    .select(['decks.id', 'decks.warnings'])
    .where('sessions.id', '=', sessionId)
    .executeTakeFirst()
  if (deck === undefined) return
  const before = readWarnings(deck.warnings)
  const others = before.filter(({ code }) => code !== knowledgeCut.code)
  if (!isCut && others.length === before.length) return
  const warnings = JSON.stringify([...others, ...(isCut ? [knowledgeCut] : [])])
  await tx.updateTable('decks').set({ warnings }).where('id', '=', deck.id).execute()
}

/** For a session that has no row yet; gives the deck that its row is to name, and the language of its slides where they tell. */
export async function createContent(
  tx: Tx,
  content: NewContent,
  deps: { ids: Ids; mediaBase: string },
): Promise<{ deckId: string | null; language?: string }> {
  const { pdfUrl, slides, overrides, knowledge, sessionId } = content
  const isCut = knowledge.length > 0 && (await insertPassages(tx, sessionId, knowledge, 0, deps))
  if (pdfUrl !== undefined) await insertFirstDeck(tx, deps.ids, waitingDeck(content, { pdfUrl, overrides }))
  if (pdfUrl !== undefined || slides.length === 0) return { deckId: null }
  const id = deps.ids.uuid()
  const rows = slideRows(id, slides, [], deps.ids, deps.mediaBase)
  const read = languageOfSlides(rows)
  const differs = content.language === undefined || read === undefined ? [] : differing(content.language, read)
  const warnings = [...cutsOf(slides), ...(isCut ? [knowledgeCut] : []), ...differs]
  await inService(tx, { ...content, id, warnings }, rows, deps)
  return { deckId: id, ...(read !== undefined && { language: read }) }
}

/** The first version of a new session, whose row says that it is in service. */
async function inService(
  tx: Tx,
  { id, warnings, ...owner }: Owner & { id: string; warnings: readonly DeckWarning[] },
  rows: readonly Slide[],
  { ids }: { ids: Ids },
): Promise<void> {
  await insertFirstDeck(tx, ids, { id, ...readyDeck(owner, rows.length), warnings: JSON.stringify(warnings) })
  await insertSlides(tx, rows)
}

/** The deck in service and the knowledge, as version 1 of another session. Slides get ids of their own. */
export async function copyContent(tx: Tx, fromSessionId: string, to: Owner, deps: { ids: Ids }): Promise<string | null> {
  const { ids } = deps
  const passages = await tx
    .selectFrom('passages')
    .select(['title', 'content', 'digest'])
    .where('session_id', '=', fromSessionId)
    .orderBy('position')
    .execute()
  const copies = passages.map((passage) => ({ ...passage, isCut: false }))
  await insertPassages(tx, to.sessionId, copies, 0, deps)
  const from = await tx
    .selectFrom('sessions')
    .select(['deck_id', 'portrait_key', 'brand'])
    .where('id', '=', fromSessionId)
    .executeTakeFirst()
  const logo = from && logoKey(settingOf('brand', from) ?? {})
  await useBlobs(
    tx,
    to.sessionId,
    [from?.portrait_key, logo].filter((key) => typeof key === 'string'),
  )
  if (!from?.deck_id) return null
  const slides = await slidesWithNotes(tx, from.deck_id)
  const deck = await findDeck(tx, from.deck_id)
  const deck_id = ids.uuid()
  const rows = slides.map((slide) => ({ ...slide, deck_id, id: ids.uuid() }))
  await inService(tx, { ...to, id: deck_id, warnings: readWarnings(deck?.warnings ?? '[]') }, rows, deps)
  return deck_id
}
