// Who came to the talks of a session: how long each stayed, what they asked, whether they clicked. Details given with consent are leads.
import { z } from 'zod'
import { countLimit, utm, utmOf, uuid } from '@rostrum/contract/fields'
import { newestFirst } from '../platform/db/cursor.ts'
import { iso } from '@rostrum/base/clock'
import { operation, scoped } from '../platform/operation.ts'
import { type AnalyticsDeps, ownSession, summariesOf } from './get-session-analytics.ts'
import type { AttendeeSummary, QuestionSummary } from './figures.ts'
import type { PollSummary } from './polls.ts'

const attendee = z.object({
  attendeeId: z.string(),
  runId: z.string(),
  name: z.string().optional().describe('As given on joining.'),
  utm: utm.optional().describe('Which link they came by.'),
  joinedAt: z.string(),
  leftAt: z.string().optional().describe('Absent while they are there.'),
  watchedSeconds: z.number().describe('Within the talk.'),
  slidesSeen: z.number(),
  completed: z.boolean().describe('There when the closing began.'),
  ctaClicked: z.boolean(),
  ctaClickedAt: z.string().optional().describe('When first.'),
  recapUrl: z.string().optional().describe('What they keep of the talk; absent once it was taken back (`end_recap`).'),
  questions: z.array(z.object({ text: z.string(), at: z.string(), outcome: z.string().nullable() })),
  polls: z
    .array(z.object({ pollId: z.string(), question: z.string(), answer: z.string(), right: z.boolean().optional().describe('Of a quiz.') }))
    .describe('What they answered, in words; absent where nothing was.')
    .optional(),
})

const second = (ms: number): number => Math.round(ms / 1_000)

function view(
  row: { id: string; run_id: string; name: string | null; utm: string | null; created_at: number },
  seen?: AttendeeSummary,
  asked: QuestionSummary[] = [],
  now = 0,
  polls: readonly PollSummary[] = [],
) {
  const left = seen?.present.at(-1)?.to ?? now
  const answered = polls.flatMap(({ pollId, question, options, right, answers }) => {
    const own = answers.find(({ attendeeId }) => attendeeId === row.id)
    if (own === undefined) return []
    const answer = own.word ?? (own.choice === undefined ? String(own.rating) : (options[own.choice] ?? ''))
    return [{ pollId, question, answer, ...(right !== undefined && { right: own.choice === right }) }]
  })
  return {
    attendeeId: row.id,
    runId: row.run_id,
    name: row.name ?? undefined,
    utm: utmOf(row.utm),
    joinedAt: iso(row.created_at),
    leftAt: left < now ? iso(left) : undefined,
    watchedSeconds: second(seen?.engagedMs ?? 0),
    slidesSeen: Object.keys(seen?.slidesMs ?? {}).length,
    completed: seen?.completed ?? false,
    ctaClicked: seen?.clicked ?? false,
    ctaClickedAt: seen?.clickedAt === undefined ? undefined : iso(seen.clickedAt),
    questions: asked.map(({ text, at = row.created_at, outcome }) => ({ text, at: iso(at), outcome })),
    polls: answered.length === 0 ? undefined : answered,
  }
}

export const listAttendees = operation({
  name: 'list_attendees',
  summary: 'List the people who came to a session',
  description: 'Of its live runs, newest first; agents that sat in, and rehearsals, are left out.',
  access: scoped('analytics:read', 'leads:read'),
  input: z.object({
    sessionId: uuid.describe('Id of the session.'),
    limit: countLimit(200).describe('How many to return, 1 to 200.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async ({ sessionId, limit, cursor }, { principal, now }, { store, cursors, recapUrl }: AnalyticsDeps) => {
    const session = await ownSession(store, principal.accountId, sessionId)
    const context = ['attendees', principal.accountId, session.id]
    const query = store.read
      .selectFrom('attendees')
      .innerJoin('runs', 'runs.id', 'attendees.run_id')
      .select([
        'attendees.id',
        'attendees.run_id',
        'attendees.name',
        'attendees.utm',
        'attendees.created_at',
        'attendees.recap_ended_at',
        'runs.last_seq',
        'runs.ended_at',
      ])
      .where('attendees.session_id', '=', session.id)
      .where('attendees.kind', '=', 'human')
      .where('runs.kind', '=', 'live')
    const asked = { context, cursor, limit, by: 'attendees.created_at', id: 'attendees.id' }
    const { rows, nextCursor } = await newestFirst(query, cursors, asked)
    const runs = new Map(rows.map(({ run_id, last_seq, ended_at }) => [run_id, { id: run_id, last_seq, ended_at }]))
    const summaries = await summariesOf(store, { sessionId: session.id, slidesCount: session.slides_count, now }, [...runs.values()])
    const attendees = rows.map((row) => {
      const summary = summaries.get(row.run_id)
      const seen = summary?.attendees.find(({ attendeeId }) => attendeeId === row.id)
      const asked = summary?.questions.filter(({ askedBy }) => askedBy === row.id)
      return { ...view(row, seen, asked, now, summary?.polls), recapUrl: row.recap_ended_at === null ? recapUrl(row.id) : undefined }
    })
    return { sessionId: session.id, slidesCount: session.slides_count, attendees, nextCursor }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/attendees',
    output: z.object({ sessionId: z.string(), slidesCount: z.number(), attendees: z.array(attendee), nextCursor: z.string().optional() }),
  },
})
