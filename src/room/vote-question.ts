// A vote for another's question: more votes, sooner an answer.
import { z } from 'zod'
import { uuid } from '../kernel/fields.ts'
import type { Call } from '../kernel/operation.ts'
import { attendeeOnly, changes, operation } from '../kernel/operation.ts'
import type { AttendeePrincipal } from '../kernel/principal.ts'
import { askDesk } from './ask-desk.ts'
import { requireOwnRun } from './attendees.ts'
import type { RoomDeps } from './room-deps.ts'

const input = z.object({ runId: z.string(), id: uuid, questionId: uuid, value: z.literal([0, 1]) })

async function vote({ runId, id, questionId, value }: z.output<typeof input>, { principal }: Call<AttendeePrincipal>, deps: RoomDeps) {
  requireOwnRun(principal, runId)
  const { attendeeId } = principal
  return askDesk(deps.desk, principal.runId, {
    kind: 'votes',
    id: id.toLowerCase(),
    attendeeId,
    questionId: questionId.toLowerCase(),
    value,
  })
}

export const voteQuestion = operation({
  name: 'vote_question',
  area: 'room',
  summary: 'Vote for a question',
  access: attendeeOnly,
  effects: changes,
  limit: 'room',
  errors: ['not_found', 'run_state', 'temporarily_unavailable'],
  input,
  run: vote,
  http: { method: 'POST', path: '/api/v1/runs/{runId}/votes', output: z.looseObject({ votes: z.number() }) },
})
