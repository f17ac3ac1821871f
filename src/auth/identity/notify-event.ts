// POST /agent/event/notify (RFC 8935): a trusted provider says that it no longer vouches for the agents of a subject. Their approval and
// every token of theirs end in one transaction, open streams within a second.
import { endDelegation, useAssertion } from '../assertions/delegations.ts'
import type { SecurityEvent } from '../assertions/security-event.ts'
import type { Refusal } from '../assertions/signed.ts'
import { actorOf, recordAct } from '../audit.ts'
import type { Call } from '../../kernel/operation.ts'
import { revokeRegistration } from '../registrations/revoke-registration.ts'
import type { IdentityDeps } from './identity-tokens.ts'

/** RFC 8935 section 2.4. */
type DeliveryError = 'invalid_request' | 'invalid_key' | 'invalid_issuer' | 'invalid_audience'

/** `token` is the body. A repeat is acknowledged and does nothing: its first answer may have been lost. */
export async function notifyEvent(deps: IdentityDeps, call: Call, token: string): Promise<Response> {
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
  await store.write(async (tx, ring) => {
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
    for (const { id } of agents) await revokeRegistration(tx, ring, id, { reason: 'revoked by its provider', now })
    if (delegation === undefined && agents.length === 0) return
    await recordAct(tx, ids, actorOf(call), {
      action: 'delegation.revoked',
      accountId: delegation?.account_id ?? null,
      ...(delegation && { target: { kind: 'delegation', id: delegation.id } }),
      data: { issuer, agents: agents.length },
    })
  })
}
