// The audit log: who did what to which credential, person or agent, written in the transaction of the act. Append-only; one
// sweep removes what is older than 400 days.
import { type Ids, uuidV7 } from '../platform/ids.ts'
import type { Call } from '../platform/operation.ts'
import type { Principal } from '../platform/principal.ts'
import type { Tx } from '../platform/db/store.ts'
import type { AuditRow } from '../platform/db/tables/auth.ts'
import { networkOf } from './address.ts'

/** Who acts, and from where. */
export interface Actor {
  kind: AuditRow['actor_kind']
  id: string | null
  address: string | null
  requestId: string | null
  now: number
}

export interface Act {
  /** Where the same act may be told by several: the first to write it wins. */
  id?: string
  /** `key.created`: the thing, then what happened to it. */
  action: string
  accountId: string | null
  target?: { kind: string; id: string }
  /** No secrets, no personal data but what the account itself holds. */
  data?: Readonly<Record<string, unknown>>
}

export const auditKeptMs = 400 * 86_400_000

/** The operator at the command line of the machine. */
export function operator(now: number): Actor {
  return { kind: 'operator', id: null, address: null, requestId: null, now }
}

export function actorOf(call: Pick<Call, 'principal' | 'address' | 'requestId' | 'now'>): Actor {
  const { principal, address, requestId, now } = call
  const [kind, id] = identity(principal)
  return { kind, id, address, requestId, now }
}

function identity(principal: Principal): [AuditRow['actor_kind'], string | null] {
  switch (principal.kind) {
    case 'nobody':
    case 'attendee':
      return ['nobody', null]
    case 'user':
      return ['user', principal.userId]
    case 'api_key':
    case 'agent':
    case 'oauth':
      return [principal.kind, principal.credentialId]
  }
}

export async function recordAct(tx: Tx, ids: Ids, actor: Actor, act: Act): Promise<void> {
  await tx
    .insertInto('audit')
    .values({
      id: act.id ?? uuidV7(ids, actor.now),
      at: actor.now,
      account_id: act.accountId,
      actor_kind: actor.kind,
      actor_id: actor.id,
      action: act.action,
      target_kind: act.target?.kind ?? null,
      target_id: act.target?.id ?? null,
      ip_prefix: actor.address === null ? null : networkOf(actor.address),
      request_id: actor.requestId,
      data: act.data === undefined ? null : JSON.stringify(act.data),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
