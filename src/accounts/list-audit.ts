// GET /api/v1/account/audit: who did what, newest first.
import { pageOf } from '../platform/cursor.ts'
import { z } from 'zod'
import { countLimit } from '../contract/fields.ts'
import { iso } from '../platform/iso.ts'
import { operation, reads, signedIn } from '../platform/operation.ts'
import type { AuditRow } from '../platform/db/tables/auth.ts'
import type { AccountDeps } from './deps.ts'
import { requireRole } from './members.ts'

const shape = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  action: z.string(),
  actorKind: z.string(),
  actorId: z.string().nullable(),
  targetKind: z.string().nullable(),
  targetId: z.string().nullable(),
  network: z.string().nullable(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
})

type AuditDeps = Pick<AccountDeps, 'store' | 'cursors'>

function view(row: AuditRow) {
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
    data: row.data === null ? null : z.record(z.string(), z.unknown()).parse(JSON.parse(row.data)),
  }
}

export const listAudit = operation({
  name: 'list_audit',
  area: 'account',
  summary: 'Read the audit log',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['forbidden', 'sign_in_required'],
  input: z.object({ limit: countLimit(100, 50), cursor: z.string().max(500).optional() }),
  run: async ({ limit, cursor }, { principal }, { store, cursors }: AuditDeps) => {
    requireRole(principal, 'admin')
    const context = ['audit', principal.accountId]
    const from = cursor === undefined ? undefined : cursors.open(context, cursor)
    let query = store.read.selectFrom('audit').selectAll().where('account_id', '=', principal.accountId)
    if (from !== undefined) {
      query = query.where((row) => row.or([row('at', '<', from.at), row.and([row('at', '=', from.at), row('id', '<', from.id)])]))
    }
    const rows = await query
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute()
    return pageOf(rows, limit, (last) => cursors.seal(context, last))
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/audit',
    output: z.object({ entries: z.array(shape), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor }) => ({ entries: rows.map(view), nextCursor }),
  },
})
