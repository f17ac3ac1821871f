// What other sites show of a room (oEmbed, Open Graph): of a talk that is open to whoever has its link, and of no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSize } from 'image-size'
import { registerStranger } from '../support/agents-of-nobody.ts'
import { type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]

eachStore((_name, open) => {
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>) => test(name, () => withService(open, fn))

  async function made({ api, key }: TestService, members: object = {}, token = key) {
    const wanted = { title: 'Grid "& storage"', isLive: true, slides, ...members }
    const { body, status, text } = await api('POST', '/api/v1/agent/sessions', wanted, token)
    assert.equal(status, 200, text)
    return body as { sessionId: string; slug: string; shareLink: string; rehearsalUrl: string }
  }
  const embed = (app: TestService, url: string, more = '') =>
    app.api('GET', `/api/v1/oembed?url=${encodeURIComponent(url)}${more}`, undefined, null)
  const picture = (app: TestService, link: string, headers: Record<string, string> = {}) => app.request(`${link}/preview.jpg`, { headers })

  guarantee('a public talk tells how it is embedded, within the size that was asked for', async (app) => {
    const { shareLink, slug } = await made(app, { brand: { name: 'Northwind' } })
    const { body, status } = await embed(app, shareLink)
    assert.equal(status, 200)
    assert.deepEqual([body.version, body.type, body.title, body.author_name], ['1.0', 'rich', 'Grid "& storage"', 'Northwind'])
    assert.deepEqual([body.width, body.height, body.thumbnail_width, body.thumbnail_height], [960, 640, 1_200, 630])
    assert.equal(body.thumbnail_url, `${shareLink}/preview.jpg`)
    assert.ok(body.html.startsWith(`<iframe src="${shareLink}?embed=1" title="Grid &quot;&amp; storage&quot;" width="960"`), body.html)
    const small = (await embed(app, `${shareLink}?utm_source=a#b`, '&maxwidth=400&maxheight=300&format=json')).body
    assert.deepEqual([small.width, small.height, 'thumbnail_url' in small], [400, 300, false])
    for (const wrong of ['&maxwidth=wide', '&format=xml']) assert.equal((await embed(app, shareLink, wrong)).status, 400, wrong)
    for (const foreign of [
      `https://evil.example/join/${slug}`,
      `${shareLink}/x`,
      `${app.baseUrl}/rehearse/${slug}`,
      'grid',
      `${app.baseUrl}/join/`,
    ])
      assert.equal((await embed(app, foreign)).status, 404, foreign)
  })

  guarantee('its picture is of the right size, cached, and another once what it shows is changed', async (app) => {
    const { shareLink, sessionId } = await made(app)
    const first = await picture(app, shareLink)
    assert.deepEqual([first.status, first.headers.get('content-type')], [200, 'image/jpeg'])
    assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=\d+$/)
    const etag = first.headers.get('etag') ?? ''
    assert.equal((await picture(app, shareLink, { 'If-None-Match': etag })).status, 304)
    await app.api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { brand: { name: 'Northwind', accent: '#ffd400' } })
    const second = await picture(app, shareLink, { 'If-None-Match': etag })
    assert.equal(second.status, 200)
    assert.notEqual(second.headers.get('etag'), etag)
    const { width, height, type } = imageSize(second.bytes)
    assert.deepEqual([width, height, type], [1_200, 630, 'jpg'])
  })

  guarantee('a draft, a rehearsal, a talk for guests and one that nobody vouches for show nothing', async (app) => {
    const stranger = await registerStranger(app)
    const guests = [{ email: 'tom@example.com' }]
    const closed = [await made(app, { isLive: false }), await made(app, { guests }), await made(app, {}, stranger.token)]
    for (const { shareLink } of closed) {
      assert.equal((await embed(app, shareLink)).status, 404)
      assert.equal((await picture(app, shareLink)).status, 404)
    }
    const token = new URL(closed[0]?.rehearsalUrl ?? '').pathname.split('/').at(-1) ?? ''
    assert.equal((await picture(app, `${app.baseUrl}/join/${token}`)).status, 404)
    const own = (await app.api('GET', `/api/v1/agent/sessions/${String(closed[1]?.sessionId)}`)).body.guests[0].key as string
    assert.equal((await picture(app, `${String(closed[1]?.shareLink)}.${own}`)).status, 404)
  })
})
