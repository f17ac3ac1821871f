// Changes of single slides. A version is immutable, since runs keep the one they began with: a change makes the next one.
import { z } from 'zod'
import { limits, text, uuid } from '@rostrum/contract/fields'
import { narration } from '@rostrum/contract/new-content'
import { pollLimits, pollSpec } from '@rostrum/contract/poll'
import { sessionId } from '@rostrum/contract/session'
import { ServiceError } from '@rostrum/base/errors'
import { operation, scoped } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import { withPolls } from '@rostrum/telling/directives'
import type { Ids } from '@rostrum/base/clock'
import type { Slide } from '../deck-rows.ts'
import { confidenceOf, readReading } from '@rostrum/deck/block'
import { boundedSlide, type NotesAs, notesAs, slideTitle, underNotesAs, writtenReading } from '../new-slide.ts'
import { linesMax, notSetApart, withPutBack } from '../set-apart.ts'
import { deckView, showSlide, slideView, viewDeck, type ViewDeckDeps } from './get-deck.ts'
import { type Revised, reviseIn, type SlidesChange } from '../revise-deck.ts'

interface ChangeDeckDeps extends ViewDeckDeps {
  ids: Ids
  /** Compiles the script once the caller has its answer. */
  scripts: { refresh(sessionId: string): void }
}

async function reviseDeck(where: Revised, change: SlidesChange, deps: ChangeDeckDeps): Promise<Slide[]> {
  const slides = await deps.store.write((tx) => reviseIn(tx, where, change, deps))
  deps.scripts.refresh(where.sessionId)
  return slides
}

// Changes the deck in service as a whole (`PATCH .../deck`): whether its notes are private or said, which lines belong to the talk that
// its reader set apart.

/** A press that comes twice finds nothing to put back, and so is told. */
function checked(slides: readonly Slide[], putBack: readonly string[]): readonly string[] {
  const [unknown] = notSetApart(slides, putBack)
  if (unknown === undefined) return putBack
  const pointer = `#/putBack/${putBack.indexOf(unknown)}`
  throw invalidInput([{ pointer, detail: 'is not set apart on any slide; the warning `set_apart` of the deck has the lines that are.' }])
}

function changedAsWhole(slide: Slide, putBack: readonly string[], as: NotesAs | undefined): Slide {
  const said = withPutBack(slide, putBack)
  return as === undefined ? said : underNotesAs(said, as)
}

export const updateDeck = operation({
  name: 'update_deck',
  summary: 'Have the notes of a deck said or kept private, or lines put back',
  description: 'Makes the next version of the deck. `agentNotes` stay what they are, private, and their directives act either way.',
  access: scoped('sessions:write'),
  errors: ['conflict'],
  input: z.object({
    sessionId,
    notesAs: notesAs
      .describe(
        '`narration`: the notes of the slides are copied into `narration` where it is empty, public from then on, and said. `private`: what was copied is taken out again.',
      )
      .optional(),
    putBack: z
      .array(z.string().max(limits.slideText))
      .max(linesMax)
      .describe('Lines of the warning `set_apart`. On each slide they, and those that differ in figures alone, go below its text.')
      .optional(),
  }),
  run: async ({ putBack = [], ...wanted }, call, deps: ChangeDeckDeps) => {
    if (wanted.notesAs === undefined && putBack.length === 0)
      throw invalidInput([{ pointer: '#/putBack', detail: 'send lines of the warning `set_apart`, or `notesAs`.' }])
    const as = wanted.notesAs === undefined ? {} : { notesAs: wanted.notesAs }
    const where = { accountId: call.principal.accountId, sessionId: wanted.sessionId, now: call.now, ...as }
    const change = (slides: readonly Slide[]) => {
      const lines = checked(slides, putBack)
      return slides.map((slide) => changedAsWhole(slide, lines, wanted.notesAs))
    }
    await reviseDeck(where, change, deps)
    return viewDeck(wanted.sessionId, deps)
  },
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}/deck', output: deckView },
})

// Changes one slide of the deck in service: its words, its notes, its place (`PATCH .../deck/slides/{slideId}`).

const input = z.object({
  sessionId,
  slideId: uuid.describe('Id of the slide.'),
  title: text(limits.title).describe('Empty: the first line of the text.').optional(),
  textContent: text(limits.slideText).optional(),
  agentNotes: text(limits.agentNotes).describe('Private presenter instructions.').optional(),
  narration: narration
    .describe('What the presenter says on this slide, word for word; empty: what is compiled from it. Public.')
    .optional(),
  polls: z
    .array(pollSpec)
    .max(pollLimits.perSlide)
    .describe(
      'What the room is asked after this slide; empty: nothing. They take the place of the `[poll: ...]` directives in `agentNotes`.',
    )
    .optional(),
  index: z
    .number()
    .multipleOf(1)
    .min(0)
    .max(limits.slides - 1)
    .describe('New place, from 0.')
    .optional(),
})

type Wanted = z.output<typeof input>

function changed(slide: Slide, wanted: Wanted): Slide {
  const text_content = wanted.textContent ?? slide.text_content
  // A title that came from the text follows it; one of its own stays.
  const isOwnTitle = slide.title !== slideTitle(undefined, slide.text_content)
  const title = slideTitle(wanted.title ?? (isOwnTitle ? slide.title : undefined), text_content)
  const hasText = text_content.trim() !== ''
  const state = slide.state === 'placeholder' ? 'placeholder' : wanted.textContent === undefined ? slide.state : hasText ? 'ok' : 'no_text'
  const isRewritten = wanted.textContent !== undefined || title !== slide.title
  const seen = readReading(slide.reading)
  const isTitleAlone = wanted.textContent === undefined && confidenceOf(seen) !== undefined
  // Words that were read from the picture stay what they are under a new title.
  const reading =
    isRewritten && isTitleAlone
      ? JSON.stringify({ ...seen, titleFrom: 'given', isTitleSure: true, isCorrected: true })
      : isRewritten
        ? writtenReading(text_content, title, wanted.title, wanted.textContent !== undefined)
        : slide.reading
  return {
    ...slide,
    reading,
    title,
    text_content,
    agent_notes: wanted.polls === undefined ? (wanted.agentNotes ?? slide.agent_notes) : withPolls(slide.agent_notes, wanted.polls),
    narration: wanted.narration ?? slide.narration,
    // Offsets in another text would cite other words.
    cited: isRewritten ? '' : slide.cited,
    is_silent: wanted.narration === undefined ? slide.is_silent : 0,
    state,
  }
}

export const updateSlide = operation({
  name: 'update_slide',
  summary: 'Change a slide',
  description: 'Makes the next version of the deck. Runs that have begun keep the version they began with.',
  access: scoped('sessions:write'),
  errors: ['conflict'],
  input,
  run: async (wanted: Wanted, call, deps: ChangeDeckDeps) => {
    const { sessionId, slideId, textContent, agentNotes } = wanted
    if (wanted.polls !== undefined && agentNotes !== undefined)
      throw invalidInput([{ pointer: '#/polls', detail: 'send `polls`, or `agentNotes` with their directives, not both.' }])
    const { slide: kept, isCut } = boundedSlide({ textContent, agentNotes })
    // Words of before that were cut are there no more.
    const cut = isCut || textContent !== undefined ? { isCut } : {}
    const where = { accountId: call.principal.accountId, sessionId, slideId, now: call.now, ...cut }
    const slides = await reviseDeck(
      where,
      (present, at) => {
        const slide = present[at]
        if (slide === undefined) return present
        const next = changed(slide, { ...wanted, ...kept })
        const place = Math.min(wanted.index ?? at, present.length - 1)
        return present.toSpliced(at, 1).toSpliced(place, 0, next)
      },
      deps,
    )
    const slide = slides.find(({ id }) => id === wanted.slideId)
    if (slide === undefined)
      throw new ServiceError('not_found', 'There is no such slide in the present deck. `GET .../deck` shows their ids.')
    return showSlide(slide, deps.mediaBase)
  },
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}/deck/slides/{slideId}', output: slideView },
})

// Removes one slide of the deck in service (`DELETE .../deck/slides/{slideId}`).

export const deleteSlide = operation({
  name: 'delete_slide',
  summary: 'Delete a slide',
  description: 'Makes the next version of the deck. Runs that have begun keep the version they began with.',
  access: scoped('sessions:write'),
  errors: ['conflict'],
  input: z.object({ sessionId, slideId: uuid.describe('Id of the slide.') }),
  run: async (wanted, call, deps: ChangeDeckDeps) => {
    const where = { accountId: call.principal.accountId, ...wanted, now: call.now }
    const left = await reviseDeck(where, (slides, at) => slides.toSpliced(at, 1), deps)
    return { id: wanted.slideId, slidesCount: left.length }
  },
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}/deck/slides/{slideId}',
    output: z.object({ id: z.string(), deleted: z.literal(true), slidesCount: z.number() }),
    view: ({ id, slidesCount }) => ({ id, deleted: true, slidesCount }),
  },
})
