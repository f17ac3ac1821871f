// GET /api/v1/account/sign-ins: the browsers in which this person is signed in.
import { z } from 'zod'
import { iso } from '../../kernel/iso.ts'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { listSignIns as list } from '../sign-ins.ts'

const shape = z.object({
  id: z.uuid(),
  label: z.string().describe('What the browser calls itself.'),
  network: z.string(),
  createdAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  isCurrent: z.boolean(),
})

export const listSignIns = operation({
  name: 'list_sign_ins',
  area: 'account',
  summary: 'List sign-ins',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['sign_in_required'],
  input: z.object({}),
  run: async (_, { principal, now }, { store }: Pick<AuthDeps, 'store'>) => {
    const rows = await list(store.read, principal.userId, now)
    return rows.map((row) => ({ ...row, isCurrent: row.id === principal.signInId }))
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/sign-ins',
    output: z.object({ signIns: z.array(shape) }),
    view: (rows) => ({
      signIns: rows.map((row) => ({
        id: row.id,
        label: row.label,
        network: row.ip_prefix,
        createdAt: iso(row.created_at),
        seenAt: iso(row.seen_at),
        isCurrent: row.isCurrent,
      })),
    }),
  },
})
