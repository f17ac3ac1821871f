// One run after the fact: the talk to play again, its transcript to search, and the files to take away.
import { useLocation } from 'preact-iso/router'
import { useMemo, useRef } from 'preact/hooks'
import { buttonClass } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { download } from '../data/api.ts'
import { runsQuery, transcriptQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionDetail } from '../data/wire.ts'
import { Loaded } from '../parts/loaded.tsx'
import { fileName, saveFile } from '../parts/save-file.ts'
import { Time } from '../parts/time.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import { Recordings } from '../session/recordings.tsx'
import { RunStatusWord } from './last-runs.tsx'
import { ReplayLines } from './replay-lines.tsx'
import { ReplayPlayer } from './replay-player.tsx'
import { replayOf, sceneAt } from './replay.ts'
import type { Transcript } from './transcript-wire.ts'
import { type Hold, usePlayer } from './use-player.ts'
import { useReplayVoice } from './use-replay-voice.ts'

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
        <>
          <a class={buttonClass()} href={`/dashboard/sessions/${id}/transcripts`}>
            Search all runs
          </a>
          <Menu
            label="Download transcript"
            items={formats.map(({ label, type, end }) => ({
              label,
              onSelect: () =>
                void orToast(
                  download('get_transcript', { sessionId: id, runId }, type).then((text) =>
                    saveFile(fileName(session.title, `transcript.${end}`), text, type),
                  ),
                ),
            }))}
          />
        </>
      )}
    >
      {(session) => (
        <Loaded query={transcript} rows={10}>
          {(found) => <Replayed key={found.runId} session={session} transcript={found} />}
        </Loaded>
      )}
    </SessionFrame>
  )
}

function Replayed({ session, transcript }: { session: SessionDetail; transcript: Transcript }) {
  const { query } = useLocation()
  const replay = useMemo(() => replayOf(transcript), [transcript])
  const linked = transcript.entries.find(({ seq }) => String(seq) === query['seq'])
  const hold = useRef<Hold>((ms) => ms)
  const player = usePlayer(replay, linked?.offsetMs ?? 0, hold)
  const voice = useReplayVoice(replay, player, session, hold)
  const live = useQuery(runsQuery(session.id)).data ?? []
  const rehearsals = useQuery(runsQuery(session.id, 'rehearsal')).data ?? []
  const run = [...live, ...rehearsals].find(({ runId }) => runId === transcript.runId)
  const slidesCount = Math.max(session.slidesCount, replay.slidesCount)
  return (
    <>
      <p class="muted replay-head">
        {run !== undefined && <RunStatusWord run={run} />} {transcript.startedAt && <Time at={transcript.startedAt} />}{' '}
        {run?.kind === 'rehearsal' && <span class="chip chip-amber">Rehearsal</span>}
      </p>
      <div class="replay">
        <ReplayPlayer replay={replay} player={player} voice={voice} slidesCount={slidesCount} presenter={session} />
        <ReplayLines
          entries={transcript.entries}
          slidesCount={slidesCount}
          currentSeq={sceneAt(replay, player.ms).sentence?.entry.seq}
          onPlayFrom={player.seek}
        />
      </div>
      <Recordings sessionId={session.id} runId={transcript.runId} />
    </>
  )
}
