// The last runs of a session, each a way to its replay and transcript.
import { type Column, Table } from '../../ui/table.tsx'
import { isRunning, runsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Run, RunStatus } from '../data/wire.ts'
import { count, duration } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { StatusWord } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'

export const runWords: Record<RunStatus, string> = {
  lobby: 'Waiting to start',
  presenting: 'Presenting',
  answering: 'Answering',
  paused: 'Paused',
  handed_over: 'You are speaking',
  closing: 'Last questions',
  completed: 'Completed',
  failed: 'Stopped by a fault',
}

export function RunStatusWord({ run }: { run: Pick<Run, 'status'> }) {
  if (run.status === 'failed') return <StatusWord shape="cross" word={runWords.failed} tone="bad" />
  if (run.status === 'completed') return <StatusWord shape="ring" word={runWords.completed} />
  return <StatusWord shape="dot" word={runWords[run.status]} tone="live" />
}

function columnsFor(id: string, rows: readonly Run[]): readonly Column<Run>[] {
  return [
    {
      name: 'started',
      head: 'Started',
      rowHead: true,
      cell: (run) => (
        <a href={`/dashboard/sessions/${id}/runs/${run.runId}`}>
          {run.startedAt ? <Time at={run.startedAt} /> : isRunning(run) ? 'Not started yet' : 'Never started'}
        </a>
      ),
    },
    ...(rows.some(({ name }) => name) ? [{ name: 'who', head: 'For', cell: ({ name }: Run) => <bdi>{name ?? 'Someone'}</bdi> }] : []),
    { name: 'status', head: 'State', cell: (run) => <RunStatusWord run={run} /> },
    { name: 'length', head: 'Length', number: true, cell: (run) => lengthOf(run) },
    { name: 'attendees', head: 'Attendees', number: true, cell: (run) => count(run.attendees) },
    { name: 'questions', head: 'Questions', number: true, cell: (run) => count(run.questions) },
  ]
}

const reportColumn = (id: string): Column<Run> => ({
  name: 'report',
  head: 'Report',
  cell: (run) => (run.endedAt ? <a href={`/dashboard/sessions/${id}?rehearsal=${run.runId}`}>Report</a> : '-'),
})

function lengthOf({ startedAt, endedAt }: Run): string {
  if (!startedAt || !endedAt) return '-'
  return duration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
}

export function LastRuns({ id }: { id: string }) {
  const live = useQuery(runsQuery(id))
  const rehearsals = useQuery(runsQuery(id, 'rehearsal'))
  return (
    <section class="section" aria-labelledby="runs">
      <div class="section-head">
        <h2 id="runs">Last runs</h2>
        {(live.data?.length ?? 0) > 0 && <a href={`/dashboard/sessions/${id}/transcripts`}>Search transcripts</a>}
      </div>
      <Loaded query={live} rows={2}>
        {(runs) =>
          runs.length === 0 ? (
            <p class="muted">Nobody has been to this talk yet. A run begins when someone opens the link and starts it.</p>
          ) : (
            <Table
              caption="Runs of this session"
              columns={columnsFor(id, newest(runs))}
              rows={newest(runs)}
              rowKey={({ runId }) => runId}
            />
          )
        }
      </Loaded>
      {rehearsals.data !== undefined && rehearsals.data.length > 0 && (
        <details class="fold">
          <summary>
            Rehearsals <span class="tab-count">{rehearsals.data.length}</span>
          </summary>
          <Table
            caption="Rehearsals of this session"
            columns={[...columnsFor(id, []), reportColumn(id)]}
            rows={newest(rehearsals.data)}
            rowKey={({ runId }) => runId}
          />
        </details>
      )}
    </section>
  )
}

/** Running ones first, at most five. */
const newest = (runs: readonly Run[]): readonly Run[] => [...runs.filter(isRunning), ...runs.filter((run) => !isRunning(run))].slice(0, 5)
