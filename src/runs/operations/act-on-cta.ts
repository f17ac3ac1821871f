// A click on the call to action, or its dismissal (Spec 6.1 `cta.clicked`: once per attendee and run).
import { z } from 'zod'
import { asked } from '../../contract/commands.ts'
import { knownBy, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { askDesk } from '../command.ts'
import { requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room-deps.ts'

export const actOnCta = operation({
  name: 'act_on_cta',
  area: 'room',
  summary: 'Click or dismiss the call to action',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid, ...asked.cta }),
  run: async ({ runId, id, action }, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, runId)
    return askDesk(deps.desk, principal.runId, { kind: 'cta', id, attendeeId: principal.attendeeId, action })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/cta', output: z.object({ state: z.string(), url: z.string().nullable() }) },
})
