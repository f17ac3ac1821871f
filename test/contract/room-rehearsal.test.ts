// Rehearsals with a synthetic audience (Spec 1: zero cost, webhooks suppressed): they hold the talk and find what is planted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RehearsalReport } from '../../server/runs/rehearsal/report.ts'
import { liveRoom, quotingAnswers, rehearsalToken } from '../support/live.ts'
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
  assert.equal(report.parts.safety, 20)
  assert.equal(report.parts.script, 40, JSON.stringify(report.findings))
  assert.deepEqual(
    report.warnings.map((warning) => warning.code),
    ['knowledge_unused', 'off_topic_answered', 'off_topic_answered'],
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

test('a talk that reads its lines out stays under 40 though all is answered, and the report says why, slide by slide', async () => {
  const talk = sampleTalk(4)
  const lines = [
    'Load Balancer.',
    'See https://example.org/start.',
    'We sell it in the countries of the.',
    'K C D L I M A.',
    '© 2016 Acme.',
  ]
  const [first] = talk.beats
  assert.ok(first)
  const read = (slideIndex: number) =>
    lines.map((text, at) => ({ ...first, beatId: `read-${slideIndex}-${at}`, kind: 'narration' as const, slideIndex, text }))
  const beats = talk.beats
    .flatMap((beat) => (beat.index === 0 ? [beat, ...read(beat.slideIndex)] : []))
    .map((beat, index) => ({ ...beat, index }))
  const room = await liveRoom({ talk: { ...talk, beats } })
  const report = await rehearsed(room)
  assert.ok(report.parts.safety === 20 && report.score < 40, JSON.stringify([report.parts, report.score]))
  assert.equal(report.parts.script, 0)
  for (const { index } of talk.slides) {
    assert.ok((report.slides[index]?.heard ?? 100) < 50, JSON.stringify(report.slides[index]))
    const codes = new Set(report.findings.filter(({ slideIndex }) => slideIndex === index).map(({ code }) => code))
    for (const code of ['furniture', 'junk'] as const) assert.ok(codes.has(code), `${index} ${code}`)
  }
  await room.close()
})

test('a rehearsal that people held over its link has a report of what they asked, made once', async () => {
  const room = await liveRoom({ ctaStatus: 503 })
  const { sessionId } = room.session
  const ada = await room.join({ key: rehearsalToken(room.session) })
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  const reportOf = async (runId: string) => room.call('get_rehearsal', room.host, { sessionId, rehearsalId: runId })
  assert.equal((await reportOf(ada.runId))['status'], 'running')
  await ada.post('ask_question', { text: 'How many bolts?', interrupt: true })
  await room.clock.advance(30_000)
  await ada.post('ask_question', { text: 'unknown to the deck', interrupt: true })
  for (let turn = 0; stream.isOpen() && turn < 100; turn++) await room.clock.advance(10_000)
  const report = (await reportOf(ada.runId)) as unknown as RehearsalReport
  assert.equal(report.status, 'completed')
  assert.deepEqual(
    report.questions.map(({ text, kind, outcome }) => [text, kind, outcome]),
    [
      ['How many bolts?', 'asked', 'answered'],
      ['unknown to the deck', 'asked', 'unknown'],
    ],
  )
  assert.deepEqual(report.unanswered, ['unknown to the deck'])
  assert.deepEqual(
    report.warnings.map((warning) => warning.code),
    ['cta_unreachable'],
  )
  await room.store.write((tx) => tx.deleteFrom('run_events').where('run_id', '=', ada.runId).execute())
  assert.deepEqual(await reportOf(ada.runId), report, 'it is kept, not made anew')
  const live = await room.join()
  await assert.rejects(reportOf(live.runId), { code: 'not_found' })
  await room.close()
})

test('who leaves their details in a rehearsal is told that nobody has them, by the form and in conversation', async () => {
  const room = await liveRoom()
  const ada = await room.join({ key: rehearsalToken(room.session) })
  const sent = await ada.post('leave_contact_details', { email: 'ada@example.com', consent: true })
  assert.match(String(sent['message']), /rehearsal: nothing was sent, and nobody has your details/)
  assert.equal((await room.store.read.selectFrom('leads').selectAll().execute()).length, 0)
  const bob = await room.join()
  const kept = await bob.post('leave_contact_details', { email: 'bob@example.com', consent: true })
  assert.equal(kept['message'], 'Sent. The host has your details.')
  await room.close()
})

test('a question that was joined with another counted as unanswered in the report of a rehearsal by people', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const people = [await room.join({ key: rehearsalToken(room.session) }), await room.join({ key: rehearsalToken(room.session) })] as const
  const [stream] = [await people[0].stream(), await people[1].stream()]
  await room.clock.advance(2_000)
  for (const person of people) await person.post('ask_question', { text: 'How many bolts has the part?', interrupt: false })
  for (let turn = 0; stream.isOpen() && turn < 100; turn++) await room.clock.advance(10_000)
  const input = { sessionId: room.session.sessionId, rehearsalId: people[0].runId }
  const report = (await room.call('get_rehearsal', room.host, input)) as unknown as RehearsalReport
  assert.deepEqual(
    report.questions.map(({ outcome }) => outcome),
    ['answered', 'answered'],
  )
  assert.deepEqual(report.unanswered, [])
  await room.close()
})
