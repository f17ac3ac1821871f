// A talk as a file: its script, or a run that was held, as film, sound or captions; the script also as a page that gives the talk
// without a server, and as a course. Made by a job (`recording-jobs.ts`); told by its state, by the event `recording.ready`, and at an address that only who knows it can open.
import { z } from 'zod'
import { uuid } from '@rostrum/contract/fields'
import { sessionId } from '@rostrum/contract/session'
import { type Clock, type Ids, iso } from '@rostrum/base/clock'
import { append } from '../platform/db/domain-events.ts'
import { addJob } from '../platform/db/jobs.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import { ServiceError, unclaimedError } from '@rostrum/base/errors'
import { type Call, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { AnswerVoice } from '../runs/answers.ts'
import type { ContentPort, Talks } from '../runs/talks.ts'
import { SentFile } from '../platform/sent-file.ts'
import type { Blobs } from '../platform/blobs/blobs.ts'
import { holdStorage, type StorageLimit } from '../sessions/storage.ts'
import { endBlobs, loosen, useBlobs } from '../platform/blobs/blob-uses.ts'
import { ownSession } from '../sessions/session.ts'
import type { KeptParts } from './kept-talk.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    recordings: RecordingRow
  }
}

export interface RecordingRow {
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
  /** Of its public page; null where there is none. */
  replay_key: string | null
  is_listed: number
  /** JSON (`replay.ts`); null where there is nothing to play. */
  told: string | null
}

export interface RecordingsDeps {
  store: Store
  clock: Clock
  ids: Ids
  content: ContentPort & Pick<Talks, 'searchable'>
  blobs: Blobs
  mediaBase: string
  /** Without a trailing slash. */
  baseUrl: string
  storageLimit: StorageLimit
  unclaimed: { films: boolean; claimUriOf(accountId: string, now: number): Promise<string | undefined> }
  /** The program that makes film and sound; null where there is none. */
  ffmpeg: string | null
  /** Says the sentences of answers anew, whose clips are kept for an hour. */
  voice?: AnswerVoice
  /** As in a room. */
  pace: KeptParts['pace']
  /** A page of a recording of this session is there, in this transaction. */
  shown(tx: Tx, sessionId: string, now: number): Promise<void>
  warn(words: string, error: unknown): void
}

export const format = z
  .enum(['mp4', 'webm', 'mp3', 'srt', 'vtt', 'html', 'scorm'])
  .describe(
    '`mp4`: H.264 and AAC with a chapter a slide. `webm`: made by a browser, as in the dashboard (`plan_recording`), which needs no ffmpeg. `mp3`: the voice of the server alone. `srt`, `vtt`: captions. `html`: one page that gives the talk and answers from it without a server. `scorm`: the same as a course for a learning platform.',
  )
export const options = z
  .object({
    captions: z.enum(['burned', 'track', 'off']).default('burned').describe('In the picture, as a track that a player shows, or none.'),
    spotlight: z.boolean().default(true).describe('What is being said is lit on the slide.'),
    height: z.literal([720, 1080]).default(720).describe('Of the picture, in pixels.'),
    scorm: z.enum(['1.2', '2004']).default('1.2').describe('Of a course.'),
  })
  .describe('Of a film, but for `scorm`.')

const state = z.enum(['waiting', 'making', 'ready', 'failed'])
export const recording = z.object({
  recordingId: z.string(),
  format,
  scorm: z.string().optional().describe('The standard of a course.'),
  state,
  progress: z.number().describe('Of the making, 0 to 100.'),
  runId: z.string().nullable().describe('The run that it records; null for the script.'),
  url: z
    .string()
    .nullable()
    .describe('Of the file, once it is `ready`. Whoever knows it can open it, until the recording is deleted (410).'),
  sizeBytes: z.number().nullable(),
  durationMs: z.number().nullable(),
  error: z.string().nullable(),
  replayUrl: z.string().nullable().describe('Of its public page (`share_recording`).'),
  isListed: z.boolean().describe('Whether search engines may keep that.'),
  createdAt: z.string(),
})
type Recording = z.output<typeof recording>

export function viewOf(row: RecordingRow, { mediaBase, baseUrl }: Pick<RecordingsDeps, 'mediaBase' | 'baseUrl'>): Recording {
  return {
    recordingId: row.id,
    format: format.parse(row.format),
    ...(row.format === 'scorm' && { scorm: options.parse(JSON.parse(row.options)).scorm }),
    state: row.state,
    progress: row.progress,
    runId: row.run_id,
    url: row.blob_key === null ? null : `${mediaBase}/media/${row.blob_key}`,
    sizeBytes: row.size_bytes,
    durationMs: row.duration_ms,
    error: row.error,
    replayUrl: row.replay_key === null ? null : `${baseUrl}/replay/${row.replay_key}`,
    isListed: row.is_listed === 1,
    createdAt: iso(row.created_at),
  }
}

export const path = '/api/v1/agent/sessions/{sessionId}/recordings'
export const one = { sessionId, recordingId: uuid }
const input = z.object(one)
export const jobKind = 'recording'
/** Kept for one session, and waiting for one account at a time. */
const keptMax = 50
const waitingMax = 10
const lookAfterSeconds = '2'

/** Its session is held, within a write. Throws `not_found`. */
export async function ownRecording(read: Tx | Store['read'], accountId: string, wanted: z.output<typeof input>): Promise<RecordingRow> {
  const { id } = await ownSession(read, accountId, wanted.sessionId)
  const rows = read.selectFrom('recordings').selectAll().where('session_id', '=', id).where('id', '=', wanted.recordingId)
  const row = await rows.executeTakeFirst()
  if (row === undefined) throw new ServiceError('not_found', 'There is no such recording. `GET .../recordings` lists those of the session.')
  return row
}

export const createRecording = operation({
  name: 'create_recording',
  summary: 'Record the talk as film, sound or captions',
  description:
    'Records the script as it stands, or a run that has begun. Answers at once; `state` and `progress` tell how far it is, and `recording.ready` is sent to webhooks that ask for it. Film and sound need `ffmpeg` on the server. Without a voice of the server the film is silent, with captions at the pace of a room. Questions are shown without names.',
  access: scoped('sessions:write'),
  errors: ['forbidden', 'limit_reached'],
  input: z.object({ sessionId, format, runId: uuid.optional(), options: options.optional() }),
  async run(wanted, { principal, now }: Call<AccountPrincipal>, deps: RecordingsDeps) {
    const isFilm = wanted.format === 'mp4' || wanted.format === 'webm'
    if (isFilm && 'isUnclaimed' in principal && !deps.unclaimed.films)
      throw unclaimedError(
        'forbidden',
        'An unclaimed agent makes no films: captions (srt, vtt) and the talk as one page (html) are made for it.',
        await deps.unclaimed.claimUriOf(principal.accountId, now),
      )
    const isDrawn = wanted.format === 'mp4' || wanted.format === 'mp3'
    if (isDrawn && deps.ffmpeg === null)
      throw invalidInput([
        {
          pointer: '#/format',
          detail:
            'needs ffmpeg on the server: its operator installs it or sets ROSTRUM_FFMPEG. Ask for srt or vtt, or make a webm in the dashboard.',
        },
      ])
    if (wanted.runId !== undefined && (wanted.format === 'html' || wanted.format === 'scorm'))
      throw invalidInput([{ pointer: '#/runId', detail: `is not for ${wanted.format}, which gives the talk anew. Leave it out.` }])
    return deps.store.write(async (tx) => {
      const session = await ownSession(tx, principal.accountId, wanted.sessionId)
      if (wanted.runId !== undefined) await runOf(tx, session.id, wanted.runId)
      const all = await tx.selectFrom('recordings').select('state').where('session_id', '=', session.id).execute()
      const waiting = all.filter((each) => each.state === 'waiting' || each.state === 'making')
      if (all.length >= keptMax || waiting.length >= waitingMax)
        throw new ServiceError(
          'limit_reached',
          `A session keeps ${keptMax} recordings, ${waitingMax} of them being made. Delete one that you no longer need.`,
        )
      const values = {
        id: deps.ids.uuid(),
        session_id: session.id,
        run_id: wanted.runId ?? null,
        format: wanted.format,
        options: JSON.stringify(wanted.options ?? {}),
        state: 'waiting',
        progress: 0,
        created_at: now,
        is_listed: 0,
      } as const
      const row = await tx.insertInto('recordings').values(values).returningAll().executeTakeFirstOrThrow()
      await addJob(tx, jobKind, { key: row.id })
      return viewOf(row, deps)
    })
  },
  http: { method: 'POST', path, status: 202, output: recording },
})

export const listRecordings = operation({
  name: 'list_recordings',
  summary: 'List the recordings of a session',
  access: scoped('sessions:read'),
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
    return { recordings: rows.map((row) => viewOf(row, deps)), canFilm: deps.ffmpeg !== null }
  },
  http: {
    method: 'GET',
    path,
    output: z.object({
      recordings: z.array(recording).describe('Newest first.'),
      canFilm: z.boolean().describe('Whether this server makes film and sound.'),
    }),
  },
})

export const getRecording = operation({
  name: 'get_recording',
  summary: 'See how far a recording is, and where its file is',
  description: '`Retry-After` says when to look again while it is being made.',
  access: scoped('sessions:read'),
  input,
  async run(wanted, { principal }: Call<AccountPrincipal>, deps: RecordingsDeps) {
    return viewOf(await ownRecording(deps.store.read, principal.accountId, wanted), deps)
  },
  http: {
    method: 'GET',
    path: `${path}/{recordingId}`,
    output: recording,
    headers: ({ state: now }) => (now === 'waiting' || now === 'making' ? { 'Retry-After': lookAfterSeconds } : {}),
  },
})

export const deleteRecording = operation({
  name: 'delete_recording',
  summary: 'Delete a recording, or stop one that is being made',
  description: 'Its file is gone at once: its address answers 410, and no cache may show a film without having asked it.',
  access: scoped('sessions:write'),
  input,
  run: (wanted, { principal, now }: Call<AccountPrincipal>, deps: RecordingsDeps) =>
    deps.store.write(async (tx) => {
      const { id, session_id } = await ownRecording(tx, principal.accountId, wanted)
      const gone = await tx.deleteFrom('recordings').where('id', '=', id).returning('blob_key').executeTakeFirst()
      const key = gone?.blob_key ?? null
      const others = tx.selectFrom('recordings').select('id').where('session_id', '=', session_id).where('blob_key', '=', key)
      if (key !== null && (await others.executeTakeFirst()) === undefined) await endBlobs(tx, session_id, now, [key])
      return { deleted: true }
    }),
  http: { method: 'DELETE', path: `${path}/{recordingId}`, output: z.object({ deleted: z.boolean() }) },
})

export async function runOf(read: Tx | Store['read'], ofSession: string, runId: string) {
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
export class RecordingGone extends Error {}

/** The file of a recording, which is ready with it. Throws `limit_reached`, `RecordingGone`. */
export async function keepFile(
  { store, blobs, clock, storageLimit, mediaBase }: RecordingsDeps,
  row: RecordingRow,
  content: Uint8Array | SentFile,
  { durationMs, told }: { durationMs: number; told: string | null },
): Promise<void> {
  const key = await blobs.put(content, extensionOf(format.parse(row.format)))
  const sizeBytes = content instanceof SentFile ? content.sizeBytes : content.length
  const now = clock.now()
  await store.write(async (tx) => {
    const session = await tx.selectFrom('sessions').select('account_id').where('id', '=', row.session_id).executeTakeFirst()
    if (session === undefined) throw new RecordingGone()
    await holdStorage(tx, storageLimit, session.account_id, [{ key, sizeBytes }])
    const ready = {
      state: 'ready',
      progress: 100,
      blob_key: key,
      size_bytes: sizeBytes,
      duration_ms: durationMs,
      told,
      ended_at: now,
    } as const
    const kept = await tx.updateTable('recordings').set(ready).where('id', '=', row.id).where('state', '=', 'making').executeTakeFirst()
    if (Number(kept.numUpdatedRows) === 0) return loosen(tx, [key], now)
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
          sizeBytes,
        },
      },
    })
  })
}

/** Files by what they hold: a course is a package. */
const extensionOf = (wanted: z.output<typeof format>) => (wanted === 'scorm' ? 'zip' : wanted)

/** The files are released with the session's other blobs. */
export async function forget(tx: Tx, ofSession: string): Promise<void> {
  await tx.deleteFrom('recordings').where('session_id', '=', ofSession).execute()
}
