// The moves between draft and published: publish, unpublish, and PATCH with `status`.
import type { Updateable } from 'kysely'
import { z } from 'zod'
import { type Call, changes, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { SessionRow } from './tables.ts'
import { sessionId } from '../contract/session.ts'
import { settingsView, show } from './get-session.ts'
import type { SessionsDeps } from './ports.ts'
import { ownSession, type Session } from './session.ts'
import { sessionSettings } from './session-view.ts'

const input = z.object({ sessionId })
type Status = 'draft' | 'published'

/** What a move changes; to where the session is, nothing. */
export function moved(row: Session, status: Status, now: number): Updateable<SessionRow> {
  return row.status === status ? {} : { status, updated_at: now, ...(status === 'published' && { published_at: now }) }
}

/** People in the room of an unpublished session finish their run. */
function moveTo(status: Status) {
  return async (wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps) => {
    const { accountId } = call.principal
    const hasMoved = await deps.store.write(async (tx) => {
      const row = await ownSession(tx, accountId, wanted.sessionId)
      if (row.status === status) return false
      await tx
        .updateTable('sessions')
        .set(moved(row, status, call.now))
        .where('id', '=', row.id)
        .execute()
      return true
    })
    if (hasMoved && status === 'published') deps.content.wake(wanted.sessionId)
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
