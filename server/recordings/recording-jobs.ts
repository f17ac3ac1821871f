// The making of a recording: by a job, which begins anew where its process dies, with progress in its row, until it is kept or has failed.
import type { Job, JobKind } from '../platform/db/jobs.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { SpokenClip, Talk } from '@rostrum/contract/talk'
import { readTranscript } from '../runs/log/transcript.ts'
import type { Session } from '../sessions/session.ts'
import { ownKey } from '../platform/blobs/blobs.ts'
import { FilmFault, type FilmParts, inFolder, makeFilm, makeSound } from './film.ts'
import { SentFile } from '../platform/sent-file.ts'
import { coursePackage, type KeptParts, keptPage } from './kept-talk.ts'
import { plannedIn, sceneOf } from './browser-film.ts'
import { format, jobKind, keepFile, options, RecordingGone, type RecordingRow, type RecordingsDeps, runOf } from './recordings.ts'
import { toldOf } from './replay.ts'
import { answersIn, captionsOf, runTimeline, scriptTimeline, shotsOf, type Timeline, toSrt, toVtt } from './timeline.ts'

const saidAnewMost = 300
const saidWithinMs = 20_000

export function recordingJobs(deps: RecordingsDeps): Record<string, JobKind> {
  const { store, clock, blobs, content, mediaBase } = deps
  const bytesAt = async (url: string | null) => {
    const key = url === null ? undefined : ownKey(url, mediaBase)
    return key === undefined ? undefined : blobs.find(key)
  }

  /** Sentences that the voice does not say in time are silent, with their captions. */
  async function saidAnew(texts: readonly string[], { id, voice }: Session, signal: AbortSignal): Promise<Map<string, SpokenClip>> {
    const clips = new Map<string, SpokenClip>()
    if (deps.voice === undefined) return clips
    for (const text of texts.slice(0, saidAnewMost)) {
      signal.throwIfAborted()
      const clip = await deps.voice.say({ sessionId: id, text, voice }, saidWithinMs, signal)
      if (clip !== null) clips.set(text, clip)
    }
    return clips
  }

  async function timelineOf(row: RecordingRow, signal: AbortSignal): Promise<{ talk: Talk; timeline: Timeline } | string> {
    const session = await store.read.selectFrom('sessions').selectAll().where('id', '=', row.session_id).executeTakeFirst()
    if (session === undefined) throw new RecordingGone()
    if (row.run_id === null) {
      const talk = await content.pinnedTalk(session.id, session.deck_id)
      return talk.beats.length === 0 ? 'The talk has no words yet.' : { talk, timeline: scriptTimeline(session.title, talk) }
    }
    const run = await runOf(store.read, session.id, row.run_id)
    const talk = await content.pinnedTalk(session.id, run.deck_id)
    const transcript = await readTranscript(store.read, run, session)
    const isHeard = row.format === 'mp4' || row.format === 'mp3' || row.format === 'webm'
    const clips = isHeard ? await saidAnew(answersIn(transcript), session, signal) : new Map<string, SpokenClip>()
    const timeline = runTimeline(transcript, talk, clips)
    return timeline.cues.length === 0 ? 'Nothing was said in this run.' : { talk, timeline }
  }

  async function make(
    row: RecordingRow,
    talk: Talk,
    timeline: Timeline,
    { folder, ...parts }: Pick<FilmParts, 'onProgress' | 'signal'> & { folder: string },
  ) {
    const wanted = format.parse(row.format)
    if (wanted === 'srt' || wanted === 'vtt') return Buffer.from(wanted === 'srt' ? toSrt(timeline) : toVtt(captionsOf(timeline)))
    const { ffmpeg } = deps
    if (wanted === 'html' || wanted === 'scorm') return keepTalk(row, talk, { ...parts, ffmpeg, bytesAt, pace: deps.pace })
    if (ffmpeg === null) throw new FilmFault('This process has no ffmpeg.')
    const given = { ...parts, ffmpeg, timeline, bytesAt }
    if (wanted === 'mp3') return SentFile.at(await makeSound(given, folder))
    const looks = options.parse(JSON.parse(row.options))
    const seen = {
      scene: await sceneOf(talk, row.session_id, looks, deps),
      shots: shotsOf(timeline, { burnsCaptions: looks.captions === 'burned', lightsWords: looks.spotlight }),
      hasTrack: looks.captions === 'track',
    }
    return SentFile.at(await makeFilm({ ...given, ...seen }, folder))
  }

  async function keepTalk(row: RecordingRow, talk: Talk, parts: Omit<KeptParts, 'session' | 'talk' | 'deck'>): Promise<Uint8Array> {
    const session = await content.getSession(row.session_id)
    if (session === null) throw new RecordingGone()
    const { deck, passages } = await content.searchable(row.session_id, talk.deckId)
    const page = await keptPage({ ...parts, session, talk, deck: { slides: deck?.slides ?? [], passages } })
    return row.format === 'html' ? page : coursePackage(page, session, options.parse(JSON.parse(row.options)).scorm)
  }

  const change = (row: RecordingRow, set: Partial<RecordingRow>) =>
    store.write(async (tx) => {
      const changed = await tx.updateTable('recordings').set(set).where('id', '=', row.id).returning('id').executeTakeFirst()
      if (changed === undefined) throw new RecordingGone()
    })

  const fail = (row: RecordingRow, error: string) => change(row, { state: 'failed', error, ended_at: clock.now() })

  async function record(job: Job): Promise<void> {
    const row = await store.read.selectFrom('recordings').selectAll().where('id', '=', job.key).executeTakeFirst()
    if (row === undefined || row.state === 'ready' || row.state === 'failed' || row.told !== null) return
    const gone = new AbortController()
    const signal = AbortSignal.any([job.signal, gone.signal])
    let told = 0
    // A browser makes it once it is planned.
    let telling: Promise<void> = change(row, { progress: 0, ...(row.format !== 'webm' && { state: 'making' as const }) })
    const onProgress = (share: number) => {
      const progress = Math.min(99, Math.floor(share * 100))
      if (progress < told + 2) return
      told = progress
      telling = telling.then(() => change(row, { progress })).catch(() => gone.abort())
    }
    try {
      await telling
      const found = await timelineOf(row, signal)
      if (typeof found === 'string') return await fail(row, found)
      const { talk, timeline } = found
      if (row.format === 'webm') {
        const looks = options.parse(JSON.parse(row.options))
        const told = plannedIn(timeline, await sceneOf(talk, row.session_id, looks, deps), looks)
        return await change(row, { told, state: 'making' })
      }
      if (row.format === 'mp3' && !timeline.cues.some(({ audioUrl }) => audioUrl !== undefined))
        return await fail(row, 'There is nothing to hear: this server has no voice, or has not said the sentences yet.')
      const isPlayed = row.format === 'mp4' || row.format === 'mp3'
      await inFolder(async (folder) => {
        const made = await make(row, talk, timeline, { onProgress, signal, folder })
        await telling
        await keepFile(deps, row, made, { durationMs: timeline.totalMs, told: isPlayed ? toldOf(timeline) : null })
      })
    } catch (error) {
      if (error instanceof RecordingGone || gone.signal.aborted) return
      if (job.signal.aborted) throw error
      if (error instanceof ServiceError && error.code === 'limit_reached') return await fail(row, error.message)
      deps.warn('A recording could not be made', error)
      await fail(row, 'It could not be made. The operator of the server finds the reason in its log.').catch(() => undefined)
    }
  }

  return { [jobKind]: { atOnce: 1, run: record } }
}
