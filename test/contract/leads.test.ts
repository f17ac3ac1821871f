// Leads: spec 2.6, consent, export, erasure, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_, open) => {
  interface Leads extends TestService {
    sessionId: string
    address: string
  }
  const guarantee = (name: string, fn: (app: Leads) => Promise<void>) =>
    test(name, () =>
      withService(open, async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides: [{ textContent: 'Grid' }] })
        const sessionId = String(body.sessionId)
        await fn({ ...app, sessionId, address: `/api/v1/agent/sessions/${sessionId}/leads` })
      }),
    )

  guarantee(
    '[2.6-2] a repeat for the same address updates the lead and returns its id, also 20 at once',
    async ({ api, sessionId, address, store }) => {
      const send = (members: Record<string, unknown>) => api('POST', '/api/v1/pap/leads', { sessionId, ...members })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => send({ email: i % 2 === 0 ? 'maya@example.com' : 'MAYA@example.com' })),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.equal(new Set(answers.map(({ body }) => body.leadId)).size, 1)
      assert.equal(answers.filter(({ body }) => body.created).length, 1)
      const updated = await send({ email: 'maya@example.com', name: 'Maya Lin', company: 'Grid Ltd', ctaClicked: true })
      assert.equal(updated.body.success, true)
      assert.equal(typeof updated.body.message, 'string')
      await send({ email: 'maya@example.com', phone: '+351 912' })
      const { body } = await api('GET', address)
      assert.equal(body.sessionId, sessionId)
      assert.equal(body.total, 1)
      const [lead] = body.leads
      assert.equal(lead.name, 'Maya Lin')
      assert.equal(lead.company, 'Grid Ltd')
      assert.equal(lead.phone, '+351 912')
      assert.equal(lead.ctaClicked, true)
      const events = await store.read.selectFrom('domain_events').select('type').where('type', '=', 'lead.captured').execute()
      assert.equal(events.length, 1)
    },
  )

  guarantee(
    '[2.6-1] [R-5] an exported lead has every member of the spec and the consent it was given under',
    async ({ api, sessionId, address }) => {
      await api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { consentText: 'You may call me.' })
      await api('POST', '/api/v1/pap/leads', { sessionId, email: 'maya@example.com' })
      const [lead] = (await api('GET', address)).body.leads
      for (const name of ['id', 'name', 'email', 'company', 'created_at']) assert.equal(typeof lead[name], 'string', name)
      assert.equal(lead.ctaClicked, false)
      assert.equal(lead.consentText, 'You may call me.')
      assert.equal(lead.source, 'personal_agent')
      assert.match(lead.consentAt, /^2026-11-20T12:00:/)
    },
  )

  guarantee('a talk in German asked for consent in English: the text follows the language, and its version with it', async (app) => {
    const { slug } = (await app.api('GET', `/api/v1/agent/sessions/${app.sessionId}`)).body
    const room = async () => (await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body
    assert.deepEqual([(await room()).consentText.slice(0, 7), (await room()).consentVersion], ['I agree', '1'])
    await app.api('PATCH', `/api/v1/agent/sessions/${app.sessionId}`, { language: 'de-AT' })
    const { consentText, consentVersion } = await room()
    assert.match(consentText, /^Ich stimme zu, /)
    assert.equal(consentVersion, '2')
    await app.api('POST', '/api/v1/pap/leads', { sessionId: app.sessionId, email: 'maya@example.com' })
    assert.equal((await app.api('GET', app.address)).body.leads[0].consentText, consentText)
    await app.api('PATCH', `/api/v1/agent/sessions/${app.sessionId}`, { language: 'nl' })
    assert.equal((await room()).consentText.slice(0, 7), 'I agree')
  })

  /** Somebody in the room of a broadcast, on a page loaded just now. */
  async function seated({ api, stream, sessionId }: Leads) {
    const { slug } = (await api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { mode: 'broadcast' })).body
    const { attendeeToken: token, runId } = (await api('POST', `/api/v1/rooms/${slug}/attendees`, { name: 'Maya' }, null)).body
    const page = await stream(`/api/v1/runs/${runId}/stream`, token)
    let seen = ''
    return {
      close: page.close,
      send: (action: string, body: object) => api('POST', `/api/v1/runs/${runId}/${action}`, { id: crypto.randomUUID(), ...body }, token),
      /** Of the last event that the page has shown. */
      async seen() {
        for (const { id } of await page.read()) if (id !== '') seen = id
        return seen
      },
    }
  }

  guarantee(
    'the form takes the consent text of now while a talk runs: from a page loaded after a change, not from one before',
    async (app) => {
      const { send, close } = await seated(app)
      await app.api('PATCH', `/api/v1/agent/sessions/${app.sessionId}`, { consentText: 'You may call me.' })
      const details = { email: 'maya@example.com', consent: true }
      assert.equal((await send('lead', { ...details, consentVersion: '1' })).status, 400)
      assert.equal((await send('lead', { ...details, consentVersion: '2' })).status, 200)
      const [lead] = (await app.api('GET', app.address)).body.leads
      assert.equal(lead.consentText, 'You may call me.')
      await close()
    },
  )

  guarantee('a "yes" is kept with the words of the prompt that it agreed to, whatever the host has written since', async (app) => {
    const { send, seen, close } = await seated(app)
    const rewrite = (consentText: string) => app.api('PATCH', `/api/v1/agent/sessions/${app.sessionId}`, { consentText })
    await rewrite('You may write to me.')
    await send('questions', { text: 'Write to maya@example.com' })
    const first = await seen()
    await rewrite('You may call me.')
    assert.equal((await send('questions', { text: 'yes', seen: first })).status, 200)
    const [lead] = (await app.api('GET', app.address)).body.leads
    assert.equal(lead.consentText, 'You may write to me.')
    await close()
  })

  guarantee('how far a host has come, and a note, are kept with the lead, tell nobody, and go with it', async (app) => {
    const { api, sessionId, address, store } = app
    await api('POST', '/api/v1/pap/leads', { sessionId, email: 'maya@example.com', notes: 'Call me.' })
    const [{ id, followUp }] = (await api('GET', address)).body.leads
    assert.equal(followUp, 'new')
    const kept = await api('PATCH', `${address}/${id}`, { followUp: 'contacted', hostNote: ' Wants the big package. ' })
    assert.deepEqual(
      [kept.status, kept.body.followUp, kept.body.hostNote, kept.body.notes],
      [200, 'contacted', 'Wants the big package.', 'Call me.'],
    )
    assert.equal((await api('PATCH', `${address}/${id}`, {})).body.hostNote, 'Wants the big package.')
    assert.equal('hostNote' in (await api('PATCH', `${address}/${id}`, { hostNote: null })).body, false)
    await api('PATCH', `${address}/${id}`, { hostNote: 'Once more.' })
    const events = await store.read.selectFrom('domain_events').select(['type', 'body']).execute()
    assert.equal(events.filter(({ type }) => type.startsWith('lead.')).length, 1)
    assert.ok(!JSON.stringify(events).includes('Once more'))
    assert.equal((await api('PATCH', `${address}/${id}`, { followUp: 'won' })).status, 400)
    await api('DELETE', `${address}/${id}`)
    assert.equal((await api('PATCH', `${address}/${id}`, { followUp: 'done' })).status, 404)
  })

  guarantee('a spreadsheet of leads runs no formula and has a byte order mark', async ({ request, key, api, sessionId, address }) => {
    await api('POST', '/api/v1/pap/leads', { sessionId, email: 'maya@example.com', name: '=HYPERLINK("http://x")' })
    const { status, headers, text } = await request(address, { headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' } })
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    assert.ok(text.includes(`"'=HYPERLINK(""http://x"")"`))
  })

  guarantee(
    'a spreadsheet of more leads than a page names the next page, so that none is lost',
    async ({ request, key, api, sessionId, address }) => {
      for (let i = 0; i < 5; i++) await api('POST', '/api/v1/pap/leads', { sessionId, email: `guest${i}@example.com` })
      const headers = { Authorization: `Bearer ${key}`, Accept: 'text/csv' }
      for (const start of [address, `/api/v1/agent/leads?sessionId=${sessionId}`, '/api/v1/agent/leads']) {
        const found: string[] = []
        const base = new URL(start, 'http://localhost')
        base.searchParams.set('limit', '2')
        for (let next: URL | undefined = base; next !== undefined;) {
          const page = await request(next.pathname + next.search, { headers })
          assert.equal(page.status, 200)
          found.push(...page.text.matchAll(/guest\d@example\.com/g).map(([email]) => email))
          const link: string | undefined = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
          next = link === undefined ? undefined : new URL(link, next)
        }
        assert.deepEqual(
          found.toSorted(),
          [0, 1, 2, 3, 4].map((i) => `guest${i}@example.com`),
          start,
        )
      }
      assert.equal((await request(address, { headers })).headers.get('link'), null)
    },
  )

  guarantee('a draft, an unknown session and a missing or bad address take no lead', async ({ api, sessionId }) => {
    const draft = (await api('POST', '/api/v1/agent/sessions', { title: 'Draft' })).body.sessionId
    const send = async (members: Record<string, unknown>) => (await api('POST', '/api/v1/pap/leads', members)).status
    assert.equal(await send({ sessionId: draft, email: 'a@example.com' }), 404)
    assert.equal(await send({ sessionId: '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11', email: 'a@example.com' }), 404)
    assert.equal(await send({ sessionId }), 400)
    assert.equal(await send({ sessionId, email: 'nobody' }), 400)
    assert.equal((await api('GET', '/api/v1/agent/leads')).body.total, 0)
  })

  guarantee('an erased lead is nowhere any more, not even in the event that told of it', async ({ api, sessionId, address, store }) => {
    const { body } = await api('POST', '/api/v1/pap/leads', { sessionId, email: 'erase-me@example.com', name: 'Erase Me' })
    assert.equal((await api('DELETE', `${address}/${body.leadId}`)).status, 200)
    assert.equal((await api('DELETE', `${address}/${body.leadId}`)).status, 404)
    assert.equal((await api('GET', address)).body.total, 0)
    const events = await store.read.selectFrom('domain_events').selectAll().execute()
    assert.ok(events.every((event) => !event.body.includes('erase-me') && !event.body.includes('Erase Me')))
    assert.ok(events.some((event) => event.type === 'lead.captured' && event.scrubbed_at !== null))
  })

  guarantee(
    'leads of all sessions are paged without a gap, and only with leads:read',
    async ({ api, sessionId, newKey, accountId, clock }) => {
      for (let i = 0; i < 7; i++) {
        await api('POST', '/api/v1/pap/leads', { sessionId, email: `p${i}@example.com` })
        await clock.advance(1)
      }
      const emails: string[] = []
      let cursor = ''
      do {
        const { body } = await api('GET', `/api/v1/agent/leads?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
        emails.push(...body.leads.map((lead: { email: string }) => lead.email))
        cursor = body.nextCursor ?? ''
      } while (cursor !== '')
      assert.deepEqual(
        emails,
        ['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'].map((name) => `${name}@example.com`),
      )
      assert.equal((await api('GET', `/api/v1/agent/leads?sessionId=${sessionId}`)).body.total, 7)
      const narrow = await newKey({ accountId, scopes: ['sessions:read', 'analytics:read'] })
      const refused = await api('GET', '/api/v1/agent/leads', undefined, narrow)
      assert.equal(refused.status, 403)
      assert.match(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="leads:read"/)
    },
  )
})
