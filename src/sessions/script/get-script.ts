// The narration of a session as it will be spoken (`GET .../script`): a document of slides and sentences, and one beat a sentence with
// sources and times.
import { z } from 'zod'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, operation, reads, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DecksDeps } from '../deck/create-decks.ts'
import { sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'
import { scriptTag } from './replace-script.ts'
import { readScript, type ScriptDocument, scriptView, showScript } from './script-view.ts'

const input = z.object({ sessionId })

async function get(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): Promise<ScriptDocument> {
  const session = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const found = await readScript(deps, session.id)
  if (found === null) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
  return found
}

export const getScript = operation({
  name: 'get_script',
  area: 'decks',
  summary: 'Show the script of a session',
  description:
    'What the presenter will say, as a document of slides and sentences and one sentence a beat, with what a listener would stumble over. Send its `ETag` as `If-Match` with a change. Private notes shape it and are never in it, but for the text of `[ask: ...]`.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/script',
    output: scriptView,
    view: showScript,
    headers: ({ script }) => ({ ETag: scriptTag(script.revision) }),
  },
})
