// The transcript of a run, as JSON, WebVTT or Markdown by `Accept`. Names are as their owners gave them; no e-mails, no traces.
import { z } from 'zod'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { ownSession } from '../sessions/session.ts'
import { readRunEvents } from '../storage/run-log.ts'
import type { Reader } from '../storage/store.ts'
import { noSuchRun } from './attendees.ts'
import { eventOf } from './logged.ts'
import type { RunEvent } from './run-event.ts'
import type { RunsDeps } from './runs-deps.ts'
import type { Transcript } from './transcript.ts'
import { transcriptOf } from './transcript.ts'
import { toMarkdown, toVtt } from './transcript-formats.ts'

const input = z.object({ sessionId: z.string(), runId: z.string() })
const pageSize = 1_000

async function get(
  { sessionId, runId }: z.output<typeof input>,
  { principal }: Call<AccountPrincipal>,
  deps: RunsDeps,
): Promise<Transcript> {
  const { read } = deps.store
  const session = await ownSession(read, principal.accountId, sessionId)
  const run = await read
    .selectFrom('runs')
    .select(['id', 'kind', 'started_at'])
    .where('id', '=', runId.toLowerCase())
    .where('session_id', '=', session.id)
    .executeTakeFirst()
  if (run === undefined) throw noSuchRun()
  const attendees = await read
    .selectFrom('attendees')
    .select(['id', 'name'])
    .where('run_id', '=', run.id)
    .where('name', 'is not', null)
    .execute()
  const names = new Map(attendees.map(({ id, name }) => [id, name ?? '']))
  const head = { runId: run.id, sessionId: session.id, title: session.title, kind: run.kind, startedAt: run.started_at }
  return transcriptOf(head, await allEvents(read, run.id), names)
}

async function allEvents(read: Reader, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for (;;) {
    const rows = await readRunEvents(read, runId, events.at(-1)?.seq ?? 0, pageSize)
    events.push(...rows.map(eventOf))
    if (rows.length < pageSize) return events
  }
}

const entry = z.looseObject({
  at: z.string(),
  offsetMs: z.number(),
  type: z.enum(['narration', 'question', 'answer', 'slide', 'state']),
  slideIndex: z.number().nullable(),
  speaker: z.string(),
  text: z.string(),
})

const iso = (at: number): string => new Date(at).toISOString()

export const getTranscript = operation({
  name: 'get_transcript',
  area: 'room',
  summary: 'Read the transcript of a run',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/runs/{runId}/transcript',
    output: z.looseObject({
      runId: z.string(),
      sessionId: z.string(),
      title: z.string(),
      kind: z.enum(['live', 'rehearsal']),
      startedAt: z.string().nullable(),
      entries: z.array(entry),
    }),
    view: ({ entries, startedAt, ...run }) => ({
      ...run,
      startedAt: startedAt === null ? null : iso(startedAt),
      entries: entries.map((each) => ({ ...each, at: iso(each.at) })),
    }),
    formats: { 'text/vtt': toVtt, 'text/markdown': toMarkdown },
  },
})
