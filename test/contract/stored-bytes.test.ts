// What an account may store: beyond it nothing more is taken, and nothing that is in service goes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import type { Answer, TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const mebibyte = 1_048_576

/** A picture that no codec makes small: some 3 bytes for each of its points. */
function noise(side: number, seed: number): Uint8Array<ArrayBuffer> {
  const canvas = createCanvas(side, side)
  const context = canvas.getContext('2d')
  const image = context.createImageData(side, side)
  let state = seed
  for (let at = 0; at < image.data.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    image.data[at] = at % 4 === 3 ? 255 : state >>> 24
  }
  context.putImageData(image, 0, 0)
  return new Uint8Array(canvas.toBuffer('image/png'))
}

const newSession = async (app: TestService, more: object = {}) =>
  (await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', ...more })).body.sessionId as string

function upload(app: TestService, sessionId: string, files: readonly Uint8Array<ArrayBuffer>[]): Promise<Answer> {
  const form = new FormData()
  for (const [at, file] of files.entries()) form.append('file', new File([file], `${at}.png`))
  return app.request(`/api/v1/agent/sessions/${sessionId}/deck`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${app.key}` },
    body: form,
  })
}

const deckOf = async (app: TestService, sessionId: string) => (await app.api('GET', `/api/v1/agent/sessions/${sessionId}/deck`)).body
const stored = async (app: TestService) => (await app.api('GET', '/api/v1/agent/usage')).body.storedBytes

eachStore((_dialect, open) => {
  const withLimit = (limit: string, story: (app: TestService) => Promise<void>) =>
    withService(open, story, { ROSTRUM_PLAN_STORAGE: limit, ROSTRUM_RATE_UPLOAD: 'off' })

  test('what goes beyond the quota is refused with words, a copy counts once, and a deletion makes room', () =>
    withLimit('1MiB', async (app) => {
      const sessionId = await newSession(app)
      assert.equal((await upload(app, sessionId, [noise(300, 1)])).status, 202)
      await app.service.jobs.idle()
      assert.equal((await deckOf(app, sessionId)).state, 'ready')
      const before = await stored(app)
      assert.equal(before.limit, mebibyte)
      assert.ok(before.used > 10_000 && before.used < mebibyte, String(before.used))
      const refused = await upload(app, sessionId, [noise(600, 2)])
      assert.deepEqual([refused.status, refused.body.code], [409, 'limit_reached'], refused.text)
      assert.match(refused.body.detail, /^Your decks store 0\.\d MiB of 1 MiB, and this needs 1\.\d MiB more\. Delete sessions/)
      const deck = await deckOf(app, sessionId)
      assert.deepEqual([deck.state, deck.slides.length], ['ready', 1])
      assert.deepEqual(await stored(app), before)
      const copy = (await app.api('POST', `/api/v1/agent/sessions/${sessionId}/duplicate`)).body.sessionId
      assert.deepEqual(await stored(app), before)
      await app.api('DELETE', `/api/v1/agent/sessions/${sessionId}`)
      assert.deepEqual(await stored(app), before)
      await app.api('DELETE', `/api/v1/agent/sessions/${copy}`)
      assert.equal((await stored(app)).used, 0)
    }))

  test('a file that fits and whose pages do not fails with words, gives back what it took, and the old deck stays', () =>
    withLimit('1MiB', async (app) => {
      const sessionId = await newSession(app, { slides: [{ textContent: 'Part 1\n- A battery' }] })
      assert.equal((await upload(app, sessionId, [noise(520, 3)])).status, 202)
      await app.service.jobs.idle()
      const deck = await deckOf(app, sessionId)
      assert.equal(deck.state, 'failed')
      assert.match(deck.reason, /^Your decks store .* Delete sessions/)
      assert.equal((await stored(app)).used, 0)
      const shown = (await app.api('GET', `/api/v1/agent/sessions/${sessionId}`)).body
      assert.equal(shown.slidesCount, 1)
    }))

  test('ten uploads at once pass no quota together', () =>
    withLimit('1MiB', async (app) => {
      const sessions = await Promise.all(Array.from({ length: 10 }, () => newSession(app)))
      const answers = await Promise.all(sessions.map((sessionId, at) => upload(app, sessionId, [noise(330, at + 10)])))
      const accepted = answers.filter(({ status }) => status === 202).length
      assert.ok(accepted >= 1 && accepted <= 3, String(accepted))
      assert.ok((await stored(app)).used <= mebibyte)
      await app.service.jobs.idle()
      assert.ok((await stored(app)).used <= mebibyte)
    }))

  test('where nothing more may be stored, addresses and knowledge files are refused too; slides of text are not', () =>
    withLimit('0MiB', async (app) => {
      const sessionId = await newSession(app)
      const path = `/api/v1/agent/sessions/${sessionId}`
      const byAddress = await app.api('PUT', `${path}/deck`, { pdfUrl: 'https://93.184.216.34/deck.pdf' })
      assert.deepEqual([byAddress.status, byAddress.body.code], [409, 'limit_reached'], byAddress.text)
      const knowledge = await app.request(`${path}/knowledge/files`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.key}`, 'Content-Type': 'text/markdown' },
        body: '# Grid\n\nA battery shifts the evening peak.',
      })
      assert.deepEqual([knowledge.status, knowledge.body.code], [409, 'limit_reached'], knowledge.text)
      assert.match(knowledge.body.detail, /^Your decks store 0 MiB of 0 MiB\. Delete sessions/)
      assert.equal((await app.api('PUT', `${path}/deck`, { slides: [{ textContent: 'Part 1' }] })).status, 200)
      const other = await app.newKey({ accountId: '00000000-0000-4000-8000-000000000009' })
      assert.equal((await app.api('GET', '/api/v1/agent/usage', undefined, other)).body.storedBytes.used, 0)
    }))

  const portrait = (app: TestService, sessionId: string, method: 'PUT' | 'DELETE', side = 60) =>
    app.request(`/api/v1/agent/sessions/${sessionId}/portrait`, {
      method,
      headers: { Authorization: `Bearer ${app.key}`, ...(method === 'PUT' && { 'Content-Type': 'image/png' }) },
      ...(method === 'PUT' && { body: noise(side, side) }),
    })

  test('a portrait counts, until it is taken away or its session goes', () =>
    withLimit('1MiB', async (app) => {
      const sessionId = await newSession(app)
      assert.equal((await portrait(app, sessionId, 'PUT')).status, 200)
      const { used } = await stored(app)
      assert.ok(used > 500, String(used))
      const copy = (await app.api('POST', `/api/v1/agent/sessions/${sessionId}/duplicate`)).body.sessionId
      assert.equal((await stored(app)).used, used)
      await portrait(app, sessionId, 'DELETE')
      assert.equal((await stored(app)).used, used, 'the copy has it still')
      await app.api('DELETE', `/api/v1/agent/sessions/${copy}`)
      assert.equal((await stored(app)).used, 0)
    }))

  test('a portrait beyond the quota is refused', () =>
    withLimit('0MiB', async (app) => {
      const refused = await portrait(app, await newSession(app), 'PUT')
      assert.deepEqual([refused.status, refused.body.code], [409, 'limit_reached'], refused.text)
      assert.equal((await stored(app)).used, 0)
    }))

  test('without a quota everything is stored, and told', () =>
    withLimit('off', async (app) => {
      const sessionId = await newSession(app)
      assert.equal((await upload(app, sessionId, [noise(600, 5)])).status, 202)
      await app.service.jobs.idle()
      const { limit, used } = await stored(app)
      assert.equal(limit, null)
      assert.ok(used > 0)
    }))
})
