// Who goes on with a run whose owner is no more, and when: at the instant its lease runs out, at once where its process is seen to be
// gone, and never by waiting for a row that somebody else holds (Spec 6.1: each fact once).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EventFeed } from '../../server/platform/operation.ts'
import type { Polled } from '../../server/runs/operations/stream-run.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { eventually, manualClock, passUntil, settle } from '../support/clock.ts'
import type { LiveRoom } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { runRow } from '../support/rows.ts'
import { sampleSession } from '../support/sample-talk.ts'
import { eachStore } from '../support/stores.ts'
import { openStream, type TestStream } from '../support/test-stream.ts'

const leaseMs = 600

const { sessionId, accountId } = sampleSession()
const theirs = { lease_owner: 'another process', epoch: 1, session_id: sessionId, account_id: accountId }

const addRun = (store: Store, change: Parameters<typeof runRow>[0]) =>
  store.write((tx) =>
    tx
      .insertInto('runs')
      .values(runRow({ ...theirs, ...change }))
      .execute(),
  )

const ownerOf = async (store: Store): Promise<string | null> =>
  (await store.read.selectFrom('runs').select('lease_owner').where('id', '=', 'run-1').executeTakeFirstOrThrow()).lease_owner

async function withRoom(room: LiveRoom, story: (room: LiveRoom) => Promise<void>): Promise<void> {
  try {
    await story(room)
  } finally {
    await room.close()
  }
}

eachStore((dialect, open) => {
  test('a run is read when half of its lease has passed and taken when it runs out, not at some later look', async () => {
    const { store } = await open()
    const clock = manualClock()
    const lapse = clock.now() + 437
    await addRun(store, { lease_until: lapse })
    await withRoom(await liveRoom({ store, clock, leaseMs }), async ({ live }) => {
      await clock.advance(lapse - leaseMs / 2 - clock.now() - 1)
      assert.equal(live.room.hub.followed('run-1'), null)
      await clock.advance(leaseMs / 2)
      await eventually(async () => live.room.hub.followed('run-1') !== null)
      assert.equal(await ownerOf(store), theirs.lease_owner)
      await clock.advance(1)
      await eventually(async () => (await ownerOf(store)) !== theirs.lease_owner)
    })
  })

  test('a host is answered while another transaction holds the run', { skip: dialect === 'sqlite' }, async () => {
    const { store, another } = await open()
    const clock = manualClock()
    await addRun(store, { lease_until: 0 })
    const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = (await another()).write(async (tx) => {
      await tx.updateTable('runs').set({ last_seq: 0 }).where('id', '=', 'run-1').execute()
      held.resolve()
      await end.promise
    })
    await held.promise
    await withRoom(await liveRoom({ store, clock, leaseMs }), async (room) => {
      const ended = room.call('host_run', room.host, { runId: 'run-1', id: crypto.randomUUID(), action: 'end' })
      await settle()
      assert.equal((await store.read.selectFrom('run_commands').select('id').execute()).length, 1)
      assert.equal(await ownerOf(store), theirs.lease_owner)
      end.resolve()
      await holder
      assert.deepEqual(await passUntil(clock, ended), { status: 'completed' })
      assert.deepEqual(room.faults, [])
    })
  })

  test('who comes back within thirty seconds is caught up without a read of the log or a word to the run', async () => {
    const { store } = await open()
    const clock = manualClock()
    const room = await liveRoom({ store, clock, leaseMs, session: { mode: 'broadcast' } })
    await withRoom(room, async () => {
      const ada = await room.join()
      const stream = await ada.stream()
      await eventually(async () => stream.of('beat').length > 0)
      const cursor = stream.messages.findLast(({ id }) => id !== undefined)?.id ?? ''
      stream.close()
      await clock.advance(10_000)
      const seq = async () => (await store.read.selectFrom('runs').select('last_seq').executeTakeFirstOrThrow()).last_seq
      await eventually(async () => (await seq()) > Number(cursor.split('-')[1]))
      await eventually(async () => room.live.room.hub.followed(ada.runId)?.state.seq === (await seq()))
      const { feed } = await room.call('stream_run', ada.principal, { runId: ada.runId, lastEventId: cursor })
      const again = openStream(feed as EventFeed)
      // At once: nothing that waits for the store can be.
      assert.ok(again.messages.length > 1)
      const visits = await store.read.selectFrom('run_events').select('seq').where('type', '=', 'visit').execute()
      assert.equal(visits.length, 1)
      assert.deepEqual(await store.read.selectFrom('run_commands').select('id').where('kind', '=', 'visit').execute(), [])
    })
  })

  test('a visit that is closed while its stream is open elsewhere is opened again', async () => {
    const { store } = await open()
    const clock = manualClock()
    await withRoom(await liveRoom({ store, clock, leaseMs, session: { mode: 'broadcast' } }), async (room) => {
      const ada = await room.join()
      const stream = await ada.stream()
      await eventually(async () => stream.of('beat').length > 0)
      const closed = { kind: 'gone' as const, attendeeId: ada.attendeeId, reason: 'disconnected' as const }
      await room.live.runner.note(ada.runId, { ...closed, id: crypto.randomUUID(), since: clock.now() })
      const open = () => store.read.selectFrom('visits').select(['visit', 'left_at']).orderBy('visit').execute()
      await eventually(async () => (await open()).length === 2)
      assert.equal((await open())[1]?.left_at, null)
    })
  })

  test('whoever comes back gets what they missed, whatever thousands of others did meanwhile', async () => {
    const { store } = await open()
    const room = await liveRoom({ store, leaseMs, session: { mode: 'broadcast' } })
    const held = { mode: 'broadcast' as const, lease_until: Number.MAX_SAFE_INTEGER }
    let runs = 0
    /** Comes back with a cursor, to a process that has the log to read: gives what is seen of the log after it, and what came. */
    async function comeBack(log: readonly Logged[], cursor: number, isHost: boolean) {
      const runId = `run-${++runs}`
      // A session has one open broadcast.
      await store.write((tx) => tx.updateTable('runs').set({ ended_at: 1 }).where('ended_at', 'is', null).execute())
      await addRun(store, { ...held, id: runId, last_seq: log.length })
      for (let from = 0; from < log.length; from += 500) {
        const rows = log.slice(from, from + 500).map((logged, at) => rowOf(runId, from + at + 1, logged))
        await store.write((tx) => tx.insertInto('run_events').values(rows).execute())
      }
      const { sessionId, attendeeId } = ada
      const principal = isHost ? room.host : { kind: 'attendee' as const, attendeeId, sessionId, runId }
      const sees = isHost ? ['room', 'host', 'somebody'] : ['room', 'ada']
      const owed = log.flatMap((audience, at) => (at >= cursor && sees.includes(audience) ? [`1-${at + 1}`] : []))
      const stream = await room.stream(principal, runId, `1-${cursor}`)
      const isResumed = () => stream.messages[0]?.data['resumed'] === true
      await eventually(async () => stream.messages.length > (isResumed() ? owed.length : 0))
      const ids = came(stream)
      stream.close()
      // A poll that has nothing to tell waits for it.
      const asked = { runId, after: `1-${cursor}`, accept: 'application/json' }
      const { polled } = owed.length === 0 ? { polled: { events: [] } } : await room.call('stream_run', principal, asked)
      const answered = (polled as Polled).events.flatMap(({ id = [] }) => id)
      return { isResumed: isResumed(), owed, ids, answered, last: `1-${log.length}` }
    }
    type Logged = 'room' | 'ada' | 'host' | 'somebody' | 'log'
    const came = ({ messages }: TestStream) => messages.flatMap(({ id = [] }) => id)
    const call = { text: 'Try it', url: 'https://grid.example/', kind: 'link', state: 'shown', rule: null }
    const asked = {
      questionId: 'q',
      text: 'Why?',
      by: { attendeeId: 'somebody', name: null },
      status: 'queued',
      votes: 0,
      ahead: 0,
      slideIndex: 0,
    }
    function rowOf(run_id: string, seq: number, audience: Logged) {
      const [type, data] = {
        room: ['cta', { ...call, prev: 0 }] as const,
        ada: ['cta', { ...call, private: true }] as const,
        host: ['audit', { action: 'pause', by: 'Host' }] as const,
        somebody: ['question', { ...asked, private: true }] as const,
        log: ['vote', { questionId: 'none', attendeeId: 'somebody', value: 1 }] as const,
      }[audience]
      return {
        run_id,
        seq,
        epoch: 1,
        at: 1_000 + seq,
        audience: audience === 'ada' ? ada.attendeeId : audience,
        type,
        data: JSON.stringify(data),
      }
    }
    await addRun(store, { ...held, id: 'run-0' })
    const joined = await room.join()
    const ada = { attendeeId: joined.attendeeId, sessionId }
    const many = <T>(each: T, count: number): T[] => Array.from({ length: count }, () => each)
    await withRoom(room, async () => {
      const crowd = await comeBack([...many('room' as const, 3), ...many('log' as const, 5_000), 'ada', 'room'], 2, false)
      assert.deepEqual([crowd.isResumed, crowd.ids], [true, ['1-3', '1-5004', '1-5005']])
      const part = fc.record({
        audience: fc.constantFrom('room', 'room', 'ada', 'host', 'somebody', 'log'),
        count: fc.integer({ min: 1, max: 500 }),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(part, { minLength: 1, maxLength: 6 }),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.boolean(),
          async (parts, share, isHost) => {
            const log = parts.flatMap(({ audience, count }) => many<Logged>(audience, count))
            const cursor = Math.floor(share * log.length)
            const missed = log.slice(cursor).filter((audience) => audience === 'room').length
            const { isResumed, owed, ids, answered, last } = await comeBack(log, cursor, isHost)
            assert.ok(isResumed ? missed <= 1_100 : missed > 1_000, `${missed} events of the room, resumed: ${isResumed}`)
            assert.deepEqual(ids, isResumed ? owed : [last])
            assert.deepEqual(answered, isResumed ? owed.slice(0, answered.length) : [last].slice(0, owed.length))
          },
        ),
        { numRuns: dialect === 'sqlite' ? 25 : 8 },
      )
    })
  })
})
