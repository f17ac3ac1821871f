// Starts a rehearsal with a synthetic audience: the same runner and the same talk, at no cost and unseen by the world (Spec 1).
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { answerOutcome, citation } from '@rostrum/contract/answer'
import type { RoomCommand } from '@rostrum/contract/commands'
import { knownBy, limits, words } from '@rostrum/contract/fields'
import { fill, languageOf } from '@rostrum/languages/languages'
import { type Call, operation, reads, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import type { DeckContent } from '@rostrum/contract/content'
import { isUnspeakable } from '@rostrum/telling/spoken-words'
import { ownSession } from '../../sessions/session.ts'
import { noSuchRun } from '../attendees.ts'
import type { Poll, RunState } from '@rostrum/stage/run-state'
import { holdPlace, insertRun, newRun, putOut } from '../room/open-run.ts'
import type { RehearsalDeps } from '../room/deps.ts'
import type { Tail } from '../stream/tail.ts'
import { makePlan, type RehearsalPlan, syntheticAudience } from './synthetic-audience.ts'

// Sits through a run as its only attendee: hears everything at a multiple of the spoken pace and asks what the plan says, spread over
// the talk. It uses the very commands a browser would send.

/** Longer than any talk at the least speed. */
const patienceMs = 30 * 60_000

interface Seat {
  runId: string
  attendeeId: string
}

/** Resolves once the run has closed or patience is over. */
function attend({ room, onFault }: RehearsalDeps, tail: Tail, { runId, attendeeId }: Seat, plan: RehearsalPlan): Promise<void> {
  const { runs, presence, clock, ids } = room
  const everyBeats = Math.max(1, Math.floor((tail.talk.beats.length - 1) / Math.max(1, plan.questions.length)))
  const heard = new Set<string>()
  const questions = [...plan.questions]
  let beats = 0
  let hasFinished = false

  const send = (command: RoomCommand): void => void runs.submit(runId, command).catch((error: unknown) => onFault(runId, error))
  const control = (action: 'start' | 'finish'): void => send({ kind: 'control', id: ids.uuid(), attendeeId, action })

  function ask(): void {
    const question = questions.shift()
    if (question === undefined) return
    const { id, text } = question
    send({ kind: 'questions', id, attendeeId, text, name: null, interrupt: false, isPrivate: false, slideIndex: null })
  }

  /** Acknowledges each utterance once, after its time at the speed of the rehearsal. */
  function hear(key: string, beatId: string, estMs: number): void {
    if (heard.has(key)) return
    heard.add(key)
    clock.after(Math.ceil(estMs / plan.speed), () => send({ kind: 'acks', id: ids.uuid(), attendeeId, acks: [{ beatId, phase: 'ended' }] }))
  }

  /** Takes the first that offers itself. */
  function answerPoll({ pollId, kind }: Poll): void {
    if (heard.has(pollId)) return
    heard.add(pollId)
    const answer = { choice: { choice: 0 }, rating: { rating: 5 }, words: { word: 'OK' } }[kind]
    send({ kind: 'polls', id: ids.uuid(), attendeeId, pollId, ...answer })
  }

  function follow({ speaking, answer, status, windowUntil, waiting, polls }: RunState): void {
    for (const poll of polls) if (poll.open) answerPoll(poll)
    if (speaking !== null) {
      const key = `${speaking.beatId}@${speaking.startedAt}`
      if (!heard.has(key) && ++beats % everyBeats === 0) ask()
      hear(key, speaking.beatId, speaking.estMs)
    }
    const sentence = answer?.sentences[answer.heard]
    if (answer !== null && sentence !== undefined) {
      const utterance = `${answer.answerId}:${answer.heard}`
      hear(utterance, utterance, sentence.estMs)
    }
    if (status !== 'closing' || windowUntil === null || waiting.length > 0 || hasFinished) return
    if (questions.length > 0) return ask()
    hasFinished = true
    control('finish')
  }

  return new Promise((resolve) => {
    const stay = { openedAt: clock.now(), supersede: () => undefined }
    presence.open({ attendeeId, runId, name: null, kind: 'agent', node: presence.node }, stay, false)
    const cancel = clock.after(patienceMs, end)
    const stop = tail.onAdvance(() => (tail.state.closed ? end() : follow(tail.state)))
    function end(): void {
      cancel()
      stop()
      presence.close(attendeeId, stay)
      resolve()
    }
    control('start')
  })
}

const audience = z.object({
  questions: z
    .int()
    .min(0)
    .max(100)
    .default(12)
    .describe('Questions of its own: on the slides, with false figures, on other subjects; ten attempts at private notes come on top.'),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31)
    .default(1)
    .describe('The same seed asks the same.'),
  speed: z.number().min(1).max(1_000).default(100).describe('How many times faster than spoken.'),
})

const input = z.object({ sessionId: knownBy, audience: audience.prefault({}) })

async function start(wanted: z.output<typeof input>, call: Call<AccountPrincipal>, deps: RehearsalDeps) {
  const { room } = deps
  const { id: sessionId } = await ownSession(room.store.read, call.principal.accountId, wanted.sessionId)
  const session = await room.content.getSession(sessionId)
  if (session === null) throw noSuchRun()
  const content = await deps.contentOf(sessionId)
  // The plan of a large deck, and what is read before and behind it, take a turn each.
  await setImmediate()
  const plan = makePlan(content, wanted.audience, room.ids)
  await setImmediate()
  const [runId, attendeeId] = [room.ids.uuid(), room.ids.uuid()]
  const goes = await room.store.write(async (tx) => {
    // The synthetic attendee sits alone, whatever the mode of the session: it hears at its own pace.
    const run = { ...newRun(session, 'rehearsal', runId, call.now), mode: 'isolated' as const }
    const places = await holdPlace(tx, room.openRuns, run)
    await insertRun(tx, run)
    const token_hash = room.hashToken(room.mintToken())
    const seat = { id: attendeeId, run_id: runId, session_id: sessionId, token_hash, name: null, language: null }
    await tx
      .insertInto('attendees')
      .values({ ...seat, kind: 'agent', node: room.presence.node, created_at: call.now })
      .execute()
    const row = { run_id: runId, session_id: sessionId, plan: JSON.stringify(plan), report: null, created_at: call.now }
    await tx.insertInto('rehearsals').values(row).execute()
    return places
  })
  await putOut(room, goes)
  await room.runs.adopt(runId)
  void rehearse(deps, { runId, attendeeId }, plan).catch((error: unknown) => deps.onFault(runId, error))
  return { rehearsalId: runId, runId }
}

export const startRehearsal = operation({
  name: 'start_rehearsal',
  summary: 'Rehearse a session with a synthetic audience',
  description: 'Works for drafts, costs no minutes, fires no webhooks. Read the report with `get_rehearsal`.',
  access: scoped('sessions:write'),
  input,
  run: start,
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/rehearsals',
    status: 202,
    output: z.object({ rehearsalId: z.string(), runId: z.string() }),
  },
})

/** From the first beat to the end. It runs in the process that was asked; should that die, the run is abandoned. */
async function rehearse(deps: RehearsalDeps, seat: Seat, plan: RehearsalPlan): Promise<void> {
  const tail = await deps.room.hub.open(seat.runId)
  if (tail !== null) await attend(deps, tail, seat, plan).finally(() => tail.release())
}

// Questions put to the presenter before anybody comes: answered as in the room, on drafts too, and nothing of it is kept. And whether the
// call to action leads anywhere: what a host wants to know before publishing.

const most = 5

/** What a listener would ask first: of titles all over the deck, and of its lines where it has too few. */
function questionsOf(content: Pick<DeckContent, 'language' | 'slides' | 'passages'>): readonly string[] {
  const { title } = languageOf(content.language).audience
  const named = content.slides.slice(1).flatMap((slide) => (slide.title === '' || isUnspeakable(slide.title) ? [] : [slide.title]))
  const titles = [...new Set(named)]
  const spread = titles.filter((_, index) => Math.floor((index * most) / titles.length) > Math.floor(((index - 1) * most) / titles.length))
  const others = syntheticAudience(content, { questions: 4 * most, seed: 1 }).flatMap(({ kind, text }) =>
    kind === 'answerable' ? [text] : [],
  )
  return [...new Set([...spread.map((words) => fill(title, { title: words })), ...others])].slice(0, most)
}

export const trySession = operation({
  name: 'try_session',
  summary: 'Try questions on a session',
  description:
    'Works for drafts. Answers up to five questions as the room would, or five of its own made from the slides, and looks whether the call to action can be reached. Nothing is kept or counted.',
  access: scoped('sessions:write'),
  effects: { ...reads, idempotent: false },
  input: z.object({
    sessionId: knownBy,
    questions: z.array(words(limits.message)).min(1).max(most).describe('In the words of a listener; left out, it makes five.').optional(),
  }),
  run: async (wanted, { principal, signal }, { room, contentOf, ask, reach }: RehearsalDeps) => {
    const session = await ownSession(room.store.read, principal.accountId, wanted.sessionId)
    const questions = wanted.questions ?? questionsOf(await contentOf(session.id))
    const answers = []
    for (const question of questions) {
      const { sentences, citations, outcome } = await ask(session.id, { question, history: [] }, { id: principal.accountId, signal })
      answers.push({ question, answer: sentences.join(' '), outcome, citations })
    }
    return { answers, link: session.cta_url === null ? undefined : { url: session.cta_url, status: await reach(session.cta_url) } }
  },
  http: {
    method: 'POST',
    path: '/api/v1/agent/sessions/{sessionId}/try',
    output: z.object({
      answers: z.array(
        z.object({
          question: z.string(),
          answer: z.string(),
          outcome: answerOutcome,
          citations: z.array(citation.omit({ region: true })),
        }),
      ),
      link: z
        .object({ url: z.string(), status: z.number().nullable().describe('What it answers; null: it cannot be reached.') })
        .optional()
        .describe('Of the call to action.'),
    }),
  },
})
