// The language of a session is its deck's unless the host has said so (`language`, `languageFrom`). On both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const german = [
  { textContent: 'Kühlung für Beeren\n- Der Kompressor läuft in der Nacht, wenn der Strom billig ist' },
  { textContent: 'Was es kostet\n- Die Rechnung sinkt um 40 % und die Anlage ist nach drei Jahren bezahlt' },
]
const english = [{ textContent: 'Cold storage\n- The compressor runs at night, when power is cheap, and the bill falls with it' }]

eachStore((_, open) => {
  test('a German deck sent without a language is presented in German', () =>
    withService(open, async ({ api }) => {
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Beeren', slides: german })
      const home = `/api/v1/agent/sessions/${body.sessionId}`
      const session = await api('GET', home)
      assert.equal(session.body.language, 'de')
      assert.equal(session.body.languageFrom, 'deck')
      const script = await api('GET', `${home}/script`)
      assert.equal(script.body.language, 'de')
      assert.deepEqual((await api('GET', `${home}/deck`)).body.warnings, [])
    }))

  test('a deck that replaces another brings its language along, and the consent asked follows it', () =>
    withService(open, async ({ api, store }) => {
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Berries', slides: english })
      const home = `/api/v1/agent/sessions/${body.sessionId}`
      assert.equal((await api('GET', home)).body.language, 'en')
      await api('PUT', `${home}/deck`, { slides: german })
      assert.equal((await api('GET', home)).body.language, 'de')
      const row = await store.read
        .selectFrom('sessions')
        .select('consent_version')
        .where('id', '=', body.sessionId)
        .executeTakeFirstOrThrow()
      assert.equal(row.consent_version, 2)
    }))

  test('a language that the host named stays, and the deck warns that its words are of another', () =>
    withService(open, async ({ api }) => {
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Berries', language: 'en-GB', slides: german })
      const home = `/api/v1/agent/sessions/${body.sessionId}`
      const named = await api('GET', home)
      assert.deepEqual([named.body.language, named.body.languageFrom], ['en-GB', 'host'])
      const [warning] = (await api('GET', `${home}/deck`)).body.warnings
      assert.equal(warning.code, 'language_differs')
      assert.match(warning.detail, /German.*English/)
      assert.equal(warning.slideIndex, undefined)
      const followed = await api('PATCH', home, { language: null })
      assert.deepEqual([followed.body.language, followed.body.languageFrom], ['de', 'deck'])
    }))

  test('a language that the host changes stays through the next deck', () =>
    withService(open, async ({ api }) => {
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Berries', slides: german })
      const home = `/api/v1/agent/sessions/${body.sessionId}`
      await api('PATCH', home, { language: 'fr' })
      await api('PUT', `${home}/deck`, { slides: english })
      const kept = await api('GET', home)
      assert.deepEqual([kept.body.language, kept.body.languageFrom], ['fr', 'host'])
    }))

  test('slides of a few names leave the language at its default', () =>
    withService(open, async ({ api }) => {
      const { body } = await api('POST', '/api/v1/agent/sessions', { title: 'Tools', slides: [{ textContent: 'Grafana Loki Tempo' }] })
      const session = await api('GET', `/api/v1/agent/sessions/${body.sessionId}`)
      assert.deepEqual([session.body.language, session.body.languageFrom], ['en', 'default'])
    }))
})
