// The ceiling that a host sets for one talk: minutes of all its runs together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, passUntil } from '../support/clock.ts'
import type { Answer, RoomMessage, TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import type { OpenStore } from '../support/stores.ts'
import { eachStore } from '../support/stores.ts'

const minute = 60_000
/** Some twenty minutes of talk, whether anybody acknowledges it or not. */
const slides = Array.from({ length: 40 }, (_, at) => ({
  textContent: `Part ${at}\n- The battery of hall ${at} shifts the evening peak by two hours on a working day in winter\n- It is loaded at noon from the roof of the same hall and from those of its neighbours`,
}))

interface Hall {
  app: TestService
  sessionId: string
  slug: string
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<Answer>
  join(): Promise<Answer>
  /** Somebody who is there and has begun their talk; `said` is what came since they were last asked. */
  listener(): Promise<{ runId: string; token: string; said(): Promise<RoomMessage[]>; leave(): Promise<void> }>
}

async function withHall(open: OpenStore, settings: object, story: (hall: Hall) => Promise<void>): Promise<void> {
  const clock = manualClock()
  const { store } = await open({ clock })
  const app = await openService({ store, clock })
  const call: Hall['call'] = (...args) => passUntil(clock, app.api(...args))
  try {
    const { sessionId, slug } = (await call('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides, ...settings })).body
    const join = () => call('POST', `/api/v1/rooms/${slug}/attendees`, {}, null)
    await story({
      app,
      sessionId,
      slug,
      call,
      join,
      async listener() {
        const { runId, attendeeToken: token } = (await join()).body
        const stream = await passUntil(clock, app.stream(`/api/v1/runs/${runId}/stream`, token))
        await call('POST', `/api/v1/runs/${runId}/control`, { id: crypto.randomUUID(), action: 'start' }, token)
        return {
          runId,
          token,
          said: () => stream.read(),
          async leave() {
            await call('POST', `/api/v1/runs/${runId}/leave`, { id: crypto.randomUUID() }, token)
            await stream.close()
          },
        }
      },
    })
  } finally {
    await passUntil(clock, app.close())
  }
}

const statusesOf = (messages: readonly RoomMessage[]) => messages.filter(({ event }) => event === 'state').map(({ data }) => data['status'])
const used = async ({ call, sessionId }: Hall) => (await call('GET', `/api/v1/agent/sessions/${sessionId}`)).body.minutesUsed

eachStore((_dialect, open) => {
  test('a talk that passes the ceiling comes to its closing, says it, and no new one begins', () =>
    withHall(open, { minutesMax: 2 }, async (hall) => {
      const { app, join, listener } = hall
      const ada = await listener()
      await app.clock.advance(1.8 * minute)
      assert.deepEqual(statusesOf(await ada.said()), ['presenting'])
      assert.equal(await used(hall), 2)
      const refused = await join()
      assert.equal(refused.status, 402, refused.text)
      assert.match(refused.body.detail, /has used the minutes that its host allows\. Ask the host/)
      await app.clock.advance(3 * minute)
      const heard = await ada.said()
      assert.deepEqual(statusesOf(heard), ['closing', 'completed'])
      // Nothing was cut in the middle, and the end was said.
      assert.ok(!heard.some(({ event, data }) => event === 'beat' && data['phase'] === 'cut'))
      const { status, end_reason } = await app.store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
      assert.deepEqual([status, end_reason], ['completed', 'ended_by_host'])
      assert.ok((await used(hall)) <= 4, 'its closing is all that came beyond')
      await ada.leave()
    }))

  test('talks held at once share the ceiling, and each closes as its next minute begins', () =>
    withHall(open, { minutesMax: 3 }, async (hall) => {
      const [ada, ben] = [await hall.listener(), await hall.listener()]
      await hall.app.clock.advance(3 * minute)
      for (const person of [ada, ben]) {
        assert.ok(statusesOf(await person.said()).includes('closing'))
        await person.leave()
      }
      // One of each beyond it, and one in which it closes.
      assert.ok((await used(hall)) <= 3 + 2 * 2)
    }))

  test('a question at the end neither is answered nor prolongs the talk, and the host finds it', () =>
    withHall(open, { minutesMax: 1 }, async ({ app, call, sessionId, listener }) => {
      const ada = await listener()
      await app.clock.advance(0.5 * minute)
      await ada.said()
      for (let turn = 0; turn < 60; turn++) {
        await app.clock.advance(2_000)
        const text = `What does the battery of hall ${turn % 20} shift?`
        await call('POST', `/api/v1/runs/${ada.runId}/questions`, { id: crypto.randomUUID(), text, interrupt: turn > 16 }, ada.token)
      }
      assert.equal(statusesOf(await ada.said()).at(-1), 'completed')
      const { body } = await call('GET', `/api/v1/agent/sessions/${sessionId}/questions`)
      assert.ok(
        body.questions.some(({ status }: { status: string }) => status === 'expired'),
        JSON.stringify(body.questions),
      )
      await ada.leave()
    }))

  test('a higher ceiling opens the talk again, none at all leaves it open, and another session is not concerned', () =>
    withHall(open, { minutesMax: 1 }, async (hall) => {
      const { app, call, sessionId, join, listener } = hall
      const ada = await listener()
      await app.clock.advance(0.5 * minute)
      await ada.leave()
      assert.equal((await join()).status, 402)
      const other = (await call('POST', '/api/v1/agent/sessions', { title: 'Other', isLive: true, minutesMax: 1 })).body
      assert.equal((await call('POST', `/api/v1/rooms/${other.slug}/attendees`, {}, null)).status, 200)
      const raised = await call('PATCH', `/api/v1/agent/sessions/${sessionId}`, { minutesMax: 2 })
      assert.deepEqual([raised.body.minutesMax, raised.body.minutesUsed], [2, 1])
      assert.equal((await join()).status, 200)
      const cleared = await call('PATCH', `/api/v1/agent/sessions/${sessionId}`, { minutesMax: null })
      assert.ok(!('minutesMax' in cleared.body) && !('minutesUsed' in cleared.body))
      const ben = await listener()
      await app.clock.advance(4 * minute)
      assert.deepEqual(statusesOf(await ben.said()), ['presenting'])
      await ben.leave()
    }))

  test('rehearsals neither use the minutes of a talk nor are kept from it', () =>
    withHall(open, { minutesMax: 1 }, async (hall) => {
      const ada = await hall.listener()
      await hall.app.clock.advance(0.5 * minute)
      await ada.leave()
      const { body } = await hall.call('GET', `/api/v1/agent/sessions/${hall.sessionId}`)
      const key = String(body.rehearsalUrl).split('/').at(-1)
      assert.equal((await hall.call('POST', `/api/v1/rooms/${key}/attendees`, {}, null)).status, 200)
      assert.equal(await used(hall), 1)
    }))

  test('a broadcast that is under way takes in whoever comes until it closes', () =>
    withHall(open, { minutesMax: 1, mode: 'broadcast' }, async ({ app, join, listener }) => {
      const ada = await listener()
      await app.clock.advance(0.5 * minute)
      assert.equal((await join()).status, 200)
      await app.clock.advance(2.5 * minute)
      assert.equal(statusesOf(await ada.said()).at(-1), 'completed')
      assert.equal((await join()).status, 402)
      await ada.leave()
    }))
})
