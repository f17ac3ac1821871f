// A recording that its host shows: a page at an address nobody can guess, off until the host says so and gone when they take it back.
// It tells what the film tells, as it was made, and nothing of who asked.
import { z } from 'zod'
import { brand } from '@rostrum/contract/brand'
import { cta } from '@rostrum/contract/room'
import { ServiceError } from '@rostrum/base/errors'
import { type Call, open, operation, scoped } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import { disclosureOf, unverifiedView } from '../runs/stream/snapshot.ts'
import { rehearsalToken } from '../sessions/session.ts'
import { one, ownRecording, path, recording, type RecordingsDeps, viewOf } from './recordings.ts'
import { captionsOf, type Timeline } from './timeline.ts'

const chapter = z.object({ fromMs: z.number(), slideIndex: z.number(), title: z.string() })
const caption = z.object({ fromMs: z.number(), untilMs: z.number(), text: z.string(), speaker: z.string() })
export const toldShape = { title: z.string(), chapters: z.array(chapter).readonly(), captions: z.array(caption).readonly() }
const told = z.object(toldShape)

/** Kept with the file, since the script may say something else by the time it is watched. */
export const toldOf = (timeline: Timeline): string => {
  const captions = captionsOf(timeline).map(({ fromMs, untilMs, text, speaker }) => ({ fromMs, untilMs, text, speaker }))
  return JSON.stringify({ title: timeline.title, chapters: timeline.chapters, captions } satisfies z.output<typeof told>)
}

export const shareRecording = operation({
  name: 'share_recording',
  summary: 'Show a recording to whoever has its link, or take that back',
  description:
    'Film and sound have a page with chapters, captions, transcript and the call to action at `replayUrl`, which nobody can guess. A link that was taken back never works again: the next one is another. The file itself has an address of its own, which goes with the recording. Those who asked for the recap of a talk at a set time get the link of its page once: with the recap, or in a mail of its own within 30 days.',
  access: scoped('sessions:write'),
  input: z.object({
    ...one,
    isPublic: z.boolean().describe('Whether there is a page.'),
    isListed: z.boolean().default(false).describe('Whether search engines may keep it.'),
  }),
  run: ({ isPublic, isListed, ...wanted }, { principal, now }: Call<AccountPrincipal>, deps: RecordingsDeps) =>
    deps.store.write(async (tx) => {
      const row = await ownRecording(tx, principal.accountId, wanted)
      if (isPublic && (row.told === null || row.blob_key === null))
        throw invalidInput([{ pointer: '#/isPublic', detail: 'is for film (`mp4`, `webm`) and sound (`mp3`) that are `ready`.' }])
      const set = { replay_key: isPublic ? (row.replay_key ?? rehearsalToken(deps.ids)) : null, is_listed: Number(isPublic && isListed) }
      await tx.updateTable('recordings').set(set).where('id', '=', row.id).execute()
      if (isPublic) await deps.shown(tx, row.session_id, now)
      return viewOf({ ...row, ...set }, deps)
    }),
  http: { method: 'PATCH', path: `${path}/{recordingId}`, output: recording },
})

export const viewReplay = operation({
  name: 'view_replay',
  summary: 'See a recording that its host shows',
  access: open,
  limit: 'room',
  input: z.object({ key: z.string().min(1).max(100).describe('The last part of `replayUrl`.') }),
  secret: true,
  async run({ key }, _call, { store, content, mediaBase }: RecordingsDeps) {
    const row = await store.read.selectFrom('recordings').selectAll().where('replay_key', '=', key).executeTakeFirst()
    const session = row === undefined ? null : await content.getSession(row.session_id)
    if (row === undefined || session === null || row.told === null)
      throw new ServiceError('not_found', 'There is no such recording, or its host shows it no longer.')
    const { description, language, unverified } = session
    return {
      ...told.parse(JSON.parse(row.told)),
      description,
      language,
      disclosure: disclosureOf(session),
      ...(unverified && { unverified: true as const }),
      ...(session.brand && { brand: session.brand }),
      cta: session.cta,
      format: row.format,
      url: `${mediaBase}/media/${row.blob_key}`,
      durationMs: row.duration_ms ?? 0,
      hasWords: row.format !== 'mp3' && !/"captions":"(?:track|off)"/.test(row.options),
      isListed: row.is_listed === 1 && unverified === undefined,
    }
  },
  http: {
    method: 'GET',
    path: '/api/v1/replays/{key}',
    output: z.object({
      ...told.shape,
      description: z.string().nullable(),
      language: z.string(),
      disclosure: z.string(),
      unverified: unverifiedView,
      brand: brand.optional(),
      cta: cta.nullable(),
      format: z.string(),
      url: z.string().describe('Of the film or the sound; it answers ranges.'),
      durationMs: z.number(),
      hasWords: z.boolean().describe('The captions stand in the picture.'),
      isListed: z.boolean(),
    }),
  },
})
