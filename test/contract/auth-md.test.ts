// Spec 5: an agent that can do nothing but follow `/auth.md` reaches its goal by both roads, on a listening server. The requests are
// read out of the document; only what stands in angle brackets is filled in, with what an earlier answer has given.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FormBrowser } from '../auth/form-browser.ts'
import { formBrowser, signIn } from '../auth/form-browser.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

const owner = { email: 'person@example.com', password: 'a quiet lake at dusk' }

let server: TestServer
let browser: FormBrowser
let requests: Example[]
before(async () => {
  server = await startServer({ env: { ROSTRUM_OWNER_EMAIL: owner.email, ROSTRUM_OWNER_PASSWORD: owner.password } })
  browser = formBrowser(server.baseUrl)
  await signIn(browser, owner)
  const metadata = await (await fetch(`${server.baseUrl}/.well-known/oauth-authorization-server`)).json()
  const { agent_auth: named } = metadata as { agent_auth: Record<string, string> }
  const text = await (await fetch(named['skill'] ?? '')).text()
  requests = examplesOf(text)
  for (const name of ['register_uri', 'claim_uri', 'revocation_uri', 'identity_endpoint', 'claim_endpoint'])
    assert.ok(
      requests.some(({ url }) => url === named[name]),
      `${name} is not shown`,
    )
})
after(() => server.stop())

interface Example {
  url: string
  headers: Record<string, string>
  body: string
}

/** Every request of the document, in its order. */
function examplesOf(text: string): Example[] {
  return [...text.matchAll(/```http\nPOST (\S+)\n((?:[\w-]+: .+\n)*)\n([^`]+?)\n```/g)].map(([, url = '', head = '', body = '']) => {
    const headers = Object.fromEntries(
      head
        .trim()
        .split('\n')
        .map((line) => line.split(': ', 2) as [string, string]),
    )
    return { url, headers, body }
  })
}

/** Sends the document's request to `path`, its placeholders replaced. */
async function follow(path: string, known: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
  const example = requests.find(({ url }) => url === server.baseUrl + path)
  assert.ok(example, `${path} is not in the document`)
  const fill = (text: string) => Object.entries(known).reduce((filled, [name, value]) => filled.replaceAll(name, value), text)
  const headers = Object.fromEntries(Object.entries(example.headers).map(([name, value]) => [name, fill(value)]))
  const body = fill(example.body)
  assert.doesNotMatch(body, /<|\.\.\./, 'a placeholder was left')
  const answer = await fetch(example.url, { method: 'POST', headers, body })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text) as Record<string, unknown>
}

async function codeAt(address: string): Promise<string> {
  const page = await browser.submit(await browser.open(address), { decision: 'approve' })
  return /id="claim-code">([^<]+)</.exec(page.text)?.[1] ?? assert.fail(page.text)
}

const sessionsOf = (token: string) =>
  fetch(`${server.baseUrl}/api/v1/agent/sessions`, { headers: { Authorization: `Bearer ${token}` } }).then(({ status }) => status)

test('[5.9-1] register, work, be claimed, end: each as the document shows it', async () => {
  const agent = await follow('/api/v1/auth/register')
  const token = { 'rst_agt_...': String(agent['access_token']) }
  const session = await follow('/api/v1/agent/sessions', token)
  assert.equal(typeof session['shareLink'], 'string')
  const claimed = await follow('/api/v1/auth/claim', { ...token, 'BDFK-RTWX': await codeAt(String(agent['claim_uri'])) })
  assert.match(String(claimed['scope']), /leads:read/)
  assert.equal(await sessionsOf(token['rst_agt_...']), 200)
  assert.equal((await follow('/api/v1/auth/revoke', token))['token_revoked'], true)
  assert.equal(await sessionsOf(token['rst_agt_...']), 401)
})

test('[5.9-1] the profile: register, exchange, name the person, complete, exchange again', async () => {
  const agent = (await follow('/agent/identity')) as { identity: { assertion: string }; claim: { token: string } }
  const exchange = (assertion: string) => follow('/oauth2/token', { '<identity.assertion>': assertion })
  assert.equal(await sessionsOf(String((await exchange(agent.identity.assertion))['access_token'])), 200)
  const known = { '<claim.token>': agent.claim.token }
  const started = (await follow('/agent/identity/claim', known)) as { attempt: { verification_uri: string } }
  const code = await codeAt(started.attempt.verification_uri)
  const done = (await follow('/agent/identity/claim/complete', { ...known, '<code>': code })) as { identity: { assertion: string } }
  const token = await exchange(done.identity.assertion)
  assert.match(String(token['scope']), /leads:read/)
  assert.equal(await sessionsOf(String(token['access_token'])), 200)
})
