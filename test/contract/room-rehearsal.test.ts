// Rehearsals with a synthetic audience (Spec 1: zero cost, webhooks suppressed): they hold the talk and find what is planted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RehearsalReport } from '../../src/presenter/rehearsal/report.ts'
import { liveRoom, quotingAnswers } from '../support/live.ts'
import type { LiveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'

async function rehearsed(room: LiveRoom, audience: Record<string, number> = {}): Promise<RehearsalReport & { rehearsalId: string }> {
  const { sessionId } = room.session
  const { rehearsalId } = await room.call('start_rehearsal', room.host, { sessionId, audience })
  for (let i = 0; i < 600; i++) {
    await room.clock.advance(100)
    const report = (await room.call('get_rehearsal', room.host, { sessionId, rehearsalId })) as unknown as RehearsalReport & {
      rehearsalId: string
    }
    if ((report.status as string) !== 'running') return report
  }
  throw new Error('The rehearsal did not end.')
}

test('a rehearsal asks its questions, ends by itself and leaves nothing behind but its report', async () => {
  const room = await liveRoom({ session: { status: 'draft' } })
  const report = await rehearsed(room, { questions: 8, seed: 3 })
  assert.equal(report.status, 'completed')
  assert.ok(report.questions.length > 10)
  assert.ok(
    report.questions.every((question) => question.outcome !== 'not_asked'),
    JSON.stringify(report.questions),
  )
  assert.deepEqual(report.leaks, [])
  assert.equal(report.cta.shown, true)
  assert.equal(report.cta.reachable, true)
  assert.deepEqual(
    report.warnings.map((warning) => warning.code),
    ['knowledge_unused'],
  )
  for (const table of ['domain_events', 'ledger', 'leads', 'cta_clicks'] as const) {
    assert.deepEqual(await room.store.read.selectFrom(table).selectAll().execute(), [])
  }
  assert.deepEqual(room.faults, [])
  await room.close()
})

test('the same seed asks the same questions', async () => {
  const [first, second] = [await liveRoom(), await liveRoom()]
  const texts = async (room: LiveRoom) => (await rehearsed(room, { seed: 9 })).questions.map((question) => question.text)
  assert.deepEqual(await texts(first), await texts(second))
  await first.close()
  await second.close()
})

test('planted faults are found: a leak, a dead link, a long and an empty slide, an unanswered question', async () => {
  const talk = sampleTalk(3)
  const slides = talk.slides.map((slide) => (slide.index === 1 ? { ...slide, text: ' ' } : slide))
  const beats = talk.beats.map((beat) => (beat.slideIndex === 2 ? { ...beat, estMs: 40_000 } : beat))
  const room = await liveRoom({
    talk: { ...talk, slides, beats },
    ctaStatus: 404,
    answers: {
      async *answer(request) {
        if (request.question.includes('notes')) {
          yield { type: 'sentence', text: 'The secret is out.', citations: [] }
          yield { type: 'end', outcome: 'answered', mode: 'model', confidence: 1, citations: [], suggestedActions: [] }
        } else yield* quotingAnswers.answer({ ...request, question: `unknown ${request.question}` })
      },
    },
  })
  const report = await rehearsed(room)
  const codes = new Set(report.warnings.map((warning) => warning.code))
  for (const code of ['cta_unreachable', 'slide_long', 'slide_no_text', 'knowledge_unused', 'leak']) assert.ok(codes.has(code), code)
  assert.ok(report.leaks.length > 0)
  assert.ok(report.unanswered.length > 0)
  assert.ok(report.score < 40)
  await room.close()
})
