// The attendee's own controls: all of them in an isolated talk; in a broadcast a raised hand and leaving.
import { z } from 'zod'
import { knownBy, limits, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { askDesk } from '../ask-desk.ts'
import { requireOwnRun } from '../attendees.ts'
import { attendeeActions } from '../command.ts'
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
    action: z.enum(attendeeActions),
    slideIndex: z.int().min(0).max(limits.slides).describe('For `goto`, from 0.').optional(),
    speed: z.number().min(0.75).max(2).describe('For `speed`.').optional(),
    value: z.number().describe('The same as `speed`.').optional(),
  }),
  run: async (asked, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, asked.runId)
    const { action, slideIndex } = asked
    const speed = asked.speed ?? (action === 'speed' && asked.value !== undefined ? Math.min(2, Math.max(0.75, asked.value)) : undefined)
    return askDesk(deps.desk, principal.runId, {
      kind: 'control',
      id: asked.id,
      attendeeId: principal.attendeeId,
      action,
      ...(slideIndex === undefined ? {} : { slideIndex }),
      ...(speed === undefined ? {} : { speed }),
    })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/control', output: z.object({ status: z.string() }) },
})
