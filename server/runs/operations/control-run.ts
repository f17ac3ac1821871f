// What an attendee does in a run beside asking: their controls (all of them in an isolated talk; in a broadcast a raised hand and leaving),
// what their client has said aloud, the call to action, votes, leaving. Each is a command to whoever presents the run.
import { z } from 'zod'
import { asked, type RoomCommand } from '@rostrum/contract/commands'
import { knownBy, uuid } from '@rostrum/contract/fields'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { AttendeePrincipal } from '../../platform/principal.ts'
import { cleanText, requireOwnRun, withoutContacts } from '../attendees.ts'
import { askRun } from '../log/run-log.ts'
import type { RoomDeps } from '../room/deps.ts'

const byAttendee = { access: attendeeOnly, effects: changes, limit: 'room' } as const

type Said<Command = RoomCommand> = Command extends { attendeeId: string } ? Omit<Command, 'attendeeId'> : never

/** Of their own run alone. */
async function ask(principal: AttendeePrincipal, runId: string, said: Said, { runs }: RoomDeps) {
  requireOwnRun(principal, runId)
  return askRun(runs, runId, { ...said, attendeeId: principal.attendeeId })
}

export const controlRun = operation({
  name: 'control_run',
  summary: 'Control the talk as its attendee',
  ...byAttendee,
  errors: ['forbidden', 'run_state', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    id: uuid.describe('Made by the client; a repeat answers as the first time.'),
    ...asked.control,
  }),
  run: ({ runId, ...control }, { principal }, deps: RoomDeps) => ask(principal, runId, { kind: 'control', ...control }, deps),
  http: { method: 'POST', path: '/api/v1/runs/{runId}/control', output: z.object({ status: z.string() }) },
})

// What the attendee's client has said aloud: in an isolated talk this drives the presenter, so that the log is what was heard.

export const acknowledgeBeats = operation({
  name: 'acknowledge_beats',
  summary: 'Tell what was spoken',
  description:
    'An acknowledgement of anything but the beat or sentence that is being said changes nothing, and in a broadcast none does: it goes by the clock of the server.',
  ...byAttendee,
  errors: ['temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid.optional(), ...asked.acks }),
  run: ({ runId, id, acks }, { principal }, deps: RoomDeps) =>
    ask(principal, runId, { kind: 'acks', id: id ?? deps.ids.uuid(), acks }, deps),
  http: { method: 'POST', path: '/api/v1/runs/{runId}/acks', output: z.object({ accepted: z.number(), seq: z.number() }) },
})

// A click on the call to action, or its dismissal (Spec 6.1 `cta.clicked`: once per attendee and run).

export const actOnCta = operation({
  name: 'act_on_cta',
  summary: 'Click or dismiss the call to action',
  ...byAttendee,
  errors: ['temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid, ...asked.cta }),
  run: ({ runId, ...act }, { principal }, deps: RoomDeps) => ask(principal, runId, { kind: 'cta', ...act }, deps),
  http: { method: 'POST', path: '/api/v1/runs/{runId}/cta', output: z.object({ state: z.string(), url: z.string().nullable() }) },
})

// Leaving on purpose: the visit ends now, and an isolated talk with it.

export const leaveRoom = operation({
  name: 'leave_room',
  summary: 'Leave the room',
  ...byAttendee,
  errors: ['temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid.optional() }),
  run: ({ runId, id }, { principal }, deps: RoomDeps) => ask(principal, runId, { kind: 'leave', id: id ?? deps.ids.uuid() }, deps),
  http: { method: 'POST', path: '/api/v1/runs/{runId}/leave', output: z.object({ left: z.boolean() }), tokenInQuery: true },
})

// An answer to what the talk asks its room.

export const answerPoll = operation({
  name: 'answer_poll',
  summary: 'Answer a poll',
  description:
    'Counts once for each attendee, however often it is sent and from wherever; a later answer takes the place of the one before until the poll is closed. Words are cleaned as questions are. In an isolated talk the presenter waits for the answer, or for `skip`.',
  ...byAttendee,
  errors: ['forbidden', 'run_state', 'temporarily_unavailable'],
  input: z
    .object({ runId: knownBy, id: uuid.describe('Made by the client; a repeat answers as the first time.'), ...asked.polls })
    .meta({ examples: [{ id: '0198c1e0-5555-4333-8222-111122223333', pollId: '0198c1df-4444-4333-8222-111122223333', choice: 1 }] }),
  run: async ({ runId, ...answer }, { principal }, deps: RoomDeps) => {
    const { text: word, found } = withoutContacts(cleanText(answer.word ?? ''))
    if (found || (word === '' && answer.word !== undefined))
      throw invalidInput([{ pointer: '#/word', detail: 'send a word; contact details are not taken here.' }])
    return ask(principal, runId, { kind: 'polls', ...answer, ...(word !== '' && { word }) }, deps)
  },
  http: {
    method: 'POST',
    path: '/api/v1/runs/{runId}/polls',
    output: z.object({ pollId: z.string(), open: z.boolean(), answers: z.number().describe('How many attendees have answered.') }),
  },
})

// A vote for another's question: more votes, sooner an answer.

export const voteQuestion = operation({
  name: 'vote_question',
  summary: 'Vote for a question',
  ...byAttendee,
  errors: ['run_state', 'temporarily_unavailable'],
  input: z.object({ runId: knownBy, id: uuid, ...asked.votes }),
  run: ({ runId, ...vote }, { principal }, deps: RoomDeps) => ask(principal, runId, { kind: 'votes', ...vote }, deps),
  http: { method: 'POST', path: '/api/v1/runs/{runId}/votes', output: z.object({ votes: z.number() }) },
})
