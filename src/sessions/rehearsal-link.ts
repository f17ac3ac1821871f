// The rehearsal link: a secret address where the talk can be tried at no cost. A new one ends the old one.
import { z } from 'zod'
import { type Call, changes, creates, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { sessionId } from '../contract/session.ts'
import type { SessionsDeps } from './ports.ts'
import { ownSession, rehearsalToken } from './session.ts'
import { rehearsalUrl } from './session-view.ts'

const input = z.object({ sessionId })
const output = z.object({ rehearsalUrl: z.string().nullable() })

function replaceWith(newToken: (deps: SessionsDeps) => string | null) {
  return async (wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps) => {
    const token = newToken(deps)
    await deps.store.write(async (tx) => {
      const row = await ownSession(tx, call.principal.accountId, wanted.sessionId)
      await tx.updateTable('sessions').set({ rehearsal_token: token, updated_at: call.now }).where('id', '=', row.id).execute()
    })
    return { rehearsalUrl: rehearsalUrl(deps.baseUrl, token) ?? null }
  }
}

export const createRehearsalLink = operation({
  name: 'create_rehearsal_link',
  area: 'sessions',
  summary: 'Make a new rehearsal link',
  description: 'The former link stops working.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: replaceWith((deps) => rehearsalToken(deps.ids)),
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/rehearsal-link', output, view: (link) => link },
})

export const deleteRehearsalLink = operation({
  name: 'delete_rehearsal_link',
  area: 'sessions',
  summary: 'Revoke the rehearsal link',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: replaceWith(() => null),
  http: { method: 'DELETE', path: '/api/v1/agent/sessions/{sessionId}/rehearsal-link', output, view: (link) => link },
})
