// Joining a room makes an attendee and finds, or opens, the run that the room has for them: their own when the talk is isolated, the
// one of all in a broadcast. It is no visit yet: that begins with the first stream.
import { z } from 'zod'
import { limits, text, utm, uuid } from '@rostrum/contract/fields'
import type { Tx } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { open, operation } from '../../platform/operation.ts'
import { attendeeIdOf, cleanName, cleanUtm } from '../attendees.ts'
import { addressMark, holdPlace, insertRun, newRun, openBroadcast, putOut } from '../room/open-run.ts'
import type { RoomDeps } from '../room/deps.ts'
import { findRoom, hasEnded } from '../room/rooms.ts'

const output = z.object({
  attendeeId: z.string(),
  attendeeToken: z.string(),
  runId: z.string(),
  stream: z.string(),
  mode: z.enum(['isolated', 'broadcast']),
  kind: z.enum(['live', 'rehearsal']),
})

const nothingCounts = { ofTalk: null, ofAddress: null }
const outOfHour = 'Your network has heard this talk for as many minutes as it may in an hour. Try again in some minutes.'

export const joinRoom = operation({
  name: 'join_room',
  summary: 'Join the room of a session',
  description:
    'Gives the one credential of the attendee. The visit begins with the first stream. `rate_limited` also where as many talks of one attendee are open as the server allows; whoever comes back with the `id` of their first join is never refused for that.',
  access: open,
  limit: 'join',
  errors: ['forbidden', 'gone', 'quota_exceeded'],
  input: z.object({
    key: z.string().min(1).max(100).describe('The slug of the session, `{slug}.{key of a guest}`, or its rehearsal token.'),
    name: text(limits.name).describe('How the room may call the attendee.').optional(),
    id: uuid.describe('Made by the client: a repeat returns the same attendee, with a new token.').optional(),
    language: text(35).describe('BCP 47 tag.').optional(),
    kind: z.enum(['human', 'agent']).default('human'),
    utm: utm.optional().describe('Which link they came by: `utm_source` and its like, for the host.'),
  }),
  secret: true,
  run: async (wanted, call, deps: RoomDeps) => {
    const { store, ids, baseUrl } = deps
    const { session, kind, by } = await findRoom(deps, wanted.key, call.now)
    const name = wanted.name ?? by?.name ?? undefined
    const attendeeId = wanted.id === undefined ? ids.uuid() : attendeeIdOf(session.sessionId, kind, wanted.id)
    const attendeeToken = deps.mintToken()
    const hasMinutes = kind === 'rehearsal' || (await deps.minutes.has(session.accountId, call.now))
    if (await hasEnded(store.read, session, kind, call.now))
      throw new ServiceError('gone', 'This talk is over. Ask the host for the next one.')

    const left = kind === 'rehearsal' ? nothingCounts : await deps.minutes.left(store.read, session.sessionId, call.now)
    const address_mark = session.mode === 'broadcast' ? null : addressMark(deps.openRuns, call.address)
    const mayHear =
      address_mark === null || (await deps.minutes.hear(session.sessionId, address_mark, { ...left, seconds: 0, now: call.now }))
    let goes: readonly string[] = []
    async function begin(tx: Tx): Promise<string> {
      const run = { ...newRun(session, kind, ids.uuid(), call.now), address_mark }
      if (left.ofTalk !== null && left.ofTalk <= 0)
        throw new ServiceError('quota_exceeded', 'This talk has used the minutes that its host allows. Ask the host to open it again.')
      if (run.mode === 'broadcast') return insertRun(tx, run)
      if (!mayHear) throw new ServiceError('rate_limited', outOfHour, { headers: { 'Retry-After': '600' } })
      goes = await holdPlace(tx, deps.openRuns, run, call.address)
      return insertRun(tx, run)
    }

    const seat = await store.write(async (tx) => {
      const again = await tx
        .updateTable('attendees')
        .set({ token_hash: deps.hashToken(attendeeToken) })
        .where('id', '=', attendeeId)
        .returning('run_id')
        .executeTakeFirst()
      if (again !== undefined) return { runId: again.run_id, isNew: false }
      const found = session.mode === 'broadcast' ? await openBroadcast(tx, session.sessionId, kind) : null
      if (found === null && !hasMinutes) {
        throw new ServiceError('quota_exceeded', 'The host has used the presenting minutes of this month; the talk cannot begin.')
      }
      const runId = found ?? (await begin(tx))
      const row = {
        id: attendeeId,
        run_id: runId,
        session_id: session.sessionId,
        token_hash: deps.hashToken(attendeeToken),
        name: name === undefined ? null : cleanName(name),
        language: wanted.language ?? null,
        utm: wanted.utm === undefined ? null : cleanUtm(wanted.utm),
        kind: wanted.kind,
        node: deps.presence.node,
        came_by: by?.key ?? null,
        created_at: call.now,
      }
      await tx.insertInto('attendees').values(row).execute()
      return { runId, isNew: found === null }
    })
    await putOut(deps, goes)
    if (seat.isNew) await deps.runs.adopt(seat.runId)
    return {
      attendeeId,
      attendeeToken,
      runId: seat.runId,
      stream: `${baseUrl}/api/v1/runs/${seat.runId}/stream`,
      mode: session.mode,
      kind,
    }
  },
  http: { method: 'POST', path: '/api/v1/rooms/{key}/attendees', output },
})
