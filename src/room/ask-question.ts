// A question to the presenter: cleaned, freed of contact details, then queued, merged, held for the host or answered at once.
import { z } from 'zod'
import { limits, uuid, words } from '../kernel/fields.ts'
import type { Call } from '../kernel/operation.ts'
import { attendeeOnly, changes, operation } from '../kernel/operation.ts'
import { invalidInput } from '../kernel/parse.ts'
import type { AttendeePrincipal } from '../kernel/principal.ts'
import { askDesk } from './ask-desk.ts'
import { getAttendee, requireOwnRun } from './attendees.ts'
import { cleanText, withoutContacts } from './public-text.ts'
import type { RoomDeps } from './room-deps.ts'

const input = z.object({
  runId: z.string(),
  id: uuid.describe('Made by the client; a repeat answers as the first time.'),
  text: words(limits.message),
  interrupt: z.boolean().default(false).describe('Stop the sentence that is being said. Isolated talks only.'),
  private: z.boolean().default(false).describe('Answered to the asker alone.'),
  slideIndex: z.int().min(0).max(limits.slides).optional(),
})

async function ask(asked: z.output<typeof input>, { principal }: Call<AttendeePrincipal>, deps: RoomDeps) {
  requireOwnRun(principal, asked.runId)
  const { text, found } = withoutContacts(cleanText(asked.text))
  if (text === '') throw invalidInput([{ pointer: '#/text', detail: 'must not be empty.' }])
  const { name } = await getAttendee(deps.store.read, principal.attendeeId)
  const answer = await askDesk(deps.desk, principal.runId, {
    kind: 'questions',
    id: asked.id.toLowerCase(),
    attendeeId: principal.attendeeId,
    text,
    name,
    interrupt: asked.interrupt,
    isPrivate: asked.private,
    slideIndex: asked.slideIndex ?? null,
  })
  return found ? { ...answer, contactsRemoved: true } : answer
}

const output = z.looseObject({
  questionId: z.string(),
  status: z.string(),
  ahead: z.number(),
  mergedInto: z.string().optional(),
  contactsRemoved: z.boolean().optional(),
})

export const askQuestion = operation({
  name: 'ask_question',
  area: 'room',
  summary: 'Ask the presenter',
  description: 'E-mail addresses and telephone numbers are cut from the text; `contactsRemoved` then says so.',
  access: attendeeOnly,
  effects: changes,
  limit: 'questions',
  errors: ['not_found', 'run_state', 'temporarily_unavailable'],
  input,
  run: ask,
  http: { method: 'POST', path: '/api/v1/runs/{runId}/questions', output },
})
