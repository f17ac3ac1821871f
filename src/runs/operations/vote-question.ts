// A vote for another's question: more votes, sooner an answer.
import { z } from 'zod'
import { asked } from '../../contract/commands.ts'
import { knownBy, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { askDesk } from '../command.ts'
import { requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room-deps.ts'

export const voteQuestion = operation({
  name: 'vote_question',
  area: 'room',
  summary: 'Vote for a question',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'run_state', 'temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid, ...asked.votes }),
  run: async ({ runId, id, questionId, value }, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, runId)
    return askDesk(deps.desk, principal.runId, { kind: 'votes', id, attendeeId: principal.attendeeId, questionId, value })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/votes', output: z.object({ votes: z.number() }) },
})
