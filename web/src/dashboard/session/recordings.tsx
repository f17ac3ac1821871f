// The talk as a file: what was made of it, how far what is being made is, and what can be made.
import { FileText, Film } from 'lucide'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { call } from '../data/api.ts'
import { recordingsQuery, sessionQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { cache, useQuery } from '../data/use-query.ts'
import type { Recording } from '../data/wire.ts'
import { duration } from '../parts/format.ts'
import { Time } from '../parts/time.tsx'
import { film, orderFilm, stopFilming, useFilming } from './filming.ts'

const made: Record<Recording['format'], string> = {
  mp4: 'Film',
  webm: 'Film (WebM)',
  mp3: 'Sound',
  srt: 'Captions (SRT)',
  vtt: 'Captions (WebVTT)',
  html: 'One page',
  scorm: 'Course (SCORM)',
}

/** Of the script, or of one run. */
export function Recordings({ sessionId, runId }: { sessionId: string; runId?: string }) {
  const query = recordingsQuery(sessionId)
  const { data } = useQuery(query)
  const { data: session } = useQuery(sessionQuery(sessionId))
  const filming = useFilming()
  if (data === undefined) return null
  const shown = data.recordings.filter((recording) => recording.runId === (runId ?? null))
  const changed = (act: Promise<unknown>) => void orToast(act.then(() => cache.invalidateQueries({ queryKey: query.queryKey })))
  const order = (format: Recording['format'], scorm?: '1.2' | '2004') =>
    changed(call('create_recording', { sessionId, format, ...(runId !== undefined && { runId }), ...(scorm && { options: { scorm } }) }))
  const item = (label: string, ...wanted: Parameters<typeof order>) => ({ label, onSelect: () => order(...wanted) })
  return (
    <section class="section" aria-labelledby="recordings">
      <h2 id="recordings">{runId === undefined ? 'The talk as a file' : 'This run as a file'}</h2>
      <p class="muted">
        {runId === undefined
          ? 'As its script stands now. One page gives the talk and answers questions from it, without a server or a network; a course is the same for a learning platform.'
          : 'Without the waits and without the names of who asked.'}
      </p>
      <div class="actions">
        <Button onClick={() => (data.canFilm ? order('mp4') : changed(orderFilm(sessionId, runId)))}>
          <Icon of={Film} />
          Make a film
        </Button>
        {runId === undefined && (
          <Button onClick={() => order('html')}>
            <Icon of={FileText} />
            Make one page
          </Button>
        )}
        <Menu
          label="Other files"
          items={[
            ...(data.canFilm ? [item('Sound alone (MP3)', 'mp3')] : []),
            item('Captions (WebVTT)', 'vtt'),
            item('Captions (SRT)', 'srt'),
            ...(runId === undefined ? [item('Course (SCORM 1.2)', 'scorm', '1.2'), item('Course (SCORM 2004)', 'scorm', '2004')] : []),
          ]}
        />
      </div>
      {!data.canFilm && (
        <p class="field-hint">
          This server has no <code>ffmpeg</code>, so your browser makes the film (WebM). Keep this tab open until it is done.
        </p>
      )}
      {shown.length > 0 && (
        <ul class="rows" aria-label="Recordings">
          {shown.map((recording) => (
            <RecordingRow
              key={recording.recordingId}
              recording={recording}
              title={session?.title ?? 'Talk'}
              share={filming.get(recording.recordingId)?.share}
              onFilm={() => void film(sessionId, recording.recordingId)}
              onDelete={() => {
                stopFilming(recording.recordingId)
                changed(call('delete_recording', { sessionId, recordingId: recording.recordingId }))
              }}
              onShare={(shared) => changed(call('share_recording', { sessionId, recordingId: recording.recordingId, ...shared }))}
            />
          ))}
        </ul>
      )}
      {shown.some((recording) => isPlayed(recording) && recording.replayUrl === null) && (
        <p class="field-hint">
          A page is for whoever has its link. People who asked for the recap when they registered are mailed that link once.
        </p>
      )}
    </section>
  )
}

const isPlayed = ({ url, format }: Recording) => url !== null && (format === 'mp4' || format === 'webm' || format === 'mp3')

/** Of the file on the disk of its host. */
const nameOf = ({ format, scorm }: Recording, title: string) =>
  `${title.replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, ' ').trim()}${format === 'scorm' ? ` (SCORM ${scorm ?? ''}).zip` : '.html'}`

interface RowProps {
  recording: Recording
  /** Of the talk. */
  title: string
  /** Of it that this page has made; undefined where it does not. */
  share: number | undefined
  onFilm: () => void
  onDelete: () => void
  onShare: (shared: { isPublic: boolean; isListed?: boolean }) => void
}

function RecordingRow({ recording, title, share, onFilm, onDelete, onShare }: RowProps) {
  const { format, scorm, state, progress, url, sizeBytes, durationMs, error, createdAt, replayUrl, isListed } = recording
  const isKept = format === 'html' || format === 'scorm'
  // One that another page makes, or began.
  const isElsewhere = format === 'webm' && state === 'making' && share === undefined
  const isUnderWay = (state === 'waiting' || state === 'making') && !isElsewhere
  return (
    <li class="recording">
      <span>
        {scorm === undefined ? made[format] : `Course (SCORM ${scorm})`}{' '}
        <span class="muted">
          of <Time at={createdAt} />
        </span>
      </span>
      {isUnderWay && (
        <progress aria-label={`${made[format]}, being made`} max={100} value={share === undefined ? progress : Math.round(share * 100)} />
      )}
      {isElsewhere && <span class="muted small">Not finished. It is made in a tab that stays open.</span>}
      {state === 'failed' && <span class="note note-amber">{error}</span>}
      {url !== null && sizeBytes !== null && durationMs !== null && (
        <span class="muted tabular">
          {duration(Math.round(durationMs / 1_000))}, {sizeBytes < 100_000 ? `${Math.ceil(sizeBytes / 1_024)} kB` : megabytes(sizeBytes)}
        </span>
      )}
      <span class="actions">
        {url !== null && (
          <a
            class={buttonClass('plain', true)}
            href={url}
            target="_blank"
            rel="noopener"
            {...(isKept && { download: nameOf(recording, title) })}
          >
            {isKept ? 'Download' : 'Open'}
          </a>
        )}
        {isElsewhere && (
          <Button dense onClick={onFilm}>
            Make it here
          </Button>
        )}
        {isPlayed(recording) && replayUrl === null && (
          <Button dense kind="quiet" onClick={() => onShare({ isPublic: true })}>
            Make a page
          </Button>
        )}
        <Button dense kind="quiet" onClick={onDelete}>
          {isUnderWay ? 'Stop' : 'Delete'}
        </Button>
      </span>
      {replayUrl !== null && (
        <div class="recording-page">
          <p>
            <a href={replayUrl} target="_blank" rel="noopener">
              Its page
            </a>{' '}
            <span class="small muted">Whoever has the link can watch it.</span>
          </p>
          <label class="check">
            <input type="checkbox" checked={isListed} onChange={() => onShare({ isPublic: true, isListed: !isListed })} /> Search engines
            may list it
          </label>
          <span class="actions">
            <Copy value={replayUrl} label="Copy its link" dense />
            <Button dense kind="quiet" onClick={() => onShare({ isPublic: false })}>
              Take the page back
            </Button>
          </span>
        </div>
      )}
    </li>
  )
}

const megabytes = (bytes: number): string =>
  bytes < 100_000 ? `${Math.max(1, Math.round(bytes / 1_024))} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`
