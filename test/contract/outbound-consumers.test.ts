// Everything that fetches an address somebody else chose passes one suite (Spec 6.4.2): webhooks when subscribed and when sent, the
// check of a call to action, client metadata, keys of issuers. `pdfUrl` and `imageUrl` pass it in test/decks/guard.test.ts.
import assert from 'node:assert/strict'
import { createIssuerKeys } from '../../server/agents/assertion.ts'
import { fetchClient } from '../../server/agents/clients.ts'
import { type Outbound, reachTarget } from '../../server/platform/egress/outbound.ts'
import { guardSuite } from '../support/guard-suite.ts'
import { openTestStore } from '../support/stores.ts'
import { openRig } from '../webhooks/rig.ts'

const nothing = async () => undefined

async function rigOver(outbound: Outbound) {
  const store = await openTestStore()
  const rig = await openRig({ store, outbound: () => outbound })
  return {
    rig,
    async close() {
      await rig.close()
      await store.close()
    },
  }
}

guardSuite(
  'a webhook as it is subscribed',
  async (outbound) => {
    const { rig, close } = await rigOver(outbound)
    return {
      fetch: (url) => rig.call('POST', '/api/v1/webhooks', { url, event_types: ['cta.clicked'] }),
      close,
    }
  },
  'judges',
)

guardSuite('a webhook as it is sent', async (outbound) => {
  const { rig, close } = await rigOver(outbound)
  let n = 0
  const made = await rig.call('POST', '/api/v1/webhooks', { url: 'https://93.184.216.34/hook', event_types: ['attendee.joined'] })
  assert.equal(made.status, 201)
  return {
    async fetch(url) {
      // Past the check at submission, as an address that was allowed once.
      await rig.store.write((tx) => tx.updateTable('webhook_subscriptions').set({ url, updated_at: ++n }).execute())
      rig.clock.set(rig.clock.now() + 2_000)
      await rig.event(n)
      await rig.quiet()
      const row = await rig.delivery((each) => each.status === 'retry_scheduled')
      assert.equal(row.attempts, 1, url)
      await rig.store.write((tx) => tx.deleteFrom('webhook_deliveries').execute())
    },
    close,
  }
})

guardSuite('the check of a call to action', async (outbound) => ({ fetch: (url) => reachTarget(outbound, url), close: nothing }))

guardSuite('client metadata', async (outbound) => ({
  async fetch(url) {
    assert.notEqual((await fetchClient(outbound, url)).status, 200)
  },
  close: nothing,
}))

guardSuite('keys of an issuer', async (outbound) => {
  const keys = createIssuerKeys(outbound)
  let now = 0
  return {
    async fetch(url) {
      now += 3_600_000
      assert.equal(await keys.get({ issuer: url, jwks_uri: url }, 'a', now), undefined)
    },
    close: nothing,
  }
})
