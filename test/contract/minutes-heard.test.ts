// What minutes are counted by, and who may use how many: seconds that were heard, a share of the plan for each talk, a share of the talk
// for each network address and hour; and that the host is told before they are gone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '@rostrum/base/errors'
import { manualClock, passUntil } from '../support/clock.ts'
import { type Answer, openService, type TestService } from '../support/service.ts'
import { eachStore, type OpenStore } from '../support/stores.ts'

const minute = 60_000
/** Some twenty minutes of talk. */
const slides = Array.from({ length: 40 }, (_, at) => ({
  textContent: `Part ${at}\n- The battery of hall ${at} shifts the evening peak by two hours on a working day in winter\n- It is loaded at noon from the roof of the same hall and from those of its neighbours`,
}))

interface House {
  app: TestService
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<Answer>
  talk(settings?: object): Promise<{ sessionId: string; slug: string }>
  /** From an address of the caller's choice: `status` is that of the answer. */
  join(slug: string, address: string): Promise<{ status: number; detail: string; runId: string; attendeeToken: string }>
  /** Somebody who is there and has begun their talk. */
  listener(slug: string, address: string): Promise<{ leave(): Promise<void> }>
  used(): Promise<number>
}

async function withHouse(open: OpenStore, env: Record<string, string>, story: (house: House) => Promise<void>): Promise<void> {
  const clock = manualClock()
  const { store } = await open({ clock })
  const app = await openService({ store, clock, env })
  const call: House['call'] = (...args) => passUntil(clock, app.api(...args))
  const operation = app.service.operations.find(({ name }) => name === 'join_room')
  assert.ok(operation)
  const join: House['join'] = async (slug, address) => {
    const asked = {
      principal: { kind: 'nobody' as const },
      now: clock.now(),
      requestId: 'request',
      address,
      signal: new AbortController().signal,
    }
    try {
      const joined = await passUntil(clock, operation.handle({ key: slug, kind: 'human' }, asked))
      return { status: 201, detail: '', ...(joined as { runId: string; attendeeToken: string }) }
    } catch (error) {
      if (!isServiceError(error)) throw error
      return { status: error.status, detail: error.message, runId: '', attendeeToken: '' }
    }
  }
  try {
    await story({
      app,
      call,
      join,
      talk: async (settings = {}) =>
        (await call('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides, ...settings })).body,
      async listener(slug, address) {
        const { status, runId, attendeeToken: token } = await join(slug, address)
        assert.equal(status, 201)
        const stream = await passUntil(clock, app.stream(`/api/v1/runs/${runId}/stream`, token))
        await call('POST', `/api/v1/runs/${runId}/control`, { id: crypto.randomUUID(), action: 'start' }, token)
        return {
          async leave() {
            await call('POST', `/api/v1/runs/${runId}/leave`, { id: crypto.randomUUID() }, token)
            await stream.close()
          },
        }
      },
      used: async () => (await call('GET', '/api/v1/agent/usage')).body.minutes.used,
    })
  } finally {
    await passUntil(clock, app.close())
  }
}

const [first, second] = ['203.0.113.7', '198.51.100.7']

eachStore((_dialect, open) => {
  test('a stranger who began talk after talk for ten seconds each burnt a minute of the plan with every one', () =>
    withHouse(open, { ROSTRUM_PLAN_MINUTES: '120' }, async ({ app, talk, listener, used }) => {
      const { slug } = await talk()
      const people = []
      for (let at = 0; at < 20; at++) people.push(await listener(slug, first))
      await app.clock.advance(11_000)
      for (const each of people) await each.leave()
      assert.ok((await used()) <= 5, `${await used()} minutes`)
      const rows = await app.store.read.selectFrom('ledger').select(['minute', 'seconds']).execute()
      assert.ok(rows.length === 20 && rows.every(({ seconds }) => seconds >= 10 && seconds <= 14))
    }))

  test('time in which nobody was in the room of a broadcast was counted', () =>
    withHouse(open, {}, async ({ app, talk, listener, used }) => {
      const { slug } = await talk({ mode: 'broadcast' })
      const ada = await listener(slug, first)
      await app.clock.advance(90_000)
      await ada.leave()
      const before = await used()
      await app.clock.advance(5 * minute)
      assert.equal(await used(), before)
      assert.equal(before, 2)
    }))

  test('one talk takes half of the plan and leaves the rest to the others, until its host names more', () =>
    withHouse(open, { ROSTRUM_PLAN_MINUTES: '4' }, async ({ app, call, talk, join, listener }) => {
      const [one, other] = [await talk(), await talk()]
      const ada = await listener(one.slug, first)
      await app.clock.advance(2.2 * minute)
      await ada.leave()
      const refused = await join(one.slug, first)
      assert.equal(refused.status, 402)
      assert.match(refused.detail, /minutes that its host allows/)
      const ben = await listener(other.slug, first)
      await ben.leave()
      await call('PATCH', `/api/v1/agent/sessions/${one.sessionId}`, { minutesMax: 100 })
      assert.equal((await join(one.slug, first)).status, 201)
    }))

  test('one network address used up the minutes of a talk for everybody: it has a fifth of them an hour, and the others go on', () =>
    withHouse(open, { ROSTRUM_PLAN_MINUTES: '300' }, async ({ app, talk, join, listener }) => {
      const { slug } = await talk()
      for (let at = 0; at < 8; at++) await listener(slug, first)
      await app.clock.advance(4.5 * minute)
      const refused = await join(slug, first)
      assert.equal(refused.status, 429)
      assert.match(refused.detail, /^Your network has heard this talk for as many minutes as it may in an hour/)
      assert.equal((await join(slug, second)).status, 201)
      // What is under way comes to its closing.
      await app.clock.advance(minute)
      const open = await app.store.read.selectFrom('runs').select('status').where('ended_at', 'is', null).execute()
      assert.ok(!open.some(({ status }) => status === 'presenting'), JSON.stringify(open))
      await app.clock.advance(20 * minute)
      assert.equal((await join(slug, first)).status, 201)
    }))

  test('the host is told once when half, four fifths and all of the minutes of a month are used', () =>
    withHouse(open, { ROSTRUM_PLAN_MINUTES: '4' }, async ({ app, talk, listener }) => {
      const { slug } = await talk({ minutesMax: 100 })
      const told = async () => {
        const events = await app.store.read
          .selectFrom('domain_events')
          .select('body')
          .where('type', '=', 'budget.reached')
          .orderBy('sequence')
          .execute()
        return events.map(({ body }) => (JSON.parse(body) as { data: { budget: string; share: number; limit: number; used: number } }).data)
      }
      const ada = await listener(slug, first)
      await app.clock.advance(minute)
      assert.deepEqual(await told(), [])
      await app.clock.advance(0.8 * minute)
      assert.deepEqual(
        (await told()).map(({ budget, share, limit, used }) => [budget, share, limit, used]),
        [['minutes', 50, 4, 2]],
      )
      await app.clock.advance(2 * minute)
      await ada.leave()
      assert.deepEqual(
        (await told()).map(({ share }) => share),
        [50, 80, 100],
      )
      const audit = await app.store.read.selectFrom('audit').select('data').where('action', '=', 'budget.reached').execute()
      assert.deepEqual(
        audit.map(({ data }) => (JSON.parse(data ?? '{}') as { share: number }).share).toSorted((a, b) => a - b),
        [50, 80, 100],
      )
    }))
})
