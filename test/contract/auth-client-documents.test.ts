// OAuth clients known by the address of a document (Client ID Metadata Documents): fetched by the guard, judged like registrations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutboundRequest } from '../../server/platform/egress/outbound.ts'
import { person } from '../auth/agents.ts'
import { authWorld } from '../auth/support.ts'
import { openTestStore } from '../support/stores.ts'

const clientId = 'https://connector.example/oauth/client.json'
const redirectUri = 'https://connector.example/callback'
const good = { client_id: clientId, client_name: 'Connector', redirect_uris: [redirectUri], token_endpoint_auth_method: 'private_key_jwt' }

async function authorize(document: unknown, { status = 200, id = clientId }: { status?: number; id?: string } = {}) {
  const store = await openTestStore()
  const requests: OutboundRequest[] = []
  const body = new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document))
  const world = authWorld(store, {
    outbound: {
      request(request) {
        requests.push(request)
        return Promise.resolve({ ok: true, status, headers: {}, body, truncated: false, url: request.url, peer: '203.0.113.1' })
      },
    },
  })
  const browser = await person(world)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  const started = await browser.get(`/oauth2/authorize?${query.toString()}`)
  const location = started.headers.get('location')
  const page = location?.startsWith('/oauth2/consent/') ? await browser.get(location) : undefined
  await world.close()
  await store.close()
  return { started, page, requests }
}

test('a client is what its document says, and the page shows where the answer goes', async () => {
  const { started, page, requests } = await authorize(good)
  assert.equal(started.status, 303, started.text)
  assert.match(page?.text ?? '', /Connector[^]*connector\.example/)
  assert.deepEqual([requests[0]?.url, requests[0]?.redirects, requests[0]?.maxBytes], [clientId, 0, 16_384])
})

test('a document of another client, with a bad redirect, not JSON or not there, is no client', async () => {
  const cases: [unknown, number?][] = [
    [{ ...good, client_id: 'https://connector.example/other.json' }],
    [{ ...good, redirect_uris: [redirectUri, 'http://connector.example/'] }],
    [{ ...good, client_name: 'a\u202eb' }],
    ['<html>'],
    [[]],
    [good, 404],
    [good, 302],
  ]
  for (const [document, status] of cases) {
    const { started } = await authorize(document, status === undefined ? {} : { status })
    assert.equal(started.status, 400)
  }
})

test('addresses that are no documents are not fetched', async () => {
  for (const id of ['https://connector.example/', 'http://connector.example/x', 'https://u@connector.example/x']) {
    const { started, requests } = await authorize({ ...good, client_id: id }, { id })
    assert.equal(started.status, 400)
    assert.equal(requests.length, 0, id)
  }
})
