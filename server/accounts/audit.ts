// The audit log: who did what to which credential, person or agent, written in the transaction of the act. Append-only; one
// sweep removes what is older than 400 days.
import { z } from 'zod'
import { countLimit } from '@rostrum/contract/fields'
import { type Ids, iso, uuidV7 } from '@rostrum/base/clock'
import { type Cursors, newestFirst } from '../platform/db/cursor.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import type { AuditRow } from './tables.ts'
import { type Call, operation, signedIn } from '../platform/operation.ts'
import type { Principal } from '../platform/principal.ts'
import { networkOf } from './networks.ts'
import { requireRole } from './people.ts'

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
  target?: readonly [kind: string, id: string]
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
      target_kind: act.target?.[0] ?? null,
      target_id: act.target?.[1] ?? null,
      ip_prefix: actor.address === null ? null : networkOf(actor.address),
      request_id: actor.requestId,
      data: act.data === undefined ? null : JSON.stringify(act.data),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

// GET /api/v1/account/audit: who did what, newest first.

const entryData = z.record(z.string(), z.unknown())
const entryShape = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  action: z.string(),
  actorKind: z.string(),
  actorId: z.string().nullable(),
  targetKind: z.string().nullable(),
  targetId: z.string().nullable(),
  network: z.string().nullable(),
  requestId: z.string().nullable(),
  data: entryData.nullable(),
})

/** An entry as it is shown. */
export function entryView(row: AuditRow) {
  return {
    id: row.id,
    at: iso(row.at),
    action: row.action,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    targetKind: row.target_kind,
    targetId: row.target_id,
    network: row.ip_prefix,
    requestId: row.request_id,
    data: row.data === null ? null : entryData.parse(JSON.parse(row.data)),
  }
}

export const listAudit = operation({
  access: signedIn,
  name: 'list_audit',
  summary: 'Read the audit log',
  errors: ['forbidden'],
  input: z.object({ limit: countLimit(100, 50), cursor: z.string().max(500).optional() }),
  run: async ({ limit, cursor }, { principal }, { store, cursors }: { store: Store; cursors: Cursors }) => {
    requireRole(principal, 'admin')
    const context = ['audit', principal.accountId]
    const query = store.read.selectFrom('audit').selectAll().where('account_id', '=', principal.accountId)
    return newestFirst(query, cursors, { context, cursor, limit, by: 'at' })
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/audit',
    output: z.object({ entries: z.array(entryShape), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor }) => ({ entries: rows.map(entryView), nextCursor }),
  },
})
