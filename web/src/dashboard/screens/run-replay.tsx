// One run after the fact: the thread to move along, the transcript to search, and the files to take away.
import { useState } from 'preact/hooks'
import { Menu } from '../../ui/menu.tsx'
import { Thread } from '../../ui/thread.tsx'
import { download } from '../api.ts'
import { plural, timecode } from '../format.ts'
import { Loaded } from '../loaded.tsx'
import { runsQuery, sessionPath, transcriptQuery } from '../queries.ts'
import { fileName, saveFile } from '../save-file.ts'
import { SearchField } from '../search-field.tsx'
import { SessionFrame } from '../session-frame.tsx'
import { Time } from '../time.tsx'
import { orToast } from '../undoable.ts'
import { useQuery } from '../use-query.ts'
import type { SessionDetail, Transcript, TranscriptEntry } from '../wire.ts'
import { RunStatusWord } from './last-runs.tsx'

const formats = [
  { label: 'Markdown (.md)', type: 'text/markdown', end: 'md' },
  { label: 'Captions (.vtt)', type: 'text/vtt', end: 'vtt' },
  { label: 'JSON (.json)', type: 'application/json', end: 'json' },
] as const

export function RunReplay({ id, runId }: { id: string; runId: string }) {
  const transcript = useQuery(transcriptQuery(id, runId))
  return (
    <SessionFrame
      id={id}
      tab="Overview"
      actions={(session) => (
        <Menu
          label="Download transcript"
          items={formats.map(({ label, type, end }) => ({
            label,
            onSelect: () =>
              void orToast(
                download(sessionPath(id, `/runs/${encodeURIComponent(runId)}/transcript`), type).then((text) =>
                  saveFile(fileName(session.title, `transcript.${end}`), text, type),
                ),
              ),
          }))}
        />
      )}
    >
      {(session) => (
        <Loaded query={transcript} rows={10}>
          {(found) => <Replay session={session} transcript={found} />}
        </Loaded>
      )}
    </SessionFrame>
  )
}

function Replay({ session, transcript }: { session: SessionDetail; transcript: Transcript }) {
  const [at, setAt] = useState<number>()
  const [search, setSearch] = useState('')
  const live = useQuery(runsQuery(session.id)).data ?? []
  const rehearsals = useQuery(runsQuery(session.id, 'rehearsal')).data ?? []
  const run = [...live, ...rehearsals].find(({ runId }) => runId === transcript.runId)
  const said = transcript.entries.filter(({ type }) => type !== 'state' && type !== 'slide')
  const count = Math.max(session.slidesCount, ...transcript.entries.map(({ slideIndex }) => (slideIndex ?? 0) + 1))
  const shown = said.filter(
    ({ text, slideIndex }) => (at === undefined || slideIndex === at) && text.toLowerCase().includes(search.trim().toLowerCase()),
  )
  const asked = said.filter(({ type }) => type === 'question')
  return (
    <section class="replay" aria-labelledby="transcript">
      <div class="section-head">
        <h2 id="transcript">Transcript</h2>
        <p class="muted">
          {run !== undefined && <RunStatusWord run={run} />} {transcript.startedAt && <Time at={transcript.startedAt} />}{' '}
          {run?.kind === 'rehearsal' && <span class="chip chip-amber">Rehearsal</span>}
        </p>
      </div>
      <Thread
        count={count}
        current={count}
        shown={at}
        ticks={asked.map(({ slideIndex }) => slideIndex ?? 0)}
        label={`${plural(count, 'slide')}, ${plural(asked.length, 'question')}`}
        onPick={(index) => setAt(index === at ? undefined : index)}
      />
      <div class="list-bar">
        <label class="goto">
          <span>Slide</span>
          <select
            class="input"
            value={at === undefined ? '' : String(at)}
            onChange={(event) => setAt(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value))}
          >
            <option value="">All slides</option>
            {Array.from({ length: count }, (_, index) => (
              <option key={index} value={String(index)} selected={index === at}>
                {`Slide ${index + 1}`}
              </option>
            ))}
          </select>
        </label>
        <SearchField label="Search the transcript" value={search} onChange={setSearch} />
      </div>
      {shown.length === 0 && <p class="muted empty">{said.length === 0 ? 'Nothing was said in this run.' : 'No line matches.'}</p>}
      <ol class="transcript">
        {shown.map((entry, index) => (
          <Line key={index} entry={entry} />
        ))}
      </ol>
    </section>
  )
}

function Line({ entry }: { entry: TranscriptEntry }) {
  return (
    <li class={`line line-${entry.type}`} data-testid="line">
      <span class="line-time small muted">{timecode(entry.offsetMs)}</span>
      <span class="line-speaker small muted">
        <bdi>{entry.speaker}</bdi>
      </span>
      <span class="line-text">
        <bdi>{entry.text}</bdi>
      </span>
    </li>
  )
}
