// [5.7-1] Revoking a credential ends what was opened with it, not only what comes next.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_, open) => {
  test('[5.7-1] the stream of a host ends with the word `revoked` within a second of the revocation', () =>
    withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', {
        title: 'Grid',
        isLive: true,
        slides: [{ textContent: 'Grid\n- One' }],
      })
      const maya = await joinTalk(app, body.slug)
      const key = await app.newKey({ accountId: app.accountId })
      const host = await app.stream(`/api/v1/runs/${maya.runId}/stream`, key)
      const seen: string[] = []
      await eventually(async () => {
        seen.push(...(await host.read()).map(({ event }) => event))
        return seen.includes('snapshot')
      })
      assert.equal((await app.api('POST', '/api/v1/auth/revoke', { token: key }, null)).body.token_revoked, true)
      assert.equal((await app.api('GET', '/api/v1/agent/sessions', undefined, key)).status, 401)
      let last: { event: string; data: { reason?: string } } | undefined
      await app.clock.advance(1_000)
      await eventually(async () => {
        last = (await host.read()).at(-1) ?? last
        return last?.event === 'closed'
      })
      assert.equal(last?.data.reason, 'revoked')
      await host.close()
    }))
})
