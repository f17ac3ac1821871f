// What an attendee may keep of a talk: the slides it passed, their own questions with the answers, the call to action; and taking that back.
// Nothing of anybody else, and no contact details: the address is all it takes to read it.
import { z } from 'zod'
import { answerMode, answerOutcome, citation } from '@rostrum/contract/answer'
import { brand } from '@rostrum/contract/brand'
import { shownSlide } from '@rostrum/contract/deck'
import { ownAnswer, pollAsked, pollResults } from '@rostrum/contract/poll'
import { cta } from '@rostrum/contract/room'
import { iso, isoOrNull } from '@rostrum/base/clock'
import type { Reader } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { changes, open, operation } from '../../platform/operation.ts'
import { answerTo, fold } from '@rostrum/stage/fold'
import { readLog } from '../log/run-log.ts'
import { answersOf, pollResultsOf, pollView } from '@rostrum/stage/polls'
import { type GivenAnswer, initialState, type Poll, type Question, type RunState } from '@rostrum/stage/run-state'
import type { RoomDeps } from '../room/deps.ts'
import { disclosureOf, unverifiedView } from '../stream/snapshot.ts'

/** Types that the slides passed and the answers are folded from. */
const needed = ['slide', 'question', 'vote', 'answer', 'trace', 'state', 'poll', 'poll_answer', 'poll_word', 'erased'] as const

const noSuchRecap = (): ServiceError =>
  new ServiceError('not_found', 'There is no such recap, or it is no longer kept. Ask for it anew at the end of a talk.')

/** Gone with its session, with the log of its rehearsal, or when it was taken back. */
async function findVisit(read: Reader, attendeeId: string) {
  return read
    .selectFrom('attendees')
    .innerJoin('runs', 'runs.id', 'attendees.run_id')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .where('attendees.id', '=', attendeeId)
    .where('attendees.recap_ended_at', 'is', null)
    .select([
      'attendees.id',
      'runs.session_id',
      'runs.id as run_id',
      'runs.kind',
      'runs.deck_id',
      'runs.created_at',
      'runs.started_at',
      'runs.ended_at',
    ])
    .executeTakeFirst()
}

/** Of a question of somebody else that this one was joined to it has the answer, not the words. */
function recapOf({ text, slideIndex, askedAt }: Question, answer: GivenAnswer | null) {
  return {
    text,
    slideIndex,
    askedAt: iso(askedAt),
    ...(answer === null ? {} : { outcome: answer.outcome, mode: answer.mode, answer: answer.text, citations: answer.citations }),
  }
}

function pollRecap(poll: Poll, state: RunState, attendeeId: string) {
  const { open: _, shown: _shown, until: _until, results = pollResultsOf(poll), ...asked } = pollView(poll)
  const own = answersOf(state, attendeeId).find(({ pollId }) => pollId === poll.pollId)
  if (own === undefined) return { ...asked, results }
  const { pollId: _id, ...answer } = own
  return { ...asked, results, answer }
}

const output = z.object({
  title: z.string(),
  description: z.string().nullable(),
  language: z.string(),
  kind: z.enum(['live', 'rehearsal']),
  disclosure: z.string(),
  unverified: unverifiedView,
  brand: brand.optional(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  slidesCount: z.number(),
  slides: z.array(shownSlide),
  questions: z.array(
    z.object({
      text: z.string(),
      slideIndex: z.number(),
      askedAt: z.string(),
      outcome: answerOutcome.optional(),
      mode: answerMode.optional(),
      answer: z.string().optional(),
      citations: z.array(citation).optional(),
    }),
  ),
  polls: z
    .array(
      z.object({
        ...pollAsked,
        results: z.object(pollResults),
        right: z.number().optional(),
        answer: ownAnswer.omit({ pollId: true }).optional(),
      }),
    )
    .describe('Those whose results were shown; `answer` is what this attendee said.'),
  cta: cta.nullable(),
})

export const viewRecap = operation({
  name: 'view_recap',
  summary: 'See what an attendee keeps of a talk',
  description:
    'For the holder of the address that a room gives each attendee as `you.recapUrl`: the slides that were passed, their own questions with the answers, the call to action. It works as long as the session is there, for a rehearsal at most a week, and until it is taken back (`end_recap`).',
  access: open,
  limit: 'room',
  input: z.object({ token: z.string().min(1).max(200).describe('The last part of the address of a recap.') }),
  secret: true,
  run: async ({ token }, _call, { store, content, recapLinks }: RoomDeps) => {
    const attendeeId = recapLinks.attendeeOf(token)
    const found = attendeeId === null ? undefined : await findVisit(store.read, attendeeId)
    const session = found === undefined ? null : await content.getSession(found.session_id)
    if (found === undefined || session === null) {
      throw noSuchRecap()
    }
    const [events, talk] = await Promise.all([
      readLog(store.read, found.run_id, needed),
      content.pinnedTalk(session.sessionId, found.deck_id),
    ])
    const state = events.reduce(fold, initialState(found.created_at))
    const { title, description, language, cta } = session
    return {
      title,
      description,
      language,
      kind: found.kind,
      disclosure: disclosureOf(session),
      ...(session.unverified && { unverified: true }),
      ...(session.brand && { brand: session.brand }),
      startedAt: isoOrNull(found.started_at),
      endedAt: isoOrNull(found.ended_at),
      slidesCount: talk.slides.length,
      slides: talk.slides.filter(({ index }) => state.slidesPassed.includes(index)),
      questions: [...state.questions.values()]
        .filter((question) => question.attendeeId === found.id)
        .sort((a, b) => a.order - b.order)
        .map((question) => recapOf(question, answerTo(question, state))),
      polls: state.polls.filter(({ shown }) => shown).map((poll) => pollRecap(poll, state, found.id)),
      cta,
    }
  },
  http: { method: 'GET', path: '/api/v1/recaps/{token}', output },
})

// Takes back the one page that an attendee may keep of a talk: whoever holds its address may, since that is all it takes to read it.

export const endRecap = operation({
  name: 'end_recap',
  summary: 'Take back what an attendee keeps of a talk',
  description:
    'For the attendee, or a host who was shown the address: the page and the answer of `view_recap` are gone for good. Nothing else of the talk changes.',
  access: open,
  effects: changes,
  limit: 'room',
  input: z.object({ token: z.string().min(1).max(200).describe('The last part of the address of a recap.') }),
  secret: true,
  run: async ({ token }, { now }, { store, recapLinks }: RoomDeps) => {
    const attendeeId = recapLinks.attendeeOf(token)
    if (attendeeId === null) throw noSuchRecap()
    // A repeat, such as a second click, is told the same.
    const ended = await store.write((tx) =>
      tx
        .updateTable('attendees')
        .set((row) => ({ recap_ended_at: row.fn.coalesce('recap_ended_at', row.val(now)) }))
        .where('id', '=', attendeeId)
        .returning('id')
        .executeTakeFirst(),
    )
    if (ended === undefined) throw noSuchRecap()
    return { ended: true as const }
  },
  http: { method: 'DELETE', path: '/api/v1/recaps/{token}', output: z.object({ ended: z.literal(true) }) },
})
