// The talk as a file: what was made of it, how far what is being made is, and what can be made.
import { Captions, Film, Music } from 'lucide'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { call } from '../data/api.ts'
import { recordingsQuery, sessionPath } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { cache, useQuery } from '../data/use-query.ts'
import type { Recording } from '../data/wire.ts'
import { duration } from '../parts/format.ts'
import { Time } from '../parts/time.tsx'

const made: Record<Recording['format'], string> = { mp4: 'Film', mp3: 'Sound', srt: 'Captions (SRT)', vtt: 'Captions (WebVTT)' }

/** Of the script, or of one run. */
export function Recordings({ sessionId, runId }: { sessionId: string; runId?: string }) {
  const query = recordingsQuery(sessionId)
  const { data } = useQuery(query)
  if (data === undefined) return null
  const shown = data.recordings.filter((recording) => recording.runId === (runId ?? null))
  const changed = (act: Promise<unknown>) => void orToast(act.then(() => cache.invalidateQueries({ queryKey: query.queryKey })))
  const order = (format: Recording['format']) =>
    changed(call('POST', sessionPath(sessionId, '/recordings'), { body: { format, ...(runId !== undefined && { runId }) } }))
  return (
    <section class="section" aria-labelledby="recordings">
      <h2 id="recordings">Film and captions</h2>
      <p class="muted">
        {runId === undefined
          ? 'The talk as a file, as its script stands now.'
          : 'This run as a file, without the waits and without the names of who asked.'}
      </p>
      <div class="actions">
        {data.canFilm && (
          <>
            <Button onClick={() => order('mp4')}>
              <Icon of={Film} />
              Make a film
            </Button>
            <Button onClick={() => order('mp3')}>
              <Icon of={Music} />
              Sound only
            </Button>
          </>
        )}
        <Button onClick={() => order('vtt')}>
          <Icon of={Captions} />
          Captions only
        </Button>
      </div>
      {!data.canFilm && (
        <p class="field-hint">
          A film needs ffmpeg on the server: its operator installs it or sets <code>ROSTRUM_FFMPEG</code>.
        </p>
      )}
      {shown.length > 0 && (
        <ul class="rows" aria-label="Recordings">
          {shown.map((recording) => (
            <RecordingRow
              key={recording.recordingId}
              recording={recording}
              onDelete={() => changed(call('DELETE', sessionPath(sessionId, `/recordings/${recording.recordingId}`)))}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function RecordingRow({ recording, onDelete }: { recording: Recording; onDelete: () => void }) {
  const { format, state, progress, url, sizeBytes, durationMs, error, createdAt } = recording
  const isUnderWay = state === 'waiting' || state === 'making'
  return (
    <li class="recording">
      <span>
        {made[format]}{' '}
        <span class="muted">
          of <Time at={createdAt} />
        </span>
      </span>
      {isUnderWay && <progress aria-label={`${made[format]}, being made`} max={100} value={progress} />}
      {state === 'failed' && <span class="note note-amber">{error}</span>}
      {url !== null && sizeBytes !== null && durationMs !== null && (
        <span class="muted tabular">
          {duration(Math.round(durationMs / 1_000))}, {(sizeBytes / 1_048_576).toFixed(1)} MB
        </span>
      )}
      <span class="actions">
        {url !== null && (
          <a class={buttonClass('plain', true)} href={url} target="_blank" rel="noopener">
            Open
          </a>
        )}
        <Button dense kind="quiet" onClick={onDelete}>
          {isUnderWay ? 'Stop' : 'Delete'}
        </Button>
      </span>
    </li>
  )
}
