// Gathers what the report of a rehearsal is made of: the state its run came to, and what is asked outside of it.
import type { Reader } from '../../platform/db/store.ts'
import type { Question, RunState } from '../state/run-state.ts'
import type { Tail } from '../stream/tail.ts'
import type { RehearsalPlan } from './plan.ts'
import type { RehearsalDeps } from './rehearsal-deps.ts'
import { makeReport, type RehearsalReport } from './report.ts'

/** Without a plan the audience was people: what they asked is told, and passages of which nobody asked are no fault. */
export async function reportOf(deps: RehearsalDeps, tail: Tail, state: RunState, plan: RehearsalPlan | null): Promise<RehearsalReport> {
  const { store, content } = deps.room
  const { sessionId, cta } = tail.session
  const row = await store.read.selectFrom('sessions').select('target_seconds').where('id', '=', sessionId).executeTakeFirst()
  // One that was joined with another was answered with it.
  const answerOf = ({ mergedInto, answer }: Question) =>
    mergedInto === null ? answer : (state.questions.get(mergedInto)?.answer ?? answer)
  const questions = new Map([...state.questions.values()].map((question) => [question.id, { ...question, answer: answerOf(question) }]))
  const texts = [...questions.values()].flatMap((question) => (question.answer === null ? [] : [question.answer.text]))
  const asked = [...questions.values()].sort((a, b) => a.order - b.order).map(({ id, text }) => ({ id, text, kind: 'asked' as const }))
  const told = await deps.contentOf(sessionId)
  return makeReport({
    content: told,
    status: state.status === 'completed' ? 'completed' : 'failed',
    talk: await content.pinnedTalk(sessionId, tail.run.deck_id),
    planned: plan?.questions ?? asked,
    questions,
    ctaShown: state.ctaRulesUsed.length > 0,
    hasCta: cta !== null,
    ctaStatus: cta === null ? undefined : await deps.reach(cta.url),
    leaks: await deps.leaksIn(sessionId, tail.run.deck_id, texts),
    brokenPictures: await brokenPictures(store.read, tail.run.deck_id),
    passages: plan === null ? [] : told.passages,
    targetSeconds: row?.target_seconds ?? null,
  })
}

async function brokenPictures(read: Reader, deckId: string | null): Promise<number[]> {
  if (deckId === null) return []
  const slides = read.selectFrom('slides').select('position').where('deck_id', '=', deckId).where('image_state', '=', 'failed')
  return (await slides.orderBy('position').execute()).map(({ position }) => position)
}
