// What attendees asked in the live runs of a session, newest run first, each with the answer it got.
import { z } from 'zod'
import { countLimit } from '../kernel/fields.ts'
import { iso } from '../kernel/iso.ts'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { ownSession } from '../sessions/session.ts'
import type { Reader } from '../storage/store.ts'
import type { RunRow } from '../storage/tables/runs.ts'
import { fold } from './fold.ts'
import { eventOf } from './logged.ts'
import type { Question } from './run-state.ts'
import { initialState } from './run-state.ts'
import type { RunsDeps } from './runs-deps.ts'

const input = z.object({
  sessionId: z.string(),
  runId: z.string().describe('Only the questions of this run.').optional(),
  limit: countLimit(100, 50).describe('About how many to return: whole runs are listed, 1 to 100.'),
  cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
})

interface Asked extends Question {
  runId: string
  /** How its answer came about: what was found, what a model wrote and the verdicts on it. */
  trace?: unknown
}

/** Types that questions and their answers are folded from. */
const needed = ['question', 'vote', 'answer', 'trace', 'state'] as const
const runsPerLook = 20

async function list(asked: z.output<typeof input>, { principal }: Call<AccountPrincipal>, deps: RunsDeps) {
  const { read } = deps.store
  const session = await ownSession(read, principal.accountId, asked.sessionId)
  const context = ['questions', session.id, asked.runId ?? '']
  let position = asked.cursor === undefined ? null : deps.cursors.open(context, asked.cursor)
  const questions: Asked[] = []
  for (;;) {
    const runs = await nextRuns(read, session.id, asked.runId?.toLowerCase(), position)
    for (const run of runs) {
      position = { at: run.created_at, id: run.id }
      questions.push(...(await questionsOf(read, run)))
      if (questions.length >= asked.limit) return { questions, nextCursor: deps.cursors.seal(context, position) }
    }
    if (runs.length < runsPerLook) return { questions }
  }
}

async function nextRuns(
  read: Reader,
  sessionId: string,
  runId: string | undefined,
  after: { at: number; id: string } | null,
): Promise<Pick<RunRow, 'id' | 'created_at'>[]> {
  let query = read
    .selectFrom('runs')
    .select(['id', 'created_at'])
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'live')
    .where((row) =>
      row.exists(
        row.selectFrom('run_commands').select('id').whereRef('run_commands.run_id', '=', 'runs.id').where('kind', '=', 'questions'),
      ),
    )
  if (runId !== undefined) query = query.where('id', '=', runId)
  if (after !== null) {
    query = query.where((row) =>
      row.or([row('created_at', '<', after.at), row.and([row('created_at', '=', after.at), row('id', '<', after.id)])]),
    )
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(runsPerLook).execute()
}

async function questionsOf(read: Reader, run: Pick<RunRow, 'id' | 'created_at'>): Promise<Asked[]> {
  const rows = await read
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', run.id)
    .where('type', 'in', needed)
    .orderBy('seq')
    .execute()
  let state = initialState(run.created_at)
  const traces = new Map<string, unknown>()
  for (const row of rows) {
    const event = eventOf(row)
    if (event.type === 'trace' && event.data.detail !== undefined) traces.set(event.data.answerId, event.data.detail)
    state = fold(state, event)
  }
  return [...state.questions.values()]
    .sort((a, b) => a.order - b.order)
    .map((question) => {
      const trace = traces.get(question.answer?.answerId ?? '')
      return { ...question, runId: run.id, ...(trace === undefined ? {} : { trace }) }
    })
}

const record = z.looseObject({
  questionId: z.string(),
  runId: z.string(),
  text: z.string(),
  status: z.string(),
  votes: z.number(),
  slideIndex: z.number(),
  askedAt: z.string(),
})

export const listQuestions = operation({
  name: 'list_questions',
  area: 'room',
  summary: 'List what attendees asked',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: list,
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/questions',
    output: z.object({ questions: z.array(record), count: z.number(), nextCursor: z.string().optional() }),
    view: ({ questions, nextCursor }) => ({
      questions: questions.map((question) => ({
        questionId: question.id,
        runId: question.runId,
        text: question.text,
        by: { attendeeId: question.attendeeId, name: question.name },
        status: question.status,
        votes: question.votes,
        slideIndex: question.slideIndex,
        askedAt: iso(question.askedAt),
        ...(question.mergedInto === null ? {} : { mergedInto: question.mergedInto }),
        ...(question.answer === null
          ? {}
          : {
              outcome: question.answer.outcome,
              mode: question.answer.mode,
              answer: question.answer.text,
              citations: question.answer.citations,
            }),
        ...(question.trace === undefined ? {} : { trace: question.trace }),
      })),
      count: questions.length,
      nextCursor,
    }),
  },
})
