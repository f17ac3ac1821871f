// Leaving on purpose: the visit ends now, and an isolated talk with it.
import { z } from 'zod'
import { uuid } from '../kernel/fields.ts'
import type { Call } from '../kernel/operation.ts'
import { attendeeOnly, changes, operation } from '../kernel/operation.ts'
import type { AttendeePrincipal } from '../kernel/principal.ts'
import { askDesk } from './ask-desk.ts'
import { requireOwnRun } from './attendees.ts'
import type { RoomDeps } from './room-deps.ts'

const input = z.object({ runId: z.string(), id: uuid.optional() })

async function leave({ runId, id }: z.output<typeof input>, { principal }: Call<AttendeePrincipal>, deps: RoomDeps) {
  requireOwnRun(principal, runId)
  const { attendeeId } = principal
  await askDesk(deps.desk, principal.runId, { kind: 'leave', id: id?.toLowerCase() ?? deps.ids.uuid(), attendeeId })
  return { left: true }
}

export const leaveRoom = operation({
  name: 'leave_room',
  area: 'room',
  summary: 'Leave the room',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'temporarily_unavailable'],
  input,
  run: leave,
  http: { method: 'POST', path: '/api/v1/runs/{runId}/leave', output: z.object({ left: z.boolean() }), tokenInQuery: true },
})
