// A film that a browser makes, where the server has no ffmpeg: the server tells what is to be seen and heard when, the page of the host
// draws it with the very pictures of `frames.ts`, and sends the film, which is kept like any other. The plan waits in the row until then.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { brand } from '@rostrum/contract/brand'
import { placeOnSlide } from '@rostrum/contract/deck'
import { pollAsked, pollResults } from '@rostrum/contract/poll'
import { brandOf } from '../sessions/brand.ts'
import { roomFor } from '../sessions/storage.ts'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, operation, scoped } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { Talk } from '@rostrum/contract/talk'
import { inFolder } from './film.ts'
import { lengthOfFilm } from './look-at-film.ts'
import { SentFile } from '../platform/sent-file.ts'
import { keepFile, one, ownRecording, path, recording, type RecordingRow, type RecordingsDeps, viewOf } from './recordings.ts'
import { toldOf, toldShape } from './replay.ts'
import { captionsOf, shotsOf, type Timeline } from './timeline.ts'

const { kind, question, options } = pollAsked
const span = { fromMs: z.number(), untilMs: z.number() }
const plan = z.object({
  title: z.string(),
  totalMs: z.number(),
  scene: z.object({
    width: z.number(),
    height: z.number(),
    slides: z.array(
      z.object({
        title: z.string(),
        text: z.string(),
        imageUrl: z.string().nullable(),
        lowText: z.literal(true).exactOptional().describe('Captions stand below the picture: smaller, it leaves them room.'),
      }),
    ),
    brand: brand.nullable(),
  }),
  shots: z
    .array(
      z.object({
        ...span,
        slideIndex: z.number(),
        caption: z.string().describe('In the picture.'),
        region: placeOnSlide.region,
        poll: z
          .object({ kind, question, options, results: z.object(pollResults).exactOptional(), right: z.number().exactOptional() })
          .exactOptional(),
      }),
    )
    .describe('One after the other, without a gap.'),
  sounds: z.array(z.object({ ...span, url: z.string() })).describe('A clip is cut where it is longer.'),
  captions: z.array(z.object({ ...span, text: z.string() })).describe('For a track; empty where none is wanted.'),
})
export type FilmPlan = z.output<typeof plan>

type Looks = { captions: string; spotlight: boolean; height: number }

/** What of a film is drawn, by whomever. */
export async function sceneOf(
  talk: Talk,
  sessionId: string,
  { height, captions }: Looks,
  deps: Pick<RecordingsDeps, 'store' | 'mediaBase'>,
): Promise<FilmPlan['scene']> {
  const slides = talk.slides.map(({ title, text, imageUrl, lowText }) => ({
    title,
    text,
    imageUrl,
    ...(lowText && captions === 'burned' && { lowText }),
  }))
  return { width: Math.round((height * 16) / 9), height, slides, brand: await brandOf(deps.store.read, sessionId, deps.mediaBase) }
}

/** Goes into the row beside what its page will tell. */
export function plannedIn(timeline: Timeline, scene: FilmPlan['scene'], { captions, spotlight }: Looks): string {
  const planned: FilmPlan = {
    title: timeline.title,
    totalMs: timeline.totalMs,
    scene,
    shots: shotsOf(timeline, { burnsCaptions: captions === 'burned', lightsWords: spotlight }),
    sounds: timeline.cues.flatMap(({ fromMs, untilMs, audioUrl }) => (audioUrl === undefined ? [] : [{ fromMs, untilMs, url: audioUrl }])),
    captions: captions === 'track' ? captionsOf(timeline).map(({ fromMs, untilMs, text }) => ({ fromMs, untilMs, text })) : [],
  }
  return JSON.stringify({ ...(JSON.parse(toldOf(timeline)) as object), plan: planned })
}

const mine = 'This recording is not one that a browser makes now: ask for `webm`, and wait until its `state` is `making`.'

/** Throws `run_state` where no browser is to make it, or not yet. */
function planIn(row: RecordingRow): z.output<typeof kept> {
  if (row.format !== 'webm' || row.state !== 'making' || row.told === null) throw new ServiceError('run_state', mine)
  return kept.parse(JSON.parse(row.told))
}
const kept = z.object({ ...toldShape, plan })

export const planRecording = operation({
  name: 'plan_recording',
  summary: 'See what a browser is to draw and play for a film',
  description: 'Of a recording in `webm`: pictures and sentences by the millisecond. The dashboard makes the film of it and sends that.',
  access: scoped('sessions:write'),
  errors: ['run_state'],
  input: z.object(one),
  run: async (wanted, { principal }: Call<AccountPrincipal>, { store }: RecordingsDeps) =>
    planIn(await ownRecording(store.read, principal.accountId, wanted)).plan,
  http: { method: 'GET', path: `${path}/{recordingId}/plan`, output: plan },
})

const fileMaxBytes = 256 * 1024 * 1024
const input = z.object({ ...one, file: z.instanceof(SentFile).describe('The film, as the body.') })

export const putRecordingFile = operation({
  name: 'put_recording_file',
  summary: 'Keep a film that a browser has made',
  description: `Of a recording in \`webm\` that is \`making\`: its bytes, at most ${fileMaxBytes / 1_048_576} MiB. Container, tracks and length are looked at: one track of pictures (VP8, VP9, AV1), sound in Opus or Vorbis, as long as the plan. It is \`ready\` then, and \`recording.ready\` is sent.`,
  access: scoped('sessions:write'),
  limit: 'upload',
  errors: ['run_state', 'limit_reached', 'payload_too_large'],
  input,
  async before(wanted, { principal }: Call<AccountPrincipal>, deps: RecordingsDeps, { sizeBytes = 0 }) {
    planIn(await ownRecording(deps.store.read, principal.accountId, wanted))
    await roomFor(deps.store.read, deps.storageLimit, principal.accountId, sizeBytes)
  },
  async run({ file, ...wanted }, { principal, signal }: Call<AccountPrincipal>, deps: RecordingsDeps) {
    const row = await ownRecording(deps.store.read, principal.accountId, wanted)
    const { plan: planned, ...told } = planIn(row)
    const durationMs = await inFolder(async (folder) => {
      const place = join(folder, 'film.webm')
      await writeFile(place, file.chunks())
      return lengthOfFilm(place, planned.totalMs, deps.clock, signal)
    })
    await keepFile(deps, row, file, { durationMs, told: JSON.stringify(told) })
    return viewOf(await ownRecording(deps.store.read, principal.accountId, wanted), deps)
  },
  http: {
    method: 'PUT',
    path: `${path}/{recordingId}/file`,
    output: recording,
    isKept: true,
    readBody: async ({ file }) => ({ file }),
    bodyTypes: ['video/webm', 'application/octet-stream'],
    bodyMax: fileMaxBytes,
  },
})
