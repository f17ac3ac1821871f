// Holds a rehearsal from its first beat to its report. It runs in the process that was asked; should that die, the run is abandoned
// and the rehearsal stays without a report.
import type { RehearsalPlan } from './plan.ts'
import type { RehearsalDeps } from './rehearsal-deps.ts'
import { reportOf } from './report-of.ts'
import { attend, type Seat } from './synthetic-attendee.ts'

export async function rehearse(deps: RehearsalDeps, seat: Seat, plan: RehearsalPlan): Promise<void> {
  const { hub, store } = deps.room
  const tail = await hub.open(seat.runId)
  if (tail === null) return
  try {
    const state = await attend(deps, tail, seat, plan)
    const report = await reportOf(deps, tail, state, plan)
    await store.write((tx) =>
      tx
        .updateTable('rehearsals')
        .set({ report: JSON.stringify(report) })
        .where('run_id', '=', seat.runId)
        .execute(),
    )
  } finally {
    tail.release()
  }
}
