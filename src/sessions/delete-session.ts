// Deletes a session for good: its runs end, its leads and content go, its waiting deliveries are cancelled.
import { z } from 'zod'
import { deletes, operation, scoped } from '../platform/operation.ts'
import { sessionId } from '../contract/session.ts'
import type { SessionsDeps } from './ports.ts'
import { ownSession } from './session.ts'

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
  input: z.object({ sessionId }),
  run: async (wanted, call, deps: SessionsDeps) => {
    const { accountId } = call.principal
    const { id } = await ownSession(deps.store.read, accountId, wanted.sessionId)
    await deps.stopRuns(id)
    await deps.store.write(async (tx) => {
      await ownSession(tx, accountId, id)
      await deps.forget(tx, id, call.now)
    })
    return { id, deleted: true }
  },
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}',
    output: z.object({ id: z.string(), deleted: z.boolean() }),
    view: (result) => result,
  },
})
