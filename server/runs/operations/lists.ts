// Lists for the owner of a session: its runs, and what was asked in the live ones and by personal agents.
import { z } from 'zod'
import { answerMode, answerOutcome, answerTrace, citation, questionStatus } from '@rostrum/contract/answer'
import { countLimit, knownBy } from '@rostrum/contract/fields'
import { runStatus } from '@rostrum/contract/room'
import { iso, isoOrNull } from '@rostrum/base/clock'
import { isAfter, newestFirst, type Position } from '../../platform/db/cursor.ts'
import type { Reader } from '../../platform/db/store.ts'
import type { RunRow } from '../tables.ts'
import type { PapQuestionRow } from '../tables.ts'
import { operation, scoped } from '../../platform/operation.ts'
import { ownSession } from '../../sessions/session.ts'
import { fold } from '@rostrum/stage/fold'
import { readLog } from '../log/run-log.ts'
import { initialState, type Question } from '@rostrum/stage/run-state'
import type { RunsDeps } from '../room/deps.ts'
import { slideOf } from '../room/rooms.ts'

interface Asked extends Question {
  runId: string
  /** How its answer came about: what was found, what a model wrote and the verdicts on it. */
  trace?: unknown
}

/** A run with its questions, or one question of an agent: what a page is made of. */
interface Entry {
  at: number
  id: string
  questions(): Promise<readonly (Asked | PapQuestionRow)[]>
}

/** Types that questions and their answers are folded from. */
const needed = ['question', 'vote', 'answer', 'trace', 'state'] as const
const entriesPerLook = 20

async function nextOfAgents(read: Reader, sessionId: string, after: Position | null): Promise<PapQuestionRow[]> {
  let query = read.selectFrom('pap_questions').selectAll().where('session_id', '=', sessionId)
  if (after !== null) query = query.where(isAfter(after, 'at'))
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(entriesPerLook).execute()
}

async function nextRuns(
  read: Reader,
  sessionId: string,
  runId: string | undefined,
  after: Position | null,
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
  if (after !== null) query = query.where(isAfter(after, 'created_at'))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(entriesPerLook).execute()
}

async function questionsOf(read: Reader, run: Pick<RunRow, 'id' | 'created_at'>): Promise<Asked[]> {
  const events = await readLog(read, run.id, needed)
  const state = events.reduce(fold, initialState(run.created_at))
  const traces = new Map(events.flatMap(({ type, data }) => (type === 'trace' && data.trace ? [[data.answerId, data.trace]] : [])))
  return [...state.questions.values()]
    .sort((a, b) => a.order - b.order)
    .map((question) => {
      const trace = traces.get(question.answer?.answerId ?? '')
      return { ...question, runId: run.id, ...(trace === undefined ? {} : { trace }) }
    })
}

const questionRecord = z.object({
  questionId: z.string(),
  source: z.enum(['room', 'personal_agent']),
  runId: z.string().optional().describe('Absent where an agent asked: it was in no run.'),
  text: z.string(),
  by: z.object({ attendeeId: z.string().optional(), name: z.string().nullable() }),
  status: questionStatus,
  votes: z.number(),
  slideIndex: z.number().optional(),
  askedAt: z.string(),
  mergedInto: z.string().optional().describe('The question that it was joined with.'),
  outcome: answerOutcome.optional(),
  mode: answerMode.optional(),
  answer: z.string().optional(),
  citations: z.array(citation).optional(),
  trace: answerTrace.optional().describe('How the answer came about.'),
})

const ofAgent = ({ id, question, attendee_name: name, answer, outcome, at }: PapQuestionRow) => ({
  questionId: id,
  source: 'personal_agent' as const,
  text: question,
  by: { name },
  status: 'answered' as const,
  votes: 0,
  askedAt: iso(at),
  outcome,
  answer,
})

const ofRoom = (question: Asked) => ({
  questionId: question.id,
  source: 'room' as const,
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
})

export const listQuestions = operation({
  name: 'list_questions',
  summary: 'List what attendees and their agents asked',
  access: scoped('sessions:read'),
  input: z.object({
    sessionId: knownBy,
    runId: knownBy.describe('Only the questions of this run.').optional(),
    limit: countLimit(100, 50).describe('About how many to return: whole runs are listed, 1 to 100.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async (asked, { principal }, deps: RunsDeps) => {
    const { read } = deps.store
    const session = await ownSession(read, principal.accountId, asked.sessionId)
    const context = ['questions', session.id, asked.runId ?? '']
    let position = asked.cursor === undefined ? null : deps.cursors.open(context, asked.cursor)
    const questions: (Asked | PapQuestionRow)[] = []
    for (;;) {
      const [runs, agents] = await Promise.all([
        nextRuns(read, session.id, asked.runId, position),
        asked.runId === undefined ? nextOfAgents(read, session.id, position) : [],
      ])
      const found: Entry[] = [
        ...runs.map((run) => ({ at: run.created_at, id: run.id, questions: () => questionsOf(read, run) })),
        ...agents.map((row) => ({ at: row.at, id: row.id, questions: async () => [row] })),
      ]
      // Each list has its newest; so have as many of both together.
      const entries = found.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).slice(0, entriesPerLook)
      for (const entry of entries) {
        position = { at: entry.at, id: entry.id }
        questions.push(...(await entry.questions()))
        if (questions.length >= asked.limit) return { questions, nextCursor: deps.cursors.seal(context, position) }
      }
      if (entries.length < entriesPerLook) return { questions }
    }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/questions',
    output: z.object({ questions: z.array(questionRecord), count: z.number(), nextCursor: z.string().optional() }),
    view: ({ questions, nextCursor }) => ({
      questions: questions.map((question) => ('asked_by' in question ? ofAgent(question) : ofRoom(question))),
      count: questions.length,
      nextCursor,
    }),
  },
})

// The runs of a session, newest first. Rehearsals are listed only where they are asked for.

interface Counts {
  attendees: ReadonlyMap<string, { count: number; name: string | null }>
  questions: ReadonlyMap<string, number>
  /** Of those that run: the slide that is shown. */
  slides: ReadonlyMap<string, number | null>
}

async function countsOf(read: Reader, rows: readonly RunRow[]): Promise<Counts> {
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return { attendees: new Map(), questions: new Map(), slides: new Map() }
  const attendees = await read
    .selectFrom('visits')
    .leftJoin('attendees', 'attendees.id', 'visits.attendee_id')
    .select(({ fn }) => ['visits.run_id', fn.count<number>('attendee_id').distinct().as('count'), fn.max('attendees.name').as('name')])
    .where('visits.run_id', 'in', ids)
    .groupBy('visits.run_id')
    .execute()
  // A question has one command, however often it was sent; a refused one was never asked.
  const questions = await read
    .selectFrom('run_commands')
    .select((row) => ['run_id', row.fn.countAll<number>().as('count')])
    .where('run_id', 'in', ids)
    .where('kind', '=', 'questions')
    .where('answer', 'like', '{"ok":true%')
    .groupBy('run_id')
    .execute()
  const open = rows.filter(({ ended_at }) => ended_at === null)
  const slides = await Promise.all(open.map(async (row) => [row.id, await slideOf(read, row.session_id, row.created_at)] as const))
  return {
    slides: new Map(slides),
    attendees: new Map(attendees.map((row) => [row.run_id, row])),
    questions: new Map(questions.map(({ run_id, count }) => [run_id, count])),
  }
}

const runRecord = z.object({
  runId: z.string(),
  kind: z.enum(['live', 'rehearsal']),
  mode: z.enum(['isolated', 'broadcast']),
  name: z.string().optional().describe('Of whoever has this talk to themselves, as given on joining.'),
  status: runStatus,
  startedAt: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
  endReason: z.string().optional(),
  attendees: z.number(),
  questions: z.number(),
  slideIndex: z.number().optional().describe('That is shown, from 0, while it runs.'),
})

export const listRuns = operation({
  name: 'list_runs',
  summary: 'List the runs of a session',
  access: scoped('sessions:read'),
  input: z.object({
    sessionId: knownBy,
    kind: z.enum(['live', 'rehearsal']).default('live'),
    limit: countLimit(100).describe('How many to return, 1 to 100.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async ({ sessionId, kind, limit, cursor }, { principal }, deps: RunsDeps) => {
    const { read } = deps.store
    const session = await ownSession(read, principal.accountId, sessionId)
    const context = ['runs', session.id, kind]
    const query = read.selectFrom('runs').selectAll().where('session_id', '=', session.id).where('kind', '=', kind)
    const page = await newestFirst(query, deps.cursors, { context, cursor, limit, by: 'created_at' })
    return { ...page, counts: await countsOf(read, page.rows) }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/runs',
    output: z.object({ runs: z.array(runRecord), count: z.number(), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor, counts }) => ({
      runs: rows.map((row) => ({
        runId: row.id,
        kind: row.kind,
        mode: row.mode,
        name: (row.mode === 'isolated' && counts.attendees.get(row.id)?.name) || undefined,
        status: row.status,
        createdAt: iso(row.created_at),
        startedAt: isoOrNull(row.started_at),
        endedAt: isoOrNull(row.ended_at),
        ...(row.end_reason === null ? {} : { endReason: row.end_reason }),
        attendees: counts.attendees.get(row.id)?.count ?? 0,
        questions: counts.questions.get(row.id) ?? 0,
        slideIndex: counts.slides.get(row.id) ?? undefined,
      })),
      count: rows.length,
      nextCursor,
    }),
  },
})
