// Turns of accounts in the store, over several processes: a host is read after one file of whoever sends many, and what an account has had
// read within the hour is counted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobs, type Jobs } from '../../server/platform/db/jobs.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { insertDeck } from '../../server/decks/deck-rows.ts'
import { type Allowance, countWork, forgetTurns, placeInLine, takeTurn } from '../../server/decks/ingest/turns.ts'
import { eventually, type ManualClock, manualClock } from '../support/clock.ts'
import { seededIds } from '../support/ids.ts'
import { eachStore } from '../support/stores.ts'

const ids = seededIds(7)
const second = 1_000
const hour = 3_600 * second

async function account(store: Store, id: string, kind: 'person' | 'agent' = 'person'): Promise<string> {
  const row = { id, kind, name: id, created_at: 0 }
  await store.write((tx) =>
    tx
      .insertInto('accounts')
      .values(row as never)
      .execute(),
  )
  return id
}

function send(store: Store, account_id: string, now: number, sizeBytes = 15_000): Promise<string> {
  const deck = { session_id: ids.uuid(), account_id, kind: 'pdf' as const, created_at: now, sizeBytes }
  return store.write(async (tx) => (await insertDeck(tx, ids, deck)).id)
}

interface Reader {
  jobs: Jobs
}

/** Each reading takes ten seconds of the account. */
async function reader(
  store: Store,
  clock: ManualClock,
  read: string[],
  { allowance = null, atOnce = 1, seed = 1, until }: { allowance?: Allowance; atOnce?: number; seed?: number; until?: Promise<void> } = {},
): Promise<Reader> {
  const jobs = createJobs({
    store,
    clock,
    ids: seededIds(seed),
    isAlone: false,
    onFailure: (_, error) => assert.fail(String(error)),
    kinds: {
      deck: {
        atOnce,
        next: (tx, now, room) => takeTurn(tx, 'deck', { now, allowance, isForAll: atOnce === 1 || room > 1 }),
        async run({ key }) {
          const deck = await store.read.selectFrom('decks').select('account_id').where('id', '=', key).executeTakeFirstOrThrow()
          read.push(deck.account_id)
          await until
          await store.write((tx) => countWork(tx, 'deck', deck.account_id, clock.now(), 10 * second))
        },
      },
    },
  })
  await jobs.start()
  return { jobs }
}

eachStore((_, open) => {
  test('a host waited for every file that somebody else had sent before', async () => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    for (const id of ['many', 'host']) await account(store, id)
    for (let n = 0; n < 4; n++) await send(store, 'many', clock.now() + n)
    const deck = await send(store, 'host', clock.now() + 4, 900_000)
    await clock.advance(10)
    assert.deepEqual(await placeInLine(store.read, 'deck', deck, clock.now(), null), { before: 1, seconds: 8 })
    const read: string[] = []
    // Two processes share the line.
    const other = await another()
    const readers = [await reader(store, clock, read), await reader(other, clock, read, { seed: 2 })]
    while ((await store.read.selectFrom('jobs').select('key').execute()).length > 0)
      await Promise.all(readers.map(({ jobs }) => jobs.idle()))
    assert.equal(read.length, 5)
    assert.ok(read.indexOf('host') <= 2, read.join(' '))
    for (const { jobs } of readers) await jobs.close()
  })

  test('agents that nobody has claimed come last, and do not get the last of several places', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    await account(store, 'guest', 'agent')
    await account(store, 'host')
    for (let n = 0; n < 2; n++) await send(store, 'guest', clock.now())
    await send(store, 'host', clock.now())
    const take = (isForAll: boolean) => store.write((tx) => takeTurn(tx, 'deck', { now: clock.now(), allowance: null, isForAll }))
    const owner = async (key: string | undefined) =>
      (
        await store.read
          .selectFrom('decks')
          .select('account_id')
          .where('id', '=', key ?? '')
          .executeTakeFirst()
      )?.account_id
    assert.equal(await owner(await take(true)), 'host')
    await store.write((tx) => tx.deleteFrom('decks').where('account_id', '=', 'host').execute())
    await store.write((tx) => tx.deleteFrom('jobs').where('key', 'not in', tx.selectFrom('decks').select('id')).execute())
    assert.equal(await take(false), undefined)
    assert.equal(await owner(await take(true)), 'guest')
  })

  test('one account had every reader of a process', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    for (const id of ['many', 'host']) await account(store, id)
    for (let n = 0; n < 3; n++) await send(store, 'many', clock.now() + n)
    await clock.advance(10)
    const read: string[] = []
    const held = Promise.withResolvers<void>()
    const { jobs } = await reader(store, clock, read, { atOnce: 2, until: held.promise })
    await eventually(async () => read.length === 1)
    await send(store, 'host', clock.now())
    await eventually(async () => read.length === 2)
    assert.deepEqual(read, ['many', 'host'])
    held.resolve()
    await jobs.idle()
    await jobs.close()
  })

  test('an account whose reading time of the hour is used up waits for the next, an unclaimed agent after a tenth', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    await account(store, 'guest', 'agent')
    await account(store, 'host')
    const allowance = 30 * second
    const left: string[] = []
    for (let n = 0; n < 4; n++) left.push(await send(store, 'host', clock.now() + n), await send(store, 'guest', clock.now() + n))
    await clock.advance(10)
    const read: string[] = []
    const { jobs } = await reader(store, clock, read, { allowance })
    await jobs.idle()
    assert.deepEqual([read.filter((who) => who === 'host').length, read.filter((who) => who === 'guest').length], [3, 1])
    const waits = (await store.read.selectFrom('jobs').select('key').execute()).map(({ key }) => key)
    const place = await placeInLine(store.read, 'deck', waits[0] ?? '', clock.now(), allowance)
    assert.equal(place?.goesOnAt, (Math.floor(clock.now() / hour) + 1) * hour)
    await clock.advance(hour)
    await jobs.idle()
    assert.equal(read.filter((who) => who === 'host').length, 4)
    await jobs.close()
    await store.write((tx) => forgetTurns(tx, clock.now() + 3 * hour))
    assert.deepEqual(await store.read.selectFrom('turns').selectAll().execute(), [])
  })

  test('a file that was replaced before it was read took a turn of its account', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const deck = { session_id: ids.uuid(), account_id: 'host', kind: 'pdf' as const, created_at: clock.now() }
    for (let n = 0; n < 3; n++) await store.write((tx) => insertDeck(tx, ids, deck))
    assert.equal((await store.read.selectFrom('jobs').select('key').execute()).length, 1)
  })
})
