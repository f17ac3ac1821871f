// What runs speak and show: public text of the session, its deck and its script, pinned when the run begins and kept in memory by deck
// version. Private notes have no member here, so nothing downstream can say them (Spec 2.3).
import { languageOf } from '@rostrum/languages/languages'
import { readying } from '@rostrum/answers/answer'
import { createSameQuestion } from '@rostrum/answers/ranking/same-question'
import { buildSessionIndexInTurns, createIndexCache, type SessionIndex } from '@rostrum/answers/ranking/session-index'
import { tokenise } from '@rostrum/answers/ranking/tokens'
import type { PlaceOnSlide } from '@rostrum/contract/deck'
import { settingOf, talkSettings } from '@rostrum/contract/session'
import type { Talk, TalkBeat, TalkSession, TalkSlide } from '@rostrum/contract/talk'
import type { Reader, Store } from '../platform/db/store.ts'
import { lazily, madeOnce, stepByStep } from '@rostrum/base/work'
import { litRegion, piecesOf } from '@rostrum/deck/block'
import type { Piece } from '@rostrum/contract/block'
import type { ShownDeck, ShownSlide } from '../decks/content.ts'
import { deckTopic, type Bases, leavingUrl, portraitUrl, type Session, unclaimedAccount } from '../sessions/session.ts'
import type { Passage } from '@rostrum/contract/content'
import { accountBrand, brandOfRow } from '../sessions/brand.ts'
import type { Beat } from '@rostrum/contract/beat'

// What of a slide is lit while a sentence is said: the place that the script knows; of words that somebody wrote themselves, the parts
// of the slide that say the same. Pure.

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

export interface TalksDeps {
  store: Store
  /** Without a trailing slash. */
  baseUrl: string
  mediaBase: string
  inService(read: Reader, sessionId: string): Promise<ShownDeck | null>
  ofRun(read: Reader, sessionId: string, deckId: string): Promise<ShownDeck | null>
  passagesOf(read: Reader, sessionId: string): Promise<Passage[]>
  /** The script of a deck version, compiled on first use; without a deck, the opening and the closing. */
  beatsOf(sessionId: string, deckId: string | null): Promise<readonly Beat[]>
  /** Finds the sentences of a script in the server's voice, where it has one. */
  clipsOf?(script: { sessionId: string; deckId: string | null; beats: readonly Beat[] }): Promise<NonNullable<Talk['clipOf']>>
}

/** What may be searched for an answer in one session, and nothing of any other. */
export interface Searchable {
  deck: ShownDeck | null
  passages: readonly Passage[]
  index: SessionIndex
}

export interface Talks extends Required<ContentPort> {
  searchable(sessionId: string, deckId: string | null): Promise<Searchable>
  close(): void
}

/** Once in a process. */
const readied = lazily(() => stepByStep(readying()))

/** Deck versions kept, at about 100 kB each. */
const keptMax = 400

export function createTalks(deps: TalksDeps): Talks {
  const { store } = deps
  const talks = new Map<string, Promise<Talk>>()
  const indexes = createIndexCache<Searchable>(({ index }) => index.sizeBytes)
  const topics = deckTopic('')
  const forget = (sessionId: string) => {
    for (const key of talks.keys()) if (key.startsWith(sessionId)) talks.delete(key)
    indexes.drop(sessionId)
  }
  const stop = store.listen(topics, (topic) => forget(topic.slice(topics.length)))

  const load = async (sessionId: string, deckId: string | null): Promise<Talk> => {
    const deck = deckId === null ? null : await deps.ofRun(store.read, sessionId, deckId)
    const beats = await deps.beatsOf(sessionId, deckId)
    const clipOf = await deps.clipsOf?.({ sessionId, deckId, beats })
    const slides = (deck?.slides ?? []).map(toSlide)
    const placed = await stepByStep(toBeats(beats, deck))
    return { deckId, deckVersion: deck?.version ?? 0, slides, beats: placed, ...(clipOf && { clipOf }) }
  }
  const index = async (sessionId: string, deckId: string | null): Promise<Searchable> => {
    const deck = deckId === null ? null : await deps.ofRun(store.read, sessionId, deckId)
    const passages = deck?.passages ?? (await deps.passagesOf(store.read, sessionId))
    const language = deck?.language ?? 'en'
    const content = { language, slides: deck?.slides ?? [], passages }
    const [built] = await Promise.all([buildSessionIndexInTurns(sessionId, content), readied()])
    return { deck, passages, index: built }
  }
  const key = (sessionId: string, deckId: string | null) => `${sessionId}:${deckId ?? ''}`
  const pinnedTalk = (sessionId: string, deckId: string | null) =>
    madeOnce(talks, key(sessionId, deckId), keptMax, () => load(sessionId, deckId))

  const searchable = (sessionId: string, deckId: string | null) => indexes.get(key(sessionId, deckId), () => index(sessionId, deckId))

  const rows = () =>
    store.read
      .selectFrom('sessions')
      .selectAll()
      .select((row) => [unclaimedAccount(row), accountBrand(row)])

  return {
    async findSession(wanted) {
      const [name = '', guestKey] = wanted.split('.')
      const isSlug = name.includes('-') || name === 'welcome'
      const row = await rows()
        .where(isSlug ? 'slug' : 'rehearsal_token', '=', name)
        .executeTakeFirst()
      if (row === undefined) return null
      const session = toTalkSession(row, deps)
      if (!isSlug) return { session, kind: 'rehearsal' }
      return { session, kind: 'live', ...(await invitationOf(store.read, row, guestKey)) }
    },
    async getSession(sessionId) {
      const row = await rows().where('id', '=', sessionId).executeTakeFirst()
      return row === undefined ? null : toTalkSession(row, deps)
    },
    pinnedTalk,
    sameQuestion: async (sessionId, deckId) => createSameQuestion((await searchable(sessionId, deckId)).index),
    searchable,
    close: stop,
  }
}

/** Whom a personal link names, of those whom the host named or who registered; and what keeps others out, where it does. */
async function invitationOf(read: Reader, row: Session, key: string | undefined): Promise<Pick<FoundSession, 'barred' | 'by'>> {
  const guests = settingOf('guests', row)
  const isClosed = guests !== null || row.entry === 'confirmed'
  const known =
    key === undefined
      ? undefined
      : (guests?.find((guest) => guest.key === key) ?? (guests ? undefined : await registered(read, row.id, key)))
  if (known === undefined || key === undefined) return isClosed ? { barred: guests === null ? 'unconfirmed' : 'guests' } : {}
  return { by: { key, name: known.name ?? null, until: isClosed ? row.links_until : null } }
}

/** Who has a place; who waits for one, or gave theirs back, has a link that opens nothing. */
const registered = (read: Reader, sessionId: string, key: string) =>
  read
    .selectFrom('registrants')
    .select('name')
    .where('link_key', '=', key)
    .where('session_id', '=', sessionId)
    .where('state', '=', 'going')
    .executeTakeFirst()

/** What captions of two lines cover of a picture, as a fraction of its height. */
const captionsFrom = 0.8

export function toSlide({ id, index, title, text, image, blocks }: ShownSlide): TalkSlide {
  const isLow = blocks.flatMap(piecesOf).some(({ boxes = [] }) => boxes.some(([, top, , height]) => top + height > captionsFrom))
  return {
    id,
    index,
    title,
    text,
    imageUrl: image?.imageUrl ?? null,
    width: image?.width ?? null,
    height: image?.height ?? null,
    ...(image === null ? {} : { srcset: image.srcset, ...(isLow && { lowText: true }) }),
  }
}

/** The room counts beats within their slide; the script counts them through. */
function* toBeats(beats: readonly Beat[], deck: ShownDeck | null): Generator<undefined, TalkBeat[]> {
  const partsOf = partsIn(deck?.language ?? 'en')
  const counted = new Map<number, number>()
  const told: TalkBeat[] = []
  for (const beat of beats) {
    const { region: _region, isAuthored: _isAuthored, pace: _pace, emphasis: _emphasis, sources: rests, ...said } = beat
    const index = counted.get(said.slideIndex) ?? 0
    counted.set(said.slideIndex, index + 1)
    const slide = deck?.slides[said.slideIndex]
    const at = slide && litPlace(beat, slide, partsOf)
    const sources = rests.map(({ type, id, index: place }) => ({ type, id, index: place }))
    told.push({ ...said, index, sources, ...(at && { at }) })
    yield
  }
  return told
}

/** Of a session that nobody vouches for, the call to action opens through a page of ours that names where it leads. */
function ctaOf(row: Session & { unclaimed: string | null }, baseUrl: string): TalkSession['cta'] {
  if (row.cta_url === null) return null
  const cta = { text: row.cta_text ?? languageOf(row.language).asides.offer, kind: row.cta_kind }
  if (row.unclaimed === null) return { ...cta, url: row.cta_url }
  return { ...cta, url: leavingUrl(baseUrl, row.id), host: new URL(row.cta_url).host }
}

function toTalkSession(
  row: Session & { unclaimed: string | null; account_brand: string | null },
  { baseUrl, mediaBase }: Bases,
): TalkSession {
  // A name and a face that nobody vouches for could be anybody's.
  const isShown = row.unclaimed === null && (row.presenter_name !== null || row.portrait_key !== null)
  const imageUrl = row.portrait_key === null ? null : portraitUrl(mediaBase, row.portrait_key)
  const brand = row.unclaimed === null && brandOfRow(row, mediaBase)
  return {
    ...talkSettings(row),
    sessionId: row.id,
    accountId: row.account_id,
    deckId: row.deck_id,
    slug: row.slug,
    status: row.status,
    ...(isShown && { presenter: { name: row.presenter_name, imageUrl } }),
    ...(brand && { brand }),
    cta: ctaOf(row, baseUrl),
    ...(row.unclaimed === null ? {} : { unverified: { ctaUrl: row.cta_url } }),
    consentVersion: row.consent_version,
    startsAt: row.starts_at,
  }
}

export interface FoundSession {
  session: TalkSession
  kind: 'live' | 'rehearsal'
  /** Why the key lets nobody in: it names none of the people who may come, or no longer. */
  barred?: 'guests' | 'unconfirmed'
  /** Whom a personal link names. */
  by?: { key: string; name: string | null; until: number | null }
}

export interface ContentPort {
  /** The session whose slug or rehearsal token is `key`; null when there is none. */
  findSession(key: string): Promise<FoundSession | null>
  getSession(sessionId: string): Promise<TalkSession | null>
  /**
   * A deck version, kept in memory by the implementation: it is asked for every run and every snapshot. A session without slides still
   * has a talk of its title, with `deckId` null.
   */
  pinnedTalk(sessionId: string, deckId: string | null): Promise<Talk>
  /** Whether two questions ask the same of that version; where it is missing, questions are compared by their words alone. */
  sameQuestion?(sessionId: string, deckId: string | null): Promise<(a: string, b: string) => boolean>
}
