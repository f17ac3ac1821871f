// An agent that nobody has claimed, and the person who claims it, on the whole service.
import assert from 'node:assert/strict'
import { ensureOwner } from '../../server/accounts/sign-in.ts'
import { actorOf } from '../../server/accounts/audit.ts'
import { approveClaim } from '../../server/agents/claim-page.ts'
import { scopes } from '../../server/platform/principal.ts'
import type { TestService } from './service.ts'

export interface Stranger {
  token: string
  registrationId: string
  claimPath: string
}

export async function registerStranger(app: TestService, name = 'Sales Copilot'): Promise<Stranger> {
  const made = await app.api('POST', '/api/v1/auth/register', { client_name: name, identity_type: 'anonymous' }, null)
  assert.equal(made.status, 200, made.text)
  const { access_token: token, registration_id: registrationId, claim_uri } = made.body
  return { token, registrationId, claimPath: new URL(claim_uri).pathname }
}

const owner = { name: 'Maya Okafor', email: 'maya@example.com', password: 'a quiet lake at dusk', accountName: 'Acme' }

/** The owner of the service, whom the claims of tests name. */
export async function ownerOf(app: TestService): Promise<{ userId: string; email: string }> {
  const { deps } = app.service.auth
  await ensureOwner(deps, owner, app.clock.now())
  const row = await app.store.read.selectFrom('users').select('id').where('email', '=', owner.email).executeTakeFirstOrThrow()
  return { userId: row.id, email: owner.email }
}

/** The owner approves on the claim page, and the agent shows the code. */
export async function claimStranger(app: TestService, agent: Stranger): Promise<void> {
  const { userId } = await ownerOf(app)
  const person = { kind: 'user', accountId: app.accountId, userId, signInId: 'test', role: 'owner', scopes, label: 'Maya' } as const
  const call = { principal: person, now: app.clock.now(), requestId: 'test', address: '203.0.113.7' }
  const approval = await approveClaim(app.service.auth.deps, actorOf(call), {
    registrationId: agent.registrationId,
    person,
    targetAccountId: app.accountId,
  })
  assert.ok(approval.ok && approval.code !== undefined)
  const claimed = await app.api('POST', '/api/v1/auth/claim', { claim_id: approval.code }, agent.token)
  assert.equal(claimed.status, 200, claimed.text)
}
