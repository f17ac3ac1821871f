// The address of a talk is its own, whatever chance draws.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemIds } from '@rostrum/base/clock'
import { openService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_, open) => {
  test('a slug that another session has is drawn anew: thousands of talks of one title once answered 500', async () => {
    // The random end of a slug is all that draws six bytes: two in a row are the same.
    const { store } = await open()
    let drawn = 0
    const bytes = (length: number) => (length === 6 ? new Uint8Array(6).fill(Math.floor(drawn++ / 2)) : systemIds.bytes(length))
    const app = await openService({ store, ids: { ...systemIds, bytes } })
    try {
      const create = async () => (await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid' })).body
      const [first, second] = [await create(), await create()]
      assert.deepEqual([first.slug, second.slug], ['grid-aaaaaa', 'grid-bbbbbb'])
      assert.equal(second.shareLink, `${app.baseUrl}/join/grid-bbbbbb`)
      const copy = await app.api('POST', `/api/v1/agent/sessions/${first.sessionId}/duplicate`)
      assert.equal(copy.status, 201)
      assert.equal(copy.body.slug, 'grid-cccccc')
    } finally {
      await app.close()
    }
  })
})
