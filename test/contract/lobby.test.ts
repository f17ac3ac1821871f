// A broadcast whose host changes its settings while people wait in its lobby: the run was opened with those of before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, passUntil } from '../support/clock.ts'
import type { RoomMessage, TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import type { OpenStore } from '../support/stores.ts'
import { eachStore } from '../support/stores.ts'

const second = 1_000
const slides = [{ textContent: 'Grid\n- A battery shifts the evening peak' }]

interface Lobby {
  app: TestService
  /** `idAs`: how the caller writes the id of the session. */
  change(settings: object, idAs?: (id: string) => string): Promise<void>
  ask(text: string): Promise<string>
  /** What Ada was told of the state of the talk since she was last asked. */
  states(): Promise<Record<string, unknown>[]>
  /** The run, as somebody is told of it who has loaded the page before the change and comes in after it. */
  snapshot(): Promise<Record<string, unknown>>
}

/** Ada waits for a talk that is twenty seconds ahead. */
async function withLobby(open: OpenStore, story: (lobby: Lobby) => Promise<void>): Promise<void> {
  const clock = manualClock()
  const { store } = await open({ clock })
  const app = await openService({ store, clock })
  const call = (...args: Parameters<TestService['api']>) => passUntil(clock, app.api(...args))
  try {
    const startsAt = new Date(clock.now() + 20 * second).toISOString()
    const wanted = { title: 'Grid', isLive: true, mode: 'broadcast', startPolicy: 'scheduled', startsAt, slides }
    const { sessionId, slug } = (await call('POST', '/api/v1/agent/sessions', wanted)).body
    const { runId, attendeeToken } = (await call('POST', `/api/v1/rooms/${slug}/attendees`, { name: 'Ada' }, null)).body
    const stream = await passUntil(clock, app.stream(`/api/v1/runs/${runId}/stream`, attendeeToken))
    await story({
      app,
      async change(settings, idAs = (id) => id) {
        const changed = await call('PATCH', `/api/v1/agent/sessions/${idAs(sessionId)}`, settings)
        assert.equal(changed.status, 200, changed.text)
      },
      async ask(text) {
        const asked = await call('POST', `/api/v1/runs/${runId}/questions`, { id: crypto.randomUUID(), text }, attendeeToken)
        return String(asked.body.status)
      },
      async snapshot() {
        const bob = await call('POST', `/api/v1/rooms/${slug}/attendees`, { name: 'Bob' }, null)
        const late = await passUntil(clock, app.stream(`/api/v1/runs/${runId}/stream`, bob.body.attendeeToken))
        const [first] = await late.read()
        await late.close()
        return first?.data.run
      },
      async states() {
        return (await stream.read()).filter(({ event }: RoomMessage) => event === 'state').map(({ data }) => data)
      },
    })
    await stream.close()
  } finally {
    await passUntil(clock, app.close())
  }
}

eachStore((_dialect, open) => {
  test('a change under an id in upper case reaches the room: it answered 200 and nobody there heard of it', () =>
    withLobby(open, async ({ app: { clock }, change, states }) => {
      const startsAt = clock.now() + 5 * second
      await change({ startsAt: new Date(startsAt).toISOString() }, (id) => id.toUpperCase())
      const [told] = await states()
      assert.deepEqual([told?.['status'], told?.['startsAt']], ['lobby', startsAt])
    }))

  test('a scheduled broadcast begins by the time that its host sets while people wait: it kept the one of before', () =>
    withLobby(open, async ({ app: { clock }, change, states, snapshot }) => {
      const startsAt = clock.now() + 5 * second
      await change({ startsAt: new Date(startsAt).toISOString() })
      const [told] = await states()
      assert.deepEqual([told?.['status'], told?.['startsAt']], ['lobby', startsAt])
      assert.equal((await snapshot())['startsAt'], startsAt)
      await clock.advance(startsAt - clock.now() - 1)
      assert.deepEqual(await states(), [])
      await clock.advance(second)
      const [begun] = await states()
      assert.deepEqual([begun?.['status'], begun?.['at']], ['presenting', startsAt])
    }))

  test('a scheduled broadcast that is put off does not begin at the old time, and begins at once when its time is past', () =>
    withLobby(open, async ({ app: { clock }, change, states }) => {
      await change({ startsAt: new Date(clock.now() + 40 * second).toISOString() })
      await states()
      await clock.advance(25 * second)
      assert.deepEqual(await states(), [])
      await change({ startsAt: new Date(clock.now() - second).toISOString() })
      assert.equal((await states()).at(-1)?.['status'], 'presenting')
    }))

  test('a broadcast whose first attendee is to begin it begins for who waits in its lobby already', () =>
    withLobby(open, async ({ change, states }) => {
      await change({ startPolicy: 'first_attendee' })
      assert.equal((await states()).at(-1)?.['status'], 'presenting')
    }))

  test('questions wait for the host from the moment when the host has said so, in a lobby and in a talk', () =>
    withLobby(open, async ({ app: { clock }, change, ask, states }) => {
      await change({ moderation: 'manual' })
      assert.equal(await ask('What does a battery shift?'), 'pending')
      assert.ok((await states()).every(({ status }) => status === 'lobby' || status === 'answering'))
      await clock.advance(21 * second)
      await change({ moderation: 'auto' })
      assert.notEqual(await ask('Who pays for the grid?'), 'pending')
    }))
})
