// The figures of a session equal what its attendees did (spec 2.5), over the public API, on both stores; rehearsals count nowhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import { answered, asked, holdRun } from '../support/held-runs.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [
    { textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' },
    { textContent: 'Cost\n- The system costs 112 EUR per kWh' },
    { textContent: 'Safety\n- Every rack has its own gas sensor' },
  ],
  ctaText: 'Book a call',
  ctaUrl: 'https://example.com/book',
}

eachStore((_, open) => {
  test('unanswered questions that ask the same in other words are one cluster, most asked first', () =>
    withService(open, async (app) => {
      const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: [{ textContent: 'Grid' }] })
      const { sessionId } = made.body
      const texts = [
        'Who insures it?',
        'Is there a warranty for the cells?',
        'What about the warranty of cells?',
        'Do the cells have a warranty?',
      ]
      const events = texts.flatMap((text, n) => [asked(`q${n}`, 'ann', text), ...answered(`q${n}`, 'The deck does not say.', 'unknown')])
      await holdRun(app.store, { accountId: app.accountId, sessionId, startedAt: app.clock.now(), events })
      const { body } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/analytics`)
      assert.deepEqual(
        body.unanswered.map(({ text, count }: { text: string; count: number }) => [text, count]),
        [
          ['Is there a warranty for the cells?', 3],
          ['Who insures it?', 1],
        ],
      )
      assert.equal(body.questionsCount, 4)
    }))

  test('of an unanswered question that others had joined only the first asker was counted', () =>
    withService(open, async (app) => {
      const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: [{ textContent: 'Grid' }] })
      const { sessionId } = made.body
      const events = [
        asked('first', 'ann', 'Who insures it?'),
        asked('second', 'bob', 'Who is it that insures it?', { status: 'merged', mergedInto: 'first' }),
        ...answered('first', 'The deck does not say.', 'unknown'),
        asked('second', 'bob', 'Who is it that insures it?', { status: 'answered', mergedInto: 'first' }),
      ]
      await holdRun(app.store, { accountId: app.accountId, sessionId, startedAt: app.clock.now(), events })
      const { body } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/analytics`)
      assert.deepEqual(
        body.unanswered.map(({ text, count }: { text: string; count: number }) => [text, count]),
        [['Who insures it?', 2]],
      )
      assert.equal(body.questionsCount, 2)
    }))

  interface Talk {
    app: TestService
    slug: string
    sessionId: string
    rehearsalUrl: string
  }
  const guarantee = (name: string, fn: (held: Talk) => Promise<void>) =>
    test(name, () =>
      withService(open, async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
        await fn({ app, slug: String(body.slug), sessionId: String(body.sessionId), rehearsalUrl: String(body.rehearsalUrl) })
      }),
    )

  guarantee('[2.5-1] attendees, engagement, questions, clicks and leads are what they did', async ({ app, slug, sessionId }) => {
    const maya = await joinTalk(app, slug, { name: 'Maya' })
    await maya.act('control', { action: 'start' })
    await app.clock.advance(500)
    await maya.act('questions', { text: 'What does it cost per kWh?' })
    await maya.act('questions', { text: 'Who invented the telephone?' })
    await maya.answered(2)
    await maya.until('closing')
    await app.clock.advance(500)
    await maya.act('cta', { action: 'click' })
    await maya.act('cta', { action: 'click' })
    await maya.act('lead', { email: 'maya@example.com', consent: true })
    await maya.act('control', { action: 'finish' })
    await maya.until('completed')

    const leo = await joinTalk(app, slug, { name: 'Leo' })
    await leo.act('control', { action: 'start' })
    await leo.hear()
    await app.clock.advance(2_000)
    await leo.act('leave')
    await leo.close()
    await app.clock.advance(60_000)
    await eventually(async () => {
      const visits = await app.store.read.selectFrom('visits').select('attendee_id').where('left_at', 'is not', null).execute()
      return visits.length === 2
    })

    const { status, body } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/analytics`)
    assert.equal(status, 200)
    assert.equal(body.sessionId, sessionId)
    assert.equal(body.totalAttendees, 2)
    assert.equal(body.questionsCount, 2)
    assert.equal(body.ctaClicks, 1)
    assert.equal(body.leads, 1)
    assert.ok(body.averageEngagementSec > 0)
    assert.deepEqual(body.funnel, { opened: 2, started: 2, half: 1, completed: 1, cta: 1, lead: 1 })
    assert.equal(body.slides.length, 3)
    assert.equal(body.slides[0].views, 2)
    assert.equal(body.slides[2].views, 1)
    assert.equal(body.slides[0].leftHere, 1)
    assert.deepEqual(
      body.unanswered.map((cluster: { text: string }) => cluster.text),
      ['Who invented the telephone?'],
    )
    // The second reading comes from the kept fold of the finished runs.
    const again = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/analytics`)
    assert.deepEqual(again.body, body)
    const kept = await app.store.read.selectFrom('run_summaries').select('run_id').execute()
    assert.equal(kept.length, 2)

    const { runs } = (await app.api('GET', `/api/v1/agent/sessions/${sessionId}/runs`)).body
    assert.deepEqual(
      runs.map(({ name }: { name?: string }) => name),
      ['Leo', 'Maya'],
      'a talk of one’s own is told by who has it',
    )
    const came = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/attendees?limit=1`)
    const [newest] = came.body.attendees
    assert.deepEqual([newest.name, newest.completed, newest.ctaClicked, newest.questions], ['Leo', false, false, []])
    assert.ok(newest.watchedSeconds > 0 && newest.leftAt > newest.joinedAt)
    const older = await app.api(
      'GET',
      `/api/v1/agent/sessions/${sessionId}/attendees?${new URLSearchParams({ cursor: String(came.body.nextCursor) }).toString()}`,
    )
    const [first, ...none] = older.body.attendees
    assert.deepEqual(none, [])
    assert.deepEqual([first.name, first.completed, first.ctaClicked, first.slidesSeen >= 2], ['Maya', true, true, true])
    assert.ok(first.joinedAt < first.ctaClickedAt && newest.ctaClickedAt === undefined)
    assert.deepEqual(
      first.questions.map(({ text, outcome }: { text: string; outcome: string }) => [text, outcome]),
      [
        ['What does it cost per kWh?', 'answered'],
        ['Who invented the telephone?', 'unknown'],
      ],
    )
    const { leads } = (await app.api('GET', `/api/v1/agent/sessions/${sessionId}/leads`)).body
    assert.deepEqual([leads[0].attendeeId, leads[0].runId], [first.attendeeId, first.runId])

    const types = await app.store.read
      .selectFrom('domain_events')
      .select(['type', 'sequence'])
      .where('session_id', '=', sessionId)
      .orderBy('sequence')
      .execute()
    assert.deepEqual(
      types.map(({ sequence }) => sequence),
      types.map((_, at) => at + 1),
    )
    const counted = new Map<string, number>()
    for (const { type } of types) counted.set(type, (counted.get(type) ?? 0) + 1)
    assert.equal(counted.get('session.created'), 1)
    assert.equal(counted.get('session.started'), 2)
    assert.equal(counted.get('session.completed'), 1)
    assert.equal(counted.get('attendee.joined'), 2)
    assert.equal(counted.get('cta.clicked'), 1)
    // The price was asked for, and later the details were left.
    assert.equal(counted.get('lead.captured'), 2)

    // Of the last days only what was held then counts.
    const ofDays = (days: string) => app.api('GET', `/api/v1/agent/sessions/${sessionId}/analytics?days=${days}`)
    assert.deepEqual((await ofDays('7')).body, body)
    const longAgo = { created_at: app.clock.now() - 8 * 86_400_000 }
    await app.store.write((tx) => tx.updateTable('runs').set(longAgo).where('id', '=', first.runId).execute())
    await app.store.write((tx) => tx.updateTable('leads').set(longAgo).execute())
    const { totalAttendees, questionsCount, leads: recent } = (await ofDays('7')).body
    assert.deepEqual([totalAttendees, questionsCount, recent], [1, 0, 0])
    assert.equal((await ofDays('9')).body.totalAttendees, 2)
    assert.equal((await ofDays('0')).status, 400)

    // All sessions in one answer have the figures that each has by itself.
    const all = await app.api('GET', '/api/v1/agent/analytics?days=7')
    const { slides: _, sources, funnel, attendance, unanswered, ...recently } = (await ofDays('7')).body
    assert.deepEqual(sources, [{ source: null, attendees: 1, leads: 0 }])
    const open = unanswered.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    assert.deepEqual(all.body.sessions, [{ ...recently, unanswered: open }])
    assert.ok(funnel.opened + attendance.length > 0)
  })

  guarantee(
    '[6.4-1] [R-7] a rehearsal walks the same path, and leaves no event, no minute, no lead and no figure',
    async ({ app, sessionId, rehearsalUrl }) => {
      const before = await app.store.read.selectFrom('domain_events').select('id').execute()
      const host = await joinTalk(app, rehearsalUrl.split('/').at(-1) ?? '', { name: 'Host' })
      await host.act('control', { action: 'start' })
      await host.act('questions', { text: 'What does it cost per kWh?' })
      await host.answered(1)
      await host.until('closing')
      await host.act('cta', { action: 'click' })
      assert.equal((await host.act('lead', { email: 'host@example.com', consent: true })).status, 200)
      await host.act('control', { action: 'finish' })
      await host.until('completed')
      assert.ok(host.messages.some(({ event, data }) => event === 'answer' && data.outcome === 'answered'))

      const { body } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/analytics`)
      assert.equal(body.totalAttendees, 0)
      assert.equal(body.questionsCount, 0)
      assert.equal(body.leads, 0)
      assert.deepEqual(await app.store.read.selectFrom('domain_events').select('id').execute(), before)
      assert.deepEqual(await app.store.read.selectFrom('ledger').selectAll().execute(), [])
      assert.equal((await app.api('GET', '/api/v1/agent/usage')).body.minutes.used, 0)
    },
  )
})
