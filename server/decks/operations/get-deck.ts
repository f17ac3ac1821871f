// The owner's view of a deck: the newest version with its progress, and the private notes. The only view that has them
// (Spec 2.3: `agentNotes` are private presenter instructions).
import { inOneGo, stepByStep } from '@rostrum/base/work'
import { z } from 'zod'
import { block } from '@rostrum/contract/deck'
import { pollSpec } from '@rostrum/contract/poll'
import { sessionId } from '@rostrum/contract/session'
import { type Clock, iso } from '@rostrum/base/clock'
import type { Store } from '../../platform/db/store.ts'
import { type EventFeed, operation, scoped } from '../../platform/operation.ts'
import { readDirectives } from '@rostrum/telling/directives'
import { ownSession, deckTopic } from '../../sessions/session.ts'
import { readImages, showImage } from '../slide-images.ts'
import { type Deck, findDeck, kindOf, newestDeck, type Slide, slidesWithNotes } from '../deck-rows.ts'
import { confidenceOf, readReading } from '@rostrum/deck/block'
import { type Allowance, placeInLine } from '../ingest/turns.ts'
import { countNotes, notesAs } from '../new-slide.ts'
import { setApartWarnings } from '../set-apart.ts'
import { readWarnings, showWarnings, warningView } from '@rostrum/deck/warnings'
import { slideWarnings } from '../slide-warnings.ts'

export interface ViewDeckDeps {
  store: Store
  clock: Clock
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  /** Of reading and of drawing each, for an account within an hour; null: no limit. */
  readingMs: Allowance
}

export const slideView = z.object({
  id: z.string(),
  index: z.number(),
  title: z.string(),
  textContent: z.string(),
  agentNotes: z.string().describe('Private; readable by the owner alone.'),
  narration: z.string().optional().describe('What the presenter says here, word for word; absent where the talk is compiled.'),
  polls: z.array(pollSpec).optional().describe('What the room is asked after this slide, as its notes say; absent where it is nothing.'),
  imageUrl: z.string().optional(),
  srcset: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  state: z.enum(['ok', 'placeholder', 'no_text']),
  imageState: z.enum(['none', 'pending', 'ready', 'failed']).describe('Of the picture; `pending` while it is fetched.'),
  textFrom: z
    .enum(['document', 'picture', 'host'])
    .describe('`picture`: words of it were read from the picture; `host`: corrected since.')
    .optional(),
  confidence: z.number().describe('Of words that were read from the picture, 0 to 1.').optional(),
  blocks: z
    .array(block)
    .readonly()
    .describe('What the text says below the title, in reading order, with places on the page as far as they are known.')
    .optional(),
})

export const deckView = z.object({
  deckId: z.string().nullable(),
  version: z.number().describe('Rises with each upload and each change; 0 where there is no deck.'),
  state: z.enum(['none', 'pending', 'processing', 'ready', 'failed']),
  progress: z.object({ done: z.number(), total: z.number() }),
  queue: z
    .object({
      before: z.number().describe('Files that are read before, those under way included.'),
      seconds: z.number().describe('About, as long as readings took lately.'),
      goesOnAt: z.string().describe('Where the reading time of the account for this hour is used up: when the next begins.').optional(),
    })
    .optional()
    .describe('Its place in the line, while it is `pending`: accounts have their turns after each other, small files first.'),
  reason: z.string().optional().describe('Why it failed, in words.'),
  warnings: z.array(warningView),
  notesAs: notesAs.optional().describe('Whether the notes are said.'),
  notesWords: z.number().optional().describe('How many words of notes its slides have: what would be said with `notesAs: narration`.'),
  inService: z.object({ deckId: z.string(), version: z.number() }).nullable().describe('The version the room shows.'),
  slides: z.array(slideView),
})

export type DeckView = z.output<typeof deckView>
export type SlideView = z.output<typeof slideView>

export function showSlide(slide: Slide, mediaBase: string): SlideView {
  const reading = readReading(slide.reading)
  const confidence = confidenceOf(reading)
  const { polls } = readDirectives(slide.agent_notes)
  return {
    id: slide.id,
    index: slide.position,
    title: slide.title,
    textContent: slide.text_content,
    agentNotes: slide.agent_notes,
    ...(slide.narration !== '' && { narration: slide.narration }),
    ...(polls.length > 0 && { polls: [...polls] }),
    ...showImage(readImages(slide.images), mediaBase),
    state: slide.state,
    imageState: slide.image_state,
    textFrom: reading.isCorrected ? 'host' : confidence === undefined ? 'document' : 'picture',
    ...(confidence !== undefined && { confidence }),
    blocks: reading.blocks.map((block) => ({ ...block })),
  }
}

/** The newest version of the session's deck; the caller has checked whose it is. */
export async function viewDeck(sessionId: string, deps: ViewDeckDeps): Promise<DeckView> {
  const { mediaBase } = deps
  const { read } = deps.store
  const session = await read.selectFrom('sessions').select(['deck_id', 'language']).where('id', '=', sessionId).executeTakeFirst()
  const newest = await newestDeck(read, sessionId)
  if (newest === undefined)
    return { deckId: null, version: 0, state: 'none', progress: { done: 0, total: 0 }, warnings: [], inService: null, slides: [] }
  const shown = session?.deck_id === newest.id ? newest : session?.deck_id ? await findDeck(read, session.deck_id) : undefined
  const slides = await slidesWithNotes(read, newest.id)
  const steps = toView(newest, shown, slides, session?.language ?? 'en', mediaBase)
  // What a person wrote is shown at once.
  const view = slides.reduce((sum, { reading }) => sum + reading.length, 0) <= shortMost ? inOneGo(steps) : await stepByStep(steps)
  const place =
    newest.state === 'pending' ? await placeInLine(read, kindOf(newest), newest.id, deps.clock.now(), deps.readingMs) : undefined
  if (place === undefined) return view
  const { goesOnAt, ...queue } = place
  return { ...view, queue: { ...queue, ...(goesOnAt !== undefined && { goesOnAt: iso(goesOnAt) }) } }
}

/** Characters of what was read of its slides. */
const shortMost = 200_000

function* toView(
  deck: Deck,
  shown: Deck | undefined,
  slides: readonly Slide[],
  language: string,
  mediaBase: string,
): Generator<undefined, DeckView> {
  const warnings = [...readWarnings(deck.warnings), ...setApartWarnings(slides)]
  const views: SlideView[] = []
  let notesWords = 0
  for (const slide of slides) {
    warnings.push(...slideWarnings(slide, language))
    views.push(showSlide(slide, mediaBase))
    notesWords += countNotes([slide])
    yield
  }
  return {
    deckId: deck.id,
    version: deck.version,
    state: deck.state,
    progress: { done: deck.progress_done, total: deck.progress_total },
    ...(deck.reason === null ? {} : { reason: deck.reason }),
    warnings: showWarnings(warnings.toSorted((a, b) => a.index - b.index)),
    inService: shown === undefined ? null : { deckId: shown.id, version: shown.version },
    notesAs: deck.notes_as,
    notesWords,
    slides: views,
  }
}

// The owner's deck with notes, progress and warnings (`GET .../deck`); as a stream while it is being made.

// Progress of a deck as `text/event-stream`: the whole view at the start and at the end, counts in between.

const isMoving = ({ state }: DeckView) => state === 'pending' || state === 'processing'

/** Ends after the message that says `ready` or `failed`. Doorbells may be lost, so the deck is also read each second. */
function deckFeed(sessionId: string, first: DeckView, deps: ViewDeckDeps): EventFeed {
  const { store, clock } = deps
  return {
    open(sink) {
      let isOpen = true
      let last = ''
      let cancel = () => {}
      const send = (view: DeckView) => {
        const { slides: _, ...counts } = view
        const data = JSON.stringify(isMoving(view) ? counts : view)
        if (data !== last && !sink.write(Buffer.from(`event: deck\ndata: ${data}\n\n`))) return close()
        last = data
        if (!isMoving(view)) close()
      }
      let isLooking = false
      let isAwaited = false
      /** One look at a time: doorbells may ring faster than the store answers. */
      const look = async () => {
        cancel()
        if (isLooking) {
          isAwaited = true
          return
        }
        isLooking = true
        const view = await viewDeck(sessionId, deps)
        isLooking = false
        if (isOpen) send(view)
        if (isOpen) cancel = clock.after(isAwaited ? 0 : 1_000, again)
        isAwaited = false
      }
      const again = () => void look().catch(close)
      const stopListening = store.listen(deckTopic(sessionId), again)
      const stop = () => {
        isOpen = false
        cancel()
        stopListening()
      }
      const close = () => {
        if (!isOpen) return
        stop()
        sink.close()
      }
      send(first)
      if (isOpen) cancel = clock.after(1_000, again)
      return { stop }
    },
  }
}

export const getDeck = operation({
  name: 'get_deck',
  summary: 'Show the deck of a session',
  description:
    'The newest version with private notes, progress and warnings; `inService` is the version the room shows. With `Accept: text/event-stream` the progress until it is ready or failed.',
  access: scoped('sessions:write'),
  input: z.object({ sessionId, accept: z.string().optional() }),
  run: async (wanted, call, deps: ViewDeckDeps) => {
    const session = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
    const view = await viewDeck(session.id, deps)
    const wantsFeed = wanted.accept?.includes('text/event-stream') === true
    return { view, feed: wantsFeed ? deckFeed(session.id, view, deps) : undefined }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/deck',
    headerMembers: { accept: 'accept' },
    output: deckView,
    view: ({ view }) => view,
    feed: ({ feed }) => feed,
  },
})
