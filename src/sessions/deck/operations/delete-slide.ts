// Removes one slide of the deck in service (`DELETE .../deck/slides/{slideId}`).
import { z } from 'zod'
import { uuid } from '../../../contract/fields.ts'
import { type Call, deletes, operation, scoped } from '../../../platform/operation.ts'
import type { AccountPrincipal } from '../../../platform/principal.ts'
import { sessionId } from '../../../contract/session.ts'
import type { DecksDeps } from '../deps.ts'
import { reviseDeck } from './revise-deck.ts'

const input = z.object({ sessionId, slideId: uuid.describe('Id of the slide.') })

async function remove(
  wanted: z.output<typeof input>,
  call: Call<AccountPrincipal>,
  deps: DecksDeps,
): Promise<{ id: string; slidesCount: number }> {
  const where = { accountId: call.principal.accountId, ...wanted, now: call.now }
  const left = await reviseDeck(where, (slides, at) => slides.toSpliced(at, 1), deps)
  return { id: wanted.slideId, slidesCount: left.length }
}

export const deleteSlide = operation({
  name: 'delete_slide',
  area: 'decks',
  summary: 'Delete a slide',
  description: 'Makes the next version of the deck. Runs that have begun keep the version they began with.',
  access: scoped('sessions:write'),
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'conflict'],
  input,
  run: remove,
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}/deck/slides/{slideId}',
    output: z.object({ id: z.string(), deleted: z.literal(true), slidesCount: z.number() }),
    view: ({ id, slidesCount }) => ({ id, deleted: true, slidesCount }),
  },
})
