// Threat class "leak": one secret of every kind is made in a full story on a listening server, and afterwards none of them stands in the
// data folder, a backup, the debug log, the metrics, an error, or the answer to somebody else.
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FormBrowser } from '../auth/form-browser.ts'
import { formBrowser, signIn } from '../auth/form-browser.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

const owner = { email: 'maya@example.com', password: 'a quiet lake at dusk' }
const metricsToken = 'a-token-of-the-metrics-of-this-suite'

let server: TestServer
let browser: FormBrowser
before(async () => {
  const env = {
    ROSTRUM_OWNER_EMAIL: owner.email,
    ROSTRUM_OWNER_PASSWORD: owner.password,
    ROSTRUM_LOG: 'debug',
    ROSTRUM_METRICS_TOKEN: metricsToken,
  }
  server = await startServer({ env })
  browser = formBrowser(server.baseUrl)
  await signIn(browser, owner)
})
const outside = mkdtempSync(join(tmpdir(), 'rostrum-leak-'))
after(() => server.stop())
after(() => rmSync(outside, { recursive: true, force: true }))

type Answer = Record<string, string | undefined>

interface Newer {
  identity: { assertion: string; refresh_token: { value: string } }
  claim: { token: string }
}

/** The story fails where an answer lacks what the type says. */
async function call<T = Answer>(path: string, body: object, token?: string): Promise<T> {
  const isForm = body instanceof URLSearchParams
  const headers = {
    'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    ...(token && { Authorization: `Bearer ${token}` }),
  }
  const answer = await fetch(server.baseUrl + path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
  return (await answer.json()) as T
}

async function codeAt(address: string): Promise<string> {
  const page = await browser.submit(await browser.open(address), { decision: 'approve' })
  return /id="claim-code">([^<]+)</.exec(page.text)?.[1] ?? assert.fail(page.text)
}

/** Every kind of secret, by its name. */
async function story(): Promise<Record<string, string>> {
  const older = await call('/api/v1/auth/register', { client_name: 'Copilot', identity_type: 'anonymous' })
  const olderCode = await codeAt(older['claim_uri'] ?? '')
  await call('/api/v1/auth/claim', { claim_id: olderCode }, older['access_token'])
  const newer = await call<Newer>('/agent/identity', { type: 'anonymous' })
  const grant = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: newer.identity.assertion })
  const exchanged = await call('/oauth2/token', grant)
  const claim = { type: 'service_auth', claim_token: newer.claim.token, login_hint: owner.email }
  const started = await call<{ attempt: { verification_uri: string } }>('/agent/identity/claim', claim)
  const newerCode = await codeAt(started.attempt.verification_uri)
  await call('/agent/identity/claim/complete', { claim_token: newer.claim.token, user_code: newerCode })
  const key = JSON.parse((await browser.api('POST', '/api/v1/account/keys', { name: 'CI' })).text) as Answer
  const session = await call('/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides: [{ textContent: 'Grid' }] }, key['key'])
  const attendee = await call(`/api/v1/rooms/${session['slug']}/attendees`, { name: 'Ada' })
  const invitation = JSON.parse(
    (await browser.api('POST', '/api/v1/account/invitations', { email: 'ben@example.com', role: 'member' })).text,
  ) as Answer
  return {
    ...(await connector()),
    'agent token': older['access_token'] ?? '',
    'claim page': String(older['claim_uri']).split('/').at(-1) ?? '',
    'claim code': olderCode,
    'second claim code': newerCode,
    'identity assertion': newer.identity.assertion.split('.').at(-1) ?? '',
    'agent refresh token': newer.identity.refresh_token.value,
    'claim token': newer.claim.token,
    'exchanged token': exchanged['access_token'] ?? '',
    'API key': key['key'] ?? '',
    'attendee token': attendee['attendeeToken'] ?? '',
    'invitation link': String(invitation['link']).split('/').at(-1) ?? '',
    'sign-in cookie': browser.cookies.get('rostrum') ?? '',
    password: owner.password,
  }
}

async function connector(): Promise<Record<string, string>> {
  const redirectUri = 'https://client.example/cb'
  const { client_id: clientId = '' } = await call('/oauth2/register', { redirect_uris: [redirectUri] })
  const verifier = 'a-verifier-of-at-least-forty-three-characters-long'
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))).toString('base64url')
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: digest,
    code_challenge_method: 'S256',
  }
  const page = await browser.open(`/oauth2/authorize?${new URLSearchParams(query).toString()}`)
  const { url } = await browser.submit(page, { decision: 'allow' })
  const code = url.searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier }
  const tokens = await call('/oauth2/token', new URLSearchParams(grant))
  return { 'authorization code': code, 'access token': tokens['access_token'] ?? '', 'refresh token': tokens['refresh_token'] ?? '' }
}

test('no secret of a full story is at rest, in a backup, in the debug log, in the metrics, or in an error', async () => {
  const secrets = await story()
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret.length >= 9, `${name} was not made: ${secret}`)
  const errors: string[] = []
  for (const secret of Object.values(secrets)) {
    for (const path of ['/api/v1/auth/claim', '/oauth2/token', '/agent/identity', '/agent/event/notify', '/api/v1/agent/sessions']) {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${secret}x` }
      errors.push(
        await (
          await fetch(server.baseUrl + path, { method: 'POST', headers, body: JSON.stringify({ type: secret, claim_id: [secret] }) })
        ).text(),
      )
    }
  }
  const metrics = await (await fetch(`${server.baseUrl}/metrics`, { headers: { Authorization: `Bearer ${metricsToken}` } })).text()
  assert.match(metrics, /# TYPE/)
  const backup = join(outside, 'backup.tar')
  await server.command('backup', backup)
  const stranger = await call('/api/v1/auth/register', { client_name: 'Other', identity_type: 'anonymous' })
  const theirs = await fetch(`${server.baseUrl}/api/v1/agent/sessions`, {
    headers: { Authorization: `Bearer ${stranger['access_token']}` },
  })
  const files = globSync('**/*', { cwd: server.dataDir })
    .map((name) => join(server.dataDir, name))
    .filter((path) => statSync(path).isFile())
    .concat(backup)
  assert.ok(
    files.some((path) => path.includes('.db') || path.includes('sqlite')),
    files.join(' '),
  )
  const places: [string, string][] = [
    ['the log', server.printed()],
    ['the metrics', metrics],
    ['an error', errors.join('\n')],
    ['an answer to a stranger', await theirs.text()],
    ...files.map((path): [string, string] => [path, readFileSync(path, 'latin1')]),
  ]
  assert.match(server.printed(), /"level":/)
  for (const [place, text] of places) {
    for (const [name, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `${name} stands in ${place}`)
  }
})
