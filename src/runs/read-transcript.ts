// Reads the transcript of a run from its log, for whoever may see the run: the transcript itself, and the search over many.
import type { Reader } from '../platform/db/store.ts'
import type { RunRow } from '../platform/db/tables/runs.ts'
import { readRunEvents } from './log/run-log.ts'
import { eventOf } from './state/logged.ts'
import type { RunEvent } from '../contract/room.ts'
import { type Transcript, transcriptOf } from './transcript.ts'

const pageSize = 1_000

export async function readTranscript(
  read: Reader,
  run: Pick<RunRow, 'id' | 'kind' | 'started_at'>,
  session: { id: string; title: string; presenter_name?: string | null },
): Promise<Transcript> {
  const attendees = await read
    .selectFrom('attendees')
    .select(['id', 'name'])
    .where('run_id', '=', run.id)
    .where('name', 'is not', null)
    .execute()
  const names = new Map(attendees.map(({ id, name }) => [id, name ?? '']))
  const head = { runId: run.id, sessionId: session.id, title: session.title, kind: run.kind, startedAt: run.started_at }
  return transcriptOf(head, await allEvents(read, run.id), names, session.presenter_name ?? undefined)
}

async function allEvents(read: Reader, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for (;;) {
    const rows = await readRunEvents(read, runId, events.at(-1)?.seq ?? 0, pageSize)
    events.push(...rows.map(eventOf))
    if (rows.length < pageSize) return events
  }
}
