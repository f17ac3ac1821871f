// Durable work: done once, again after a failure, by another where its process died, and over and over where it comes back by the hour.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob, createJobs, type Job, type JobKind, type Jobs } from '../../server/platform/db/jobs.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { eventually, type ManualClock, manualClock } from '../support/clock.ts'
import { seededIds } from '../support/ids.ts'
import { eachStore } from '../support/stores.ts'

const minute = 60_000

interface Worker {
  jobs: Jobs
  failures: string[]
}

async function work(store: Store, clock: ManualClock, kinds: Record<string, JobKind>, { isAlone = false, seed = 1 } = {}): Promise<Worker> {
  const failures: string[] = []
  const onFailure = (kind: string, error: unknown) =>
    void failures.push(`${kind}: ${error instanceof Error ? error.message : String(error)}`)
  const jobs = createJobs({ store, clock, ids: seededIds(seed), kinds, isAlone, onFailure })
  await jobs.start()
  return { jobs, failures }
}

const add = (store: Store, key: string, dueAt = 0, data = '') => store.write((tx) => addJob(tx, 'letter', { key, data, dueAt }))
const left = async (store: Store) => (await store.read.selectFrom('jobs').select('key').orderBy('key').execute()).map(({ key }) => key)

eachStore((_, open) => {
  test('a job is done once, at its time, and of a key there is one', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const done: string[] = []
    const { jobs, failures } = await work(store, clock, { letter: { run: async ({ data }) => void done.push(data) } })
    await add(store, 'a', clock.now(), 'first')
    await add(store, 'later', clock.now() + minute, 'second')
    await add(store, 'later', clock.now(), 'of the same key')
    await jobs.idle()
    assert.deepEqual(done, ['first'])
    await clock.advance(minute - 1)
    await jobs.idle()
    assert.deepEqual(done, ['first'])
    await clock.advance(1)
    await jobs.idle()
    assert.deepEqual([done, await left(store), failures], [['first', 'second'], [], []])
    await jobs.close()
  })

  test('more than run at once are all done, and a job of a transaction that failed never is', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    let now = 0
    let most = 0
    const done = new Set<string>()
    const run = async ({ key }: Job) => {
      most = Math.max(most, ++now)
      await store.read.selectFrom('jobs').select('key').execute()
      now--
      done.add(key)
    }
    const { jobs } = await work(store, clock, { letter: { run } })
    await assert.rejects(
      store.write(async (tx) => {
        await addJob(tx, 'letter', { key: 'never', data: '', dueAt: 0 })
        throw new Error('rolled back')
      }),
    )
    await store.write(async (tx) => {
      for (let n = 0; n < 30; n++) await addJob(tx, 'letter', { key: `k${n}`, data: '', dueAt: 0 })
    })
    await jobs.idle()
    assert.deepEqual([done.size, done.has('never'), most <= 4, await left(store)], [30, false, true, []])
    await jobs.close()
  })

  test('a job that fails is tried again after each delay, then given up', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const tries: [number, boolean][] = []
    const run = async ({ failures, isLast }: Job) => {
      tries.push([failures, isLast])
      throw new Error('no')
    }
    const { jobs, failures } = await work(store, clock, { letter: { retryMs: [1_000, 5_000], run } })
    await add(store, 'a')
    await jobs.idle()
    await clock.advance(999)
    await jobs.idle()
    assert.equal(tries.length, 1)
    await clock.advance(1)
    await jobs.idle()
    assert.equal(tries.length, 2)
    await clock.advance(5_000)
    await jobs.idle()
    assert.deepEqual(tries, [
      [0, false],
      [1, false],
      [2, true],
    ])
    assert.deepEqual([await left(store), failures.length], [[], 3])
    await jobs.close()
  })

  test('what a dead process held is done by another when its lease has run out; what the dead one learns changes nothing', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const dead = Promise.withResolvers<void>()
    // For the dead no time passes.
    const first = await work(store, manualClock(), { letter: { run: () => dead.promise } })
    await add(store, 'a')
    await eventually(async () => (await store.read.selectFrom('jobs').selectAll().executeTakeFirst())?.lease_token !== null)
    const again = Promise.withResolvers<void>()
    let runs = 0
    const kind = { run: () => (runs++, again.promise) }
    const second = await work(store, clock, { letter: kind }, { seed: 2 })
    await clock.advance(minute / 2 - 1)
    assert.equal(runs, 0)
    await clock.advance(2_000)
    await eventually(async () => runs === 1)
    dead.resolve()
    await first.jobs.close()
    assert.deepEqual(await left(store), ['a'], 'its lease is lost')
    again.resolve()
    await second.jobs.close()
    assert.deepEqual([await left(store), runs], [[], 1])
  })

  test('who has the store alone does at once what was held when it died', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const held = { kind: 'letter', key: 'a', data: '', due_at: clock.now() + minute, failures: 0, lease_token: 'dead' }
    await store.write((tx) => tx.insertInto('jobs').values(held).execute())
    let runs = 0
    const { jobs } = await work(store, clock, { letter: { run: async () => void runs++ } }, { isAlone: true })
    await jobs.idle()
    assert.deepEqual([runs, await left(store)], [1, []])
    await jobs.close()
  })

  test('what comes back is done by one of the processes, after a failure too, until they end', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    let runs = 0
    const sweep = {
      everyMs: 10_000,
      run: () => (runs++ === 1 ? Promise.reject(new Error('once')) : Promise.resolve()),
    }
    const [one, other] = [await work(store, clock, { sweep }), await work(store, clock, { sweep }, { seed: 2 })]
    for (let round = 1; round <= 3; round++) {
      await clock.advance(10_000)
      await Promise.all([one.jobs.idle(), other.jobs.idle()])
      // What ends late begins late.
      await clock.advance(1_000)
      await Promise.all([one.jobs.idle(), other.jobs.idle()])
      assert.equal(runs, round)
    }
    await Promise.all([one.jobs.close(), other.jobs.close()])
    await clock.advance(minute)
    assert.equal(runs, 3)
    assert.deepEqual([...one.failures, ...other.failures], ['sweep: once'])
  })

  test('a kind that is full holds up no other, and what is not over runs again at its time without having failed', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const slow = Promise.withResolvers<void>()
    const done: string[] = []
    const { jobs } = await work(store, clock, {
      slow: { atOnce: 1, run: () => slow.promise },
      letter: {
        async run({ key, failures }) {
          done.push(`${key} ${failures}`)
          return done.length === 1 ? { againAt: clock.now() + 1_000 } : undefined
        },
      },
    })
    await store.write((tx) => addJob(tx, 'slow', { key: '1' }, { key: '2' }))
    await add(store, 'a')
    await eventually(async () => done.length === 1)
    await eventually(
      async () => (await store.read.selectFrom('jobs').selectAll().where('key', '=', 'a').executeTakeFirst())?.lease_token === null,
    )
    const held = await store.read.selectFrom('jobs').select('key').where('lease_token', 'is not', null).execute()
    assert.deepEqual(held, [{ key: '1' }])
    await clock.advance(1_000)
    await eventually(async () => done.length === 2)
    slow.resolve()
    await jobs.idle()
    assert.deepEqual([done, await left(store)], [['a 0', 'a 0'], []])
    await jobs.close()
  })

  test('a job that goes on keeps its lease, and one whose lease is lost is told so, writes nothing and has not failed', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const [written, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let [begun, held] = [0, 0]
    const run = async ({ hold, signal }: Job) => {
      begun++
      signal.addEventListener('abort', () => lost.resolve())
      await written.promise
      await store.write(hold)
      held++
      await lost.promise
      await store.write(hold)
      held++
    }
    const { jobs, failures } = await work(store, clock, { letter: { run } })
    const other = await work(store, clock, { letter: { run } }, { seed: 2 })
    await add(store, 'a')
    await eventually(async () => begun === 1)
    await clock.advance(5 * minute)
    written.resolve()
    await eventually(async () => held === 1)
    await store.write((tx) =>
      tx
        .updateTable('jobs')
        .set({ lease_token: 'another', due_at: clock.now() + 10 * minute })
        .execute(),
    )
    await clock.advance(minute)
    await lost.promise
    await Promise.all([jobs.close(), other.jobs.close()])
    assert.deepEqual([failures, other.failures, begun, held, await left(store)], [[], [], 1, 1, ['a']])
  })

  test('a job that ends because its process does is given back at once, and has not failed', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const begun = Promise.withResolvers<void>()
    const run = ({ signal }: Job) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('ended')))
        begun.resolve()
      })
    const first = await work(store, clock, { letter: { run } })
    await add(store, 'a')
    await begun.promise
    await first.jobs.close()
    const done: number[] = []
    const second = await work(store, clock, { letter: { run: async ({ failures }) => void done.push(failures) } })
    await second.jobs.idle()
    assert.deepEqual([first.failures, done, await left(store)], [[], [0], []])
    await second.jobs.close()
  })

  test('a process leaves kinds that it does not know to the others', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const { jobs } = await work(store, clock, { other: { run: async () => undefined } })
    await add(store, 'a')
    await clock.advance(2_000)
    await jobs.idle()
    assert.deepEqual(await left(store), ['a'])
    await jobs.close()
  })
})
