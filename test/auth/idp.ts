// An identity provider for tests: it signs with real keys, and only the address of its keys is served from memory.
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { ServiceError } from '@rostrum/base/errors'
import { systemIds } from '@rostrum/base/clock'
import type { OutboundRequest } from '../../server/platform/egress/outbound.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { pagePath, person, register } from './agents.ts'
import type { AuthWorld, Browser } from './support.ts'
import { authWorld, baseUrl, owner } from './support.ts'

export const issuer = 'https://idp.example.net'
export const jwksUri = 'https://idp.example.net/keys'
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = newKey()
/** Of nobody who is trusted. */
export const stranger = newKey()
const published = { ...key.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }

export const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
export const identityRevoked = 'https://schemas.workos.com/events/agent/auth/identity/assertion/revoked'

type Claims = Readonly<Record<string, unknown>>

interface SignOptions {
  header?: object
  by?: KeyObject
}

export interface Idp {
  world: AuthWorld
  requests: OutboundRequest[]
  /** Whether the issuer answers. */
  state: { isUp: boolean }
  /** An ID-JAG of the owner. */
  sign(claims?: Claims, options?: SignOptions): Promise<string>
  /** A security event token that revokes the owner's subject. */
  signEvent(claims?: Claims, options?: SignOptions): Promise<string>
  /** Registers at `/api/v1/auth/register`. */
  send(assertion: unknown, more?: object): ReturnType<typeof register>
}

const settings = {
  baseUrl,
  title: 'Rostrum',
  secrets: ['a test secret of at least thirty-two characters'],
  planSessions: 1_000,
  anonymous: false,
  agentTtlMs: 86_400_000,
  agentClaimedTtlMs: 90 * 86_400_000,
}

export function idp(store: Store, clientIds: string[] | undefined = ['copilot']): Idp {
  const requests: OutboundRequest[] = []
  const state = { isUp: true }
  const body = new TextEncoder().encode(JSON.stringify({ keys: [published] }))
  const world = authWorld(store, {
    outbound: {
      request(request) {
        requests.push(request)
        const status = state.isUp ? 200 : 503
        return Promise.resolve({ ok: true, status, headers: {}, body, truncated: false, url: request.url, peer: '203.0.113.1' } as const)
      },
    },
    settings: { ...settings, trustedIssuers: [{ issuer, jwks_uri: jwksUri, ...(clientIds !== undefined && { client_ids: clientIds }) }] },
  })
  const seconds = () => Math.floor(world.clock.now() / 1_000)
  const signed = (type: string, claims: Claims, { header = {}, by = key.privateKey }: SignOptions) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: type, kid: 'k1', ...header }).sign(by)
  return {
    world,
    requests,
    state,
    sign(claims = {}, options = {}) {
      const now = seconds()
      const who = { iss: issuer, sub: 'maya-1', aud: baseUrl, client_id: 'copilot', email: owner.email, email_verified: true }
      const when = { iat: now, exp: now + 300, auth_time: now - 60, jti: systemIds.uuid() }
      return signed('oauth-id-jag+jwt', { ...who, ...when, ...claims }, options)
    },
    signEvent(claims = {}, options = {}) {
      const event = { iss: issuer, sub: 'maya-1', aud: baseUrl, jti: systemIds.uuid(), iat: seconds(), events: { [identityRevoked]: {} } }
      return signed('secevent+jwt', { ...event, ...claims }, options)
    },
    send: (assertion, more = {}) => register(world, { identity_type: 'identity_assertion', assertion_type: idJag, assertion, ...more }),
  }
}

/** The owner's browser, with which they approved their subject: agents are bound from their birth. */
export async function approvedIn({ world, sign, send }: Idp): Promise<Browser> {
  const browser = await person(world)
  const asked = await send(await sign()).catch((error: unknown) => error)
  assert.ok(asked instanceof ServiceError)
  const page = pagePath({ claim_uri: String(asked.extra.members?.['claim_uri']) })
  assert.equal((await browser.submit(page, { decision: 'approve' })).status, 200)
  return browser
}
