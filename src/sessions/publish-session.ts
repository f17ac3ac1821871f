// The moves between draft and published: publish, unpublish, and PATCH with `status`.
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { changes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { sessionId } from './fields.ts'
import { settingsView, show } from './get-session.ts'
import type { SessionsDeps } from './ports.ts'
import { ownSession } from './session.ts'
import { sessionSettings } from './session-view.ts'

const input = z.object({ sessionId })
type Status = 'draft' | 'published'

/** Moves the session; moving to where it is changes nothing. People in the room of an unpublished session finish their run. */
export async function move(accountId: string, id: string, status: Status, now: number, deps: SessionsDeps): Promise<void> {
  const moved = await deps.store.write(async (tx) => {
    const row = await ownSession(tx, accountId, id)
    if (row.status === status) return false
    const published_at = status === 'published' ? now : row.published_at
    await tx.updateTable('sessions').set({ status, published_at, updated_at: now }).where('id', '=', row.id).execute()
    return true
  })
  if (moved && status === 'published') deps.content.wake(id)
}

function moveTo(status: Status) {
  return async (wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps) => {
    const { accountId } = call.principal
    await move(accountId, wanted.sessionId, status, call.now, deps)
    return show(accountId, wanted.sessionId, deps)
  }
}

export const publishSession = operation({
  name: 'publish_session',
  area: 'sessions',
  summary: 'Publish a session',
  description: 'The join link works for anyone who has it.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: moveTo('published'),
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/publish', output: sessionSettings, view: settingsView },
})

export const unpublishSession = operation({
  name: 'unpublish_session',
  area: 'sessions',
  summary: 'Unpublish a session',
  description: 'The join link stops working. People in the room finish their talk.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: moveTo('draft'),
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/unpublish', output: sessionSettings, view: settingsView },
})
