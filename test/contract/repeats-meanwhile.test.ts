// `Idempotency-Key` where the first call does not end as it should: its process dies or is held up, and another takes the repeat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { creates, open as openToAll, operation } from '../../server/platform/operation.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { manualClock } from '../support/clock.ts'
import { openHttp, post, problem } from '../support/http.ts'
import type { TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const never = new Promise<never>(() => undefined)
const shortlyMs = 120_000

/** Sends the same with the same key each time. */
const sender = (key: string, path: string, body: string, type = 'application/json') => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type, 'Idempotency-Key': 'once' }
  return (app: TestService) => app.request(path, { method: 'POST', headers, body })
}

const path = '/api/v1/agent/sessions'

/** What is sent with the key, once there is a session `of`, and what must be there once then. */
const acts = {
  create_session: { table: 'sessions', of: (key: string) => sender(key, path, '{"title":"Grid"}') },
  duplicate_session: { table: 'sessions', of: (key: string, id: string) => sender(key, `${path}/${id}/duplicate`, '{}') },
  add_knowledge: {
    table: 'passages',
    of: (key: string, id: string) => sender(key, `${path}/${id}/knowledge/files`, 'Pumps are quiet.', 'text/plain'),
  },
} as const

eachStore((_, open) => {
  const idsOf = async (store: Store, table: 'sessions' | 'passages') =>
    (await store.read.selectFrom(table).select('id').execute()).map(({ id }) => id)

  for (const [name, { table, of }] of Object.entries(acts))
    test(`the repeat of ${name}, whose process was killed before it answered, gets the answer: it was done again`, async () => {
      const { store, another } = await open()
      const died = Promise.withResolvers<void>()
      let isDoomed = false
      /** The call whose write makes one more does not hear of its commit; what else the process writes goes on. */
      const dying: Store = {
        ...store,
        async write(fn, manner) {
          let isMaking = false
          const result = await store.write(async (tx, ring) => {
            const count = async () => (await tx.selectFrom(table).select('id').execute()).length
            const before = await count()
            const made = await fn(tx, ring)
            isMaking = (await count()) > before
            return made
          }, manner)
          if (isDoomed && isMaking) {
            isDoomed = false
            died.resolve()
            await never
          }
          return result
        },
      }
      const first = await openService({ store: dying })
      const send = of(first.key, String((await first.api('POST', path, { title: 'Grid' })).body.sessionId))
      const before = await idsOf(store, table)
      isDoomed = true
      void send(first)
      await died.promise
      const made = await idsOf(store, table)
      assert.equal(made.length, before.length + 1)
      const second = await openService({ store: await another(), clock: manualClock(first.clock.now() + shortlyMs) })
      const { headers, text } = await send(second)
      assert.equal(headers.get('idempotency-replayed'), 'true')
      assert.ok(text.includes(made.find((id) => !before.includes(id)) ?? '?'), text)
      assert.deepEqual((await idsOf(store, table)).toSorted(), made.toSorted())
      await Promise.all([first.close(), second.close()])
    })

  test('a call that was held up for longer than its claim makes nothing where a repeat has made it: there were two sessions', async () => {
    const { store, another } = await open()
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    let isHeld = false
    const slow: Store = {
      ...store,
      async write(fn, manner) {
        // The first write is the claim, the second the session.
        const claims = await store.read.selectFrom('idempotency').select('id').execute()
        if (isHeld && claims.length > 0) {
          isHeld = false
          reached.resolve()
          await released.promise
        }
        return store.write(fn, manner)
      },
    }
    const first = await openService({ store: slow })
    const send = acts.create_session.of(first.key)
    isHeld = true
    const held = send(first)
    await reached.promise
    const second = await openService({ store: await another(), clock: manualClock(first.clock.now() + shortlyMs) })
    const { status, body } = await send(second)
    assert.equal(status, 200)
    released.resolve()
    assert.equal((await held).status, 409)
    assert.deepEqual(await idsOf(store, 'sessions'), [body.sessionId])
    assert.equal((await send(second)).body.sessionId, body.sessionId)
    await Promise.all([first.close(), second.close()])
  })
})

test('a call that takes five minutes is not run beside by its repeats, which get its answer: it was run again after one', async () => {
  let runs = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = operation({
    name: 'make_slowly',
    summary: 'Take long',
    access: openToAll,
    effects: creates,
    limit: 'api',
    errors: [],
    input: z.object({}),
    async run() {
      runs++
      await promise
      return { runs }
    },
    http: { method: 'POST', path: '/api/v1/slow', output: z.object({ runs: z.number() }) },
  })
  const surface = await openHttp({ options: { operations: [slow.bind({})] } })
  const send = () => surface.request('/api/v1/slow', post({}, { 'Idempotency-Key': 'k' }))
  const first = send()
  await surface.clock.advance(300_000)
  const early = send()
  await surface.clock.advance(15_000)
  await problem(await early, 409, 'conflict')
  resolve()
  assert.deepEqual(await (await first).json(), { runs: 1 })
  assert.deepEqual(await (await send()).json(), { runs: 1 })
  assert.equal(runs, 1)
  assert.equal(surface.clock.nextDue(), undefined, 'nothing is renewed any more')
  await surface.store.close()
})
