// What the attendee's client has said aloud: in an isolated talk this drives the presenter, so that the log is what was heard.
import { z } from 'zod'
import { asked } from '../../contract/commands.ts'
import { knownBy, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { askDesk } from '../command.ts'
import { requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room-deps.ts'

export const acknowledgeBeats = operation({
  name: 'acknowledge_beats',
  area: 'room',
  summary: 'Tell what was spoken',
  description:
    'An acknowledgement of anything but the beat or sentence that is being said changes nothing, and in a broadcast none does: it goes by the clock of the server.',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid.optional(), ...asked.acks }),
  run: async ({ runId, id, acks }, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, runId)
    return askDesk(deps.desk, principal.runId, { kind: 'acks', id: id ?? deps.ids.uuid(), attendeeId: principal.attendeeId, acks })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/acks', output: z.object({ accepted: z.number(), seq: z.number() }) },
})
