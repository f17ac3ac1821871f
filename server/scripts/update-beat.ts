// One sentence of the script: put in the host's words, or back (`PATCH .../script/{beatId}`), and said by the server's voice, so that its
// host can hear it ahead of everybody else (`POST .../script/{beatId}/clip`). Runs that have begun go on with the script they began with.
import { z } from 'zod'
import { words } from '@rostrum/contract/fields'
import { sessionFields, sessionId } from '@rostrum/contract/session'
import type { SpokenClip } from '@rostrum/contract/talk'
import { ringAfter, type Store } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, changes, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { deckTopic, ownSession } from '../sessions/session.ts'
import { type EditedBeat, placeOf, slideHash } from './beat-edits.ts'
import { beatView, showBeat } from './script-view.ts'
import type { Scripts } from './scripts.ts'

const sentenceMax = 240

const sentence = z.object({ sessionId, beatId: z.string().min(1).max(200).describe('Id of the beat.') })
const change = sentence.extend({
  text: words(sentenceMax).nullable().describe('One sentence; null brings the compiled one back.'),
})

const noSuchBeat = () => new ServiceError('not_found', 'There is no such beat in the present script. `GET .../script` shows their ids.')

async function update(
  wanted: z.output<typeof change>,
  call: Call<AccountPrincipal>,
  deps: { store: Store; scripts: Scripts },
): Promise<EditedBeat> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const script = await deps.scripts.find(id)
  const source = await deps.scripts.source(id)
  const at = script?.beats.findIndex(({ beatId }) => beatId === wanted.beatId) ?? -1
  const beat = script?.beats[at]
  if (script === null || source === null || beat === undefined) throw noSuchBeat()
  const place = placeOf(script.beats, at)
  const slide = source.input.slides.find((each) => each.id === beat.slideId)
  await deps.store.write(async (tx) => {
    await ownSession(tx, call.principal.accountId, id)
    if (wanted.text === null) {
      const { slide_id, kind, ordinal } = place
      await tx
        .deleteFrom('beat_edits')
        .where('session_id', '=', id)
        .where('slide_id', '=', slide_id)
        .where('kind', '=', kind)
        .where('ordinal', '=', ordinal)
        .execute()
    } else {
      const row = { author: 'host' as const, slide_hash: slideHash(slide), text_content: wanted.text, edited_at: call.now }
      await tx
        .insertInto('beat_edits')
        .values({ session_id: id, ...place, ...row })
        .onConflict((conflict) => conflict.columns(['session_id', 'slide_id', 'kind', 'ordinal']).doUpdateSet(row))
        .execute()
    }
    ringAfter(tx, deckTopic(id))
  })
  deps.scripts.refresh(id)
  const changed = (await deps.scripts.find(id))?.beats.find(({ beatId }) => beatId === wanted.beatId)
  if (changed === undefined) throw noSuchBeat()
  return changed
}

export const updateBeat = operation({
  name: 'update_beat',
  summary: 'Change a sentence of the script',
  description: 'The sentence is kept when the script is compiled again, while its slide is unchanged.',
  access: scoped('sessions:write'),
  input: change,
  run: update,
  http: { method: 'PATCH', path: '/api/v1/agent/sessions/{sessionId}/script/{beatId}', output: beatView, view: showBeat },
})

// Has one sentence of the script said by the server's voice (`POST .../script/{beatId}/clip`), so that its host can hear it ahead of
// everybody else. Where there is no such voice, or it does not answer, the browser's speech says the sentence.

const hearing = sentence.extend({
  voice: sessionFields.voice.schema.nullish().describe('Another voice than that of the session; null: that of the service.'),
})

interface SayDeps {
  store: Store
  scripts: Pick<Scripts, 'find'>
  /** One sentence in the voice of its session; no voice where the server has none. */
  hear(
    sentence: { sessionId: string; deckId: string | null; text: string; voice?: string | null | undefined },
    signal: AbortSignal,
  ): Promise<{ clip: SpokenClip | null; voice: string | null }>
}

interface VoicesDeps {
  store: Store
  /** The voices of the server for a talk in this language, and the one where none is named; null where it has none. */
  voices(language: string): Promise<{ voice: string | null; voices: readonly string[] }>
}

async function say(wanted: z.output<typeof hearing>, call: Call<AccountPrincipal>, deps: SayDeps): ReturnType<SayDeps['hear']> {
  const { id } = await ownSession(deps.store.read, call.principal.accountId, wanted.sessionId)
  const script = await deps.scripts.find(id)
  const beat = script?.beats.find(({ beatId }) => beatId === wanted.beatId)
  if (beat === undefined) throw noSuchBeat()
  return deps.hear({ sessionId: id, deckId: script?.deckId ?? null, text: beat.text, voice: wanted.voice }, call.signal)
}

export const sayBeat = operation({
  name: 'say_beat',
  summary: 'Hear a sentence of the script',
  description:
    'Answers the clip in which the server says the sentence, made now where there is none yet. `audioUrl` is null where the server has no voice or it did not answer: the browser says it then, as it does in the room.',
  access: scoped('sessions:write'),
  effects: changes,
  input: hearing,
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

export const listVoices = operation({
  name: 'list_voices',
  summary: 'List the voices that a session may have',
  description: 'Those of the server, for the language of the session; `POST .../script/{beatId}/clip` with `voice` lets one be heard.',
  access: scoped('sessions:read'),
  input: z.object({ sessionId }),
  async run({ sessionId }, { principal }, deps: VoicesDeps) {
    const { language } = await ownSession(deps.store.read, principal.accountId, sessionId)
    return deps.voices(language)
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/voices',
    output: z.object({
      voice: z.string().nullable().describe('Speaks where a session names none; null where the server has no voice.'),
      voices: z.array(z.string()).describe('Empty where the server does not tell.'),
    }),
    view: ({ voice, voices }) => ({ voice, voices: [...voices] }),
  },
})
