// A person who asks to be forgotten is erased over all talks of an account in one act, and over no other's; on both stores. The canary: not
// one row of any table names them afterwards.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTalk } from '../registrations/rig.ts'
import { everyRow } from '../support/every-row.ts'
import { eachStore } from '../support/stores.ts'

const canary = /quill|zanzibar/i
const slides = [{ textContent: 'Grid\n- A battery shifts the peak' }]

eachStore((_, open) => {
  test('a person is erased over all talks of an account in one act: leads, registrations, invitations, names in the logs; of others nothing', () =>
    withTalk(open, async (talk) => {
      const make = async (members: object, key?: string) =>
        (await talk.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, mode: 'isolated', slides, ...members }, key)).body
      // Left a lead in one room, in another spelling in a second, was invited to a third, registered for a fourth.
      const [first, second] = [await make({}), await make({})]
      const leave = async ({ slug }: { slug: string }, email: string) => {
        const { runId, attendeeToken } = (await talk.api('POST', `/api/v1/rooms/${slug}/attendees`, { name: 'Quill Zanzibar' }, null)).body
        const details = { id: crypto.randomUUID(), email, name: 'Quill Zanzibar', phone: '+351 912 555 777', consent: true }
        assert.equal((await talk.api('POST', `/api/v1/runs/${runId}/lead`, details, attendeeToken)).status, 200)
      }
      await leave(first, 'quill.z@gmail.com')
      await leave(second, 'QuillZ+talks@googlemail.com')
      const third = await make({ guests: [{ email: 'quillz@gmail.com', name: 'Quill' }, { email: 'tom@x.example' }] })
      const { guests } = (await talk.api('GET', `/api/v1/agent/sessions/${third.sessionId}`)).body
      // Came by the link of the invitation and left nothing but a name.
      const came = await talk.api('POST', `/api/v1/rooms/${third.slug}.${guests[0].key}/attendees`, { name: 'Quill Zanzibar' }, null)
      assert.equal(came.status, 200)
      await talk.register('quill.z@gmail.com', { name: 'Quill Zanzibar' })
      await talk.register('tom@x.example', { name: 'Tom' })
      const elsewhere = await talk.newKey()
      const others = await make({}, elsewhere)
      await talk.api('POST', '/api/v1/pap/leads', { sessionId: others.sessionId, email: 'quill.z@gmail.com' }, elsewhere)
      await talk.pass(0)
      const answer = await talk.api('POST', '/api/v1/agent/erasures', { email: 'Quill.Z@gmail.com' })
      assert.deepEqual([answer.status, answer.body], [200, { sessions: 4, leads: 2 }])
      await talk.pass(1_000)
      const left: string[] = []
      for (const [table, rows] of await everyRow(talk.store))
        for (const row of rows) if (canary.test(JSON.stringify(row)) && !JSON.stringify(row).includes(others.sessionId)) left.push(table)
      assert.deepEqual(left, [])
      assert.equal((await talk.api('GET', '/api/v1/agent/leads', undefined, elsewhere)).body.leads.length, 1)
      assert.deepEqual(
        (await talk.people()).map(({ email }) => email),
        ['tom@x.example'],
      )
      const { guests: kept } = (await talk.api('GET', `/api/v1/agent/sessions/${third.sessionId}`)).body
      assert.deepEqual(
        kept.map(({ email }: { email: string }) => email),
        ['tom@x.example'],
      )
      const again = await talk.api('POST', '/api/v1/agent/erasures', { email: 'quill.z@gmail.com' })
      assert.deepEqual([again.status, again.body], [200, { sessions: 0, leads: 0 }])
    }))

  test('erasing a person needs the right to read leads and the right to change, and an address', () =>
    withTalk(open, async (talk) => {
      for (const scopes of [['leads:read'], ['sessions:write']] as const) {
        const key = await talk.newKey({ accountId: talk.accountId, scopes })
        assert.equal((await talk.api('POST', '/api/v1/agent/erasures', { email: 'a@x.example' }, key)).status, 403)
      }
      assert.equal((await talk.api('POST', '/api/v1/agent/erasures', { email: 'nobody' })).body.errors[0].pointer, '#/email')
    }))
})
