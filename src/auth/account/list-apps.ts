// GET /api/v1/account/apps: the applications this person has allowed by OAuth, in this account.
import { z } from 'zod'
import { iso } from '../../kernel/iso.ts'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { listGrants } from '../oauth/grants.ts'
import { isoOrNull } from './time.ts'

const shape = z.object({
  id: z.string(),
  name: z.string().describe('What the application calls itself; unverified.'),
  redirectHost: z.string(),
  scopes: z.array(z.string()),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
})

export const listApps = operation({
  name: 'list_apps',
  area: 'account',
  summary: 'List allowed applications',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['sign_in_required'],
  input: z.object({}),
  run: (_, { principal }, { store }: Pick<AuthDeps, 'store'>) => listGrants(store.read, principal.userId, principal.accountId),
  http: {
    method: 'GET',
    path: '/api/v1/account/apps',
    output: z.object({ apps: z.array(shape) }),
    view: (grants) => ({
      apps: grants.map((grant) => ({
        id: grant.grant_id,
        name: grant.client_name,
        redirectHost: grant.redirect_host,
        scopes: grant.scopes.split(' '),
        createdAt: iso(grant.created_at),
        lastUsedAt: isoOrNull(grant.last_used_at),
      })),
    }),
  },
})
