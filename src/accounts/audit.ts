// The audit log: who did what to which credential, person or agent, written in the transaction of the act. Append-only; one
// sweep removes what is older than 400 days.
import { isIP, isIPv4 } from 'node:net'
import { z } from 'zod'
import { countLimit } from '../contract/fields.ts'
import { type Ids, iso, uuidV7 } from '../platform/clock.ts'
import { newestFirst } from '../platform/cursor.ts'
import type { Tx } from '../platform/db/store.ts'
import type { AuditRow } from './tables.ts'
import { type Call, operation, signedIn } from '../platform/operation.ts'
import type { Principal } from '../platform/principal.ts'
import type { AccountDeps } from './deps.ts'
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
  run: async ({ limit, cursor }, { principal }, { store, cursors }: Pick<AccountDeps, 'store' | 'cursors'>) => {
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

// What of a caller's address counts for limits and what is kept in records. IPv4-mapped IPv6 counts as IPv4.

/** The unit that limits count by: an IPv4 address, or the /64 of an IPv6 address. */
export function addressUnit(address: string): string {
  return prefixOf(address, 4, 4)
}

/** The coarse network that records and the claim page show: /24, or /48. */
export function networkOf(address: string): string {
  return prefixOf(address, 3, 3)
}

function prefixOf(address: string, bytes: number, groups: number): string {
  const plain = address
    .split('%', 1)
    .join('')
    .replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) === 0) return 'unknown'
  if (isIPv4(plain)) return bytes === 4 ? plain : `${plain.split('.').slice(0, bytes).join('.')}.0/24`
  return `${groupsOf(plain).slice(0, groups).join(':')}::/${groups * 16}`
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const quad = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const hex = (high = '0', low = '0') => (Number(high) * 256 + Number(low)).toString(16)
  const text = quad ? `${quad[1]}${hex(quad[2], quad[3])}:${hex(quad[4], quad[5])}` : address
  const [head = '', tail = ''] = text.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const middle = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...middle, ...after].map((group) => Number.parseInt(group, 16).toString(16))
}
