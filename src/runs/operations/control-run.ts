// The attendee's own controls: all of them in an isolated talk; in a broadcast a raised hand and leaving.
import { z } from 'zod'
import { knownBy, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { asked } from '../../contract/commands.ts'
import { askDesk } from '../command.ts'
import { requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room-deps.ts'

export const controlRun = operation({
  name: 'control_run',
  area: 'room',
  summary: 'Control the talk as its attendee',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'forbidden', 'run_state', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    id: uuid.describe('Made by the client; a repeat answers as the first time.'),
    ...asked.control,
  }),
  run: async ({ runId, ...control }, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, runId)
    return askDesk(deps.desk, principal.runId, { kind: 'control', attendeeId: principal.attendeeId, ...control })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/control', output: z.object({ status: z.string() }) },
})
