// How many talks of one attendee each may be open at once: nobody fills the memory of a server, or a room, alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '@rostrum/base/errors'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

interface Joined {
  runId: string
  attendeeToken: string
}
type Refused = { detail: string; retryAfter: string | undefined }

const isJoined = (outcome: Joined | Refused): outcome is Joined => 'runId' in outcome

/** A call of the declared operation, from an address of the caller's choice: the limit of calls is another one. */
async function join(app: TestService, key: string, address: string, id?: string): Promise<Joined | Refused> {
  const operation = app.service.operations.find(({ name }) => name === 'join_room')
  assert.ok(operation)
  const { signal } = new AbortController()
  const call = { principal: { kind: 'nobody' as const }, now: app.clock.now(), requestId: 'request', address, signal }
  try {
    return (await operation.handle({ key, kind: 'human', ...(id !== undefined && { id }) }, call)) as Joined
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'rate_limited') throw error
    return { detail: error.message, retryAfter: error.extra.headers?.['Retry-After'] }
  }
}

async function newTalk(app: TestService, wanted: object = {}): Promise<{ sessionId: string; slug: string; rehearsal: string }> {
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, ...wanted })
  return { ...body, rehearsal: String(body.rehearsalUrl).split('/').at(-1) }
}

const openRuns = async ({ store }: TestService) =>
  (await store.read.selectFrom('runs').selectAll().where('ended_at', 'is', null).execute()).length

const atOnce = <T>(count: number, act: (at: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, at) => act(at)))

const first = '203.0.113.7'

eachStore((_name, open) => {
  test('a stranger who joins a thousand times holds two hundred talks, and others still come in', () =>
    withService(open, async (app) => {
      const { slug } = await newTalk(app)
      const outcomes = []
      for (let turn = 0; turn < 20; turn++) outcomes.push(...(await atOnce(50, () => join(app, slug, first))))
      assert.equal(outcomes.filter(isJoined).length, 200)
      assert.equal(await openRuns(app), 200)
      const refused = outcomes.find((outcome) => !isJoined(outcome))
      assert.ok(refused !== undefined && !isJoined(refused))
      assert.match(refused.detail, /^Your network has 200 .* Leave one .* or try again/)
      assert.equal(refused.retryAfter, '60')
      assert.ok(isJoined(await join(app, slug, '203.0.113.8')))
    }))

  test('a stranger with a /48 took every place of a talk in 23 s: it holds as many as four addresses may, and others still come in', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app)
        const hex = (at: number) => at.toString(16)
        const inOne48 = await atOnce(60, (at) => join(app, slug, `2001:db8:1:${hex(at * 1_009)}::1`))
        assert.equal(inOne48.filter(isJoined).length, 12, 'of the /48')
        const inOne56 = await atOnce(30, (at) => join(app, slug, `2001:db8:2:${hex(at)}::1`))
        assert.equal(inOne56.filter(isJoined).length, 6, 'of the /56')
        const inOne24 = await atOnce(60, (at) => join(app, slug, `198.51.100.${at}`))
        assert.equal(inOne24.filter(isJoined).length, 12, 'of the /24')
        const refused = inOne48.find((outcome) => !isJoined(outcome))
        assert.ok(refused !== undefined && !isJoined(refused))
        assert.match(refused.detail, /^Your network has 12 of these talks open/)
        assert.ok(isJoined(await join(app, slug, '2001:db8:3::1')))
        assert.ok(isJoined(await join(app, slug, '203.0.113.1')))
      },
      { ROSTRUM_OPEN_RUNS_SESSION: '40', ROSTRUM_OPEN_RUNS_ADDRESS: '3' },
    ))

  test('joins that nobody comes to closed a talk for ten minutes: their places go, the oldest first, and no listener is pushed out', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app)
        const listener = await join(app, slug, '203.0.113.1')
        assert.ok(isJoined(listener))
        const stream = await app.stream(`/api/v1/runs/${listener.runId}/stream`, listener.attendeeToken)
        const seats = []
        for (let at = 0; at < 3; at++) {
          seats.push(await join(app, slug, `198.51.100.${at}`))
          await app.clock.advance(1)
        }
        assert.ok(!isJoined(await join(app, slug, '203.0.113.2')), 'who has just joined may be about to come')
        await app.clock.advance(31_000)
        for (let at = 0; at < 3; at++) assert.ok(isJoined(await join(app, slug, `203.0.113.${10 + at}`)))
        assert.ok(!isJoined(await join(app, slug, '203.0.113.2')))
        const ended = app.store.read.selectFrom('runs').select(['id', 'status', 'end_reason']).where('ended_at', 'is not', null)
        const gone = new Map((await ended.execute()).map((run) => [run.id, run]))
        for (const seat of seats) {
          assert.ok(isJoined(seat))
          const { status, end_reason } = gone.get(seat.runId) ?? {}
          assert.deepEqual([status, end_reason], ['completed', 'abandoned'])
        }
        assert.equal(gone.size, 3)
        // Who was cut off a moment ago comes back to their own talk; who has been away for long is the next to go.
        await stream.close()
        await app.clock.advance(60_000)
        const after = await join(app, slug, '203.0.113.20')
        assert.ok(isJoined(after))
        const isOpen = async (runId: string) =>
          (await app.store.read.selectFrom('runs').select('ended_at').where('id', '=', runId).executeTakeFirstOrThrow()).ended_at === null
        assert.ok(await isOpen(listener.runId))
        await app.clock.advance(120_000)
        for (let at = 0; at < 4; at++) assert.ok(isJoined(await join(app, slug, `203.0.113.${30 + at}`)))
        assert.ok(!(await isOpen(listener.runId)))
        assert.equal(await openRuns(app), 4)
      },
      { ROSTRUM_OPEN_RUNS_SESSION: '4' },
    ))

  test('a stranger who joins again and again without listening pushes out their own joins alone', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app)
        const other = await join(app, slug, '203.0.113.1')
        for (let turn = 0; turn < 4; turn++) {
          await app.clock.advance(31_000)
          assert.equal((await atOnce(20, () => join(app, slug, first))).filter(isJoined).length, 3)
        }
        assert.equal(await openRuns(app), 4)
        assert.ok(isJoined(other))
        const { ended_at } = await app.store.read
          .selectFrom('runs')
          .select('ended_at')
          .where('id', '=', other.runId)
          .executeTakeFirstOrThrow()
        assert.equal(ended_at, null)
      },
      { ROSTRUM_OPEN_RUNS_ADDRESS: '3' },
    ))

  test('fifty joins at once pass no limit of a session, of an account or of an address', () =>
    withService(
      open,
      async (app) => {
        const [{ slug: a }, { slug: b }] = [await newTalk(app), await newTalk(app)]
        const spread = await atOnce(50, (at) => join(app, a, `198.51.100.${at}`))
        assert.equal(spread.filter(isJoined).length, 9, 'of the session')
        const further = await atOnce(50, (at) => join(app, b, `198.51.100.${at}`))
        assert.equal(further.filter(isJoined).length, 3, 'of the account')
        assert.equal(await openRuns(app), 12)
        const other = await app.newKey({ accountId: '00000000-0000-4000-8000-000000000009' })
        const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Other', isLive: true }, other)
        const alone = await atOnce(50, () => join(app, body.slug, '198.51.100.200'))
        assert.equal(alone.filter(isJoined).length, 5, 'of the address')
        for (const [words, outcomes] of [
          [/^This talk is open to 9 people/, spread],
          [/^The talks of this host are open to 12 people/, further],
          [/^Your network has 5 /, alone],
        ] as const) {
          const refused = outcomes.find((outcome) => !isJoined(outcome))
          assert.ok(refused !== undefined && !isJoined(refused))
          assert.match(refused.detail, words)
        }
      },
      { ROSTRUM_OPEN_RUNS_SESSION: '9', ROSTRUM_OPEN_RUNS_ACCOUNT: '12', ROSTRUM_OPEN_RUNS_ADDRESS: '5' },
    ))

  test('a person who comes back to their own talk is never refused, and a talk that has ended leaves its place', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app)
        const id = '00000000-0000-4000-8000-000000000001'
        const own = await join(app, slug, first, id)
        assert.ok(isJoined(own))
        assert.ok(isJoined(await join(app, slug, first)))
        assert.ok(!isJoined(await join(app, slug, first)))
        const again = await join(app, slug, first, id)
        assert.ok(isJoined(again))
        assert.equal(again.runId, own.runId)
        const left = await app.api('POST', `/api/v1/runs/${own.runId}/leave`, { id }, again.attendeeToken)
        assert.equal(left.status, 200, left.text)
        assert.ok(isJoined(await join(app, slug, first)))
      },
      { ROSTRUM_OPEN_RUNS_SESSION: '2', ROSTRUM_OPEN_RUNS_ADDRESS: '2' },
    ))

  test('the address is written nowhere, and its mark goes with the end of the talk', () =>
    withService(open, async (app) => {
      const { slug } = await newTalk(app)
      const own = await join(app, slug, first)
      assert.ok(isJoined(own))
      const row = async () => app.store.read.selectFrom('runs').selectAll().where('id', '=', own.runId).executeTakeFirstOrThrow()
      const mark = (await row()).address_mark
      assert.ok(mark !== null && mark.length > 20)
      assert.ok(!JSON.stringify(await row()).includes(first))
      await app.api('POST', `/api/v1/runs/${own.runId}/leave`, { id: '00000000-0000-4000-8000-000000000002' }, own.attendeeToken)
      assert.notEqual((await row()).ended_at, null)
      assert.equal((await row()).address_mark, null)
    }))

  test('a full room leaves the host a rehearsal; rehearsals have a limit of their own', () =>
    withService(
      open,
      async (app) => {
        const { sessionId, slug, rehearsal } = await newTalk(app)
        assert.ok(isJoined(await join(app, slug, first)))
        assert.ok(!isJoined(await join(app, slug, first)))
        assert.ok(isJoined(await join(app, rehearsal, '203.0.113.9')))
        const synthetic = await app.api('POST', `/api/v1/agent/sessions/${sessionId}/rehearsals`, {})
        assert.equal(synthetic.status, 429, synthetic.text)
        assert.equal(synthetic.headers.get('retry-after'), '60')
      },
      { ROSTRUM_OPEN_RUNS_SESSION: '1' },
    ))

  test('a broadcast is one talk, however many come, and `off` opens all', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app, { mode: 'broadcast' })
        assert.equal((await atOnce(5, () => join(app, slug, first))).filter(isJoined).length, 5)
        const { slug: alone } = await newTalk(app)
        assert.ok(!isJoined(await join(app, alone, first)))
      },
      { ROSTRUM_OPEN_RUNS_ADDRESS: '0' },
    ).then(() =>
      withService(
        open,
        async (app) => {
          const { slug } = await newTalk(app)
          assert.equal((await atOnce(5, () => join(app, slug, first))).filter(isJoined).length, 5)
        },
        { ROSTRUM_OPEN_RUNS_SESSION: 'off', ROSTRUM_OPEN_RUNS_ACCOUNT: 'off', ROSTRUM_OPEN_RUNS_ADDRESS: 'off' },
      ),
    ))
})
