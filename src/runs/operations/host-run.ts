// The host's controls of a run. Each that has an effect leaves an audit entry with the name of whoever did it.
import { z } from 'zod'
import { knownBy, limits, uuid, words } from '../../contract/fields.ts'
import { changes, operation, scoped } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import { askDesk } from '../ask-desk.ts'
import { getOwnRun } from '../attendees.ts'
import { hostActions } from '../command.ts'
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
    action: z.enum(hostActions),
    slideIndex: z.int().min(0).max(limits.slides).describe('For `goto` and `hand_back`, from 0.').optional(),
    questionId: uuid.describe('For `hide_question`, `approve_question` and `answer_text`.').optional(),
    text: words(limits.message).describe('For `answer_text`: said by the presenter, in the name of the host.').optional(),
    private: z.boolean().describe('`answer_text` to the asker alone.').optional(),
  }),
  run: async (asked, { principal }, deps: RoomDeps) => {
    const run = await getOwnRun(deps.store.read, principal.accountId, asked.runId)
    const { action, slideIndex, questionId } = asked
    const text = asked.text === undefined ? undefined : cleanText(asked.text)
    if (text === '') throw invalidInput([{ pointer: '#/text', detail: 'must not be empty.' }])
    return askDesk(deps.desk, run.id, {
      kind: 'host',
      id: asked.id,
      attendeeId: null,
      action,
      by: principal.label,
      ...(slideIndex === undefined ? {} : { slideIndex }),
      ...(questionId === undefined ? {} : { questionId }),
      ...(text === undefined ? {} : { text }),
      ...(asked.private === undefined ? {} : { isPrivate: asked.private }),
    })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/host', output: z.object({ status: z.string() }) },
})
