// A lead belongs to who gave it: what a stranger sends for the same address touches nothing, tells nothing, and is shown as what it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventBodies } from '@rostrum/contract/events'
import { joinTalk } from '../support/attendee.ts'
import { everyRow } from '../support/every-row.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const address = 'maya@example.com'
const maya = { email: address, name: 'Maya Lin', phone: '+351 912', company: 'Grid Ltd' }
const forged = { email: 'MAYA@example.com', name: 'Mallory', phone: '+1 900', company: 'Scam Inc', notes: 'call me', ctaClicked: true }

interface Talk extends TestService {
  sessionId: string
  slug: string
  path: string
}

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

const leadsOf = async ({ api, path }: Talk): Promise<Body[]> => (await api('GET', `${path}/leads`)).body.leads
const eventsOf = async ({ store }: Talk) =>
  (await store.read.selectFrom('domain_events').selectAll().orderBy('sequence').execute()).map((row) => {
    const body: Body = JSON.parse(row.body)
    return { type: row.type, isErased: row.scrubbed_at !== null, body }
  })

eachStore((_, open) => {
  const guarantee = (name: string, fn: (app: Talk) => Promise<void>, mode = 'broadcast') =>
    test(name, () =>
      withService(open, async (app) => {
        const slides = [{ textContent: 'Grid\n- A battery shifts the peak' }]
        const offer = { ctaText: 'Book a call', ctaUrl: 'https://example.com/call' }
        const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', mode, isLive: true, slides, ...offer })
        await fn({ ...app, sessionId: body.sessionId, slug: body.slug, path: `/api/v1/agent/sessions/${body.sessionId}` })
      }),
    )
  const send = ({ api, sessionId }: Talk, details: object, key: string) => api('POST', '/api/v1/pap/leads', { sessionId, ...details }, key)

  guarantee('an agent of a stranger could overwrite name, phone and consent of a lead by naming its address', async (app) => {
    await send(app, maya, await app.newKey())
    const [before] = await leadsOf(app)
    await app.clock.advance(60_000)
    await app.api('PATCH', app.path, { consentText: 'Everything is allowed.' })
    await send(app, forged, await app.newKey())
    const [second, first, ...others] = await leadsOf(app)
    assert.deepEqual(others, [])
    assert.deepEqual(first, before)
    assert.equal(second.repeatOf, first.id)
    assert.deepEqual([second.name, second.consentText], ['Mallory', 'Everything is allowed.'])
  })

  guarantee('an attendee could overwrite the lead of another attendee, or of an agent', async (app) => {
    await send(app, maya, await app.newKey())
    const ben = await joinTalk(app, app.slug, { name: 'Ben' })
    const carla = await joinTalk(app, app.slug, { name: 'Carla' })
    for (const guest of [ben, carla]) await guest.act('lead', { email: address, company: guest.attendeeId, consent: true })
    const leads = await leadsOf(app)
    const first = leads.find(({ name }) => name === 'Maya Lin').id
    assert.deepEqual(Object.fromEntries(leads.map(({ name, repeatOf }) => [name, repeatOf])), {
      Ben: first,
      Carla: first,
      'Maya Lin': undefined,
    })
    const captured = (await eventsOf(app)).filter(({ type }) => type === 'lead.captured').map(({ body }) => body.data.lead)
    assert.deepEqual(new Set(captured.map(({ id }) => id)), new Set(leads.map(({ id }) => id)))
    await ben.close()
    await carla.close()
  })

  guarantee('the answer to a stranger told whether an address was known to the host', async (app) => {
    const [key, other] = [await app.newKey(), await app.newKey()]
    const first = await send(app, maya, key)
    const known = await send(app, forged, other)
    const unknown = await send(app, { ...forged, email: 'nobody@example.com' }, other)
    const again = await send(app, maya, key)
    const words = ({ status, body: { leadId: _, ...said } }: Body) => ({ status, said })
    assert.deepEqual(words(known), words(unknown))
    assert.deepEqual(words(known), words(first))
    assert.deepEqual(words(again), words(first))
    assert.deepEqual(words(first).said, { success: true, message: 'Sent. The host has the details.' })
    assert.equal(again.body.leadId, first.body.leadId)
    assert.notEqual(known.body.leadId, first.body.leadId)
    const guest = await joinTalk(app, app.slug, {})
    const room = [address, 'other@example.com'].map((email) => guest.act('lead', { email, consent: true }))
    const [inRoom, freshInRoom] = (await Promise.all(room)).map(words)
    assert.deepEqual(inRoom, freshInRoom)
    await guest.close()
  })

  guarantee('of many who send one address at the same time each has an entry, and one of them is the first', async (app) => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => app.newKey()))
    const sent = await Promise.all(keys.map((key) => send(app, maya, key)))
    assert.deepEqual([...new Set(sent.map(({ status }) => status))], [200])
    const leads = await leadsOf(app)
    assert.equal(leads.length, keys.length)
    const [first, ...more] = leads.filter(({ repeatOf }) => repeatOf === undefined)
    assert.deepEqual(more, [])
    for (const { id, repeatOf } of leads) assert.equal(repeatOf, id === first.id ? undefined : first.id)
  })

  guarantee('the first consent is never changed, later ones are appended, and lead.updated says what is new', async (app) => {
    const key = await app.newKey()
    await send(app, { email: address }, key)
    const [before] = await leadsOf(app)
    await app.clock.advance(60_000)
    await send(app, { email: address }, key)
    assert.deepEqual(await leadsOf(app), [before])
    await app.api('PATCH', app.path, { consentText: 'You may call me.' })
    await send(app, { email: address, phone: '+351 912' }, key)
    const [after] = await leadsOf(app)
    assert.deepEqual([after.consentText, after.consentAt], [before.consentText, before.consentAt])
    assert.equal(after.phone, '+351 912')
    assert.deepEqual(
      after.consents.map(({ text, version }: Body) => [text, version]),
      [
        [before.consentText, 1],
        ['You may call me.', 2],
      ],
    )
    const updates = (await eventsOf(app)).filter(({ type }) => type === 'lead.updated').map(({ body }) => body)
    assert.deepEqual(
      updates.map(({ data }) => [data.changed, data.lead.id, data.consent.text]),
      [[['phone', 'consent'], after.id, before.consentText]],
    )
    for (const body of updates) assert.deepEqual(eventBodies['lead.updated'].parse(body), body)
  })

  guarantee('a script that sends its own entry over and over keeps the first consent and the last ones', async (app) => {
    const key = await app.newKey()
    for (let n = 0; n < 60; n++) {
      await send(app, { email: address, notes: `note ${n}` }, key)
      await app.clock.advance(4_000)
    }
    const [lead] = await leadsOf(app)
    assert.equal(lead.notes, 'note 59')
    assert.equal(lead.consents.length, 50)
    assert.equal(lead.consents[0].at, lead.consentAt)
    assert.equal(lead.consents[0].at, lead.created_at)
  })

  guarantee('a click on the call to action after the details were left was not seen in the lead', async (app) => {
    const guest = await joinTalk(app, app.slug, { name: 'Maya Lin' })
    const other = await joinTalk(app, app.slug, { name: 'Ben' })
    for (const each of [guest, other]) await each.act('lead', { email: address, consent: true })
    assert.deepEqual(
      (await leadsOf(app)).map(({ ctaClicked }) => ctaClicked),
      [false, false],
    )
    await guest.act('cta', { action: 'click' })
    assert.deepEqual(Object.fromEntries((await leadsOf(app)).map(({ name, ctaClicked }) => [name, ctaClicked])), {
      'Maya Lin': true,
      Ben: false,
    })
    const events = (await eventsOf(app)).filter(({ type }) => type === 'lead.updated' || type === 'cta.clicked')
    assert.deepEqual(
      events.map(({ type, body }) => [type, body.data.changed, body.data.lead?.ctaClicked, body.data.attendee.name]),
      [
        ['cta.clicked', undefined, undefined, 'Maya Lin'],
        ['lead.updated', ['ctaClicked'], true, 'Maya Lin'],
      ],
    )
    assert.deepEqual(eventBodies['lead.updated'].parse(events[1]?.body), events[1]?.body)
    await other.act('cta', { action: 'click' })
    await other.act('lead', { email: 'ben@example.com', consent: true })
    assert.ok((await leadsOf(app)).every(({ ctaClicked }) => ctaClicked))
    await guest.close()
    await other.close()
  })

  guarantee(
    'the name typed at the door was not the name of the lead, nor was it there when details came in a conversation',
    async (app) => {
      const guest = await joinTalk(app, app.slug, { name: 'Maya Lin' })
      await guest.act('lead', { email: address, consent: true })
      await guest.act('lead', { email: 'other@example.com', name: 'Maya L.', consent: true })
      await guest.act('lead', { email: address, company: 'Grid Ltd', consent: true })
      const named = Object.fromEntries((await leadsOf(app)).map(({ email, name }) => [email, name]))
      assert.deepEqual(named, { [address]: 'Maya Lin', 'other@example.com': 'Maya L.' })
      await guest.close()
    },
  )

  guarantee('an erasure finds every entry of an address, whoever sent it, and every event that told of them', async (app) => {
    const [key, other] = [await app.newKey(), await app.newKey()]
    await send(app, maya, key)
    await send(app, { ...maya, notes: 'canary' }, key)
    await send(app, forged, other)
    const guest = await joinTalk(app, app.slug, { name: 'Maya Lin' })
    await guest.act('lead', { ...maya, consent: true })
    await guest.act('cta', { action: 'click' })
    await guest.act('questions', { text: 'I want to buy this, where do I sign up?' })
    await send(app, { email: 'ben@example.com', name: 'Ben' }, other)
    const second = (await leadsOf(app)).find(({ name }) => name === 'Mallory')
    const { status, body } = await app.api('DELETE', `${app.path}/leads/${second.id}`)
    assert.deepEqual([status, body], [200, { id: second.id, deleted: true, count: 3 }])
    assert.deepEqual(
      (await leadsOf(app)).map(({ name }) => name),
      ['Ben'],
    )
    for (const [table, rows] of await everyRow(app.store))
      for (const word of ['Maya', 'maya@', 'MAYA@', 'Mallory', '+351', '+1 900', 'canary'])
        assert.ok(!JSON.stringify(rows).includes(word), `${table} holds ${word}`)
    const erased = (await eventsOf(app)).filter(({ isErased }) => isErased).map(({ type }) => type)
    assert.deepEqual(erased.toSorted(), [
      'lead.captured',
      'lead.captured',
      'lead.captured',
      'lead.captured',
      'lead.updated',
      'lead.updated',
    ])
    await guest.close()
  })

  guarantee('a forged entry can be erased alone; of what is left the oldest is the first', async (app) => {
    for (const details of [forged, maya, { ...maya, name: 'Maya again' }]) {
      await send(app, details, await app.newKey())
      await app.clock.advance(1_000)
    }
    const [third, second, first] = await leadsOf(app)
    assert.deepEqual([third.repeatOf, second.repeatOf], [first.id, first.id])
    const { body } = await app.api('DELETE', `${app.path}/leads/${first.id}?only=true`)
    assert.equal(body.count, 1)
    assert.deepEqual(
      (await leadsOf(app)).map(({ name, repeatOf }) => [name, repeatOf]),
      [
        ['Maya again', second.id],
        ['Maya Lin', undefined],
      ],
    )
  })

  guarantee('a spreadsheet and the list of the account show the second entry as one', async (app) => {
    await send(app, maya, await app.newKey())
    await app.clock.advance(1_000)
    await send(app, forged, await app.newKey())
    const [second, first] = await leadsOf(app)
    const { body } = await app.api('GET', '/api/v1/agent/leads')
    assert.deepEqual(
      body.leads.map(({ repeatOf }: Body) => repeatOf),
      [first.id, undefined],
    )
    const headers = { Authorization: `Bearer ${app.key}`, Accept: 'text/csv' }
    const { text } = await app.request(`${app.path}/leads`, { headers })
    const [head = '', ...rows] = text.trim().split('\r\n')
    const at = head.split(',').indexOf('"repeatOf"')
    const ids = rows.map((row) => row.split(',')).map((cells) => [cells[0], cells.at(at - head.split(',').length)])
    assert.deepEqual(ids, [
      [`"${second.id}"`, `"${first.id}"`],
      [`"${first.id}"`, '""'],
    ])
  })

  guarantee('lead.updated is sent to who names it, needs leads:read, and nobody else gets it', async (app) => {
    const url = 'https://hooks.example.com/in'
    const subscribe = (event_types: string[], key: string) => app.api('POST', '/api/v1/webhooks', { url, event_types }, key)
    const narrow = await app.newKey({ accountId: app.accountId, scopes: ['sessions:read', 'sessions:write'] })
    assert.equal((await subscribe(['lead.updated'], narrow)).status, 403)
    const named = (await subscribe(['lead.updated'], app.key)).body
    const { body: types } = await app.api('GET', '/api/v1/webhooks/event-types')
    const seven = types.event_types.filter(({ isOptIn }: Body) => !isOptIn).map(({ name }: Body) => name)
    assert.equal(seven.length, 7)
    const all = (await subscribe(seven, app.key)).body
    const key = await app.newKey()
    await send(app, { email: address }, key)
    await send(app, maya, key)
    await app.clock.advance(2_000)
    const sent = async ({ id }: Body) =>
      (await app.store.read.selectFrom('webhook_deliveries').select('type').where('subscription_id', '=', id).execute()).map(
        ({ type }) => type,
      )
    assert.deepEqual(await sent(named), ['lead.updated'])
    assert.ok(!(await sent(all)).includes('lead.updated'))
    assert.ok((await sent(all)).includes('lead.captured'))
  })
})
