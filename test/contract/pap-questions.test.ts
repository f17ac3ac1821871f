// What personal agents ask reaches the host: the presenter says "The host will see your question", and the host does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { everyRow } from '../support/every-row.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

eachStore((_, open) => {
  interface Talk extends TestService {
    sessionId: string
    slug: string
    path: string
    ask(message: string, members?: object, key?: string): Promise<Body>
    listed(query?: string): Promise<Body>
    figures(): Promise<Body>
  }
  const guarantee = (name: string, fn: (app: Talk) => Promise<void>) =>
    test(name, () =>
      withService(open, async (app) => {
        const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]
        const { sessionId, slug } = (await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid storage', isLive: true, slides })).body
        const path = `/api/v1/agent/sessions/${sessionId}`
        const stranger = await app.newKey()
        await fn({
          ...app,
          sessionId,
          slug,
          path,
          ask: async (message, members, key = stranger) =>
            (await app.api('POST', '/api/v1/pap/query', { sessionId, message, ...members }, key)).body,
          listed: async (query = '') => (await app.api('GET', `${path}/questions${query}`)).body,
          figures: async () => (await app.api('GET', `${path}/analytics`)).body,
        })
      }),
    )

  guarantee('a follow-up goes on from what the same caller asked for the same person, and from nothing else', async (app) => {
    const slides = [
      { textContent: 'Plans for towns' },
      { textContent: 'Price of a plan\n- Basic: 9,000 EUR\n- Large: 15,000 EUR' },
      { textContent: 'Large rooms\n- Large tables stand in the hall' },
    ]
    await app.api('PUT', `${app.path}/deck`, { slides })
    const named = { attendeeName: 'Maya Lin' }
    assert.match((await app.ask('What is the price of Basic?', named)).reply, /9,000/)
    assert.match((await app.ask('And Large?', named)).reply, /15,000/)
    assert.doesNotMatch((await app.ask('And Large?', { attendeeName: 'Ben' })).reply, /15,000/)
    assert.doesNotMatch((await app.ask('And Large?', named, await app.newKey())).reply, /15,000/)
  })

  guarantee('a question that the deck does not answer was kept where no host could see it', async ({ ask, listed, figures }) => {
    const { reply, outcome } = await ask('What is the capital of Mongolia?', { attendeeName: 'Maya Lin' })
    assert.deepEqual([reply, outcome], ['The deck does not say. The host will see your question.', 'unknown'])
    const { questions, count } = await listed()
    assert.equal(count, 1)
    const [{ questionId, askedAt, ...shown }] = questions
    assert.equal(typeof questionId, 'string')
    assert.match(askedAt, /^2026-11-20T12:00:/)
    assert.deepEqual(shown, {
      source: 'personal_agent',
      text: 'What is the capital of Mongolia?',
      by: { name: 'Maya Lin' },
      status: 'answered',
      votes: 0,
      outcome: 'unknown',
      answer: reply,
    })
    const { questionsCount, unanswered } = await figures()
    assert.equal(questionsCount, 1)
    assert.deepEqual(unanswered, [{ text: 'What is the capital of Mongolia?', count: 1, outcome: 'unknown' }])
  })

  guarantee('an answered one counts and is listed, and no agent is made up for who gave no name', async ({ ask, listed, figures }) => {
    await ask('By how many hours does a battery shift the evening peak?')
    const [question] = (await listed()).questions
    assert.deepEqual([question.outcome, question.by], ['answered', { name: null }])
    const { questionsCount, unanswered } = await figures()
    assert.deepEqual([questionsCount, unanswered], [1, []])
  })

  guarantee('what the room and an agent ask alike is one cluster, and stands on the slide of the room', async (app) => {
    const maya = await joinTalk(app, app.slug, { name: 'Maya' })
    await maya.act('control', { action: 'start' })
    await maya.act('questions', { text: 'Who insures the battery rack?' })
    await maya.answered(1)
    await app.ask('Who insures the battery rack?')
    const { questionsCount, unanswered } = await app.figures()
    assert.equal(questionsCount, 2)
    assert.deepEqual(
      unanswered.map(({ count, slideIndex }: Body) => [count, slideIndex]),
      [[2, 0]],
    )
    const ofRun = (await app.listed(`?runId=${maya.runId}`)).questions
    assert.deepEqual(
      ofRun.map(({ source, runId }: Body) => [source, runId]),
      [['room', maya.runId]],
    )
    await maya.close()
  })

  guarantee('runs and agents are listed together, newest first, and paged without a gap', async (app) => {
    for (let n = 0; n < 3; n++) {
      for (let m = 0; m < 9; m++) {
        await app.ask(`Agent ${n} ${m}?`, {}, await app.newKey())
        if (m % 4 === 0) await app.clock.advance(1)
      }
      const maya = await joinTalk(app, app.slug, { name: 'Maya' })
      await maya.act('control', { action: 'start' })
      await maya.act('questions', { text: `Room ${n}?` })
      await maya.act('leave')
      await maya.close()
      await app.clock.advance(1_000)
    }
    const pages: Body[] = []
    for (let next = ''; ;) {
      const page = await app.listed(`?limit=4${next}`)
      pages.push(...page.questions)
      if (page.nextCursor === undefined) break
      next = `&cursor=${page.nextCursor}`
    }
    assert.equal(new Set(pages.map(({ questionId }) => questionId)).size, pages.length)
    assert.equal(pages.length, 30)
    assert.deepEqual(pages, (await app.listed('?limit=100')).questions)
    const times = pages.map(({ askedAt }) => Date.parse(askedAt))
    assert.ok(times.every((at, n) => n === 0 || at <= (times[n - 1] ?? 0) + 60_000))
    assert.deepEqual(
      pages.filter(({ source }) => source === 'room').map(({ text }) => text),
      ['Room 2?', 'Room 1?', 'Room 0?'],
    )
  })

  guarantee('contact details in a question are cut, and an erased lead takes the name from the questions of its agent', async (app) => {
    const [key, other] = [await app.newKey(), await app.newKey()]
    const named = { attendeeName: 'Maya Lin' }
    await app.ask('Who insures it? Write to maya@canary.example or +351 912 555 777.', named, key)
    await app.ask('Is it loud?', { attendeeName: 'Ben' }, key)
    await app.ask('Is it heavy?', named, other)
    const lead = { sessionId: app.sessionId, email: 'maya@canary.example', name: 'Maya Lin' }
    const { leadId } = (await app.api('POST', '/api/v1/pap/leads', lead, key)).body
    const names = async () => Object.fromEntries((await app.listed()).questions.map(({ text, by }: Body) => [text, by.name]))
    assert.deepEqual(await names(), {
      'Who insures it? Write to [e-mail] or [phone].': 'Maya Lin',
      'Is it loud?': 'Ben',
      'Is it heavy?': 'Maya Lin',
    })
    assert.equal((await app.api('DELETE', `${app.path}/leads/${leadId}`)).status, 200)
    assert.deepEqual(await names(), {
      'Who insures it? Write to [e-mail] or [phone].': null,
      'Is it loud?': 'Ben',
      'Is it heavy?': 'Maya Lin',
    })
    for (const [table, rows] of await everyRow(app.store)) assert.ok(!JSON.stringify(rows).includes('canary'), table)
  })
})
