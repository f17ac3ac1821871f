// Versions of a script: listed, and brought back (`GET .../script/versions`, `POST .../script/versions/{version}/restore`).
import { z } from 'zod'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, changes, operation, reads, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DecksDeps } from '../deck/create-decks.ts'
import { sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'
import { atOnce, shownScript, writeDocument } from './put-script.ts'
import { restored } from './script-document.ts'
import { findVersion, listVersions } from './replace-script.ts'
import type { ScriptDocument } from './script-view.ts'

const input = z.object({ sessionId })

async function list(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps) {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  return listVersions(deps.store.read, id)
}

export const listScriptVersions = operation({
  name: 'list_script_versions',
  area: 'decks',
  summary: 'List the versions of a script',
  description: 'Newest first; the last 50 are kept. Each save of the script as a document is one, and what stood there before the first.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/script/versions',
    output: z.object({
      versions: z.array(
        z.object({
          version: z.number(),
          reason: z.enum(['before', 'saved', 'mended', 'restored']).describe('`before`: as it stood when something else had changed it.'),
          changedSlides: z.number(),
          savedAt: z.string(),
        }),
      ),
    }),
    view: (rows) => ({
      versions: rows.map(({ version, reason, changed, saved_at }) => ({
        version,
        reason,
        changedSlides: changed,
        savedAt: new Date(saved_at).toISOString(),
      })),
    }),
  },
})

const restoreInput = input.extend({
  version: z.number().multipleOf(1).min(1).max(1_000_000_000).describe('Of the list.'),
  ifMatch: z.string().max(1_000).describe('The `ETag` of the script that was read; 412 where it has changed.').optional(),
})

function restore(
  { version, ...wanted }: z.output<typeof restoreInput>,
  call: Call<AccountPrincipal>,
  deps: DecksDeps,
): Promise<ScriptDocument> {
  return writeDocument(
    { wanted, reason: 'restored' },
    {
      prepare: atOnce,
      async make(present, _nothing, tx) {
        const earlier = await findVersion(tx, wanted.sessionId.toLowerCase(), version)
        if (earlier === undefined)
          throw new ServiceError('not_found', 'There is no such version of the script. List them to see their numbers.')
        return restored(earlier, present)
      },
    },
    call,
    deps,
  )
}

export const restoreScript = operation({
  name: 'restore_script',
  area: 'decks',
  summary: 'Bring a version of the script back',
  description:
    'What was written for each slide then is said again; slides that came later stay as they are. The present text stays among the versions.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'conflict', 'precondition_failed'],
  input: restoreInput,
  run: restore,
  http: { method: 'POST', path: '/api/v1/agent/sessions/{sessionId}/script/versions/{version}/restore', ...shownScript },
})
