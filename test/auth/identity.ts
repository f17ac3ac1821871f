// An agent of the current auth.md generation, as tests tell its story over `/agent/*` and `/oauth2/token`.
import assert from 'node:assert/strict'
import { z } from 'zod'
import type { AuthWorld, Browser, Shown } from './support.ts'

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const claimGrant = 'urn:workos:agent-auth:grant-type:claim'

const identity = z.object({
  assertion: z.string(),
  expires_at: z.iso.datetime(),
  refresh_token: z.object({ value: z.string().regex(/^rst_ort_[0-9A-Za-z]{38}$/), expires_at: z.iso.datetime() }),
})
const attempt = z.object({ verification_uri: z.url(), expires_at: z.iso.datetime() })
const claim = z.object({ token: z.string().regex(/^rst_clm_[0-9A-Za-z]{38}$/), expires_at: z.iso.datetime(), url: z.url() })
const scopes = z.object({ pre_claim: z.array(z.string()).optional(), post_claim: z.array(z.string()) })
const head = { id: z.uuid(), scopes }

export const anonymousAnswer = z.strictObject({ ...head, type: z.literal('anonymous'), identity, claim })
export const personAnswer = z.strictObject({ ...head, type: z.literal('service_auth'), claim: claim.extend({ attempt }) })
export const assertedAnswer = z.strictObject({ ...head, type: z.literal('identity_assertion'), identity })
export const refreshAnswer = z.strictObject({ ...head, type: z.literal('refresh'), identity })
export const startedAnswer = z.strictObject({ id: z.uuid(), type: z.literal('service_auth'), attempt })
export const completedAnswer = z.strictObject({ id: z.uuid(), status: z.literal('claimed'), identity })
export const tokenAnswer = z.object({
  access_token: z.string().regex(/^rst_agt_[0-9A-Za-z]{38}$/),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
})
export const pendingAnswer = z.object({ error: z.literal('interaction_required'), claim: claim.extend({ attempt }) })

export const post = (world: AuthWorld, path: string, body: unknown): Promise<Shown> => world.browser().json(path, body)

/** The members of a 200. */
export async function posted<T extends z.ZodType>(world: AuthWorld, path: string, body: unknown, answer: T): Promise<z.output<T>> {
  const shown = await post(world, path, body)
  assert.equal(shown.status, 200, shown.text)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  return answer.parse(JSON.parse(shown.text))
}

/** The status and `error` of a refusal. */
export async function errorOf(promise: Promise<Shown>): Promise<[number, unknown]> {
  const { status, text } = await promise
  return [status, z.object({ error: z.unknown() }).parse(JSON.parse(text)).error]
}

export const registerAnonymous = (world: AuthWorld, more: object = {}) =>
  posted(world, '/agent/identity', { type: 'anonymous', client_name: 'Sales Copilot', ...more }, anonymousAnswer)
export const grant = (world: AuthWorld, fields: Readonly<Record<string, string>>) => world.browser().post('/oauth2/token', fields)
export const exchange = (world: AuthWorld, assertion: string, more: Readonly<Record<string, string>> = {}) =>
  grant(world, { grant_type: jwtBearer, assertion, ...more })
export const complete = (world: AuthWorld, claim_token: string, user_code: string) =>
  post(world, '/agent/identity/claim/complete', { claim_token, user_code })

export async function tokenOf(world: AuthWorld, assertion: string): Promise<z.output<typeof tokenAnswer>> {
  const shown = await exchange(world, assertion)
  assert.equal(shown.status, 200, shown.text)
  return tokenAnswer.parse(JSON.parse(shown.text))
}

/** The person opens the page and approves; gives the code they read out. */
export async function approveAt(browser: Browser, verificationUri: string): Promise<string> {
  const shown = await browser.submit(new URL(verificationUri).pathname, { decision: 'approve' })
  assert.equal(shown.status, 200, shown.text)
  return /id="claim-code">([^<]+)</.exec(shown.text)?.[1] ?? ''
}
