// What the attendee's client has said aloud: in an isolated talk this drives the presenter, so that the log is what was heard.
import { z } from 'zod'
import { knownBy, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { askDesk } from '../ask-desk.ts'
import { requireOwnRun } from '../attendees.ts'
import type { RoomDeps } from '../room-deps.ts'

const ack = z.object({
  beatId: z.string().min(1).max(200).describe('Of a beat, or `<answerId>:<index>` of a sentence of an answer.'),
  phase: z.enum(['started', 'ended', 'cut']),
  chars: z.int().min(0).max(100_000).describe('How many characters were said.').optional(),
  ms: z.int().min(0).max(3_600_000).describe('How far into its clip, at speed 1: the clip goes on there.').optional(),
})

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
  input: z.object({ runId: knownBy, id: uuid.optional(), acks: z.array(ack).min(1).max(50) }),
  run: async ({ runId, id, acks }, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, runId)
    const plain = acks.map(({ beatId, phase, chars, ms }) => ({
      beatId,
      phase,
      ...(chars === undefined ? {} : { chars }),
      ...(ms === undefined ? {} : { ms }),
    }))
    return askDesk(deps.desk, principal.runId, {
      kind: 'acks',
      id: id ?? deps.ids.uuid(),
      attendeeId: principal.attendeeId,
      acks: plain,
    })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/acks', output: z.object({ accepted: z.number(), seq: z.number() }) },
})
