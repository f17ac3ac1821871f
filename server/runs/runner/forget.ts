// What is not kept of runs: those that are stale, and names that were erased.
import type { RoomCommand } from '@rostrum/contract/commands'
import { eraseAttendeeName } from '../../platform/db/deliveries.ts'
import { held } from '../../platform/db/statements.ts'
import type { Store, Tx } from '../../platform/db/store.ts'
import type { RunEventRow } from '../tables.ts'
import { times } from '@rostrum/stage/decide/machine'
import { somebodyIn } from '@rostrum/stage/polls'
import { eventOf, noteCommands } from '../log/run-log.ts'

const rehearsalsKeptMs = 7 * 86_400_000
const commandsKeptMs = 3_600_000
/** Whoever was in the room of a session that was deleted is told of the end first. */
const endToldMs = 60_000
/** A broadcast has some ten thousand events: one write must not take them all from many. */
const perWrite = 10

export async function cleanUp(store: Store, now: number): Promise<void> {
  // Whoever sent these has long been told that nobody answers.
  await store.write((tx) =>
    tx
      .deleteFrom('run_commands')
      .where('handled_at', 'is', null)
      .where('at', '<', now - commandsKeptMs)
      .execute(),
  )
  for (let left = perWrite; left === perWrite;) left = await removeSome(store, now)
}

/** How many runs. */
async function removeSome(store: Store, now: number): Promise<number> {
  const stale = await store.read
    .selectFrom('runs')
    .select('id')
    .where((row) => {
      const session = row.selectFrom('sessions').select('sessions.id').whereRef('sessions.id', '=', 'runs.session_id')
      const here = row.selectFrom('visits').select('visit').whereRef('visits.run_id', '=', 'runs.id').where('left_at', 'is', null)
      const isUnstarted = row.and([row('status', '=', 'lobby'), row('started_at', 'is', null), row('created_at', '<', now - times.lobby)])
      const isOldRehearsal = row.and([row('kind', '=', 'rehearsal'), row('created_at', '<', now - rehearsalsKeptMs)])
      return row.or([
        // A lobby with somebody in it is still waiting.
        row.and([row.or([isUnstarted, isOldRehearsal]), row.not(row.exists(here))]),
        row.and([row('ended_at', '<', now - endToldMs), row.not(row.exists(session))]),
      ])
    })
    .limit(perWrite)
    .execute()
  const ids = stale.map((row) => row.id)
  if (ids.length === 0) return 0
  await store.write(async (tx) => {
    for (const table of ['run_events', 'run_commands', 'attendees', 'visits', 'rehearsals', 'cta_clicks', 'run_summaries'] as const) {
      await tx.deleteFrom(table).where('run_id', 'in', ids).execute()
    }
    await tx.deleteFrom('runs').where('id', 'in', ids).execute()
  })
  return ids.length
}

// Takes the name of an attendee out of what is kept of their run, when the lead that they left is erased: their own row, the log, the
// domain events. What they asked stays, as asked by somebody, and so does what they answered in polls, which is told of nobody any more. The places and counts of everything stay too.

interface Seat {
  runId: string
  attendeeId: string
}

/** What the keys of their `question.unanswered` begin with. */
export const unansweredKeys = (attendeeId: string): string => `unanswered:${attendeeId}:`

/**
 * Erases the name from what is written and has whoever presents the run, now or later, forget it. The owner of a run has the name in
 * memory and may write it once more meanwhile: it erases again in the write by which it obeys.
 */
export async function eraseNameEverywhere(tx: Tx, seat: Seat, now: number): Promise<void> {
  const { runId, attendeeId } = seat
  // Nobody appends to the log, or takes the run and reads it, until this is written.
  const run = await held(tx, tx.selectFrom('runs').select('id').where('id', '=', runId)).executeTakeFirst()
  await eraseName(tx, seat)
  if (run === undefined) return
  const command: RoomCommand = { kind: 'erase', id: `erase-${attendeeId}`, attendeeId }
  await noteCommands(tx, [
    { run_id: runId, id: command.id, attendee_id: attendeeId, kind: command.kind, body: JSON.stringify(command), at: now },
  ])
}

/** Once more is harmless. */
export async function eraseName(tx: Tx, { runId, attendeeId }: Seat): Promise<void> {
  await tx.updateTable('attendees').set({ name: null, utm: null }).where('id', '=', attendeeId).execute()
  await tx.deleteFrom('contact_offers').where('attendee_id', '=', attendeeId).execute()
  // It may say who answered what.
  await tx.deleteFrom('run_summaries').where('run_id', '=', runId).execute()
  const rows = await tx
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', runId)
    .where('type', 'in', ['visit', 'question', 'poll_answer'])
    .where('data', 'like', `%"${attendeeId}"%`)
    .execute()
  for (const row of rows) {
    const data = withoutName(row, attendeeId)
    if (data !== null) await tx.updateTable('run_events').set({ data }).where('run_id', '=', runId).where('seq', '=', row.seq).execute()
  }
  // The keys are made in `facts.ts`.
  await eraseAttendeeName(tx, attendeeId, {
    dedupeKeys: [`started:${runId}`, `cta:${runId}:${attendeeId}`, `intent:${runId}:${attendeeId}`],
    prefixes: [`joined:${attendeeId}:`, `left:${attendeeId}:`, unansweredKeys(attendeeId)],
  })
}

/** The data of the row with everything else in its place; null where it does not name the attendee. */
function withoutName(row: RunEventRow, attendeeId: string): string | null {
  const { type, data, prev } = eventOf(row)
  const place = prev === undefined ? {} : { prev }
  if (type === 'visit' && data.attendeeId === attendeeId && data.name !== null) return JSON.stringify({ ...place, ...data, name: null })
  if (type === 'question' && data.by.attendeeId === attendeeId && data.by.name !== null)
    return JSON.stringify({ ...place, ...data, by: { ...data.by, name: null } })
  if (type === 'poll_answer' && data.attendeeId === attendeeId)
    return JSON.stringify({ ...place, ...data, attendeeId: somebodyIn(data.pollId, attendeeId) })
  return null
}
