// Changes one slide of the deck in service: its words, its notes, its place (`PATCH .../deck/slides/{slideId}`).
import { z } from 'zod'
import { limits, text, uuid } from '../../../contract/fields.ts'
import { ServiceError } from '../../../platform/errors.ts'
import { type Call, changes, operation, scoped } from '../../../platform/operation.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { narration } from '../../../contract/new-content.ts'
import { sessionId } from '../../../contract/session.ts'
import { boundedSlide } from '../bounded-text.ts'
import { readReading, type Slide } from '../deck-rows.ts'
import type { DecksDeps } from '../deps.ts'
import { slideTitle, writtenReading } from '../new-slide.ts'
import { confidenceOf } from '../recognition/wanted.ts'
import { showSlide, type SlideView, slideView } from './deck-view.ts'
import { reviseDeck } from './revise-deck.ts'

const input = z.object({
  sessionId,
  slideId: uuid.describe('Id of the slide.'),
  title: text(limits.title).describe('Empty: the first line of the text.').optional(),
  textContent: text(limits.slideText).optional(),
  agentNotes: text(limits.agentNotes).describe('Private presenter instructions.').optional(),
  narration: narration
    .describe('What the presenter says on this slide, word for word; empty: what is compiled from it. Public.')
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
    agent_notes: wanted.agentNotes ?? slide.agent_notes,
    narration: wanted.narration ?? slide.narration,
    // Offsets in another text would cite other words.
    cited: isRewritten ? '' : slide.cited,
    is_silent: wanted.narration === undefined ? slide.is_silent : 0,
    state,
  }
}

async function update(wanted: Wanted, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<SlideView> {
  const { sessionId, slideId, textContent, agentNotes } = wanted
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
  if (slide === undefined) throw new ServiceError('not_found', 'There is no such slide in the present deck.')
  return showSlide(slide, deps.mediaBase)
}

export const updateSlide = operation({
  name: 'update_slide',
  area: 'decks',
  summary: 'Change a slide',
  description: 'Makes the next version of the deck. Runs that have begun keep the version they began with.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'conflict'],
  input,
  run: update,
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}/deck/slides/{slideId}', output: slideView, view: (view) => view },
})
