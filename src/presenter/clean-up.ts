// Removes what is not kept: runs that nobody started, commands that nobody took, and the logs of rehearsals after a week.
import type { Store } from '../storage/store.ts'
import { times } from './due.ts'

const rehearsalsKeptMs = 7 * 86_400_000
const commandsKeptMs = 3_600_000
const perRound = 200

export async function cleanUp(store: Store, now: number): Promise<void> {
  const stale = await store.read
    .selectFrom('runs')
    .select('id')
    .where((row) =>
      row.or([
        row.and([row('status', '=', 'lobby'), row('started_at', 'is', null), row('created_at', '<', now - times.lobby)]),
        row.and([row('kind', '=', 'rehearsal'), row('created_at', '<', now - rehearsalsKeptMs)]),
      ]),
    )
    // A lobby with somebody in it is still waiting.
    .where((row) =>
      row.not(row.exists(row.selectFrom('visits').select('visit').whereRef('visits.run_id', '=', 'runs.id').where('left_at', 'is', null))),
    )
    .limit(perRound)
    .execute()
  const ids = stale.map((row) => row.id)
  await store.write(async (tx) => {
    // Whoever sent these has long been told that nobody answers.
    await tx
      .deleteFrom('run_commands')
      .where('handled_at', 'is', null)
      .where('at', '<', now - commandsKeptMs)
      .execute()
    if (ids.length === 0) return
    for (const table of ['run_events', 'run_commands', 'attendees', 'visits', 'rehearsals'] as const) {
      await tx.deleteFrom(table).where('run_id', 'in', ids).execute()
    }
    await tx.deleteFrom('runs').where('id', 'in', ids).execute()
  })
}
