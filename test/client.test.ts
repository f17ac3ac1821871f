// The typed client: its routes are those of the service, and a call against the real app gives what the types say.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient, RostrumError } from '../client/index.ts'
import { routesText } from './support/client-routes.ts'
import { openService } from './support/service.ts'

test('the client knows every operation that HTTP offers as JSON', () => {
  const text = readFileSync(join(import.meta.dirname, '../client/routes.ts'), 'utf8')
  assert.equal(text, routesText(), 'run `node scripts/client-routes.ts`')
})

test('calls go to their operation, path members into the path, and refusals are errors with their code', async () => {
  const app = await openService()
  try {
    const send: typeof fetch = async (input, init) => {
      const { status, headers, text } = await app.request(input instanceof Request ? input.url : new URL(input).href, init)
      return new Response(text, { status, headers })
    }
    const client = createClient({ baseUrl: app.baseUrl, token: app.key, fetch: send })
    const created = await client.call('create_session', { title: 'Typed', isLive: true, slides: [{ textContent: 'Typed\n- One' }] })
    const shown = await client.call('get_session', { sessionId: created.sessionId })
    assert.equal(shown.title, 'Typed')
    const listed = await client.call('list_sessions', { limit: 5 })
    assert.equal(listed.sessions[0]?.slug, created.slug)
    // What takes files takes slides as well.
    const { slides } = await client.call('put_deck', {
      sessionId: created.sessionId,
      slides: [{ textContent: 'Other' }, { textContent: 'Slides' }],
    })
    assert.equal(slides.length, 2)
    const again = { idempotencyKey: 'same' }
    const [first, second] = [await client.call('duplicate_session', created, again), await client.call('duplicate_session', created, again)]
    assert.equal(first.id, second.id)
    await assert.rejects(client.call('get_session', { sessionId: '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11' }), (error) => {
      assert.ok(error instanceof RostrumError)
      assert.equal(error.code, 'not_found')
      assert.equal(error.status, 404)
      return true
    })
  } finally {
    await app.close()
  }
})
