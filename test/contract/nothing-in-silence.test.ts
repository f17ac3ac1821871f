// What a caller sends is used, refused or told of; and a change may say what it was made of (`If-Match`).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const sessions = '/api/v1/agent/sessions'
type Warning = { code: string; pointer?: string; detail: string }
const told = (warnings: readonly Warning[] | undefined) => warnings?.map(({ code, pointer }) => [code, pointer])

const made = async ({ api }: TestService, more: object = {}) => (await api('POST', sessions, { title: 'Grid', ...more })).body

/** A call with `If-Match`. */
const matching = ({ request, key }: TestService, tag: string, method: string, path: string, body?: object) =>
  request(path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'If-Match': tag, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

eachStore((_name, open) => {
  test('members that a creation and a change do not know are told of, with what was meant, and the rest is done', () =>
    withService(open, async (app) => {
      const created = await made(app, {
        cta_text: 'Book',
        slides: [{ textContent: 'A', notes: 'private', body: 'B' }],
        publish: true,
        subtitle: 'x',
      })
      assert.deepEqual(told(created.warnings), [
        ['unknown_member', '#/cta_text'],
        ['unknown_member', '#/slides/0/notes'],
        ['unknown_member', '#/slides/0/body'],
        ['unknown_member', '#/publish'],
        ['unknown_member', '#/subtitle'],
      ])
      assert.match(created.warnings[2].detail, /`textContent`/)
      assert.match(created.warnings[3].detail, /`isLive: true`/)
      assert.match(created.warnings[0].detail, /did you mean `ctaText`\?/)
      const changed = await app.api('PATCH', `${sessions}/${created.sessionId}`, { title: 'Grids', slides: [], knowledgeBase: [] })
      assert.deepEqual([changed.status, changed.body.title], [200, 'Grids'])
      assert.match(changed.body.warnings[0].detail, /PUT \.\.\.\/deck/)
      assert.match(changed.body.warnings[1].detail, /PUT \.\.\.\/knowledge/)
      const deck = await app.api('PUT', `${sessions}/${created.sessionId}/deck`, { slides: [{ text: 'B' }] })
      assert.ok(told(deck.body.warnings)?.some(([code, pointer]) => code === 'unknown_member' && pointer === '#/slides/0/text'))
    }))

  test('what is whole is answered without warnings; what does nothing as it stands is told of', () =>
    withService(open, async (app) => {
      assert.equal((await made(app, { slides: [{ textContent: 'A' }] })).warnings, undefined)
      const created = await made(app, { isLive: true, ctaText: 'Book' })
      assert.deepEqual(told(created.warnings), [
        ['cta_without_link', '#/ctaText'],
        ['live_without_slides', '#/isLive'],
      ])
    }))

  test('null for an optional member is a member left out; for one that is needed the words say that it is missing', () =>
    withService(open, async (app) => {
      const created = await app.api('POST', sessions, {
        title: 'Grid',
        mode: null,
        slides: [{ textContent: 'A', agentNotes: null }],
        pdfUrl: null,
      })
      assert.equal(created.status, 200, created.text)
      const { body } = await app.api('GET', `${sessions}/${created.body.sessionId}`)
      assert.equal(body.mode, 'isolated')
      const missing = await app.api('POST', sessions, { title: null })
      assert.deepEqual([missing.status, missing.body.errors], [400, [{ pointer: '#/title', detail: 'is required: send a string.' }]])
    }))

  test('what a caller has read can be sent back as it is, and a name in it that was changed is told of', () =>
    withService(open, async (app) => {
      const { sessionId } = await made(app, {
        slides: [{ textContent: 'A' }],
        knowledgeBase: [{ title: 'T', content: 'The warranty is ten years.' }],
      })
      const path = `${sessions}/${sessionId}`
      const background = (await app.api('GET', `${path}/knowledge`)).body
      const again = await app.api('PUT', `${path}/knowledge`, background)
      assert.deepEqual([again.status, again.body.warnings], [200, undefined])
      const moved = await app.api('PUT', `${path}/knowledge`, {
        passages: background.passages.map((each: object) => ({ ...each, index: 7 })),
      })
      assert.deepEqual(told(moved.body.warnings), [['unknown_member', '#/passages/0/index']])
      const record = (await app.api('GET', path)).body
      const changed = await app.api('PATCH', path, { ...record, slug: 'another' })
      assert.deepEqual(told(changed.body.warnings), [
        ['unknown_member', '#/slug'],
        ['unknown_member', '#/languageFrom'],
      ])
    }))

  test('who asks for a draft of their own as for a published session is told that it is one; a stranger is told nothing of it', () =>
    withService(open, async (app) => {
      const { sessionId } = await made(app)
      const stranger = await app.newKey()
      for (const [path, body] of [
        ['/api/v1/pap/query', { sessionId, message: 'What is it about?' }],
        ['/api/v1/pap/leads', { sessionId, email: 'maya@example.com' }],
      ] as const) {
        const own = await app.api('POST', path, body)
        assert.deepEqual([own.status, own.body.code], [404, 'not_found'])
        assert.match(own.body.detail, /yours is a draft.*POST https:\/\/rostrum\.test\/api\/v1\/agent\/sessions\/\{sessionId\}\/publish/)
        const theirs = await app.request(path, {
          method: 'POST',
          headers: { Authorization: `Bearer ${stranger}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
        assert.match(theirs.body.detail, /^There is no such published session/)
      }
    }))

  test('a call without a live credential says by a whole address how one is had', () =>
    withService(open, async ({ request }) => {
      for (const authorization of [undefined, 'Bearer nothing']) {
        const { status, body } = await request(sessions, { headers: authorization === undefined ? {} : { Authorization: authorization } })
        assert.equal(status, 401)
        assert.match(body.detail, /https:\/\/rostrum\.test\/auth\.md shows how/)
        assert.equal(body.error_description, body.detail)
      }
      const joined = await request('/api/v1/runs/0198c1d2-7a53-7c1e-9a40-000000000000/leave', { method: 'POST' })
      assert.match(joined.body.detail, /https:\/\/rostrum\.test\/api\/v1\/rooms\/\{key\}\/attendees/)
      assert.match((await request('/api/v1/nothing')).body.detail, /https:\/\/rostrum\.test\/docs/)
    }))

  test('an id that nothing has is answered with where ids are found', () =>
    withService(open, async (app) => {
      const { sessionId } = await made(app, { slides: [{ textContent: 'A' }] })
      const id = '0198c1d2-7a53-7c1e-9a40-000000000000'
      for (const [method, path, where] of [
        ['GET', `${sessions}/${id}`, /List yours/],
        ['PATCH', `${sessions}/${sessionId}/deck/slides/${id}`, /GET \.\.\.\/deck/],
        ['PATCH', `${sessions}/${sessionId}/script/${id}.0`, /GET \.\.\.\/script/],
        ['PATCH', `${sessions}/${sessionId}/leads/${id}`, /GET \.\.\.\/leads/],
        ['GET', `${sessions}/${sessionId}/rehearsals/${id}`, /POST \.\.\.\/rehearsals/],
        ['GET', `${sessions}/${sessionId}/runs/${id}/transcript`, /GET \.\.\.\/sessions\/\{sessionId\}\/runs/],
        ['DELETE', `/api/v1/webhooks?id=${id}`, /List yours/],
      ] as const) {
        const body = method === 'PATCH' ? { title: 'x', text: 'A sentence of five words.', stage: 'new' } : undefined
        const answer = await app.api(method, path, body)
        assert.equal(answer.status, 404, `${path}: ${answer.text}`)
        assert.match(answer.body.detail, where)
      }
    }))

  test('an unclaimed agent at the end of its sandbox is told that it never resets, and where its person claims it', () =>
    withService(open, async ({ request }) => {
      const post = (path: string, body: object, token?: string) =>
        request(path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
          body: JSON.stringify(body),
        })
      const { body } = await post('/api/v1/auth/register', { client_name: 'Scout', identity_type: 'anonymous' })
      for (let n = 0; n < 3; n++) assert.equal((await post(sessions, { title: `${n}` }, body.access_token)).status, 200)
      const over = await post(sessions, { title: 'One more' }, body.access_token)
      assert.deepEqual([over.status, over.body.quota.resetsAt, over.body.claim_uri], [402, null, body.claim_uri])
      assert.match(over.body.detail, /do not come back with time/)
      assert.ok(over.body.detail.includes(body.claim_uri))
    }))

  test('a registration by email without one asks for the email', () =>
    withService(open, async ({ request }) => {
      const { status, body } = await request('/api/v1/auth/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_name: 'Scout', identity_type: 'identity_assertion', assertion_type: 'verified_email' }),
      })
      assert.deepEqual([status, body.errors[0].pointer], [400, '#/email'])
    }))

  test('a repeat with one Idempotency-Key is answered with the same warnings', () =>
    withService(open, async ({ request, key }) => {
      const send = () =>
        request(sessions, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
          body: JSON.stringify({ title: 'Grid', subtitle: 'x' }),
        })
      const [first, again] = [await send(), await send()]
      assert.deepEqual([first.status, told(first.body.warnings)], [200, [['unknown_member', '#/subtitle']]])
      assert.equal(again.text, first.text)
    }))

  test('a change with If-Match is made of what was read, or answered 412 and not made', () =>
    withService(open, async (app) => {
      const { sessionId } = await made(app, { slides: [{ textContent: 'A' }] })
      for (const [path, change] of [
        [`${sessions}/${sessionId}`, { title: 'Second' }],
        [`${sessions}/${sessionId}/knowledge`, { passages: [{ content: 'The warranty is ten years.' }] }],
      ] as const) {
        const method = 'title' in change ? 'PATCH' : 'PUT'
        const tag = (await app.api('GET', path)).headers.get('etag') ?? ''
        assert.notEqual(tag, '')
        const first = await matching(app, tag, method, path, change)
        assert.equal(first.status, 200, first.text)
        const stale = await matching(app, tag, method, path, change)
        assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
        assert.equal((await matching(app, '*', method, path, change)).status, 200)
        assert.equal((await app.api(method, path, change)).status, 200)
      }
      const gone = await matching(app, '"other"', 'DELETE', `${sessions}/${sessionId}`, undefined)
      assert.equal(gone.status, 412)
      assert.equal((await app.api('GET', `${sessions}/${sessionId}`)).status, 200)
    }))

  test('of changes at once with one ETag exactly one is made', () =>
    withService(open, async (app) => {
      const { sessionId } = await made(app)
      const path = `${sessions}/${sessionId}`
      const tag = (await app.api('GET', path)).headers.get('etag') ?? ''
      const names = Array.from({ length: 6 }, (_, n) => `Title ${n}`)
      const changes = Promise.all(names.map((title) => matching(app, tag, 'PATCH', path, { title })))
      for (let turn = 0; turn < 60; turn++) await app.clock.advance(50)
      const answers = await changes
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 412, 412, 412, 412, 412],
      )
      const kept = (await app.api('GET', path)).body.title
      assert.equal(kept, names[answers.findIndex(({ status }) => status === 200)])
    }))

  test('somebody else with the right ETag is told that there is nothing, as without one', () =>
    withService(open, async (app) => {
      const { sessionId } = await made(app)
      const tag = (await app.api('GET', `${sessions}/${sessionId}`)).headers.get('etag') ?? ''
      const other = await app.newKey()
      const answer = await matching({ ...app, key: other }, tag, 'PATCH', `${sessions}/${sessionId}`, { title: 'Mine' })
      assert.equal(answer.status, 404)
    }))
})
