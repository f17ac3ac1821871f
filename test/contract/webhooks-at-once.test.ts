// Changes of one webhook at the same moment, on both stores: what each answer shows is true afterwards.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilHeldUp } from '../support/held-up.ts'
import { eachStore } from '../support/stores.ts'
import type { Answer, Rig } from '../webhooks/rig.ts'
import { rigOn } from '../webhooks/rig.ts'
import { verifyWebhook } from '../../client/verify-webhook.ts'

eachStore((name, open) => {
  const withRig = rigOn(open)

  /** On PostgreSQL both wait until both have begun; SQLite makes one at a time. */
  async function twiceAtOnce({ store }: Rig, id: string, send: () => Promise<Answer>): Promise<Answer[]> {
    if (name !== 'postgres') return Promise.all([send(), send()])
    const sent = await store.write(async (tx) => {
      await tx.updateTable('webhook_subscriptions').set({ updated_at: 1 }).where('id', '=', id).execute()
      const both = [send(), send()]
      assert.equal(await untilHeldUp(store, ...both), 2)
      return { both }
    })
    return Promise.all(sent.both)
  }

  test('of a secret that is rotated twice at once each answer shows one that signs: that of the first never did', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      const answers = await twiceAtOnce(rig, id, () => rig.call('POST', `/api/v1/webhooks/${id}/rotate`, {}))
      await rig.event(1)
      await rig.quiet()
      const got = rig.sink.received.at(-1)
      assert.ok(got)
      for (const { status, body } of answers) {
        const now = Math.floor(got.at / 1_000)
        const { ok } = await verifyWebhook(got.body, got.headers, String(body['secret']), { now })
        assert.deepEqual([status, ok], [200, true])
      }
    }))

  test('a key pair that is switched on twice at once is one: the key of the first answer verified nothing', () =>
    withRig(async (rig) => {
      const { id } = await rig.subscribe()
      const answers = await twiceAtOnce(rig, id, () => rig.call('PATCH', `/api/v1/webhooks/${id}`, { ed25519: true }))
      const { body } = await rig.call('GET', `/api/v1/webhooks/${id}`)
      assert.ok(body['public_key'])
      assert.deepEqual(
        answers.map((each) => each.body['public_key']),
        [body['public_key'], body['public_key']],
      )
    }))
})
