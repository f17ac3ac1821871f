// How what a host publishes looks: of the account and of a talk, in the room and on what people keep, and never on the pages of others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadImage } from '@napi-rs/canvas'
import { brandOf, siteBrand } from '../../server/sessions/brand.ts'
import { sweepBlobs } from '../../server/platform/blobs/blob-uses.ts'
import { registerStranger } from '../support/agents-of-nobody.ts'
import { type FileServer, startFileServer } from '../support/file-server.ts'
import { pictureOfWords } from '../support/pictures.ts'
import { type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const svg = (inside: string, attributes = 'viewBox="0 0 200 60"') => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`
const mark = svg('<rect width="200" height="60" fill="#0b3d91"/>')
const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]
const hourMs = 3_600_000

let server: FileServer
before(async () => void (server = await startFileServer()))
after(() => server.close())

eachStore((_name, open) => {
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>) =>
    test(name, () => withService(open, fn, { ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8', ROSTRUM_INSECURE_HTTP: 'true' }))

  async function made({ api, key }: TestService, members: object = {}, token = key) {
    const { body, status, text } = await api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides, ...members }, token)
    assert.equal(status, 200, text)
    return { ...(body as { sessionId: string; slug: string }), path: `/api/v1/agent/sessions/${String(body.sessionId)}` }
  }
  const room = async (app: TestService, slug: string) => (await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body.brand
  const put = (app: TestService, brand: object, token = app.key) => app.api('PUT', '/api/v1/agent/brand', brand, token)
  const send = (app: TestService, body: Uint8Array | string, type: string) =>
    app.request('/api/v1/agent/logos', {
      method: 'POST',
      headers: { Authorization: `Bearer ${app.key}`, 'Content-Type': type },
      body: Uint8Array.from(Buffer.from(body)),
    })
  const pixels = async (app: TestService, url: string) => {
    const { status, headers, bytes } = await app.request(url)
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/png'])
    return loadImage(Buffer.from(bytes))
  }

  guarantee('the brand of an account is on its talks, and what a talk has goes before it, member by member', async (app) => {
    assert.deepEqual((await app.api('GET', '/api/v1/agent/brand')).body, { notes: [] })
    const { slug, path, sessionId } = await made(app)
    assert.equal(await room(app, slug), undefined)
    const set = await put(app, { name: 'Northwind', accent: '#FFD400', hideFooter: true })
    assert.equal(set.status, 200, set.text)
    assert.equal(set.body.accent, '#ffd400')
    assert.match(set.body.notes.join('\n'), /^On light pages links and lines are #[0-9a-f]{6}: #ffd400 has 1\.\d:1 there/)
    assert.deepEqual(await room(app, slug), { name: 'Northwind', accent: '#ffd400', hideFooter: true })
    const own = await app.api('PATCH', path, { brand: { accent: '#0b3d91', hideFooter: false } })
    assert.deepEqual(own.body.brand, { accent: '#0b3d91', hideFooter: false })
    assert.match(own.body.brandNotes[0], /^On dark pages/)
    const both = { name: 'Northwind', accent: '#0b3d91', hideFooter: false }
    assert.deepEqual(await room(app, slug), both)
    assert.deepEqual(await brandOf(app.store.read, sessionId, app.baseUrl), both)
    assert.deepEqual(await siteBrand(app.store.read, app.baseUrl), { name: 'Northwind', accent: '#ffd400', hideFooter: true })
    await app.api('PATCH', path, { brand: null })
    await put(app, {})
    assert.equal(await room(app, slug), undefined)
    for (const wrong of [{ accent: 'red' }, { accent: '#fff' }, { paper: '#12345g' }, { name: '' }, { logoUrl: 'javascript:alert(1)' }])
      assert.equal((await put(app, wrong)).status, 400, JSON.stringify(wrong))
  })

  guarantee('who registers sees the brand, and its change is in the audit log', async (app) => {
    const { slug } = await made(app, { registration: {} })
    await put(app, { name: 'Northwind', accent: '#0b3d91' })
    const path = `/api/v1/rooms/${slug}/registrations`
    const wanted = { name: 'Maya', email: 'maya@example.com', consent: true }
    const { registrationUrl } = (await app.api('POST', path, wanted, null)).body
    const own = String(registrationUrl).replace(`${app.baseUrl}/registration/`, '/api/v1/registrations/')
    for (const page of [path, own])
      assert.deepEqual((await app.api('GET', page, undefined, null)).body.brand, { name: 'Northwind', accent: '#0b3d91' })
    const row = await app.store.read.selectFrom('audit').select('actor_kind').where('action', '=', 'brand.changed').executeTakeFirst()
    assert.equal(row?.actor_kind, 'api_key')
  })

  guarantee('a brand of one account is on no page of another, and none is where nobody vouches for the session', async (app) => {
    await put(app, { name: 'Northwind', accent: '#0b3d91' })
    const other = await app.newKey()
    const { slug } = await made(app, {}, other)
    assert.equal(await room(app, slug), undefined)
    assert.equal((await put(app, { name: 'Southwind' }, other)).status, 200)
    assert.deepEqual(await room(app, slug), { name: 'Southwind' })
    assert.deepEqual(await siteBrand(app.store.read, app.baseUrl), { name: 'Northwind', accent: '#0b3d91' })
    const stranger = await registerStranger(app)
    const theirs = await made(app, { brand: { name: 'Your Bank', accent: '#0b3d91' } }, stranger.token)
    assert.equal(await room(app, theirs.slug), undefined)
    assert.equal(await brandOf(app.store.read, theirs.sessionId, app.baseUrl), null)
    assert.equal((await put(app, { name: 'Your Bank' }, stranger.token)).status, 403)
  })

  guarantee('a logo of an address is fetched once by the guarded client, drawn anew, copied, and goes with what used it', async (app) => {
    server.files.set('/logo.svg', Buffer.from(mark))
    const url = `${server.origin}/logo.svg`
    const { slug, path, sessionId } = await made(app, { brand: { logoUrl: url } })
    const { logoUrl, logo } = await room(app, slug)
    assert.match(logoUrl, /\/media\/[0-9a-f]{64}\.png$/)
    assert.deepEqual(logo, { width: 480, height: 144, ink: '#0b3d91' })
    const image = await pixels(app, logoUrl)
    assert.deepEqual([image.width, image.height], [480, 144])
    const asked = server.asked.length
    assert.deepEqual((await app.api('PATCH', path, { brand: { logoUrl, name: 'Northwind' } })).body.brand, {
      name: 'Northwind',
      logoUrl,
      logo,
    })
    assert.equal(server.asked.length, asked)
    const copy = (await app.api('POST', `${path}/duplicate`)).body
    assert.equal(copy.brand.logoUrl, logoUrl)
    assert.equal((await put(app, { logoUrl })).body.logoUrl, logoUrl)
    const sweep = () => sweepBlobs(app.store, app.service.decks.deps.blobs, app.clock.now() + 2 * hourMs)
    await app.api('PATCH', path, { brand: null })
    await app.api('DELETE', `/api/v1/agent/sessions/${String(copy.id)}`)
    await sweep()
    assert.equal((await app.request(logoUrl)).status, 200, 'the account uses it')
    await put(app, {})
    await sweep()
    assert.equal((await app.request(logoUrl)).status, 404)
    const gone = await app.api('PATCH', path, { brand: { logoUrl } })
    assert.deepEqual([gone.status, gone.body.errors[0].pointer], [400, '#/brand/logoUrl'])
    assert.equal(await brandOf(app.store.read, sessionId, app.baseUrl), null)
    for (const refused of ['http://169.254.169.254/logo.png', 'http://10.0.0.1/logo.png']) {
      const { status, body } = await put(app, { logoUrl: refused })
      assert.deepEqual([status, body.errors[0].pointer], [400, '#/logoUrl'], refused)
    }
    assert.equal((await put(app, { logoUrl: `${server.origin}/none.svg` })).status, 400)
  })

  guarantee('of an SVG only shapes, text and colours are drawn: no script, nothing from elsewhere', async (app) => {
    const blue = '<rect width="100" height="60" fill="#0b3d91"/>'
    const red = '<rect x="100" width="100" height="60" fill="#c00"/>'
    server.files.set('/red.svg', Buffer.from(svg(red)))
    const asked = server.asked.length
    const hostile = [
      `<script>fetch("${server.origin}/red.svg")</script>`,
      `<image href="${server.origin}/red.svg" width="200" height="60"/>`,
      `<image xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="file:///etc/passwd" width="200" height="60"/>`,
      `<foreignObject width="200" height="60"><body xmlns="http://www.w3.org/1999/xhtml"><b>red</b></body></foreignObject>`,
      `<style>@import url(${server.origin}/red.svg);</style>`,
      `<use href="${server.origin}/red.svg#a"/>`,
      `<g onload="alert(1)"/><a href="javascript:alert(1)">${red}</a>`,
    ]
    const sent = await send(app, svg(blue + hostile.join('')), 'image/svg+xml')
    assert.equal(sent.status, 200, sent.text)
    // The blue half alone: the rest was empty and is cut.
    assert.deepEqual(sent.body.logo, { width: 267, height: 160, ink: '#0b3d91' })
    assert.equal(server.asked.length, asked)
    for (const broken of [svg('<rect'), svg('')]) {
      const refused = await send(app, broken, 'image/svg+xml')
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [400, '#/file'], broken)
    }
  })

  guarantee('a logo that is sent keeps its transparency, loses its empty edges, and is bounded', async (app) => {
    const sent = await send(app, svg('<circle cx="100" cy="30" r="10" fill="#ffd400"/>'), 'application/octet-stream')
    assert.deepEqual([sent.status, sent.body.logo.ink], [200, '#ffd400'], sent.text)
    assert.equal(sent.body.logo.width, sent.body.logo.height)
    assert.equal((await put(app, { logoUrl: sent.body.logoUrl })).body.logoUrl, sent.body.logoUrl)
    const picture = await send(app, await pictureOfWords(['Northwind'], 'jpeg'), 'image/jpeg')
    assert.deepEqual([picture.status, picture.body.logo.width <= 480, picture.body.logo.height], [200, true, 160])
    assert.equal((await send(app, Buffer.alloc(2 * 1024 * 1024 + 1, 'x'), 'image/png')).status, 413)
    assert.equal((await send(app, Buffer.alloc(0), 'image/png')).status, 400)
  })
})
