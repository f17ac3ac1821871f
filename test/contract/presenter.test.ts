// Who is said to speak: a name and a portrait that the host chooses, shown in the room and never without "automated".
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepBlobs } from '../../server/platform/blobs/blob-uses.ts'
import { registerStranger } from '../support/agents-of-nobody.ts'
import { pictureOfWords } from '../support/pictures.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]
const talk = { title: 'Grid storage', isLive: true, slides, presenterName: 'Nora' }
const hourMs = 3_600_000

eachStore((_name, open) => {
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>) => test(name, () => withService(open, fn))

  async function made({ api, key }: TestService, members: object = talk, token = key) {
    const { body, status, text } = await api('POST', '/api/v1/agent/sessions', members, token)
    assert.equal(status, 200, text)
    return { ...(body as { sessionId: string; slug: string }), path: `/api/v1/agent/sessions/${String(body.sessionId)}` }
  }

  const send = (app: TestService, path: string, bytes: Uint8Array, type = 'image/png', token = app.key) =>
    app.request(`${path}/portrait`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
      body: Uint8Array.from(bytes),
    })

  guarantee('a name is set, changed and cleared, and the room, its disclosure and the transcript say it', async (app) => {
    const { path, slug } = await made(app)
    const room = async () => (await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body
    assert.equal((await app.api('GET', path)).body.presenterName, 'Nora')
    assert.deepEqual((await room()).presenter, { name: 'Nora', imageUrl: null })
    assert.match((await room()).disclosure, /^Nora, an automated presenter, gives this talk/)
    assert.equal((await app.api('PATCH', path, { presenterName: 'Kim' })).body.presenterName, 'Kim')
    const run = (await app.api('POST', `/api/v1/rooms/${slug}/attendees`, {}, null)).body
    const { read, close } = await app.stream(`/api/v1/runs/${String(run.runId)}/stream`, run.attendeeToken)
    await app.api('POST', `/api/v1/runs/${String(run.runId)}/control`, { id: crypto.randomUUID(), action: 'start' }, run.attendeeToken)
    await read()
    const { entries } = (await app.api('GET', `${path}/runs/${String(run.runId)}/transcript`)).body
    assert.ok(entries.length > 0 && entries.every(({ speaker }: { speaker: string }) => speaker === 'Kim'))
    await close()
    assert.equal('presenterName' in (await app.api('PATCH', path, { presenterName: null })).body, false)
    assert.equal('presenter' in (await room()), false)
    for (const wrong of ['', 'x'.repeat(81)]) assert.equal((await app.api('PATCH', path, { presenterName: wrong })).status, 400)
  })

  guarantee(
    'how words are said is set with the session, replaced, copied and cleared, within its bounds, and told to the room',
    async (app) => {
      const pronunciations = { kubectl: 'cube control', 大分: 'おおいた' }
      const { path, slug } = await made(app, { ...talk, pronunciations })
      const room = async () => (await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body
      assert.deepEqual((await app.api('GET', path)).body.pronunciations, pronunciations)
      assert.deepEqual((await room()).pronunciations, pronunciations)
      assert.deepEqual((await app.api('POST', `${path}/duplicate`)).body.pronunciations, pronunciations)
      const most = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`word${at}`.padEnd(60, 'x'), 'y'.repeat(120)]))
      assert.deepEqual((await app.api('PATCH', path, { pronunciations: most })).body.pronunciations, most)
      for (const wrong of [
        { ...most, more: 'x' },
        { ['w'.repeat(61)]: 'x' },
        { word: 'x'.repeat(121) },
        { word: ' ' },
        { '': 'x' },
        ['x'],
        'x',
      ]) {
        const { status, body } = await app.api('PATCH', path, { pronunciations: wrong })
        assert.deepEqual(
          [status, String(body.errors?.[0]?.pointer).startsWith('#/pronunciations')],
          [400, true],
          JSON.stringify(wrong).slice(0, 80),
        )
      }
      assert.deepEqual((await app.api('GET', path)).body.pronunciations, most)
      assert.equal('pronunciations' in (await app.api('PATCH', path, { pronunciations: null })).body, false)
      assert.equal('pronunciations' in (await room()), false)
    },
  )

  guarantee('a portrait is decoded and drawn anew, replaced, copied, and removed with what used it', async (app) => {
    const { path, slug, sessionId } = await made(app)
    const shown = async () => (await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body.presenter.imageUrl as string | null
    const first = await send(app, path, await pictureOfWords(['Nora']))
    assert.equal(first.status, 200, first.text)
    const url = await shown()
    assert.equal(first.body.imageUrl, url)
    assert.equal((await app.api('GET', path)).body.presenterImageUrl, url)
    const media = await app.request(String(url))
    assert.deepEqual([media.status, media.headers.get('content-type')], [200, 'image/webp'])
    const copy = (await app.api('POST', `${path}/duplicate`)).body
    assert.deepEqual([copy.presenterName, copy.presenterImageUrl], ['Nora', url])
    const second = await send(app, path, await pictureOfWords(['Another']), 'application/octet-stream')
    assert.notEqual(second.body.imageUrl, url)
    const sweep = () => sweepBlobs(app.store, app.service.decks.deps.blobs, app.clock.now() + 2 * hourMs)
    await sweep()
    assert.equal((await app.request(String(url))).status, 200, 'the copy uses it')
    await app.api('DELETE', `/api/v1/agent/sessions/${String(copy.id)}`)
    assert.deepEqual((await app.api('DELETE', `/api/v1/agent/sessions/${sessionId}/portrait`)).body, { deleted: true })
    assert.equal(await shown(), null)
    await sweep()
    const left = await Promise.all([url, second.body.imageUrl].map(async (gone) => (await app.request(String(gone))).status))
    // Taken away, and replaced before.
    assert.deepEqual(left, [410, 404])
  })

  guarantee('what is no picture, too large, or for a session of somebody else is refused with words', async (app) => {
    const { path } = await made(app)
    const text = new TextEncoder().encode('no picture at all')
    assert.equal((await send(app, path, text, 'application/octet-stream')).status, 415)
    const picture = await pictureOfWords(['Nora'])
    const broken = await send(app, path, picture.slice(0, 20))
    assert.deepEqual([broken.status, broken.body.errors?.[0]?.pointer], [400, '#/file'], broken.text)
    const large = new Uint8Array(10 * 1024 * 1024 + 1)
    large.set(picture)
    assert.equal((await send(app, path, large)).status, 413)
    assert.equal((await send(app, path, picture, 'image/png', await app.newKey())).status, 404)
    assert.equal('presenterImageUrl' in (await app.api('GET', path)).body, false)
  })

  guarantee('where nobody vouches for a session its name and face are not shown: they could be those of anybody', async (app) => {
    const stranger = await registerStranger(app)
    const { slug, path } = await made(app, talk, stranger.token)
    await send(app, path, await pictureOfWords(['Nora']), 'image/png', stranger.token)
    const { body } = await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)
    assert.equal('presenter' in body, false)
    assert.doesNotMatch(body.disclosure, /Nora/)
  })
})
