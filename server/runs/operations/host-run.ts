// The host's controls of a run. Each that has an effect leaves an audit entry with the name of whoever did it.
import { z } from 'zod'
import { knownBy, limits, uuid } from '@rostrum/contract/fields'
import { ServiceError } from '@rostrum/base/errors'
import { changes, operation, scoped } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import { asked } from '@rostrum/contract/commands'
import { askRun } from '../log/run-log.ts'
import { cleanText, getOwnRun } from '../attendees.ts'
import { secondsOf } from './transcribe-utterance.ts'
import { type Sound, soundOf } from '../../voice/audio.ts'
import type { RoomDeps } from '../room/deps.ts'

export const hostRun = operation({
  name: 'host_run',
  summary: 'Control a run as its host',
  access: scoped('sessions:write'),
  effects: changes,
  errors: ['forbidden', 'run_state', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    id: uuid.describe('Made by the client; a repeat answers as the first time.'),
    ...asked.host,
  }),
  run: async ({ runId, ...act }, { principal }, deps: RoomDeps) => {
    const run = await getOwnRun(deps.store.read, principal.accountId, runId)
    const words = act.text === undefined ? {} : { text: cleanText(act.text) }
    if (words.text === '') throw invalidInput([{ pointer: '#/text', detail: 'must not be empty.' }])
    return askRun(deps.runs, run.id, { kind: 'host', attendeeId: null, by: principal.label, ...act, ...words })
  },
  http: { method: 'POST', path: '/api/v1/runs/{runId}/host', output: z.object({ status: z.string() }) },
})

const speechMaxBytes = 1_024 * 1_024
const speechMaxMs = 20_000

export const hostSpeech = operation({
  name: 'host_speech',
  summary: 'Speak to a run as its host, in your own voice',
  description:
    'Send a recording as the body, a phrase at a time: WAV of 16 bits or MP3, at most 20 seconds and 1 MiB. Everybody in the run hears it after what was said before, as event `said`. Where the server recognises speech its words are the caption and are kept in the log; the sound itself is kept for an hour. The presenter has to be silent: `take_over` first.',
  access: scoped('sessions:write'),
  effects: changes,
  errors: ['forbidden', 'run_state', 'unsupported_media_type', 'payload_too_large', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    recording: z.instanceof(Uint8Array).describe('At most 20 seconds and 1 MiB.'),
  }),
  before: ({ runId }, { principal }, deps: RoomDeps) => getOwnRun(deps.store.read, principal.accountId, runId),
  run: async ({ runId, recording }, { principal }, deps: RoomDeps) => {
    const run = await getOwnRun(deps.store.read, principal.accountId, runId)
    const sound = soundOf(recording)
    if (sound === undefined) throw new ServiceError('unsupported_media_type', 'Send a recording as WAV of 16 bits or MP3.')
    if (sound.ms > speechMaxMs) throw new ServiceError('payload_too_large', 'The recording is longer than 20 seconds. Send it in parts.')
    const [audioUrl, text] = await Promise.all([
      deps.keepSound(recording, sound.extension),
      wordsOf(deps, run.session_id, recording, sound),
    ])
    const sentences = [{ text, clip: { audioUrl, audioMs: sound.ms } }]
    return askRun(deps.runs, run.id, {
      kind: 'host',
      attendeeId: null,
      by: principal.label,
      action: 'say',
      id: deps.ids.uuid(),
      sentences,
    })
  },
  http: {
    method: 'POST',
    path: '/api/v1/runs/{runId}/host/speech',
    output: z.object({ status: z.string() }),
    readBody: async ({ file }) => ({ recording: await file.bytes() }),
    bodyTypes: ['audio/wav', 'audio/x-wav', 'audio/mpeg', 'application/octet-stream'],
    bodyMax: speechMaxBytes,
  },
})

/** The voice does not wait for its caption longer than a listener would. */
const wordsWithinMs = 3_000

/** What was said, where the server can tell in time; otherwise empty. */
async function wordsOf(deps: RoomDeps, sessionId: string, bytes: Uint8Array, { extension, ms }: Sound): Promise<string> {
  const { ears } = deps
  const session = await deps.content.getSession(sessionId)
  if (ears === null || session === null || !ears.takes.includes(extension)) return ''
  if (!(await deps.affordHearing(sessionId, secondsOf(bytes, ms)))) return ''
  const { promise, resolve } = Promise.withResolvers<string>()
  const cancel = deps.clock.after(wordsWithinMs, () => resolve(''))
  ears.hear({ bytes, kind: extension, language: session.language }).then(resolve, () => resolve(''))
  return promise.then((heard) => cleanText(heard).slice(0, limits.message).trim()).finally(cancel)
}
