// Two accounts on one service: everything that one of them can own, and every credential of the other.
import assert from 'node:assert/strict'
import { mint } from '../../server/accounts/credentials.ts'
import { systemIds } from '@rostrum/base/clock'
import type { TestService } from '../support/service.ts'

/** The id of one object of each kind, in the account that is not to be reached. */
export type Owned = Readonly<Record<IdKind, string>>
export type IdKind =
  | 'session'
  | 'slide'
  | 'beat'
  | 'run'
  | 'rehearsal'
  | 'question'
  | 'lead'
  | 'webhook'
  | 'delivery'
  | 'key'
  | 'agent'
  | 'grant'
  | 'signIn'
  | 'user'
  | 'invitation'
  | 'recording'
  | 'registration'
  | 'account'

/** How a person proves themselves: the cookie of the sign-in and the token against forged forms. */
export interface Person {
  userId: string
  headers: Readonly<Record<string, string>>
}

export interface TwoAccounts {
  owned: Owned
  /** A key with every scope, of the other account. */
  key: string
  /** An owner of the other account. */
  person: Person
  /** In a run of the other account. */
  attendee: string
  /** Own objects of the other account, for calls that name one of each. */
  own: Pick<Owned, 'session' | 'run' | 'webhook'>
}

const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak' }, { textContent: 'Cost\n- 112 EUR per kWh' }]
const password = 'a quiet lake at dusk'

export async function twoAccounts(app: TestService): Promise<TwoAccounts> {
  const { accountId } = app
  const host = await makePerson(app, accountId, 'maya@example.com')
  const talk = await makeTalk(app, app.key)
  const account = await send(app, host, 'GET', '/api/v1/account')
  const lead = await app.api('POST', '/api/v1/pap/leads', { sessionId: talk.session, email: 'ann@example.org', name: 'Ann' })
  const deck = await app.api('GET', `/api/v1/agent/sessions/${talk.session}/deck`)
  const script = await app.api('GET', `/api/v1/agent/sessions/${talk.session}/script`)
  const rehearsal = await app.api('POST', `/api/v1/agent/sessions/${talk.session}/rehearsals`, {})
  const recording = await app.api('POST', `/api/v1/agent/sessions/${talk.session}/recordings`, { format: 'vtt' })
  await app.service.jobs.idle()
  await app.api('PATCH', `/api/v1/agent/sessions/${talk.session}`, { registration: {} })
  await app.api('POST', `/api/v1/rooms/${talk.slug}/registrations`, { email: 'ann@example.org', name: 'Ann', consent: true }, null)
  const registered = await app.api('GET', `/api/v1/agent/sessions/${talk.session}/registrations`)
  const key = await send(app, host, 'POST', '/api/v1/account/keys', { name: 'Mine' })
  const invitation = await send(app, host, 'POST', '/api/v1/account/invitations', { email: 'noor@example.com' })
  const signIns = await send(app, host, 'GET', '/api/v1/account/sign-ins')
  const body = { url: 'https://hooks.example.com/in', event_types: ['lead.captured'] }
  const webhook = await app.api('POST', '/api/v1/webhooks', body)
  const rows = await insertOwned(app, host.userId, webhook.body.id)

  const otherAccount = systemIds.uuid()
  const otherKey = await app.newKey({ accountId: otherAccount })
  const other = await makeTalk(app, otherKey)
  const otherWebhook = await app.api('POST', '/api/v1/webhooks', body, otherKey)
  const owned = {
    session: talk.session,
    slide: deck.body.slides[0].id,
    beat: script.body.beats[0].beatId,
    run: talk.run,
    rehearsal: rehearsal.body.rehearsalId,
    question: talk.question,
    lead: lead.body.leadId,
    webhook: webhook.body.id,
    key: key.body.id,
    signIn: signIns.body.signIns[0].id,
    user: host.userId,
    invitation: invitation.body.id,
    recording: recording.body.recordingId,
    registration: registered.body.registrations[0].id,
    account: account.body.account.id,
    ...rows,
  }
  for (const [kind, id] of Object.entries(owned)) assert.equal(typeof id, 'string', `there is a ${kind}`)
  return {
    owned,
    key: otherKey,
    person: await makePerson(app, otherAccount, 'ben@example.net'),
    attendee: other.attendee,
    own: { session: other.session, run: other.run, webhook: otherWebhook.body.id },
  }
}

/** A call with the sign-in of a person. */
export function send(app: TestService, person: Person, method: string, path: string, body?: unknown) {
  const headers = { ...person.headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
  return app.request(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
}

async function makeTalk(app: TestService, key: string) {
  const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, mode: 'broadcast', slides }, key)
  const joined = await app.api('POST', `/api/v1/rooms/${made.body.slug}/attendees`, { name: 'Ann' }, null)
  const { runId: run, attendeeToken: attendee } = joined.body
  const question = systemIds.uuid()
  const asked = await app.api('POST', `/api/v1/runs/${run}/questions`, { id: question, text: 'What does it cost?' }, attendee)
  assert.ok(asked.status < 300, asked.text)
  return {
    session: made.body.sessionId as string,
    run: run as string,
    attendee: attendee as string,
    question,
    slug: made.body.slug as string,
  }
}

export async function makePerson(app: TestService, accountId: string, email: string): Promise<Person> {
  const { store, clock, baseUrl } = app
  const now = clock.now()
  const [userId, hash] = [systemIds.uuid(), await app.service.auth.deps.passwords.hash(password)]
  await store.write(async (tx) => {
    const user = {
      id: userId,
      email,
      name: email,
      email_verified_at: now,
      password_hash: hash,
      password_changed_at: now,
      disabled_at: null,
    }
    await tx
      .insertInto('users')
      .values({ ...user, created_at: now })
      .execute()
    const membership = { id: systemIds.uuid(), account_id: accountId, user_id: userId, role: 'owner', created_at: now } as const
    await tx.insertInto('memberships').values(membership).execute()
  })
  const headers = { 'Content-Type': 'application/json', Origin: baseUrl }
  const signedIn = await app.request('/dashboard/sign-in', { method: 'POST', headers, body: JSON.stringify({ email, password }) })
  assert.equal(signedIn.status, 200, signedIn.text)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  return { userId, headers: { Cookie: cookie, Origin: baseUrl, 'X-CSRF-Token': signedIn.body.csrf } }
}

/** What comes about in ways that this is not a test of: a claimed agent, a consent, a delivery that is over. */
async function insertOwned({ store, clock, accountId }: TestService, userId: string, webhookId: string) {
  const now = clock.now()
  const [agent, agentAccount, grant, delivery] = [
    systemIds.uuid(),
    systemIds.uuid(),
    mint('ort', systemIds),
    'dlv_0000000000000000000000000000000a',
  ]
  await store.write(async (tx) => {
    await tx
      .insertInto('accounts')
      .values({
        id: agentAccount,
        name: 'Agent',
        kind: 'agent',
        is_owner: null,
        plan: null,
        merged_into: accountId,
        closed_at: now,
        created_at: now,
      })
      .execute()
    await tx
      .insertInto('registrations')
      .values({
        id: agent,
        kind: 'anonymous',
        client_name: 'Sales Copilot',
        state: 'claimed',
        scopes: 'sessions:read',
        generation: 1,
        account_id: accountId,
        agent_account_id: agentAccount,
        owner_user_id: userId,
        email_hint: null,
        issuer: null,
        subject: null,
        page_hash: 'page',
        claim_hash: 'claim',
        ip_prefix: '203.0.113.0',
        expires_at: now + 86_400_000,
        denied_at: null,
        claimed_at: now,
        claim_verified: 1,
        revoked_at: null,
        created_at: now,
      })
      .execute()
    await tx
      .insertInto('oauth_grants')
      .values({
        grant_id: grant,
        user_id: userId,
        account_id: accountId,
        client_id: 'client',
        client_name: 'Connector',
        redirect_host: 'client.example',
        scopes: 'sessions:read',
        revoked_at: null,
        created_at: now,
      })
      .execute()
    await tx
      .insertInto('webhook_deliveries')
      .values({
        id: delivery,
        subscription_id: webhookId,
        event_id: 'msg_00000000000000000000000000000000',
        type: 'lead.captured',
        status: 'succeeded',
        trigger: 'automatic',
        chain_attempt: 1,
        attempts: 1,
        interrupted: 0,
        due_at: null,
        resume_status: null,
        resume_at: null,
        lease_token: null,
        claimed_at: null,
        last_reason: null,
        response_head: null,
        peer: null,
        last_http_status: 200,
        test_body: null,
        created_at: now,
        finished_at: now,
      })
      .execute()
  })
  return { agent, grant, delivery }
}
