// How many talks of one attendee each may be open at once: nobody fills the memory of a server, or a room, alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../src/platform/errors.ts'
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
