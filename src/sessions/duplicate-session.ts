// Copies a session with its deck and knowledge as a new draft. Runs, leads and figures stay with the original.
import { z } from 'zod'
import { limits } from '../contract/fields.ts'
import { creates, operation, scoped } from '../platform/operation.ts'
import { append } from '../platform/db/domain-events.ts'
import { createdEvent } from './create-session.ts'
import { sessionId } from '../contract/session.ts'
import { settingsView, show } from './get-session.ts'
import type { SessionsDeps } from './ports.ts'
import { spendSession } from './usage.ts'
import { insertSession, ownSession, rehearsalToken, slugOf, type Unplaced } from './session.ts'
import { sessionSettings } from './session-view.ts'

export const duplicateSession = operation({
  name: 'duplicate_session',
  area: 'sessions',
  summary: 'Duplicate a session',
  description: 'Makes a draft with the same settings, deck and knowledge. It counts as a created session.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'api',
  errors: ['not_found', 'quota_exceeded'],
  input: z.object({ sessionId }),
  run: async (wanted, call, deps: SessionsDeps) => {
    const { principal, now } = call
    const copy = await deps.store.write(async (tx) => {
      const original = await ownSession(tx, principal.accountId, wanted.sessionId)
      await spendSession(tx, principal.accountId, await deps.planOf(tx, principal.accountId), now)
      const id = deps.ids.uuid()
      const row: Unplaced = {
        ...original,
        id,
        title: `${original.title.slice(0, limits.title - 7)} (copy)`,
        status: 'draft',
        rehearsal_token: rehearsalToken(deps.ids),
        deck_id: await deps.content.copy(tx, original.id, { sessionId: id, accountId: original.account_id, now }),
        event_seq: 0,
        created_at: now,
        updated_at: now,
        published_at: null,
        active_at: now,
      }
      await insertSession(tx, row, () => slugOf(original.title, deps.ids))
      await append(tx, createdEvent(row))
      await call.doneIn?.(tx, await show(principal.accountId, id, deps, tx))
      return id
    })
    deps.content.wake(copy)
    return show(principal.accountId, copy, deps)
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/duplicate',
    status: 201,
    output: sessionSettings,
    view: (shown) => settingsView(shown),
  },
})
