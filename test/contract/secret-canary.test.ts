// The secret of a process is the one of its store, or it does not start; and a delivery that cannot be signed waits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemIds } from '@rostrum/base/clock'
import { StartupError, type Store } from '../../server/platform/db/store.ts'
import { createVault } from '../../server/platform/vault.ts'
import { checkSecret } from '../../server/sealed.ts'
import { eachStore } from '../support/stores.ts'
import { openRig, rigOn } from '../webhooks/rig.ts'
import { verifyIndependently } from '../webhooks/verify.ts'

/** That of the rig, and another. */
const [own, other] = ['a secret of the operator', 'a secret of somebody else']
const check = (store: Store, ...secrets: string[]) => checkSecret(store, { secrets, source: 'ROSTRUM_SECRET', ids: systemIds })
const refused = (error: unknown) =>
  error instanceof StartupError &&
  /^ROSTRUM_SECRET is not the secret that this store was made with:.*ROSTRUM_SECRET=new,old/.test(error.message)

eachStore((_, open) => {
  const withRig = rigOn(open)

  test('a service with another secret called itself ready', async () => {
    const { store, another } = await open()
    // Two that start at once.
    await Promise.all([check(store, own), check(await another(), own)])
    await check(store, own)
    await assert.rejects(check(store, other), refused)
    await check(store, own)
  })

  test('a store of before has its canary sealed where what it holds opens, and is refused else', () =>
    withRig(async (rig) => {
      await rig.subscribe()
      await assert.rejects(check(rig.store, other), refused)
      assert.deepEqual(await rig.store.read.selectFrom('secret_canary').selectAll().execute(), [])
      await check(rig.store, own)
      await assert.rejects(check(rig.store, other), refused)
    }))

  test('once the old secret was taken away, webhooks that it had sealed were dead', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      await check(rig.store, own)
      await check(rig.store, other, own)
      await check(rig.store, other)
      await assert.rejects(check(rig.store, own), refused)
      const row = await rig.store.read.selectFrom('webhook_subscriptions').select('secret').executeTakeFirstOrThrow()
      assert.notEqual(createVault([other], systemIds).open(row.secret, id), undefined)
    }))

  test('a delivery that could not be signed counted its attempts and was given up', async () => {
    const { store } = await open()
    const rig = await openRig({ store })
    try {
      const { id, secret } = await rig.subscribe()
      const { secret: sealed } = await store.read.selectFrom('webhook_subscriptions').select('secret').executeTakeFirstOrThrow()
      const foreign = createVault([other], systemIds).seal(Buffer.from('a key'), id)
      const put = (value: Uint8Array) => store.write((tx) => tx.updateTable('webhook_subscriptions').set({ secret: value }).execute())
      await put(foreign)
      await rig.restart()
      await rig.event(1)
      await rig.quiet()
      for (let minutes = 0; minutes < 60; minutes++) await rig.advance(60_000)
      const waits = await rig.delivery()
      assert.deepEqual([waits.status, waits.attempts, waits.chain_attempt, waits.last_reason], ['pending', 0, 0, 'secret_unreadable'])
      assert.deepEqual(await store.read.selectFrom('webhook_attempts').selectAll().execute(), [])
      assert.equal(rig.sink.received.length, 0)
      await put(sealed)
      await rig.restart()
      await rig.advance(60_000)
      await rig.sink.until(1)
      await rig.webhooks.idle()
      const [got] = rig.sink.received
      assert.ok(got)
      verifyIndependently(secret, got)
      assert.deepEqual([(await rig.delivery()).status, (await rig.delivery()).attempts], ['succeeded', 1])
    } finally {
      rig.faults.length = 0
      await rig.close()
    }
  })
})
