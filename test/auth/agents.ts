// The story of an agent, as tests tell it: register, approve as a person, claim.
import assert from 'node:assert/strict'
import { claimAgent } from '../../server/agents/claim.ts'
import { registerAgent } from '../../server/agents/register.ts'
import { ensureOwner } from '../../server/accounts/sign-in.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { AuthWorld, Browser } from './support.ts'
import { owner } from './support.ts'

export interface RegisteredView {
  access_token: string
  claim_uri: string
  registration_id: string
  expires_in: number
  scope: string
}

export interface ClaimedView {
  claim_id: string
  bound_at: string
  verified: boolean
  scope: string
  expires_in: number
  access_token?: string
}

export const refused = (code: string, status?: number) => (error: unknown) => {
  assert.ok(error instanceof ServiceError)
  assert.equal(error.code, code)
  if (status !== undefined) assert.equal(error.status, status)
  return true
}

// Views are `unknown` once bound; the assertions on their members are the check.
export const register = async (world: AuthWorld, change: object = {}) =>
  (await world.call(
    registerAgent,
    { kind: 'nobody' },
    { client_name: 'Sales Copilot', identity_type: 'anonymous', ...change },
  )) as RegisteredView
export const principalOf = (world: AuthWorld, token: string) => world.authenticate(`Bearer ${token}`)
export const claim = async (world: AuthWorld, token: string, claim_id: unknown, more: object = {}) =>
  (await world.call(claimAgent, await principalOf(world, token), { claim_id, ...more })) as ClaimedView
export const pagePath = ({ claim_uri }: { claim_uri: string }) => new URL(claim_uri).pathname

export async function person(world: AuthWorld): Promise<Browser> {
  await ensureOwner(world.deps, owner, world.clock.now())
  const browser = world.browser()
  await browser.json('/dashboard/sign-in', { email: owner.email, password: owner.password })
  return browser
}

export async function approve(browser: Browser, agent: { claim_uri: string }, fields = {}): Promise<string> {
  const shown = await browser.submit(pagePath(agent), { decision: 'approve', ...fields })
  assert.equal(shown.status, 200, shown.text)
  return /<output class="code" id="claim-code">([^<]+)<\/output>/.exec(shown.text)?.[1] ?? ''
}
