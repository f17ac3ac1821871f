// Finding public sessions (spec 2.7), on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]

eachStore((_, open) => {
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>) => test(name, () => withService(open, fn))

  guarantee(
    '[2.7-1] discovery shows published, discoverable sessions to anybody, found by any part of title or description',
    async ({ api, clock }) => {
      const create = async (members: Record<string, unknown>) => {
        await clock.advance(1_000)
        return (await api('POST', '/api/v1/agent/sessions', { isLive: true, slides, ...members })).body.sessionId
      }
      await create({ title: 'Draft', isLive: false })
      await create({ title: 'Hidden', discoverable: false })
      const grid = await create({ title: 'Grid storage', description: 'Batteries at 100 %_ load', tags: ['energy'] })
      const bees = await create({ title: 'Bees' })
      const all = await api('GET', '/api/v1/discover', undefined, null)
      assert.equal(all.status, 200)
      assert.deepEqual(
        all.body.sessions.map((session: { id: string }) => session.id),
        [bees, grid],
      )
      assert.equal(all.body.total, 2)
      assert.deepEqual(Object.keys(all.body.sessions[1]), ['id', 'title', 'description', 'joinUrl', 'tags'])
      const found = async (query: string) =>
        (await api('GET', `/api/v1/discover?query=${encodeURIComponent(query)}`, undefined, null)).body.total
      assert.equal(await found('BATTERIES'), 1)
      assert.equal(await found('%_'), 1)
      assert.equal(await found('%'), 1)
      assert.equal(await found('nothing'), 0)
      assert.equal((await api('GET', '/api/v1/discover?limit=51', undefined, null)).status, 400)
    },
  )
})
