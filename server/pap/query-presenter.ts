// A personal agent asks the presenter of a published session (spec 2.8, 4.5 `pap_query_presenter`). It waits 20 s, then it gets what can be
// quoted at once; a caller that has gone ends the work. Writes no durable fact but the question itself, so that the host sees what was
// asked and what the deck could not answer.
import { z } from 'zod'
import { type AnswerEnd, answerOutcome, citation } from '@rostrum/contract/answer'
import { limits, text, uuid, words } from '@rostrum/contract/fields'
import { giverOf } from '../leads/lead.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Store, Tx } from '../platform/db/store.ts'
import type { PapQuestionRow } from '../runs/tables.ts'
import { ServiceError } from '@rostrum/base/errors'
import { anyCredential, operation, reads } from '../platform/operation.ts'
import { cleanName, cleanText, withoutContacts } from '../runs/attendees.ts'
import { holdSession, isVouched, notPublished, type Session } from '../sessions/session.ts'

export const answerMs = 20_000

export interface PapCaller {
  id: string
  /** Aborts when the caller has gone. */
  signal: AbortSignal
}

/** The answer, or the quoting one when the time is up. Rejects once `signal` aborts; nobody reads that, and it is no fault. */
export function askInTime(
  sessionId: string,
  asked: PapAsked,
  { id, signal }: PapCaller,
  { ask, quote, clock }: Pick<PapDeps, 'ask' | 'quote' | 'clock'>,
): Promise<PapAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PapAnswer>()
  const stopped = new AbortController()
  const leave = () => {
    reject(new ServiceError('temporarily_unavailable', 'The call was given up.'))
    stopped.abort()
  }
  const cancel = clock.after(answerMs, () => {
    resolve(quote(sessionId, asked))
    stopped.abort()
  })
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  else ask(sessionId, asked, { id, signal: stopped.signal }).then(resolve, reject)
  return promise.finally(() => {
    cancel()
    signal.removeEventListener('abort', leave)
  })
}

// What a personal agent's question needs of the presenter; `app.ts` joins it. Public content only: no type here has a member
// for private notes.

export type PapAnswer = Pick<AnswerEnd, 'citations' | 'outcome' | 'confidence'> & { sentences: readonly string[] }

export interface PapAsked {
  question: string
  /** What the same caller asked before, oldest first, with the slides of each answer: "And for towns?" goes on from it. */
  history: readonly { question: string; answer: string; slides: readonly number[] }[]
}

export interface PapDeps {
  store: Store
  clock: Clock
  ids: Ids
  baseUrl: string
  /** Answers from the public content of a published session; stops once `signal` aborts. `id` is whose turn it is. */
  ask(sessionId: string, asked: PapAsked, caller: { id: string; signal: AbortSignal }): Promise<PapAnswer>
  /** The same by quoting alone, at once. */
  quote(sessionId: string, asked: PapAsked): Promise<PapAnswer>
}

// What a personal agent may do next, by rule from the state of the session, never from the text of a question or an answer.

const suggestion = z.object({
  type: z.enum(['tool_call', 'open_link']),
  reason: z.string(),
  /** Of a call: its tool, what is known of its arguments, and which of them the caller has to supply. */
  toolName: z.string().exactOptional(),
  arguments: z.record(z.string(), z.unknown()).exactOptional(),
  needs: z.array(z.string()).exactOptional(),
  /** Of a link. */
  url: z.string().exactOptional(),
  title: z.string().exactOptional(),
})
type Suggestion = z.output<typeof suggestion>

const suggestionsMax = 3

type Asked = Pick<Session, 'id' | 'slug' | 'cta_text' | 'cta_url'>

function suggestionsFor(session: Asked, isUnknown: boolean, baseUrl: string): Suggestion[] {
  const { id: sessionId, cta_url: url, cta_text: title } = session
  const link: Suggestion[] =
    url === null ? [] : [{ type: 'open_link', url, title: title ?? 'Learn more', reason: 'The offer of the host.' }]
  const lead: Suggestion = {
    type: 'tool_call',
    toolName: 'submit_attendee_lead',
    arguments: { sessionId },
    reason: isUnknown
      ? 'The deck does not say. The host can answer: leave the details of the person, with their consent.'
      : 'The host can follow up: leave the details of the person, with their consent.',
    needs: ['email'],
  }
  const room: Suggestion = {
    type: 'open_link',
    url: `${baseUrl}/join/${session.slug}`,
    title: 'Open the room',
    reason: 'The whole talk, with questions, for the person.',
  }
  return (isUnknown ? [lead, room, ...link] : [...link, lead, room]).slice(0, suggestionsMax)
}

// The answer to a question that names no session: what the service is, and the public sessions that fit the words best.

const candidatesMax = 200
const shownMax = 3

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{3,}/gu) ?? []

async function withoutSession(message: string, { store, baseUrl }: PapDeps): Promise<PapReply> {
  const sessions = await store.read
    .selectFrom('sessions')
    .select(['id', 'title', 'description'])
    .where('status', '=', 'published')
    .where('discoverable', '=', 1)
    .where(isVouched)
    .orderBy('active_at', 'desc')
    .orderBy('id', 'desc')
    .limit(candidatesMax)
    .execute()
  const asked = new Set(wordsOf(message))
  const best = sessions
    .map((session) => {
      const own = new Set(wordsOf(`${session.title} ${session.description ?? ''}`))
      return { session, shared: [...asked].filter((word) => own.has(word)).length }
    })
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, shownMax)
    .map(({ session }) => session)
  const about = 'This is Rostrum. Automated presenters give talks here and answer questions about them.'
  if (best.length === 0) {
    const link = { type: 'open_link' as const, url: baseUrl, title: 'Open the service', reason: 'What it is and how to start.' }
    return { reply: `${about} No talk is listed publicly at the moment.`, suggestedActions: [link] }
  }
  return {
    reply: `${about} Say which talk you mean: ${best.map(({ title }) => `"${title}"`).join(', ')}.`,
    suggestedActions: best.map(({ id }) => ({
      type: 'tool_call' as const,
      toolName: 'pap_query_presenter' as const,
      arguments: { message, sessionId: id },
      reason: 'Ask the presenter of this session.',
    })),
  }
}

// What a personal agent's question is answered with, before a surface shows it.

interface PapReply {
  reply: string
  sessionId?: string
  suggestedActions: readonly Suggestion[]
  answer?: PapAnswer
  sessionTitle?: string
}

const replyMax = 1_200

/** A conversation that lay still for longer is over. */
const goesOnMs = 10 * 60_000
const turnsMost = 3

/** What the same caller asked for the same person lately, oldest first; nobody else's words are among it. */
async function historyOf(
  { session_id, asked_by, attendee_name }: Pick<PapQuestionRow, 'session_id' | 'asked_by' | 'attendee_name'>,
  now: number,
  { store }: PapDeps,
): Promise<PapAsked['history']> {
  const rows = await store.read
    .selectFrom('pap_questions')
    .select(['question', 'answer', 'slides'])
    .where('session_id', '=', session_id)
    .where('asked_by', '=', asked_by)
    .where((row) => (attendee_name === null ? row('attendee_name', 'is', null) : row('attendee_name', '=', attendee_name)))
    .where('at', '>', now - goesOnMs)
    .orderBy('at', 'desc')
    .limit(turnsMost)
    .execute()
  // Written by this file alone.
  return rows.toReversed().map(({ question, answer, slides }) => ({ question, answer, slides: JSON.parse(slides) as number[] }))
}

/** Whole sentences within the bound; a single longer one is cut at a word. */
function spoken(sentences: readonly string[]): string {
  let reply = ''
  for (const sentence of sentences) {
    const longer = reply === '' ? sentence : `${reply} ${sentence}`
    if (longer.length > replyMax) break
    reply = longer
  }
  const [first = ''] = sentences
  return reply === '' ? `${first.slice(0, replyMax - 1).replace(/(?<!\s)\s+\S*$/, '')}…` : reply
}

const output = z.object({
  reply: z.string(),
  sessionId: z.string().optional(),
  suggestedActions: z.array(suggestion).optional(),
  citations: z.array(citation.omit({ region: true })).optional(),
  outcome: answerOutcome.optional(),
  confidence: z.number().optional(),
  disclosure: z.string().optional(),
})

const view = ({ reply, sessionId, suggestedActions, answer, sessionTitle }: PapReply) => ({
  reply,
  sessionId,
  suggestedActions,
  citations: answer?.citations,
  outcome: answer?.outcome,
  confidence: answer?.confidence,
  disclosure: sessionTitle === undefined ? undefined : `Answered by the automated presenter of "${sessionTitle}".`,
})

export const queryPresenter = operation({
  name: 'pap_query_presenter',
  summary: 'Ask the presenter of a session',
  description: 'Answers from the slides and the background material, with citations, or says that they do not say.',
  access: anyCredential,
  effects: { ...reads, idempotent: false },
  limit: 'pap',
  errors: ['not_found'],
  input: z.object({
    message: words(limits.message).describe('The question, in the words of the person.'),
    sessionId: uuid.describe('Id of a published session; without it, help on finding one.').optional(),
    attendeeName: text(limits.name).describe('The person the agent acts for.').optional(),
  }),
  run: async (asked, call, deps: PapDeps) => {
    if (asked.sessionId === undefined) return withoutSession(asked.message, deps)
    const session = await deps.store.read
      .selectFrom('sessions')
      .select(['id', 'title', 'slug', 'cta_text', 'cta_url'])
      .where('id', '=', asked.sessionId)
      .where('status', '=', 'published')
      // What nobody vouches for, or is for people who are named, answers the account that made it, and nobody else.
      .where((row) =>
        row.or([
          row.and([isVouched(row), row('guests', 'is', null), row('entry', '=', 'anyone')]),
          row('account_id', '=', call.principal.accountId),
        ]),
      )
      .executeTakeFirst()
    if (session === undefined) throw await notPublished(deps.store.read, call.principal.accountId, asked.sessionId)
    call.progress?.(2)
    const caller = {
      session_id: session.id,
      asked_by: giverOf(call.principal),
      attendee_name: asked.attendeeName === undefined ? null : cleanName(asked.attendeeName),
    }
    const history = await historyOf(caller, call.now, deps)
    const answer = await askInTime(
      session.id,
      { question: asked.message, history },
      { id: call.principal.accountId, signal: call.signal },
      deps,
    )
    call.progress?.(3)
    const reply = spoken(answer.sentences)
    await deps.store.write(async (tx) => {
      // A question that outlived its session would stay for ever.
      const held = await holdSession(tx, session.id)
      if (held === undefined) throw await notPublished(tx, undefined, session.id)
      await tx
        .insertInto('pap_questions')
        .values({
          id: deps.ids.uuid(),
          account_id: held.account_id,
          ...caller,
          // As in the room: contact details go by `submit_attendee_lead`, with consent.
          question: withoutContacts(cleanText(asked.message)).text,
          answer: reply,
          slides: JSON.stringify(answer.citations.flatMap(({ type, index }) => (type === 'slide' ? [index] : []))),
          outcome: answer.outcome,
          at: call.now,
        })
        .execute()
    })
    const isUnknown = answer.outcome === 'unknown' || answer.outcome === 'handoff'
    const suggestedActions = suggestionsFor(session, isUnknown, deps.baseUrl)
    return { reply, sessionId: session.id, sessionTitle: session.title, answer, suggestedActions }
  },
  http: { method: 'POST', path: '/api/v1/pap/query', output, view: (result) => view(result) },
  tool: {
    title: 'Ask the presenter',
    description:
      'Asks the automated presenter of a published Rostrum presentation and returns its spoken-style answer with citations. Use this when you act for a person who has a question about a talk. It answers only from the talk and says when the talk does not say. Find ids with discover_sessions.',
    output,
    view: (result) => view(result),
  },
})

/** Those of a session that is deleted. */
export async function forget(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('pap_questions').where('session_id', '=', sessionId).execute()
}
