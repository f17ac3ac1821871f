// Leaving on purpose: the visit ends now, and an isolated talk with it.
import { z } from 'zod'
import { knownBy, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { askDesk } from '../command.ts'
import { requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room-deps.ts'

export const leaveRoom = operation({
  name: 'leave_room',
  area: 'room',
  summary: 'Leave the room',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid.optional() }),
  run: async ({ runId, id }, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, runId)
    const { attendeeId } = principal
    await askDesk(deps.desk, principal.runId, { kind: 'leave', id: id ?? deps.ids.uuid(), attendeeId })
    return { left: true }
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/leave', output: z.object({ left: z.boolean() }), tokenInQuery: true },
})
