// Removes what is not kept: runs that nobody started, the logs of rehearsals after a week, what is left of deleted sessions, and
// commands that nobody took.
import type { Store } from '../../platform/db/store.ts'
import { times } from '../decide/due.ts'

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
