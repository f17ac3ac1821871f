// Which link somebody came by: kept at the door, cleaned and bounded, shown with attendees, leads, figures and events, erased with the lead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventBodies } from '@rostrum/contract/events'
import { joinTalk } from '../support/attendee.ts'
import { everyRow } from '../support/every-row.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_, open) => {
  test('an attendee and their lead keep it, the host sees it everywhere, and an erasure takes it', () =>
    withService(open, async (app) => {
      const slides = [{ textContent: 'Grid\n- A battery shifts the peak' }]
      const { sessionId, slug } = (await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides })).body
      const path = `/api/v1/agent/sessions/${sessionId}`
      const utm = { source: ' News\u0007 letter\n', campaign: 'autumn-canary', medium: '  ' }
      const maya = await joinTalk(app, slug, { name: 'Maya', utm })
      const other = await joinTalk(app, slug, { utm: { source: 'News letter' } })
      const nobody = await joinTalk(app, slug)
      const kept = { source: 'News letter', campaign: 'autumn-canary' }

      const { body: came } = await app.api('GET', `${path}/attendees`)
      const utmOf = (id: string) => came.attendees.find((one: { attendeeId: string }) => one.attendeeId === id)?.utm
      assert.deepEqual([utmOf(maya.attendeeId), utmOf(nobody.attendeeId)], [kept, undefined])

      assert.equal((await maya.act('lead', { email: 'maya@example.com', consent: true })).status, 200)
      assert.equal((await nobody.act('lead', { email: 'no@example.com', consent: true })).status, 200)
      const { body: exported } = await app.api('GET', `${path}/leads`)
      const lead = exported.leads.find((one: { email: string }) => one.email === 'maya@example.com')
      assert.deepEqual(lead.utm, kept)
      const headers = { Authorization: `Bearer ${app.key}`, Accept: 'text/csv' }
      const csv = (await app.request(`${path}/leads`, { headers })).text
      assert.match(csv, /"utm_source","utm_medium","utm_campaign","utm_term","utm_content"/)
      assert.match(csv, /"News letter","","autumn-canary","",""/)

      const events = await app.store.read
        .selectFrom('domain_events')
        .select('body')
        .where('type', '=', 'lead.captured')
        .orderBy('sequence')
        .execute()
      const told = events.map(({ body }) => eventBodies['lead.captured'].parse(JSON.parse(body)).data.lead)
      assert.deepEqual(
        told.map((one) => one?.utm),
        [kept, undefined],
      )

      const { body: figures } = await app.api('GET', `${path}/analytics`)
      assert.deepEqual(figures.sources, [
        { source: 'News letter', attendees: 2, leads: 1 },
        { source: null, attendees: 1, leads: 1 },
      ])

      assert.equal((await app.api('DELETE', `${path}/leads/${lead.id}`)).status, 200)
      for (const [table, rows] of await everyRow(app.store)) assert.ok(!JSON.stringify(rows).includes('autumn-canary'), table)
      for (const attendee of [maya, other, nobody]) await attendee.close()
    }))

  test('what is too long, or no text, is refused with where; a talk for everybody keeps it too', () =>
    withService(open, async (app) => {
      const wanted = { title: 'Grid', mode: 'broadcast', isLive: true, slides: [{ textContent: 'Grid' }] }
      const { sessionId, slug } = (await app.api('POST', '/api/v1/agent/sessions', wanted)).body
      const join = (utm: unknown) => app.api('POST', `/api/v1/rooms/${slug}/attendees`, { utm }, null)
      for (const source of ['a'.repeat(101), 7]) {
        const { status, body } = await join({ source })
        assert.deepEqual([status, body.errors?.[0]?.pointer], [400, '#/utm/source'])
      }
      const ann = await joinTalk(app, slug, { utm: { source: 'x' } })
      const { body } = await app.api('GET', `/api/v1/agent/sessions/${sessionId}/attendees`)
      assert.deepEqual(body.attendees[0]?.utm, { source: 'x' })
      await ann.close()
    }))
})
