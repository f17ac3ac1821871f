// Holds a rehearsal from its first beat to its report. It runs in the process that was asked; should that die, the run is abandoned
// and the rehearsal stays without a report.
import { attend } from './synthetic-attendee.ts'
import type { Seat } from './synthetic-attendee.ts'
import type { RehearsalPlan } from './plan.ts'
import type { RehearsalDeps } from './rehearsal-deps.ts'
import { makeReport } from './report.ts'

export async function rehearse(deps: RehearsalDeps, seat: Seat, plan: RehearsalPlan): Promise<void> {
  const { hub, store, content } = deps.room
  const tail = await hub.open(seat.runId)
  if (tail === null) return
  try {
    const state = await attend(deps, tail, seat, plan)
    const { sessionId, cta } = tail.session
    const row = await store.read.selectFrom('sessions').select('target_seconds').where('id', '=', sessionId).executeTakeFirst()
    const questions = new Map([...state.questions.values()].map((question) => [question.id, question]))
    const texts = [...questions.values()].flatMap((question) => (question.answer === null ? [] : [question.answer.text]))
    const report = makeReport({
      status: state.status === 'completed' ? 'completed' : 'failed',
      talk: await content.pinnedTalk(sessionId, tail.run.deck_id),
      plan,
      questions,
      ctaShown: state.ctaRulesUsed.length > 0,
      hasCta: cta !== null,
      ctaStatus: cta === null ? undefined : await deps.reach(cta.url),
      leaks: await deps.leaksIn(sessionId, tail.run.deck_id, texts),
      passages: (await deps.contentOf(sessionId)).passages,
      targetSeconds: row?.target_seconds ?? null,
    })
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
