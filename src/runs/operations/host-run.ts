// The host's controls of a run. Each that has an effect leaves an audit entry with the name of whoever did it.
import { z } from 'zod'
import { knownBy, uuid } from '../../contract/fields.ts'
import { changes, operation, scoped } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import { asked } from '../../contract/commands.ts'
import { askDesk } from '../command.ts'
import { getOwnRun } from '../attendees.ts'
import { cleanText } from '../public-text.ts'
import type { RoomDeps } from '../room-deps.ts'

export const hostRun = operation({
  name: 'host_run',
  area: 'room',
  summary: 'Control a run as its host',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'forbidden', 'run_state', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    id: uuid.describe('Made by the client; a repeat answers as the first time.'),
    ...asked.host,
  }),
  run: async ({ runId, ...act }, { principal }, deps: RoomDeps) => {
    const run = await getOwnRun(deps.store.read, principal.accountId, runId)
    const words = act.text === undefined ? {} : { text: cleanText(act.text) }
    if (words.text === '') throw invalidInput([{ pointer: '#/text', detail: 'must not be empty.' }])
    return askDesk(deps.desk, run.id, { kind: 'host', attendeeId: null, by: principal.label, ...act, ...words })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/host', output: z.object({ status: z.string() }) },
})
