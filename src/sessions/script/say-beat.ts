// Has one sentence of the script said by the server's voice (`POST .../script/{beatId}/clip`), so that its host can hear it ahead of
// everybody else. Where there is no such voice, or it does not answer, the browser's speech says the sentence.
import { z } from 'zod'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, changes, operation, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DecksDeps } from '../deck/create-decks.ts'
import { sessionFields, sessionId } from '../../contract/session.ts'
import { ownSession } from '../session.ts'

const input = z.object({
  sessionId,
  beatId: z.string().min(1).max(200).describe('Id of the beat.'),
  voice: sessionFields.voice.schema.nullish().describe('Another voice than that of the session; null: that of the service.'),
})

async function say(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: DecksDeps): ReturnType<DecksDeps['hear']> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const script = await deps.scripts.find(id)
  const beat = script?.beats.find(({ beatId }) => beatId === wanted.beatId)
  if (beat === undefined) throw new ServiceError('not_found', 'There is no such beat in the present script.')
  return deps.hear({ sessionId: id, deckId: script?.deckId ?? null, text: beat.text, voice: wanted.voice }, call.signal)
}

export const sayBeat = operation({
  name: 'say_beat',
  area: 'decks',
  summary: 'Hear a sentence of the script',
  description:
    'Answers the clip in which the server says the sentence, made now where there is none yet. `audioUrl` is null where the server has no voice or it did not answer: the browser says it then, as it does in the room.',
  access: scoped('sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: say,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/script/{beatId}/clip',
    output: z.object({
      audioUrl: z.string().nullable(),
      audioMs: z.number().nullable().describe('How long it takes at speed 1.'),
      voice: z.string().nullable().describe('Of the server, asked to say it; null where it has none.'),
    }),
    view: ({ clip, voice }) => ({ audioUrl: clip?.url ?? null, audioMs: clip?.ms ?? null, voice }),
  },
})
