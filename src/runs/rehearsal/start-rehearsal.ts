// Starts a rehearsal with a synthetic audience: the same runner and the same talk, at no cost and unseen by the world (Spec 1).
import { z } from 'zod'
import { knownBy } from '../../contract/fields.ts'
import { type Call, creates, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import { ownSession } from '../../sessions/session.ts'
import { noSuchRun } from '../attendees.ts'
import { keepDeck } from '../keep-deck.ts'
import { holdPlace } from '../open-runs.ts'
import { newRun } from '../operations/join-room.ts'
import { makePlan } from './plan.ts'
import type { RehearsalDeps } from './rehearsal-deps.ts'
import { rehearse } from './rehearse.ts'

const audience = z.object({
  questions: z
    .int()
    .min(0)
    .max(100)
    .default(12)
    .describe('Questions of its own: on the slides, with false figures, on other subjects; ten attempts at private notes come on top.'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31)
    .default(1)
    .describe('The same seed asks the same.'),
  speed: z.number().min(1).max(1_000).default(100).describe('How many times faster than spoken.'),
})

const input = z.object({ sessionId: knownBy, audience: audience.prefault({}) })

async function start(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: RehearsalDeps) {
  const { room } = deps
  const { id: sessionId } = await ownSession(room.store.read, call.principal.accountId, wanted.sessionId)
  const session = await room.content.getSession(sessionId)
  if (session === null) throw noSuchRun()
  const plan = makePlan(await deps.contentOf(sessionId), wanted.audience, room.ids)
  const talk = await room.content.currentTalk(sessionId)
  const [runId, attendeeId] = [room.ids.uuid(), room.ids.uuid()]
  await room.store.write(async (tx) => {
    // The synthetic attendee sits alone, whatever the mode of the session: it hears at its own pace.
    const run = {
      ...newRun(session, 'rehearsal', talk.deckId, runId, call.now),
      mode: 'isolated' as const,
      ...room.desk.firstLease(call.now),
    }
    await holdPlace(tx, room.openRuns, run)
    await tx.insertInto('runs').values(run).execute()
    await keepDeck(tx, run)
    const token_hash = room.hashToken(room.mintToken())
    const seat = { id: attendeeId, run_id: runId, session_id: sessionId, token_hash, name: null, language: null }
    await tx
      .insertInto('attendees')
      .values({ ...seat, kind: 'agent', node: room.presence.node, created_at: call.now })
      .execute()
    const row = { run_id: runId, session_id: sessionId, plan: JSON.stringify(plan), report: null, created_at: call.now }
    await tx.insertInto('rehearsals').values(row).execute()
  })
  await room.desk.adopt(runId)
  void rehearse(deps, { runId, attendeeId }, plan).catch((error: unknown) => deps.onFault(runId, error))
  return { rehearsalId: runId, runId }
}

export const startRehearsal = operation({
  name: 'start_rehearsal',
  area: 'room',
  summary: 'Rehearse a session with a synthetic audience',
  description: 'Works for drafts, costs no minutes, fires no webhooks. Read the report with `get_rehearsal`.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: start,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/rehearsals',
    status: 202,
    output: z.object({ rehearsalId: z.string(), runId: z.string() }),
  },
})
