// Takes back the one page that an attendee may keep of a talk: whoever holds its address may, since that is all it takes to read it.
import { z } from 'zod'
import { changes, open, operation } from '../../platform/operation.ts'
import type { RoomDeps } from '../room-deps.ts'
import { noSuchRecap } from './view-recap.ts'

export const endRecap = operation({
  name: 'end_recap',
  area: 'room',
  summary: 'Take back what an attendee keeps of a talk',
  description:
    'For the attendee, or a host who was shown the address: the page and the answer of `view_recap` are gone for good. Nothing else of the talk changes.',
  access: open,
  effects: changes,
  limit: 'room',
  errors: ['not_found'],
  input: z.object({ token: z.string().min(1).max(200).describe('The last part of the address of a recap.') }),
  secret: true,
  run: async ({ token }, { now }, { store, recapLinks }: RoomDeps) => {
    const attendeeId = recapLinks.attendeeOf(token)
    if (attendeeId === null) throw noSuchRecap()
    // A repeat, such as a second click, is told the same.
    const ended = await store.write((tx) =>
      tx
        .updateTable('attendees')
        .set((row) => ({ recap_ended_at: row.fn.coalesce('recap_ended_at', row.val(now)) }))
        .where('id', '=', attendeeId)
        .returning('id')
        .executeTakeFirst(),
    )
    if (ended === undefined) throw noSuchRecap()
    return { ended: true as const }
  },
  http: { method: 'DELETE', path: '/api/v1/recaps/{token}', output: z.object({ ended: z.literal(true) }) },
})
