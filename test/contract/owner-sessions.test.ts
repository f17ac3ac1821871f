// What the command line does for the owner, on both stores.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemIds } from '@rostrum/base/clock'
import { ownerSessions, presentFile } from '../../server/owner-sessions.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_name, open) => {
  test('a file that is presented gets a session of its own: it took that of anybody with its title, and published it', (t) =>
    withService(open, async ({ api, service, store, clock, accountId }) => {
      const folder = mkdtempSync(join(tmpdir(), 'rostrum-files-'))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      const path = join(folder, 'grid-storage.md')
      writeFileSync(path, '# From the file')
      const slides = [{ textContent: 'Not ready' }]
      const { sessionId } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid storage', slides })).body
      const own = ownerSessions({ areas: service, store, clock, ids: systemIds, accountId })
      const first = await presentFile(own, path)
      const again = await presentFile(own, path)
      assert.deepEqual(again, first)
      await service.jobs.idle()
      const { body } = await api('GET', `/api/v1/agent/sessions/${sessionId}`)
      assert.deepEqual([body.status, body.shareLink === first.url], ['draft', false])
      const deck = (await api('GET', `/api/v1/agent/sessions/${sessionId}/deck`)).body
      assert.equal(deck.slides[0].textContent, 'Not ready')
    }))

  test('a session that is created from a deck and without a title takes the title of the deck; one with a title keeps it', () =>
    withService(open, async ({ api, service, store, clock, accountId }) => {
      const own = ownerSessions({ areas: service, store, clock, ids: systemIds, accountId })
      const deck = (text: string) => ({ name: 'final_v3.md', bytes: Buffer.from(text) })
      const titles = async (wanted: { title?: string }, text: string) => {
        const { sessionId } = await own.createReady({ ...wanted, publish: false, deck: deck(text) })
        return (await api('GET', `/api/v1/agent/sessions/${sessionId}`)).body.title
      }
      assert.equal(await titles({}, '# Quiet pumps\n\nThey make 32 decibels'), 'Quiet pumps')
      assert.equal(await titles({ title: 'Mine' }, '# Quiet pumps\n\nThey make 32 decibels'), 'Mine')
      assert.equal(await titles({}, '![](https://example.com/a.png)'), 'Final v3')
    }))
})
