// No secret stays: after a whole story of people, keys, mails, agents and OAuth, none of what was handed out once is in the data
// folder, in a backup, in what the process printed at its most talkative, in metrics, in errors, or in any later answer.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FormBrowser } from '../auth/form-browser.ts'
import { formBrowser, signIn } from '../auth/form-browser.ts'
import { eventually } from '../support/clock.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import type { SmtpServer } from '../support/smtp-server.ts'
import { linkIn, openSmtpServer } from '../support/smtp-server.ts'

const owner = { email: 'maya@example.com', password: 'canary quiet lake 0291' }
const redirectUri = 'https://client.example/callback'
const verifier = 'a-verifier-of-at-least-forty-three-characters'

let smtp: SmtpServer
let server: TestServer
/** Name and value of everything that was handed out once. */
const secrets = new Map<string, string>()
const browsers: FormBrowser[] = []

before(async () => {
  smtp = await openSmtpServer({ login: { user: 'talks', pass: 'canary-smtp-7731' } })
  secrets.set('the password of the mail server', 'canary-smtp-7731').set('the first password', owner.password)
  server = await startServer({
    env: {
      ROSTRUM_OWNER_EMAIL: owner.email,
      ROSTRUM_OWNER_PASSWORD: owner.password,
      ROSTRUM_SMTP_URL: `smtp://talks:canary-smtp-7731@127.0.0.1:${smtp.port}`,
      ROSTRUM_LOG: 'trace',
      ROSTRUM_RATE_API: 'off',
    },
  })
})
after(async () => {
  await server.stop()
  await smtp.close()
})

const json = (text: string): Record<string, string> => JSON.parse(text) as Record<string, string>

function keep(name: string, value: string | undefined): string {
  assert.ok(value !== undefined && value.length >= 8, `${name} was handed out`)
  secrets.set(name, value)
  return value
}

function newBrowser(): FormBrowser {
  const browser = formBrowser(server.baseUrl)
  browsers.push(browser)
  return browser
}

/** The path of the next mailed link, whose last part is kept as a secret. */
async function mailedPath(name: string): Promise<string> {
  await eventually(async () => smtp.mails.length > 0)
  const mail = smtp.mails.shift()
  assert.ok(mail)
  const { pathname } = linkIn(mail)
  keep(name, pathname.split('/').at(-1))
  return pathname
}

async function post(path: string, body: unknown, token?: string) {
  const headers = { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
  const answer = await fetch(`${server.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, text: await answer.text() }
}

async function keys(maya: FormBrowser): Promise<void> {
  const made = json((await maya.api('POST', '/api/v1/account/keys', { name: 'CI' })).text)
  const rotated = json((await maya.api('POST', `/api/v1/account/keys/${made['id']}/rotate`, { graceSeconds: 60 })).text)
  for (const [name, { key }] of Object.entries({ 'the key': made, 'the new key': rotated })) {
    const used = await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { headers: { Authorization: `Bearer ${keep(name, key)}` } })
    assert.equal(used.status, 200)
  }
}

async function people(maya: FormBrowser): Promise<void> {
  assert.equal((await maya.api('POST', '/api/v1/account/invitations', { email: 'ben@example.com' })).status, 201)
  const ben = newBrowser()
  const password = keep('the password of Ben', 'canary orange boat 5520')
  await ben.submit(await ben.open(await mailedPath('the invitation')), { name: 'Ben', password })
  assert.equal((await ben.api('GET', '/api/v1/account')).status, 200)
  const stranger = newBrowser()
  await stranger.submit(await stranger.open('/dashboard/recover'), { email: 'ben@example.com' })
  const reset = await stranger.open(await mailedPath('the recovery link'))
  assert.equal((await stranger.submit(reset, { password: keep('the new password of Ben', 'canary second boat 8812') })).status, 200)
  assert.equal((await maya.api('POST', '/api/v1/account/email', { email: 'okafor@example.com' })).status, 202)
  assert.equal((await maya.submit(await maya.open(await mailedPath('the link to a new address')), {})).status, 200)
  await eventually(async () => smtp.mails.length > 0)
}

async function agents(maya: FormBrowser): Promise<void> {
  const agent = json((await post('/api/v1/auth/register', { client_name: 'Sales Copilot', identity_type: 'anonymous' })).text)
  const token = keep('the agent token', agent['access_token'])
  const { pathname } = new URL(agent['claim_uri'] ?? '')
  keep('the claim page', pathname.split('/').at(-1))
  const approved = await maya.submit(await maya.open(pathname), { decision: 'approve' })
  const code = keep('the claim code', /id="claim-code">([^<]+)</.exec(approved.text)?.[1])
  const claimed = await post('/api/v1/auth/claim', { claim_id: code, rotate: true }, token)
  assert.equal(claimed.status, 200, claimed.text)
  keep('the rotated agent token', json(claimed.text)['access_token'])
}

async function connector(maya: FormBrowser): Promise<void> {
  const client = json(
    (await post('/oauth2/register', { client_name: 'Connector', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' })).text,
  )
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client['client_id'] ?? '',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'sessions:read offline_access',
    state: 'xyz',
  })
  const back = await maya.submit(await maya.open(`/oauth2/authorize?${parameters.toString()}`), { decision: 'allow' })
  const code = keep('the OAuth code', back.url.searchParams.get('code') ?? undefined)
  const exchange = (fields: Record<string, string>) =>
    fetch(`${server.baseUrl}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client['client_id'] ?? '', ...fields }),
    })
  const issued = json(
    await (await exchange({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })).text(),
  )
  keep('the access token', issued['access_token'])
  const refreshed = json(
    await (await exchange({ grant_type: 'refresh_token', refresh_token: keep('the refresh token', issued['refresh_token']) })).text(),
  )
  keep('the second access token', refreshed['access_token'])
  keep('the second refresh token', refreshed['refresh_token'])
}

/** Errors must not repeat what was sent, and must not log it either. */
async function mistakes(): Promise<string[]> {
  const answers: string[] = []
  for (const secret of secrets.values()) {
    const authorization = { Authorization: `Bearer ${secret.replaceAll(/[^\x21-\x7e]/g, '')}x` }
    answers.push(await (await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { headers: authorization })).text())
    answers.push(await (await fetch(`${server.baseUrl}/api/v1/agent/sessions?access_token=${encodeURIComponent(secret)}`)).text())
    answers.push((await post('/api/v1/auth/revoke', `{"token": ${secret}`)).text)
    answers.push(await (await fetch(`${server.baseUrl}/reset/${encodeURIComponent(secret)}x`, { headers: { Accept: 'text/html' } })).text())
  }
  return answers
}

function filesBelow(folder: string): { name: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => ({ name, bytes: readFileSync(name) }))
}

function assertAbsent(where: string, bytes: Buffer): void {
  for (const [name, secret] of secrets) {
    for (const form of new Set([secret, secret.replaceAll('-', ''), Buffer.from(secret).toString('base64').replaceAll('=', '')])) {
      assert.equal(bytes.includes(form), false, `${name} is in ${where}`)
    }
  }
}

test('a secret that was handed out once is nowhere afterwards', async (t) => {
  const maya = newBrowser()
  await signIn(maya, owner)
  await keys(maya)
  await people(maya)
  await agents(maya)
  await connector(maya)
  browsers.forEach(({ cookies }, at) => {
    for (const [name, value] of cookies) if (name.endsWith('rostrum')) keep(`the cookie ${name} of browser ${at}`, value)
  })
  assert.ok(secrets.size >= 16, [...secrets.keys()].join(', '))

  for (const answer of await mistakes()) assertAbsent('the answer to a mistake', Buffer.from(answer))
  const lists = ['', '/keys', '/agents', '/apps', '/sign-ins', '/members', '/invitations', '/audit'].map((part) => `/api/v1/account${part}`)
  for (const path of [...lists, '/dashboard', '/dashboard/recover', '/metrics', '/openapi.json']) {
    const answer = await maya.api('GET', path)
    assert.equal(answer.status, 200, path)
    assertAbsent(path, Buffer.from(answer.text))
    assertAbsent(`the headers of ${path}`, Buffer.from(JSON.stringify([...answer.headers])))
  }
  assert.match((await maya.api('GET', '/api/v1/account/apps')).text, /"lastUsedAt"/)

  const elsewhere = mkdtempSync(join(tmpdir(), 'rostrum-canary-'))
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }))
  await server.command('backup', join(elsewhere, 'backup.tar'))
  await server.kill()
  const files = [...filesBelow(server.dataDir), ...filesBelow(elsewhere)]
  assert.ok(files.some(({ name }) => name.endsWith('.tar')) && files.length > 2)
  assert.ok(
    files.some(({ bytes }) => bytes.includes('okafor@example.com')),
    'what is kept would be found',
  )
  // The password of the owner is in the environment of the process alone.
  for (const { name, bytes } of files) assertAbsent(name, bytes)
  assertAbsent('what was printed', Buffer.from(server.printed()))
  assert.notEqual(server.printed(), '')
  for (const mail of smtp.mails) assertAbsent('the mail about the changed address', Buffer.from(mail.text))
})
