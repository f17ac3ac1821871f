// `/agent/*`, the wire of the current auth.md generation as routes. It still moves, so it is kept apart from the operations, which stay.
import { actorOf, recordAct } from '../../accounts/audit.ts'
import { parseBody, readBody } from '../../accounts/pages/page.ts'
import type { PageCall, PageRoute } from '../../accounts/visit.ts'
import type { RateBucket } from '../../config/config.ts'
import type { Call } from '../../platform/operation.ts'
import type { Refusal, SecurityEvent } from '../assertion.ts'
import { endDelegation, revokeRegistration, useAssertion } from '../registration.ts'
import type { AgentRoutesDeps } from '../deps.ts'
import { completeClaim, inProfileWords, registerIdentity, startClaim } from './identity.ts'
import type { IdentityDeps } from './tokens.ts'

type Act = (deps: AgentRoutesDeps, call: Call, body: Readonly<Record<string, unknown>>) => Promise<object>

export function identityRoutes(deps: AgentRoutesDeps): PageRoute[] {
  const json = (path: string, act: Act, bucketOf: (body: Readonly<Record<string, unknown>>) => RateBucket): PageRoute => ({
    method: 'POST',
    path,
    kind: 'protocol',
    async handle(page) {
      const call = callOf(page)
      try {
        const body = await parseBody(page.request)
        const limits = await deps.limiter.pass(bucketOf(body), call)
        return Response.json(await act(deps, call, body), { headers: { ...limits, 'Cache-Control': 'no-store' } })
      } catch (error) {
        throw inProfileWords(error)
      }
    },
  })
  return [
    json('/agent/identity', registerIdentity, ({ type }) => (type === 'refresh' ? 'api' : 'register')),
    json('/agent/identity/claim', startClaim, () => 'api'),
    json('/agent/identity/claim/complete', completeClaim, () => 'api'),
    {
      method: 'POST',
      path: '/agent/event/notify',
      kind: 'protocol',
      async handle(page) {
        const call = callOf(page)
        await deps.limiter.pass('api', call)
        return notifyEvent(deps, call, await readBody(page.request))
      },
    },
  ]
}

/** Nobody calls: the secrets are in the body. A credential sent along is ignored. */
export function callOf({ request, requestId, address, now }: PageCall): Call {
  return { principal: { kind: 'nobody' }, requestId, address, now, signal: request.signal }
}

// POST /agent/event/notify (RFC 8935): a trusted provider says that it no longer vouches for the agents of a subject. Their approval and
// every token of theirs end in one transaction, open streams within a second.

/** RFC 8935 section 2.4. */
type DeliveryError = 'invalid_request' | 'invalid_key' | 'invalid_issuer' | 'invalid_audience'

/** `token` is the body. A repeat is acknowledged and does nothing: its first answer may have been lost. */
async function notifyEvent(deps: IdentityDeps, call: Call, token: string): Promise<Response> {
  const verdict = await deps.assertions.verifyEvent(token.trim(), call.now)
  if (verdict.ok) {
    await take(deps, call, verdict.event)
    return new Response(null, { status: 202, headers: { 'Cache-Control': 'no-store' } })
  }
  const isOurs = verdict.code === 'temporarily_unavailable'
  const headers = { 'Cache-Control': 'no-store', 'Content-Language': 'en', ...(isOurs && { 'Retry-After': '60' }) }
  return Response.json({ err: deliveryError(verdict.code), description: verdict.words }, { status: isOurs ? 503 : 400, headers })
}

function deliveryError(code: Refusal): DeliveryError {
  if (code === 'issuer_not_enabled') return 'invalid_issuer'
  if (code === 'invalid_signature') return 'invalid_key'
  return code === 'audience_mismatch' ? 'invalid_audience' : 'invalid_request'
}

async function take({ store, ids }: IdentityDeps, call: Call, { issuer, subject, jti, revokes, expiresAt }: SecurityEvent): Promise<void> {
  const { now } = call
  await store.write(async (tx) => {
    // A provider may number events and assertions alike.
    const isFirst = await useAssertion(tx, { issuer, jti: `event ${jti}`, expiresAt })
    if (!isFirst || !revokes) return
    // Before its agents are listed, or one that registers in this moment would stay.
    const delegation = await endDelegation(tx, issuer, subject, now)
    const agents = await tx
      .selectFrom('registrations')
      .select('id')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .where('state', 'in', ['registered', 'claimed'])
      .execute()
    for (const { id } of agents) await revokeRegistration(tx, id, { reason: 'revoked by its provider', now })
    if (delegation === undefined && agents.length === 0) return
    await recordAct(tx, ids, actorOf(call), {
      action: 'delegation.revoked',
      accountId: delegation?.account_id ?? null,
      ...(delegation && { target: ['delegation', delegation.id] }),
      data: { issuer, agents: agents.length },
    })
  })
}
