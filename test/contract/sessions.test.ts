// Sessions over HTTP: spec 2.1 to 2.4, 3.1, 4.1, 7 (402), 8, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides = [
  { textContent: 'Grid storage\n- A battery shifts the evening peak by four hours', agentNotes: 'Private: mention the discount.' },
  { textContent: 'Cost\n- 112 EUR per kWh' },
]
const unknownId = '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11'

eachStore((_, open) => {
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>, env?: Record<string, string>) =>
    test(name, () => withService(open, fn, env))

  guarantee('[2.1-1] [2.2-1] a title is enough, and the answer has id, slug and join link', async ({ api, baseUrl }) => {
    const { status, body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid storage in 12 minutes' })
    assert.equal(status, 200)
    assert.match(body.sessionId, /^[0-9a-f-]{36}$/)
    assert.match(body.slug, /^grid-storage-in-12-minutes-[a-z2-7]{6}$/)
    assert.equal(body.shareLink, `${baseUrl}/join/${body.slug}`)
    assert.match(body.rehearsalUrl, new RegExp(`^${baseUrl}/rehearse/[a-z2-7]{26}$`))
    const shown = await api('GET', `/api/v1/agent/sessions/${body.sessionId}`)
    assert.equal(shown.body.mode, 'isolated')
    assert.equal(shown.body.status, 'draft')
  })

  guarantee('[3.1-1] [2.3-1] a live creation with slides and knowledge is published at once', async ({ api, request }) => {
    const whole = {
      title: 'Grid storage',
      description: 'Why batteries',
      mode: 'broadcast',
      isLive: true,
      slides,
      knowledgeBase: [{ title: 'Warranty', content: 'The warranty is ten years.' }, { content: 'Made in Porto.' }],
      ctaText: 'Book a call',
      ctaUrl: 'https://example.com/book',
      unknownMember: 'is ignored',
    }
    const created = await api('POST', '/api/v1/agent/sessions', whole)
    assert.equal(created.status, 200)
    assert.equal(created.body.status, 'published')
    const room = await request(`/api/v1/rooms/${created.body.slug}`)
    assert.equal(room.status, 200)
    assert.equal(room.body.slides.length, 2)
    assert.equal(room.body.cta.text, 'Book a call')
    assert.deepEqual(
      created.body.warnings.map(({ code, pointer }: { code: string; pointer: string }) => [code, pointer]),
      [['unknown_member', '#/unknownMember']],
    )
    assert.ok(!created.text.includes('is ignored'))
    const knowledge = await api('GET', `/api/v1/agent/sessions/${created.body.sessionId}/knowledge`)
    assert.deepEqual(
      knowledge.body.passages.map((passage: { content: string }) => passage.content),
      ['The warranty is ten years.', 'Made in Porto.'],
    )
  })

  guarantee(
    'questions are tried on a draft: answered with their sources, five of its own made from the slides, none of it kept',
    async (app) => {
      const { api, store } = app
      const knowledgeBase = [{ title: 'Warranty', content: 'The warranty is ten years.' }]
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid storage', slides, knowledgeBase })
      const address = `/api/v1/agent/sessions/${body.sessionId}/try`
      const own = await api('POST', address, { questions: ['How long is the warranty?', 'Who plays the piano?'] })
      assert.deepEqual(
        own.body.answers.map(({ outcome }: { outcome: string }) => outcome),
        ['answered', 'unknown'],
      )
      assert.match(own.body.answers[0].answer, /ten years/)
      assert.equal(own.body.answers[0].citations[0].type, 'knowledge')
      assert.equal('link' in own.body, false)
      const made = await api('POST', address, {})
      assert.ok(made.body.answers.length > 0 && made.body.answers.length <= 5)
      assert.match(made.body.answers[0].question, /Cost/)
      assert.ok(!made.text.includes('discount'))
      for (const table of ['pap_questions', 'runs'] as const) assert.deepEqual(await store.read.selectFrom(table).selectAll().execute(), [])
      await api('PATCH', `/api/v1/agent/sessions/${body.sessionId}`, { ctaText: 'Book', ctaUrl: 'http://127.0.0.1:9/' })
      assert.deepEqual((await api('POST', address, { questions: ['Cost?'] })).body.link, { url: 'http://127.0.0.1:9/', status: null })
      assert.equal((await api('POST', `/api/v1/agent/sessions/${unknownId}/try`, {})).status, 404)
    },
  )

  guarantee('a change of isLive publishes and unpublishes instead of answering 200 and doing nothing', async ({ api, request }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid' })
    const address = `/api/v1/agent/sessions/${body.sessionId}`
    assert.equal((await api('PATCH', address, { isLive: true })).body.status, 'published')
    assert.equal((await request(`/api/v1/rooms/${body.slug}`)).status, 200)
    const refused = await api('PATCH', address, { isLive: false, status: 'published' })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.errors[0].pointer, '#/isLive')
    assert.equal((await api('PATCH', address, { isLive: false, status: 'draft' })).body.isLive, false)
    assert.equal((await request(`/api/v1/rooms/${body.slug}`)).status, 404)
  })

  guarantee('[3.1-3] [6.1-1] creating appends session.created once, with a sequence, in the same transaction', async ({ api, store }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides })
    const events = await store.read.selectFrom('domain_events').selectAll().where('session_id', '=', body.sessionId).execute()
    assert.deepEqual(
      events.map(({ type, sequence }) => [type, sequence]),
      [['session.created', 1]],
    )
    const envelope = JSON.parse(events[0]?.body ?? '')
    assert.equal(envelope.data.session.slug, body.slug)
    assert.equal(envelope.data.slidesCount, 2)
    assert.ok(!events[0]?.body.includes('discount'))
  })

  guarantee('[3.1-2] publishing opens the join link, unpublishing closes it, and both may be repeated', async ({ api, request }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides })
    const link = `/join/${body.slug}`
    assert.equal((await request(link)).status, 404)
    for (let i = 0; i < 2; i++) {
      const published = await api('POST', `/api/v1/agent/sessions/${body.sessionId}/publish`)
      assert.equal(published.body.status, 'published')
      assert.equal(published.body.isLive, true)
    }
    assert.equal((await request(link)).status, 200)
    assert.equal((await api('PATCH', `/api/v1/agent/sessions/${body.sessionId}`, { status: 'draft' })).body.status, 'draft')
    assert.equal((await request(link)).status, 404)
    assert.equal((await request(`/api/v1/rooms/${body.slug}`)).status, 404)
  })

  guarantee(
    '[4.1-2] [8-1] sessions are listed newest first, ten at a time, and a cursor skips and repeats none',
    async ({ api, clock }) => {
      const made: string[] = []
      for (let i = 0; i < 12; i++) {
        made.unshift((await api('POST', '/api/v1/agent/sessions', { title: `Talk ${i}` })).body.sessionId)
        if (i % 3 === 0) await clock.advance(1_000)
      }
      const first = await api('GET', '/api/v1/agent/sessions')
      assert.equal(first.body.count, 10)
      // A session created between two pages belongs to neither.
      await clock.advance(1_000)
      await api('POST', '/api/v1/agent/sessions', { title: 'Later' })
      const second = await api('GET', `/api/v1/agent/sessions?cursor=${first.body.nextCursor}`)
      const ids = [...first.body.sessions, ...second.body.sessions].map((session: { id: string }) => session.id)
      assert.deepEqual(ids.toSorted(), made.toSorted())
      assert.equal(second.body.nextCursor, undefined)
      for (const name of [
        'id',
        'sessionId',
        'slug',
        'title',
        'mode',
        'status',
        'isLive',
        'slidesCount',
        'shareLink',
        'createdAt',
        'created_at',
        'updatedAt',
      ])
        assert.ok(name in first.body.sessions[0], name)
      assert.equal((await api('GET', '/api/v1/agent/sessions?limit=101')).status, 400)
      assert.equal((await api('GET', '/api/v1/agent/sessions?cursor=abc')).status, 400)
      assert.equal((await api('GET', `/api/v1/agent/sessions?status=draft&cursor=${first.body.nextCursor}`)).status, 400)
    },
  )

  guarantee('a change touches only what it names, and null clears what may be absent', async ({ api }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', {
      title: 'Grid',
      description: 'Why',
      ctaUrl: 'https://example.com',
      tags: ['grid'],
    })
    const address = `/api/v1/agent/sessions/${body.sessionId}`
    const changed = await api('PATCH', address, {
      description: null,
      title: 'Grid two',
      targetSeconds: 300,
      ctaRules: ['intent', 'seconds:30'],
    })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.title, 'Grid two')
    assert.equal(changed.body.description, undefined)
    assert.equal(changed.body.ctaUrl, 'https://example.com')
    assert.deepEqual(changed.body.tags, ['grid'])
    assert.deepEqual(changed.body.ctaRules, ['intent', 'seconds:30'])
    assert.equal(changed.body.slug, body.slug)
    const refused = await api('PATCH', address, { startPolicy: 'scheduled' })
    assert.equal(refused.status, 400)
    assert.deepEqual(
      refused.body.errors.map((error: { pointer: string }) => error.pointer),
      ['#/startsAt'],
    )
  })

  guarantee('a checkout needs its own scope', async ({ api, newKey, accountId }) => {
    const narrow = await newKey({ accountId, scopes: ['sessions:write', 'sessions:read'] })
    const refused = await api('POST', '/api/v1/agent/sessions', { title: 'Shop', ctaKind: 'checkout' }, narrow)
    assert.equal(refused.status, 403)
    assert.deepEqual(refused.body.scopes_required, ['sessions:write', 'checkout:write'])
    assert.equal((await api('POST', '/api/v1/agent/sessions', { title: 'Shop', ctaKind: 'checkout' })).status, 200)
  })

  guarantee(
    'where people pay is a safe address, told to the room as such, and changed by nobody without the scope',
    async ({ api, newKey, accountId }) => {
      const shop = { title: 'Shop', isLive: true, ctaKind: 'checkout', ctaText: 'Buy', ctaUrl: 'https://shop.example/pumps' }
      const unsafe = await api('POST', '/api/v1/agent/sessions', { ...shop, ctaUrl: 'http://shop.example/pumps' })
      assert.deepEqual([unsafe.status, unsafe.body.errors[0].pointer], [400, '#/ctaUrl'])
      const { body: made } = await api('POST', '/api/v1/agent/sessions', shop)
      const path = `/api/v1/agent/sessions/${made.sessionId}`
      const room = async () => (await api('GET', `/api/v1/rooms/${made.slug}`, undefined, null)).body.cta
      assert.deepEqual(await room(), { text: 'Buy', url: 'https://shop.example/pumps', kind: 'checkout' })
      const narrow = await newKey({ accountId, scopes: ['sessions:write', 'sessions:read'] })
      assert.equal((await api('PATCH', path, { ctaUrl: 'https://elsewhere.example' }, narrow)).status, 403)
      assert.equal((await api('PATCH', path, { title: 'A shop' }, narrow)).status, 200)
      assert.equal((await api('PATCH', path, { ctaUrl: 'http://shop.example' })).status, 400)
      assert.deepEqual(await room(), { text: 'Buy', url: 'https://shop.example/pumps', kind: 'checkout' })
    },
  )

  const fewSessions = { ROSTRUM_PLAN_SESSIONS: '5' }
  const quota = '[4.1-1] the quota ends in 402 for all but exactly as many as it allows, also 20 at once'
  const spend = async ({ api }: TestService) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => api('POST', '/api/v1/agent/sessions', { title: 'Race' })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 5)
    const refused = answers.find(({ status }) => status === 402)
    assert.equal(refused?.body.code, 'quota_exceeded')
    assert.deepEqual(refused?.body.quota, { limit: 5, used: 5, resetsAt: '2026-12-01T00:00:00.000Z' })
    assert.equal((await api('GET', '/api/v1/agent/sessions?limit=100')).body.count, 5)
    const usage = await api('GET', '/api/v1/agent/usage')
    assert.deepEqual(usage.body.sessions, { limit: 5, used: 5 })
    assert.equal(usage.body.period, '2026-11')
  }
  guarantee(quota, spend, fewSessions)

  guarantee('a repeated Idempotency-Key creates one session and costs one of the quota', async ({ request, key, api }) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' }
    const send = (title: string) => request('/api/v1/agent/sessions', { method: 'POST', headers, body: JSON.stringify({ title }) })
    const answers = [await send('One'), await send('One'), await send('One')]
    assert.equal(new Set(answers.map(({ body }) => body.sessionId)).size, 1)
    assert.equal((await send('Two')).status, 409)
    assert.equal((await api('GET', '/api/v1/agent/usage')).body.sessions.used, 1)
  })

  guarantee(
    '[2.4-1] a session of another account answers exactly like an unknown one, whatever is asked of it',
    async ({ api, newKey }) => {
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides, isLive: true })
      const stranger = await newKey()
      const acts: [string, string, unknown?][] = [
        ['GET', ''],
        ['PATCH', '', { title: 'Mine now' }],
        ['DELETE', ''],
        ['POST', '/publish'],
        ['POST', '/unpublish'],
        ['POST', '/duplicate'],
        ['POST', '/rehearsal-link'],
        ['DELETE', '/rehearsal-link'],
        ['GET', '/deck'],
        ['GET', '/knowledge'],
        ['GET', '/script'],
        ['GET', '/leads'],
        ['GET', '/analytics'],
      ]
      for (const [method, path, sent] of acts) {
        const foreign = await api(method, `/api/v1/agent/sessions/${body.sessionId}${path}`, sent, stranger)
        const unknown = await api(method, `/api/v1/agent/sessions/${unknownId}${path}`, sent, stranger)
        assert.equal(foreign.status, 404, `${method} ${path}`)
        const { instance: _, ...foreignBody } = foreign.body
        const { instance: __, ...unknownBody } = unknown.body
        assert.deepEqual(foreignBody, unknownBody, `${method} ${path}`)
      }
      assert.equal((await api('GET', `/api/v1/agent/sessions/${body.sessionId}`)).body.title, 'Grid')
    },
  )

  guarantee('a copy is a draft of its own with the same slides and knowledge, and counts as created', async ({ api }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', {
      title: 'Grid',
      isLive: true,
      slides,
      knowledgeBase: [{ content: 'Ten years.' }],
    })
    const copy = await api('POST', `/api/v1/agent/sessions/${body.sessionId}/duplicate`)
    assert.equal(copy.status, 201)
    assert.equal(copy.body.title, 'Grid (copy)')
    assert.equal(copy.body.status, 'draft')
    assert.notEqual(copy.body.slug, body.slug)
    const deck = await api('GET', `/api/v1/agent/sessions/${copy.body.id}/deck`)
    assert.equal(deck.body.slides[0].agentNotes, slides[0]?.agentNotes)
    assert.equal((await api('GET', '/api/v1/agent/usage')).body.sessions.used, 2)
  })

  guarantee('a new rehearsal link ends the old one, and it can be revoked', async ({ api, request }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides })
    const pathOf = (url: string) => new URL(url).pathname
    const old = pathOf(body.rehearsalUrl)
    assert.equal((await request(old)).status, 200)
    const renewed = await api('POST', `/api/v1/agent/sessions/${body.sessionId}/rehearsal-link`)
    assert.equal((await request(old)).status, 404)
    assert.equal((await request(pathOf(renewed.body.rehearsalUrl))).status, 200)
    assert.deepEqual((await api('DELETE', `/api/v1/agent/sessions/${body.sessionId}/rehearsal-link`)).body, { rehearsalUrl: null })
    assert.equal((await request(pathOf(renewed.body.rehearsalUrl))).status, 404)
  })

  guarantee('deleting leaves nothing that can be read, and cannot be repeated', async ({ api, request }) => {
    const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides, isLive: true })
    await api('POST', '/api/v1/pap/leads', { sessionId: body.sessionId, email: 'maya@example.com' })
    const address = `/api/v1/agent/sessions/${body.sessionId}`
    assert.deepEqual((await api('DELETE', address)).body, { id: body.sessionId, deleted: true })
    assert.equal((await api('DELETE', address)).status, 404)
    assert.equal((await request(`/join/${body.slug}`)).status, 404)
    assert.equal((await api('GET', '/api/v1/agent/leads')).body.total, 0)
  })

  guarantee('[8-2] what is beyond a bound is refused by a pointer and the bound', async ({ api }) => {
    const wrong: [Record<string, unknown>, string, RegExp][] = [
      [{ title: 'x'.repeat(201) }, '#/title', /200/],
      [{ title: '  ' }, '#/title', /empty/],
      [{ title: 'T', description: 'x'.repeat(4_001) }, '#/description', /4,000/],
      [{ title: 'T', slides: Array.from({ length: 301 }, () => ({})) }, '#/slides', /300/],
      [{ title: 'T', slides: [{ textContent: 'x'.repeat(20_001) }] }, '#/slides/0/textContent', /20,000/],
      [{ title: 'T', ctaUrl: 'javascript:alert(1)' }, '#/ctaUrl', /http/],
      [{ title: 'T', ctaUrl: 'ftp://example.com' }, '#/ctaUrl', /http/],
      [{ title: 'T', mode: 'secret' }, '#/mode', /isolated/],
      [{ title: 'T', knowledgeBase: [{ title: 'no content' }] }, '#/knowledgeBase/0/content', /required/],
      ...[
        "https://x;script-src'unsafe-inline'",
        'https://x,sandbox',
        'https://*',
        'https://*.example',
        'https://a_b',
        "https://'none'",
      ].map((site): [Record<string, unknown>, string, RegExp] => [{ title: 'T', embedOrigins: [site] }, '#/embedOrigins/0', /origin/]),
      [{ title: 'T\u0000' }, '#/title', /U\+0000/],
      [{ title: 'T', language: 'klingonish language' }, '#/language', /BCP 47/],
    ]
    for (const [sent, pointer, words] of wrong) {
      const { status, body } = await api('POST', '/api/v1/agent/sessions', sent)
      assert.equal(status, 400, pointer)
      assert.equal(body.errors[0].pointer, pointer)
      assert.match(body.errors[0].detail, words)
    }
  })
})
