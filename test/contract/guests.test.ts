// A talk for people whom its host has named: each joins by a link of their own, and strangers are told so. On both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const maya = { email: 'maya@acme.example', name: 'Maya Okafor' }
const tom = { email: 'tom@acme.example' }

interface Guest {
  email: string
  key: string
}

interface Talk extends TestService {
  sessionId: string
  slug: string
  change(members: object): ReturnType<TestService['api']>
  keys(): Promise<Record<string, string>>
  join(key: string, members?: object): ReturnType<TestService['api']>
  look(key: string): ReturnType<TestService['api']>
}

eachStore((_, open) => {
  const guarantee = (name: string, fn: (talk: Talk) => Promise<void>) =>
    test(name, () =>
      withService(open, async (app) => {
        const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]
        const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid storage', isLive: true, slides, guests: [maya, tom] })
        const { sessionId, slug } = made.body
        const path = `/api/v1/agent/sessions/${sessionId}`
        await fn({
          ...app,
          sessionId,
          slug,
          change: (members) => app.api('PATCH', path, members),
          keys: async () => {
            const { guests = [] } = (await app.api('GET', path)).body as { guests?: Guest[] }
            return Object.fromEntries(guests.map(({ email, key }) => [email, key]))
          },
          join: (key, members = {}) => app.api('POST', `/api/v1/rooms/${key}/attendees`, members, null),
          look: (key) => app.api('GET', `/api/v1/rooms/${key}`, undefined, null),
        })
      }),
    )

  guarantee('a stranger with the link of the talk neither joins nor sees a slide, and is told why', async (talk) => {
    for (const key of [talk.slug, `${talk.slug}.`, `${talk.slug}.undefined`, `${talk.slug}.aaaaaaaaaaaaaaaaaaaaaaaaaa`]) {
      for (const answer of [await talk.look(key), await talk.join(key)]) {
        assert.equal(answer.status, 403, key)
        assert.match(answer.body.detail, /people whom its host has named/)
        assert.doesNotMatch(answer.text, /battery|maya/i)
      }
      const page = await talk.request(`/join/${key}`)
      assert.deepEqual([page.status, /battery/.test(page.text)], [403, false])
      assert.match(page.text, /"reason":"guests"/)
    }
    assert.equal((await talk.request(`/report/${talk.slug}`)).status, 404)
  })

  guarantee('each guest joins by a link of their own, under the name that the host gave unless they say another', async (talk) => {
    const keys = await talk.keys()
    assert.equal(new Set(Object.values(keys)).size, 2)
    const mayas = `${talk.slug}.${keys[maya.email]}`
    const { status, body: seen } = await talk.look(mayas)
    assert.deepEqual([status, seen.guestName], [200, maya.name])
    const page = await talk.request(`/join/${mayas}`)
    assert.match(page.text, /battery/)
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    const { body } = await talk.api('GET', '/api/v1/agent/sessions')
    assert.deepEqual(
      body.sessions.map(({ guestsCount }: { guestsCount?: number }) => guestsCount),
      [2],
    )
    assert.equal((await talk.join(mayas.toUpperCase())).status, 200)
    assert.equal((await talk.join(`${talk.slug}.${keys[tom.email]}`, { name: 'Tom' })).status, 200)
    const rows = await talk.store.read.selectFrom('attendees').select('name').where('session_id', '=', talk.sessionId).execute()
    assert.deepEqual(new Set(rows.map(({ name }) => name)), new Set(['Maya Okafor', 'Tom']))
  })

  guarantee('who is named again keeps their link; who is named no more has none, even where named once more', async (talk) => {
    const before = await talk.keys()
    await talk.change({ guests: [{ email: 'MAYA@acme.example', key: 'chosen' }] })
    const after = await talk.keys()
    assert.deepEqual(after, { 'MAYA@acme.example': before[maya.email] })
    assert.equal((await talk.join(`${talk.slug}.${before[tom.email]}`)).status, 403)
    await talk.change({ guests: [maya, tom] })
    assert.notEqual((await talk.keys())[tom.email], before[tom.email])
    assert.equal((await talk.join(`${talk.slug}.${before[tom.email]}`)).status, 403)
  })

  guarantee('opened to all, both the plain link and the links that were sent work', async (talk) => {
    const keys = await talk.keys()
    await talk.change({ guests: null })
    assert.equal((await talk.join(talk.slug)).status, 200)
    assert.equal((await talk.join(`${talk.slug}.${keys[maya.email]}`)).status, 200)
  })

  guarantee('it is in no list and cannot be put there, and no personal agent of others speaks of it or leaves a lead', async (talk) => {
    const { body } = await talk.api('GET', '/api/v1/discover', undefined, null)
    assert.deepEqual(body.sessions, [])
    const refused = await talk.change({ discoverable: true })
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '#/discoverable'])
    assert.equal((await talk.change({ discoverable: true, guests: null })).status, 200)
    const again = await talk.change({ guests: [maya] })
    assert.deepEqual([again.status, again.body.discoverable], [200, false])
    const stranger = await talk.newKey()
    const query = { sessionId: talk.sessionId, message: 'What does a battery shift?' }
    assert.equal((await talk.api('POST', '/api/v1/pap/query', query, stranger)).status, 404)
    assert.equal((await talk.api('POST', '/api/v1/pap/query', query)).status, 200)
    const lead = { sessionId: talk.sessionId, email: 'a@b.example', consent: true }
    assert.equal((await talk.api('POST', '/api/v1/pap/leads', lead, stranger)).status, 404)
  })

  guarantee('the rehearsal link of the host still opens the rehearsal', async (talk) => {
    const { rehearsalUrl } = (await talk.api('GET', `/api/v1/agent/sessions/${talk.sessionId}`)).body
    assert.equal((await talk.look(rehearsalUrl.split('/').at(-1))).body.kind, 'rehearsal')
  })
})
