// Deletes a session for good: its runs end, its leads and content go, its waiting deliveries are cancelled.
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { deletes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { sessionId } from './fields.ts'
import type { SessionsDeps } from './ports.ts'
import { ownSession } from './session.ts'

const input = z.object({ sessionId })

async function remove(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps) {
  const { accountId } = call.principal
  const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
  await deps.stopRuns(id)
  await deps.store.write(async (tx) => {
    await ownSession(tx, accountId, id)
    await deps.onDelete(tx, id, call.now)
    await tx.deleteFrom('sessions').where('id', '=', id).execute()
  })
  return { id, deleted: true }
}

export const deleteSession = operation({
  name: 'delete_session',
  area: 'sessions',
  summary: 'Delete a session',
  description:
    'Cannot be undone. Ends running talks, removes the leads, cancels waiting webhook deliveries; what its talks recorded goes within two hours.',
  access: scoped('sessions:write'),
  effects: deletes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: remove,
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}',
    output: z.object({ id: z.string(), deleted: z.boolean() }),
    view: (result) => result,
  },
})
