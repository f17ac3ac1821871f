// The transcript of a run, as JSON, WebVTT or Markdown by `Accept`. Names are as their owners gave them; no e-mails, no traces.
import { z } from 'zod'
import { citation } from '../../contract/answer.ts'
import { placeOnSlide } from '../../contract/deck.ts'
import { knownBy } from '../../contract/fields.ts'
import { operation, reads, scoped } from '../../platform/operation.ts'
import { ownSession } from '../../sessions/session.ts'
import { noSuchRun } from '../attendees.ts'
import { readTranscript } from '../read-transcript.ts'
import type { RunsDeps } from '../room-deps.ts'
import { toMarkdown, toVtt, type TranscriptEntry } from '../transcript.ts'

/** One entry as it is sent; the search shows the same. */
export const transcriptEntry = z.object({
  seq: z.number(),
  at: z.string(),
  offsetMs: z.number(),
  type: z.enum(['narration', 'question', 'answer', 'slide', 'state']),
  slideIndex: z.number().nullable(),
  speaker: z.string(),
  text: z.string(),
  endOffsetMs: z.number().optional(),
  slide: z.object({ id: z.string(), text: z.string(), imageUrl: z.string().nullable() }).optional(),
  questionId: z.string().optional(),
  sentences: z.array(z.object({ offsetMs: z.number(), text: z.string(), citations: z.array(citation).optional() })).optional(),
  audioUrl: z.string().optional(),
  audioMs: z.number().optional(),
  ...placeOnSlide,
  citations: z.array(citation).optional(),
  private: z.boolean().optional(),
})

const iso = (at: number): string => new Date(at).toISOString()
export const entryView = (entry: TranscriptEntry): object => ({ ...entry, at: iso(entry.at) })

export const getTranscript = operation({
  name: 'get_transcript',
  area: 'room',
  summary: 'Read the transcript of a run',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
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
      startedAt: startedAt === null ? null : iso(startedAt),
      entries: entries.map(entryView),
    }),
    formats: { 'text/vtt': (transcript) => toVtt(transcript), 'text/markdown': (transcript) => toMarkdown(transcript) },
  },
})
