// The log of a run and who may write it: gapless, fenced by the epoch, taken over after the lease.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answerCommands,
  appendRunEvents,
  findCommand,
  listWaitingCommands,
  type NewRunEvent,
  noteCommands,
  readRunEvents,
} from '../../server/runs/log/run-log.ts'
import { acquireRunLease, findRuns, freeAllRunLeases, releaseRunLeases, renewRunLeases } from '../../server/runs/runner/leases.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { runRow } from '../support/rows.ts'
import { eachStore } from '../support/stores.ts'

const runId = 'run-1'
const leaseMs = 600
const beat = (n: number): NewRunEvent => ({ at: 1_000 + n, audience: 'room', type: 'beat', data: { beatId: `b${n}` } })
const request = (owner: string, now: number) => ({ owner, now, leaseMs })
const addRun = (store: Store, change = {}) => store.write((tx) => tx.insertInto('runs').values(runRow(change)).execute())
const acquire = (store: Store, owner: string, now: number) => store.write((tx) => acquireRunLease(tx, runId, request(owner, now)))
const look = (store: Store, owner: string, now: number) => findRuns(store.read, { owner, now, isAlone: false, most: 1_000 })
const orphans = async (store: Store, now: number) => (await look(store, 'x', now)).orphans
const append = (store: Store, epoch: number, events: readonly NewRunEvent[]) =>
  store.write((tx) => appendRunEvents(tx, { runId, epoch, events }))
const seqs = async (store: Store) => (await readRunEvents(store.read, runId, 0, 10_000)).map((event) => event.seq)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

eachStore((name, open) => {
  test('events get gapless numbers and come back as they were written', async () => {
    const { store } = await open()
    await addRun(store)
    const lease = await acquire(store, 'a', 1_000)
    assert.deepEqual(lease, { runId, epoch: 1 })
    const written = await append(store, 1, [beat(1), { ...beat(2), audience: 'host' }])
    await append(store, 1, [])
    await append(store, 1, [beat(3)])
    const read = await readRunEvents(store.read, runId, 0, 10)
    assert.deepEqual(read.slice(0, 2), written)
    assert.deepEqual(read[1], { run_id: runId, seq: 2, epoch: 1, at: 1_002, audience: 'host', type: 'beat', data: '{"beatId":"b2"}' })
    assert.deepEqual(
      (await readRunEvents(store.read, runId, 1, 1)).map((event) => event.seq),
      [2],
    )
  })

  test('fifty appends at once leave no gap and no number twice', async () => {
    const { store, another } = await open()
    await addRun(store, { epoch: 4 })
    const stores = [store, await another()]
    await Promise.all(Array.from({ length: 50 }, (_, n) => append(stores[n % 2] ?? store, 4, [beat(n), beat(n)])))
    assert.deepEqual(await seqs(store), upTo(100))
  })

  test('a thousand events in one append are one step of the log', async () => {
    const { store } = await open()
    await addRun(store, { epoch: 1 })
    await append(
      store,
      1,
      Array.from({ length: 1_001 }, (_, n) => beat(n)),
    )
    assert.deepEqual(await seqs(store), upTo(1_001))
  })

  test('an owner whose lease was taken over writes nothing, and learns it', async () => {
    const { store, another } = await open()
    await addRun(store)
    await acquire(store, 'a', 1_000)
    const successor = await another()
    assert.equal((await acquire(successor, 'b', 1_600))?.epoch, 2)
    assert.equal(await append(store, 1, [beat(1)]), 'lost')
    await append(successor, 2, [beat(2)])
    assert.deepEqual(await seqs(store), [1])
  })

  test('appends that race a take-over all come before it or not at all', async () => {
    const { store, another } = await open()
    await addRun(store)
    await acquire(store, 'a', 1_000)
    const successor = await another()
    const early = Array.from({ length: 20 }, (_, n) => append(store, 1, [beat(n)]))
    const takeOver = acquire(successor, 'b', 1_600).then((lease) => append(successor, lease?.epoch ?? 0, [beat(99)]))
    await Promise.all([...early, takeOver])
    const events = await readRunEvents(store.read, runId, 0, 100)
    assert.deepEqual(
      events.map((event) => event.seq),
      upTo(events.length),
    )
    const epochs = events.map((event) => event.epoch)
    assert.deepEqual(
      epochs,
      epochs.toSorted((a, b) => a - b),
      'no event of the old epoch after one of the new',
    )
  })

  test('only one of ten processes takes a free run', async () => {
    const { store, another } = await open()
    await addRun(store)
    const stores = [store, await another()]
    const leases = await Promise.all(Array.from({ length: 10 }, (_, n) => acquire(stores[n % 2] ?? store, `p${n}`, 1_000)))
    assert.deepEqual(
      leases.filter((lease) => lease !== null),
      [{ runId, epoch: 1 }],
    )
  })

  test('a lease is kept by renewing, and free when it has run out', async () => {
    const { store } = await open()
    await addRun(store)
    await acquire(store, 'a', 1_000)
    assert.equal(await acquire(store, 'b', 1_599), null)
    const renew = (owner: string, now: number) => store.write((tx) => renewRunLeases(tx, request(owner, now)))
    assert.deepEqual(await renew('a', 1_500), new Map([[runId, 1]]))
    assert.deepEqual(await renew('b', 1_500), new Map())
    assert.equal(await acquire(store, 'b', 1_600), null)
    assert.deepEqual(await orphans(store, 2_099), [])
    assert.deepEqual(await orphans(store, 2_100), [runId])
    assert.equal((await acquire(store, 'b', 2_100))?.epoch, 2)
    assert.deepEqual(await renew('a', 2_200), new Map())
  })

  test('a lease that has not run out is taken again by its own owner, in a new epoch, and by nobody else', async () => {
    const { store } = await open()
    await addRun(store)
    await acquire(store, 'a', 1_000)
    assert.equal(await acquire(store, 'b', 1_100), null)
    assert.equal((await acquire(store, 'a', 1_100))?.epoch, 2)
    assert.equal(await append(store, 1, [beat(1)]), 'lost')
    assert.equal(await acquire(store, 'b', 1_699), null, 'it runs from when it was taken again')
    assert.equal((await acquire(store, 'b', 1_700))?.epoch, 3)
  })

  test('a lease that is given up is free at once, but only for its own epoch', async () => {
    const { store } = await open()
    await addRun(store)
    const release = (epoch: number) => store.write((tx) => releaseRunLeases(tx, [{ runId, epoch }]))
    await acquire(store, 'a', 1_000)
    await acquire(store, 'b', 1_600)
    await release(1)
    assert.equal(await acquire(store, 'c', 1_700), null, 'a late release of the old owner frees nothing')
    await release(2)
    assert.equal((await acquire(store, 'c', 1_700))?.epoch, 3)
    await store.write((tx) => freeAllRunLeases(tx))
    assert.equal((await acquire(store, 'd', 1_701))?.epoch, 4)
  })

  test('nobody waits for a run that is being written to, and the leases of others are renewed', { skip: name === 'sqlite' }, async () => {
    const { store, another } = await open()
    await addRun(store, { lease_owner: 'a', epoch: 1, lease_until: 1_100 })
    await addRun(store, { id: 'run-2', lease_owner: 'a', epoch: 1, lease_until: 1_100 })
    const [written, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = store.write(async (tx) => {
      await appendRunEvents(tx, { runId, epoch: 1, events: [beat(1)] })
      written.resolve()
      await end.promise
    })
    await written.promise
    const other = await another()
    assert.equal(await acquire(other, 'b', 2_000), null)
    assert.deepEqual(
      await other.write((tx) => renewRunLeases(tx, request('a', 2_000))),
      new Map([
        [runId, 1],
        ['run-2', 1],
      ]),
    )
    assert.deepEqual(await orphans(store, 2_000), [runId])
    end.resolve()
    await slow
    assert.equal((await acquire(other, 'b', 2_000))?.epoch, 2)
  })

  test('it is told when the next lease of another runs out', async () => {
    const { store } = await open()
    await addRun(store, { lease_owner: 'a', epoch: 1, lease_until: 1_700 })
    await addRun(store, { id: 'run-2', lease_owner: 'b', epoch: 1, lease_until: 1_500 })
    await addRun(store, { id: 'run-3', lease_owner: 'b', epoch: 1, lease_until: 1_400, ended_at: 1_000 })
    const lapse = async (owner: string, now: number) => (await look(store, owner, now)).lapses[0]?.at
    assert.deepEqual([await lapse('c', 1_000), await lapse('b', 1_000), await lapse('c', 1_500)], [1_500, 1_700, 1_700])
    assert.equal(await lapse('a', 1_500), undefined)
  })

  test('one look tells what is free, what has commands waiting, and when the next lease runs out', async () => {
    const { store } = await open()
    await addRun(store, { lease_owner: 'a', epoch: 1, lease_until: 1_700, mode: 'broadcast' })
    await addRun(store, { id: 'run-2', session_id: 'another', lease_owner: 'b', epoch: 1, lease_until: 900, mode: 'broadcast' })
    await addRun(store, { id: 'run-3', lease_owner: 'b', epoch: 1, lease_until: 1_500, mode: 'isolated' })
    for (const id of ['c1', 'c2'])
      await store.write((tx) => noteCommands(tx, [{ id, run_id: 'run-3', attendee_id: null, kind: 'host', body: '{}', at: 1_000 }]))
    const [run1, run3] = [
      { runId, at: 1_700 },
      { runId: 'run-3', at: 1_500 },
    ]
    const found = { orphans: ['run-2'], waiting: ['run-3'], lapses: [run3, run1] }
    assert.deepEqual(await look(store, 'c', 1_000), found)
    assert.deepEqual(await look(store, 'b', 1_000), { ...found, lapses: [run1] })
    const alone = await findRuns(store.read, { owner: 'c', now: 1_000, isAlone: true, most: 1 })
    assert.deepEqual(alone, { orphans: ['run-2'], waiting: ['run-3'], lapses: [] })
  })

  test('an ended run is no orphan, and is taken only by who asks for it', async () => {
    const { store } = await open()
    await addRun(store, { ended_at: 900 })
    assert.equal(await acquire(store, 'a', 1_000), null)
    assert.deepEqual(await orphans(store, 9_000), [])
    const late = await store.write((tx) => acquireRunLease(tx, runId, { ...request('a', 1_000), evenEnded: true }))
    assert.equal(late?.epoch, 1)
  })

  test('hundreds of leases are given up in one call', async () => {
    const { store } = await open()
    const ids = Array.from({ length: 401 }, (_, n) => `run-${n}`)
    await store.write(async (tx) => {
      for (const id of ids)
        await tx
          .insertInto('runs')
          .values(runRow({ id, lease_owner: 'a', epoch: 1, lease_until: 9_000 }))
          .execute()
    })
    await store.write((tx) =>
      releaseRunLeases(
        tx,
        ids.map((id) => ({ runId: id, epoch: 1 })),
      ),
    )
    assert.equal((await orphans(store, 1_000)).length, ids.length)
  })

  test('an append wakes who listens to the run, on other nodes too', async (t) => {
    const { store, another } = await open()
    await addRun(store, { epoch: 1 })
    const listening = name === 'postgres' ? await another() : store
    const rung = Promise.withResolvers<string>()
    t.after(listening.listen('run:', rung.resolve))
    await append(store, 1, [beat(1)])
    assert.equal(await rung.promise, `run:${runId}`)
  })

  test('a repeated command is handled once and answers as the first time', async () => {
    const { store, another } = await open()
    await addRun(store)
    const second = await another()
    const command = { run_id: runId, id: 'c-1', attendee_id: 'att-1', kind: 'questions', body: '{"text":"why?"}', at: 1_000 }
    await Promise.all([store, second, store, second].map((each) => each.write((tx) => noteCommands(tx, [command]))))
    assert.deepEqual(await findCommand(second.read, runId, 'c-1'), { ...command, handled_at: null, answer: null })
    await store.write((tx) => noteCommands(tx, [{ ...command, id: 'c-0', attendee_id: null, kind: 'host', at: 999 }]))
    assert.deepEqual(
      (await listWaitingCommands(store.read, runId, 10)).map((row) => row.id),
      ['c-0', 'c-1'],
    )
    const asked = { kind: 'votes', id: 'c-1', attendeeId: 'att-1', questionId: 'q', value: 1 } as const
    const answers = (votes: number, at: number) =>
      store.write((tx) => answerCommands(tx, runId, [{ command: asked, answer: { ok: true, data: { votes } }, isStored: true }], at))
    await answers(0, 1_100)
    await answers(9, 1_200)
    await second.write((tx) => noteCommands(tx, [{ ...command, body: '{"text":"other"}' }]))
    assert.equal((await findCommand(second.read, runId, 'c-1'))?.answer, '{"ok":true,"data":{"votes":0}}')
    assert.equal((await findCommand(store.read, runId, 'c-1'))?.handled_at, 1_100)
    assert.equal(await findCommand(store.read, runId, 'unknown'), null)
    assert.deepEqual(
      (await listWaitingCommands(store.read, runId, 10)).map((row) => row.id),
      ['c-0'],
    )
  })
})
