// A talk as a file: its script, or a run that was held, as film, sound or captions. Made by a job, which begins anew where its process
// dies; told by its state, by the event `recording.ready`, and at an address that only who knows it can open.
import { z } from 'zod'
import { uuid } from '../contract/fields.ts'
import { sessionId } from '../contract/session.ts'
import { type Clock, type Ids, iso } from '../platform/clock.ts'
import { append } from '../platform/db/domain-events.ts'
import { addJob, type Job, type JobKind } from '../platform/db/jobs.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import { ServiceError } from '../platform/errors.ts'
import { type Call, creates, deletes, operation, reads, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { readTranscript } from '../runs/transcript.ts'
import type { ContentPort, Talk } from '../runs/talks.ts'
import { holdStorage, loosen, releaseBlobs, type StorageLimit, useBlobs } from '../sessions/deck/blobs/blob-uses.ts'
import { type Blobs, ownKey } from '../sessions/deck/blobs/blobs.ts'
import { holdSession, ownSession } from '../sessions/session.ts'
import { FilmFault, type FilmParts, makeFilm, makeSound } from './film.ts'
import { runTimeline, scriptTimeline, type Timeline, toSrt, toVtt } from './timeline.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    recordings: RecordingRow
  }
}

interface RecordingRow {
  id: string
  session_id: string
  /** Null: of the script. */
  run_id: string | null
  format: string
  /** JSON, as it was asked for. */
  options: string
  state: 'waiting' | 'making' | 'ready' | 'failed'
  /** 0 to 100. */
  progress: number
  blob_key: string | null
  size_bytes: number | null
  duration_ms: number | null
  error: string | null
  created_at: number
  ended_at: number | null
}

export interface RecordingsDeps {
  store: Store
  clock: Clock
  ids: Ids
  content: ContentPort
  blobs: Blobs
  mediaBase: string
  storageLimit: StorageLimit
  /** The program that makes film and sound; null where there is none. */
  ffmpeg: string | null
  warn(words: string, error: unknown): void
}

const format = z
  .enum(['mp4', 'mp3', 'srt', 'vtt'])
  .describe('`mp4`: H.264 and AAC with a chapter a slide. `mp3`: the voice of the server alone. `srt`, `vtt`: captions.')
const options = z
  .object({
    captions: z.enum(['burned', 'track', 'off']).default('burned').describe('In the picture, as a track that a player shows, or none.'),
    spotlight: z.boolean().default(true).describe('What is being said is lit on the slide.'),
    height: z.literal([720, 1080]).default(720).describe('Of the picture, in pixels.'),
  })
  .describe('Of a film.')

const state = z.enum(['waiting', 'making', 'ready', 'failed'])
const recording = z.object({
  recordingId: z.string(),
  format,
  state,
  progress: z.number().describe('Of the making, 0 to 100.'),
  runId: z.string().nullable().describe('The run that it records; null for the script.'),
  url: z.string().nullable().describe('Of the file, once it is `ready`. Whoever knows it can open it.'),
  sizeBytes: z.number().nullable(),
  durationMs: z.number().nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
})
type Recording = z.output<typeof recording>

function viewOf(row: RecordingRow, mediaBase: string): Recording {
  return {
    recordingId: row.id,
    format: format.parse(row.format),
    state: row.state,
    progress: row.progress,
    runId: row.run_id,
    url: row.blob_key === null ? null : `${mediaBase}/media/${row.blob_key}`,
    sizeBytes: row.size_bytes,
    durationMs: row.duration_ms,
    error: row.error,
    createdAt: iso(row.created_at),
  }
}

const path = '/api/v1/agent/sessions/{sessionId}/recordings'
const input = z.object({ sessionId, recordingId: uuid })
const kind = 'recording'
/** Kept for one session, and waiting for one account at a time. */
const keptMax = 50
const waitingMax = 10

const noSuch = () => new ServiceError('not_found', 'There is no such recording. `GET .../recordings` lists those of the session.')

export const createRecording = operation({
  name: 'create_recording',
  area: 'recordings',
  summary: 'Record the talk as film, sound or captions',
  description:
    'Records the script as it stands, or a run that has begun. Answers at once; `state` and `progress` tell how far it is, and `recording.ready` is sent to webhooks that ask for it. Film and sound need `ffmpeg` on the server. Without a voice of the server the film is silent, with captions at the pace of a room. Questions are shown without names.',
  access: scoped('sessions:write'),
  effects: creates,
  limit: 'api',
  errors: ['not_found', 'limit_reached'],
  input: z.object({ sessionId, format, runId: uuid.optional(), options: options.optional() }),
  async run(wanted, { principal, now }: Call<AccountPrincipal>, deps: RecordingsDeps) {
    const isDrawn = wanted.format === 'mp4' || wanted.format === 'mp3'
    if (isDrawn && deps.ffmpeg === null)
      throw invalidInput([
        { pointer: '#/format', detail: 'needs ffmpeg on the server: its operator installs it or sets ROSTRUM_FFMPEG. Ask for srt or vtt.' },
      ])
    return deps.store.write(async (tx) => {
      const session = await ownSession(tx, principal.accountId, wanted.sessionId)
      await holdSession(tx, session.id)
      if (wanted.runId !== undefined) await runOf(tx, session.id, wanted.runId)
      const all = await tx.selectFrom('recordings').select('state').where('session_id', '=', session.id).execute()
      const waiting = all.filter((each) => each.state === 'waiting' || each.state === 'making')
      if (all.length >= keptMax || waiting.length >= waitingMax)
        throw new ServiceError(
          'limit_reached',
          `A session keeps ${keptMax} recordings, ${waitingMax} of them being made. Delete one that you no longer need.`,
        )
      const row: RecordingRow = {
        id: deps.ids.uuid(),
        session_id: session.id,
        run_id: wanted.runId ?? null,
        format: wanted.format,
        options: JSON.stringify(wanted.options ?? {}),
        state: 'waiting',
        progress: 0,
        blob_key: null,
        size_bytes: null,
        duration_ms: null,
        error: null,
        created_at: now,
        ended_at: null,
      }
      await tx.insertInto('recordings').values(row).execute()
      await addJob(tx, kind, { key: row.id })
      return viewOf(row, deps.mediaBase)
    })
  },
  http: { method: 'POST', path, status: 202, output: recording, view: (made) => made },
})

export const listRecordings = operation({
  name: 'list_recordings',
  area: 'recordings',
  summary: 'List the recordings of a session',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input: z.object({ sessionId }),
  async run(wanted, { principal }: Call<AccountPrincipal>, deps: RecordingsDeps) {
    const { id } = await ownSession(deps.store.read, principal.accountId, wanted.sessionId)
    const rows = await deps.store.read
      .selectFrom('recordings')
      .selectAll()
      .where('session_id', '=', id)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute()
    return { recordings: rows.map((row) => viewOf(row, deps.mediaBase)), canFilm: deps.ffmpeg !== null }
  },
  http: {
    method: 'GET',
    path,
    output: z.object({
      recordings: z.array(recording).describe('Newest first.'),
      canFilm: z.boolean().describe('Whether this server makes film and sound.'),
    }),
    view: (list) => list,
  },
})

export const getRecording = operation({
  name: 'get_recording',
  area: 'recordings',
  summary: 'See how far a recording is, and where its file is',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  async run(wanted, { principal }: Call<AccountPrincipal>, deps: RecordingsDeps) {
    const { id } = await ownSession(deps.store.read, principal.accountId, wanted.sessionId)
    const row = await deps.store.read
      .selectFrom('recordings')
      .selectAll()
      .where('session_id', '=', id)
      .where('id', '=', wanted.recordingId)
      .executeTakeFirst()
    if (row === undefined) throw noSuch()
    return viewOf(row, deps.mediaBase)
  },
  http: { method: 'GET', path: `${path}/{recordingId}`, output: recording, view: (found) => found },
})

export const deleteRecording = operation({
  name: 'delete_recording',
  area: 'recordings',
  summary: 'Delete a recording, or stop one that is being made',
  description: 'Its file is gone within the hour.',
  access: scoped('sessions:write'),
  effects: deletes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: (wanted, { principal, now }: Call<AccountPrincipal>, deps: RecordingsDeps) =>
    deps.store.write(async (tx) => {
      const { id } = await ownSession(tx, principal.accountId, wanted.sessionId)
      await holdSession(tx, id)
      const gone = await tx
        .deleteFrom('recordings')
        .where('session_id', '=', id)
        .where('id', '=', wanted.recordingId)
        .returning('blob_key')
        .executeTakeFirst()
      if (gone === undefined) throw noSuch()
      const others = tx.selectFrom('recordings').select('id').where('session_id', '=', id).where('blob_key', '=', gone.blob_key)
      if (gone.blob_key !== null && (await others.executeTakeFirst()) === undefined) await releaseBlobs(tx, id, now, [gone.blob_key])
      return { deleted: true }
    }),
  http: { method: 'DELETE', path: `${path}/{recordingId}`, output: z.object({ deleted: z.boolean() }), view: (result) => result },
})

async function runOf(read: Tx | Store['read'], ofSession: string, runId: string) {
  const run = await read
    .selectFrom('runs')
    .select(['id', 'kind', 'started_at', 'deck_id'])
    .where('session_id', '=', ofSession)
    .where('id', '=', runId)
    .executeTakeFirst()
  if (run === undefined) throw new ServiceError('not_found', 'There is no such run. `GET .../runs` lists those of the session.')
  return run
}

/** It was deleted while it was made. */
class RecordingGone extends Error {}

export function recordingJobs(deps: RecordingsDeps): Record<string, JobKind> {
  const { store, clock, blobs, content, mediaBase } = deps
  const bytesAt = async (url: string | null) => {
    const key = url === null ? undefined : ownKey(url, mediaBase)
    return key === undefined ? undefined : blobs.find(key)
  }

  async function timelineOf(row: RecordingRow): Promise<{ talk: Talk; timeline: Timeline } | string> {
    const session = await store.read.selectFrom('sessions').selectAll().where('id', '=', row.session_id).executeTakeFirst()
    if (session === undefined) throw new RecordingGone()
    if (row.run_id === null) {
      const talk = await content.currentTalk(session.id)
      return talk.beats.length === 0 ? 'The talk has no words yet.' : { talk, timeline: scriptTimeline(session.title, talk) }
    }
    const run = await runOf(store.read, session.id, row.run_id)
    const talk = await content.pinnedTalk(session.id, run.deck_id)
    const timeline = runTimeline(await readTranscript(store.read, run, session), talk)
    return timeline.cues.length === 0 ? 'Nothing was said in this run.' : { talk, timeline }
  }

  async function make(row: RecordingRow, talk: Talk, timeline: Timeline, parts: Pick<FilmParts, 'onProgress' | 'signal'>) {
    const wanted = format.parse(row.format)
    if (wanted === 'srt' || wanted === 'vtt') return Buffer.from(wanted === 'srt' ? toSrt(timeline) : toVtt(timeline))
    const { ffmpeg } = deps
    if (ffmpeg === null) throw new FilmFault('This process has no ffmpeg.')
    const given = { ...parts, ffmpeg, timeline, clipOf: bytesAt }
    if (wanted === 'mp3') return makeSound(given)
    const { captions, spotlight, height } = options.parse(JSON.parse(row.options))
    const slides = await Promise.all(
      talk.slides.map(async ({ title, text, imageUrl }) => ({ title, text, image: (await bytesAt(imageUrl)) ?? null })),
    )
    return makeFilm({
      ...given,
      slides,
      height,
      burnsCaptions: captions === 'burned',
      hasTrack: captions === 'track',
      lightsWords: spotlight,
    })
  }

  const change = (row: RecordingRow, set: Partial<RecordingRow>) =>
    store.write(async (tx) => {
      const changed = await tx.updateTable('recordings').set(set).where('id', '=', row.id).returning('id').executeTakeFirst()
      if (changed === undefined) throw new RecordingGone()
    })

  const fail = (row: RecordingRow, error: string) => change(row, { state: 'failed', error, ended_at: clock.now() })

  async function record(job: Job): Promise<void> {
    const row = await store.read.selectFrom('recordings').selectAll().where('id', '=', job.key).executeTakeFirst()
    if (row === undefined || row.state === 'ready' || row.state === 'failed') return
    const gone = new AbortController()
    const signal = AbortSignal.any([job.signal, gone.signal])
    let told = 0
    let telling: Promise<void> = change(row, { state: 'making', progress: 0 })
    const onProgress = (share: number) => {
      const progress = Math.min(99, Math.floor(share * 100))
      if (progress < told + 2) return
      told = progress
      telling = telling.then(() => change(row, { progress })).catch(() => gone.abort())
    }
    try {
      await telling
      const found = await timelineOf(row)
      if (typeof found === 'string') return await fail(row, found)
      const { talk, timeline } = found
      if (row.format === 'mp3' && !timeline.cues.some(({ audioUrl }) => audioUrl !== undefined))
        return await fail(row, 'There is nothing to hear: this server has no voice, or has not said the sentences yet.')
      const bytes = await make(row, talk, timeline, { onProgress, signal })
      await telling
      await keep(row, bytes, timeline.totalMs)
    } catch (error) {
      if (error instanceof RecordingGone || gone.signal.aborted) return
      if (job.signal.aborted) throw error
      if (error instanceof ServiceError && error.code === 'limit_reached') return await fail(row, error.message)
      deps.warn('A recording could not be made', error)
      await fail(row, 'It could not be made. The operator of the server finds the reason in its log.').catch(() => undefined)
    }
  }

  async function keep(row: RecordingRow, bytes: Uint8Array, durationMs: number): Promise<void> {
    const key = await blobs.put(bytes, format.parse(row.format))
    const now = clock.now()
    await store.write(async (tx) => {
      const session = await tx.selectFrom('sessions').select('account_id').where('id', '=', row.session_id).executeTakeFirst()
      if (session === undefined) throw new RecordingGone()
      await holdStorage(tx, deps.storageLimit, session.account_id, [{ key, sizeBytes: bytes.length }])
      const ready = {
        state: 'ready',
        progress: 100,
        blob_key: key,
        size_bytes: bytes.length,
        duration_ms: durationMs,
        ended_at: now,
      } as const
      const kept = await tx.updateTable('recordings').set(ready).where('id', '=', row.id).returning('id').executeTakeFirst()
      if (kept === undefined) return loosen(tx, [key], now)
      await useBlobs(tx, row.session_id, [key])
      await append(tx, {
        type: 'recording.ready',
        accountId: session.account_id,
        sessionId: row.session_id,
        at: now,
        dedupeKey: `recording.ready ${row.id}`,
        data: {
          recording: {
            id: row.id,
            format: row.format,
            runId: row.run_id,
            url: `${mediaBase}/media/${key}`,
            durationMs,
            sizeBytes: bytes.length,
          },
        },
      })
    })
  }

  return { [kind]: { atOnce: 1, run: record } }
}

/** The files are released with the session's other blobs. */
export async function forget(tx: Tx, ofSession: string): Promise<void> {
  await tx.deleteFrom('recordings').where('session_id', '=', ofSession).execute()
}
