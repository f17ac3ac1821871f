// Takes the name of an attendee out of what is kept of their run, when the lead that they left is erased: their own row, the log, the
// domain events. What they asked stays, as asked by somebody. The places and counts of everything stay too.
import { held } from '../../platform/db/statements.ts'
import { eraseAttendeeName } from '../../platform/db/deliveries.ts'
import type { Tx } from '../../platform/db/store.ts'
import type { RunEventRow } from '../../platform/db/tables/runs.ts'
import type { RoomCommand } from '../../contract/commands.ts'
import { noteCommands } from '../log/run-commands.ts'
import { eventOf } from '../state/logged.ts'

interface Seat {
  runId: string
  attendeeId: string
}

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
  await tx.updateTable('attendees').set({ name: null }).where('id', '=', attendeeId).execute()
  await tx.deleteFrom('contact_offers').where('attendee_id', '=', attendeeId).execute()
  const rows = await tx
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', runId)
    .where('type', 'in', ['visit', 'question'])
    .where('data', 'like', `%"${attendeeId}"%`)
    .execute()
  for (const row of rows) {
    const data = withoutName(row, attendeeId)
    if (data !== null) await tx.updateTable('run_events').set({ data }).where('run_id', '=', runId).where('seq', '=', row.seq).execute()
  }
  // The keys are made in `facts.ts`.
  await eraseAttendeeName(tx, attendeeId, {
    dedupeKeys: [`started:${runId}`, `cta:${runId}:${attendeeId}`, `intent:${runId}:${attendeeId}`],
    prefixes: [`joined:${attendeeId}:`, `left:${attendeeId}:`],
  })
}

/** The data of the row with everything else in its place; null where it does not name the attendee. */
function withoutName(row: RunEventRow, attendeeId: string): string | null {
  const { type, data, prev } = eventOf(row)
  const place = prev === undefined ? {} : { prev }
  if (type === 'visit' && data.attendeeId === attendeeId && data.name !== null) return JSON.stringify({ ...place, ...data, name: null })
  if (type === 'question' && data.by.attendeeId === attendeeId && data.by.name !== null)
    return JSON.stringify({ ...place, ...data, by: { ...data.by, name: null } })
  return null
}
