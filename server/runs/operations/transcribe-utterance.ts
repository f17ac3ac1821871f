// A question that was spoken: the recording becomes words, which the attendee may correct before asking. Nothing of it is kept, and
// nothing is asked by it.
import { z } from 'zod'
import { knownBy, limits } from '@rostrum/contract/fields'
import { ServiceError } from '@rostrum/base/errors'
import { attendeeOnly, type Call, operation, reads } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { AttendeePrincipal } from '../../platform/principal.ts'
import { cleanText, getAttendee, requireOwnRun } from '../attendees.ts'
import type { Recorded } from '../../voice/audio.ts'
import type { RoomDeps } from '../room/deps.ts'

const recordingMaxBytes = 2 * 1024 * 1024
const recordingMaxMs = 30_000
/** Recorders round up to their next block. */
const slackMs = 500
const types = [
  'audio/webm',
  'video/webm',
  'audio/ogg',
  'audio/wav',
  'audio/x-wav',
  'audio/mp4',
  'video/mp4',
  'audio/mpeg',
  'application/octet-stream',
] as const

const kindNames = { webm: 'WebM', ogg: 'Ogg', wav: 'WAV of 16 bits', mp4: 'MP4', mp3: 'MP3' } as const

function kindsIn(kinds: readonly Recorded[]): string {
  const names = kinds.map((kind) => kindNames[kind])
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`
}

const noEars = (words: string) => new ServiceError('not_found', `${words} Use what the browser has, or send the question as text.`)

/** What a recorder makes of speech at the least, 16 kbit/s: a recording that does not tell its length counts as the longest it may be. */
const leastBytesPerSecond = 2_000

export function secondsOf(recording: Uint8Array, ms: number | undefined): number {
  if (ms !== undefined) return Math.max(1, Math.ceil(ms / 1_000))
  return Math.min(recordingMaxMs / 1_000, Math.max(1, Math.ceil(recording.length / leastBytesPerSecond)))
}

/** Who hears the attendee, and in which language. Throws `not_found`. */
async function earsOf({ runId }: { runId: string }, { principal }: Call<AttendeePrincipal>, deps: RoomDeps) {
  requireOwnRun(principal, runId)
  // The token of a run that is gone opens nothing that costs money.
  await getAttendee(deps.store.read, principal.attendeeId)
  const session = await deps.content.getSession(principal.sessionId)
  const ears = session?.unverified === undefined ? deps.ears : null
  if (ears === null) throw noEars('This server does not turn speech into text.')
  return { ears, language: session?.language ?? 'en' }
}

export const transcribeUtterance = operation({
  name: 'transcribe_utterance',
  summary: 'Turn a spoken question into text',
  description:
    'Send the recording as the body: WebM, Ogg, WAV, MP4 or MP3, at most 30 seconds and 2 MiB; a recogniser on the server itself takes WAV of 16 bits alone, and 415 says so. The text is for the attendee to correct and then to ask; an utterance without words gives an empty one. The recording is not kept. 404 where the server has no speech recognition (`voices.stt` of the room).',
  access: attendeeOnly,
  effects: reads,
  limit: 'questions',
  errors: ['unsupported_media_type', 'payload_too_large', 'temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    recording: z.instanceof(Uint8Array).describe('At most 30 seconds and 2 MiB.'),
  }),
  before: earsOf,
  run: async ({ recording, ...of }, call, deps: RoomDeps) => {
    const { principal } = call
    const { ears, language } = await earsOf(of, call, deps)
    if (recording.length === 0) throw invalidInput([{ pointer: '#', detail: 'must not be empty: send the recording as the body.' }])
    const recorded = ears.measure(recording)
    if (recorded === undefined) throw new ServiceError('unsupported_media_type', `Send a recording as ${kindsIn(ears.takes)}.`)
    if (recorded.ms !== undefined && recorded.ms > recordingMaxMs + slackMs)
      throw new ServiceError('payload_too_large', 'The recording is longer than 30 seconds. Send a shorter one.')
    if (!(await deps.affordHearing(principal.sessionId, secondsOf(recording, recorded.ms))))
      throw noEars('The host has used the speech recognition of today.')
    const heard = await ears.hear({ bytes: recording, kind: recorded.kind, language }).catch(() => {
      throw new ServiceError(
        'temporarily_unavailable',
        'The recording could not be turned into text. Try again, or send the question as text.',
        {
          headers: { 'Retry-After': '5' },
        },
      )
    })
    return { text: cleanText(heard).slice(0, limits.message).trim() }
  },
  http: {
    method: 'POST',
    path: '/api/v1/runs/{runId}/utterances',
    output: z.object({ text: z.string() }),
    readBody: async ({ file }) => ({ recording: await file.bytes() }),
    bodyTypes: types,
    bodyMax: recordingMaxBytes,
  },
})
