// The transcript of a run, as JSON, WebVTT or Markdown by `Accept`, and the search over all of a session. Names are as their owners gave
// them; no e-mails, no traces.
import { z } from 'zod'
import { countLimit, knownBy, words } from '@rostrum/contract/fields'
import { iso, isoOrNull } from '@rostrum/base/clock'
import type { Reader } from '../../platform/db/store.ts'
import type { RunRow } from '../tables.ts'
import { operation, scoped } from '../../platform/operation.ts'
import { ownSession } from '../../sessions/session.ts'
import { noSuchRun } from '../attendees.ts'
import type { RunsDeps } from '../room/deps.ts'
import { readTranscript, toMarkdown, toVtt, transcriptEntry, type TranscriptEntry } from '../log/transcript.ts'

export const entryView = (entry: TranscriptEntry): object => ({ ...entry, at: iso(entry.at) })

export const getTranscript = operation({
  name: 'get_transcript',
  summary: 'Read the transcript of a run',
  access: scoped('sessions:read'),
  input: z.object({ sessionId: knownBy, runId: knownBy }),
  run: async ({ sessionId, runId }, { principal }, deps: RunsDeps) => {
    const { read } = deps.store
    const session = await ownSession(read, principal.accountId, sessionId)
    const run = await read
      .selectFrom('runs')
      .select(['id', 'kind', 'started_at'])
      .where('id', '=', runId)
      .where('session_id', '=', session.id)
      .executeTakeFirst()
    if (run === undefined) throw noSuchRun()
    return readTranscript(read, run, session)
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/runs/{runId}/transcript',
    output: z.object({
      runId: z.string(),
      sessionId: z.string(),
      title: z.string(),
      kind: z.enum(['live', 'rehearsal']),
      startedAt: z.string().nullable(),
      entries: z.array(transcriptEntry),
    }),
    view: ({ entries, startedAt, ...run }) => ({
      ...run,
      startedAt: isoOrNull(startedAt),
      entries: entries.map(entryView),
    }),
    formats: { 'text/vtt': (transcript) => toVtt(transcript), 'text/markdown': (transcript) => toMarkdown(transcript) },
  },
})

// Finds what was said and asked, over the transcripts of a session's runs: a plain substring, case aside. Newest run first, in a run
// as it was said.

type Looked = Pick<RunRow, 'id' | 'kind' | 'started_at' | 'created_at'>

interface Match {
  runId: string
  startedAt: number | null
  entry: TranscriptEntry
  /** Where it stands in the text. */
  start: number
  end: number
}

/** Where a page ends: after `seq` of this run. */
interface Place {
  createdAt: number
  runId: string
  seq: number
}

/** Transcripts read for one page: what a page costs is bounded, so one without a match may say that there are more. */
const runsPerPage = 50

function placeOf({ at, id }: { at: number; id: string }): Place {
  const [runId = '', seq] = id.split('.')
  return { createdAt: at, runId, seq: Number(seq) }
}

/** The run of the place itself comes first: the rest of it was not shown. */
async function nextRuns(read: Reader, sessionId: string, which: string | { kind: RunRow['kind'] }, from: Place | null): Promise<Looked[]> {
  let query = read.selectFrom('runs').select(['id', 'kind', 'started_at', 'created_at']).where('session_id', '=', sessionId)
  query = typeof which === 'string' ? query.where('id', '=', which) : query.where('kind', '=', which.kind)
  if (from !== null) {
    const { createdAt, runId } = from
    query = query.where((row) =>
      row.or([row('created_at', '<', createdAt), row.and([row('created_at', '=', createdAt), row('id', '<=', runId)])]),
    )
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(runsPerPage).execute()
}

function* matchesIn(run: Looked, entries: readonly TranscriptEntry[], pattern: RegExp, after: number): Generator<Match> {
  for (const entry of entries) {
    if (entry.type === 'state' || entry.seq <= after) continue
    const found = pattern.exec(entry.text)
    if (found !== null) yield { runId: run.id, startedAt: run.started_at, entry, start: found.index, end: found.index + found[0].length }
  }
}

const record = transcriptEntry.extend({ runId: z.string(), startedAt: z.string().nullable(), start: z.number(), end: z.number() })

export const searchTranscripts = operation({
  name: 'search_transcripts',
  summary: 'Search what was said and asked in the runs of a session',
  description:
    'A page reads at most 50 runs, so it may have fewer matches than asked for, or none, and still have a `nextCursor`: go on until there is none. `start` and `end` say where the words stand in `text`.',
  access: scoped('sessions:read'),
  input: z.object({
    sessionId: knownBy,
    q: words(200).describe('What to look for: a substring as it is, case aside.'),
    runId: knownBy.describe('Only in this run, live or rehearsal.').optional(),
    kind: z.enum(['live', 'rehearsal']).default('live'),
    limit: countLimit(100, 20).describe('How many to return at most, 1 to 100.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async (wanted, { principal }, { store, cursors }: RunsDeps) => {
    const { read } = store
    const { q, kind, limit } = wanted
    const session = await ownSession(read, principal.accountId, wanted.sessionId)
    const runId = wanted.runId
    const context = ['transcripts', session.id, runId ?? kind, q]
    const sealed = ({ createdAt, ...place }: Place) => cursors.seal(context, { at: createdAt, id: `${place.runId}.${place.seq}` })
    const from = wanted.cursor === undefined ? null : placeOf(cursors.open(context, wanted.cursor))
    const pattern = new RegExp(RegExp.escape(q), 'iu')
    const matches: Match[] = []
    const runs = await nextRuns(read, session.id, runId ?? { kind }, from)
    for (const run of runs) {
      const { entries } = await readTranscript(read, run, session)
      const after = run.id === from?.runId ? from.seq : -1
      for (const match of matchesIn(run, entries, pattern, after)) {
        const last = matches.at(-1)
        if (matches.length === limit && last !== undefined) {
          const { created_at: createdAt } = runs.find(({ id }) => id === last.runId) ?? run
          return { matches, nextCursor: sealed({ createdAt, runId: last.runId, seq: last.entry.seq }) }
        }
        matches.push(match)
      }
    }
    const last = runs.at(-1)
    if (runs.length < runsPerPage || last === undefined) return { matches }
    return { matches, nextCursor: sealed({ createdAt: last.created_at, runId: last.id, seq: Number.MAX_SAFE_INTEGER }) }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/transcripts',
    output: z.object({ matches: z.array(record), count: z.number(), nextCursor: z.string().optional() }),
    view: ({ matches, nextCursor }) => ({
      matches: matches.map(({ runId, startedAt, entry, start, end }) => ({
        runId,
        startedAt: isoOrNull(startedAt),
        ...entryView(entry),
        start,
        end,
      })),
      count: matches.length,
      nextCursor,
    }),
  },
})
