// The figures of a simulated room, counted from its logs by hand: minutes used, facts told to the world, and the analytics.
import assert from 'node:assert/strict'
import { hashSecret } from '../../../server/accounts/credentials.ts'
import { sessionFigures } from '../../../server/analytics/get-session-analytics.ts'
import type { RunEvent } from '@rostrum/contract/room'
import { type PollAnswer, resultsOf, wordKey } from '@rostrum/contract/poll'
import type { SimReport } from '../room-sim.ts'
import type { RunLog } from './sim-checks.ts'
import type { Act } from './sim-world.ts'

interface Stretch {
  from: number
  to: number
}

const active: ReadonlySet<string> = new Set(['presenting', 'answering', 'closing'])

/**
 * Seconds of the time in which something was active and the room had been filled for ten seconds or more, as the ledger has them: in
 * quarters of a minute while the talk goes on, whole where it stops, and never less than it had.
 */
function secondsHeard(events: readonly RunEvent[]): number {
  const present = new Set<string>()
  let [ms, before, counted] = [0, 0, 0]
  let since: number | null = null
  let filled: { at: number; ms: number } | null = null
  const spanTo = (at: number) =>
    filled !== null && at - filled.at >= 10_000 ? ms + (since === null ? 0 : Math.max(0, at - since)) - filled.ms : 0
  for (const event of events) {
    const { at } = event
    if (event.type === 'state') {
      ms += since === null ? 0 : at - since
      since = active.has(event.data.status) ? at : null
    }
    if (event.type === 'visit' && event.data.phase === 'opened') {
      if (present.size === 0) filled = { at, ms: ms + (since === null ? 0 : at - since) }
      present.add(event.data.attendeeId)
    } else if (event.type === 'visit' && present.delete(event.data.attendeeId) && present.size === 0) {
      before += spanTo(event.data.since)
      filled = null
    }
    const seconds = (before + spanTo(at)) / 1_000
    const isGoingOn = since !== null && present.size > 0
    counted = Math.max(counted, isGoingOn ? Math.floor(seconds / 15) * 15 : Math.ceil(seconds))
  }
  return counted
}

export async function checkLedger({ runId, events, report }: RunLog): Promise<void> {
  const rows = await report.store.read
    .selectFrom('ledger')
    .select(['minute', 'seconds'])
    .where('run_id', '=', runId)
    .orderBy('minute')
    .execute()
  const total = report.options.kind === 'rehearsal' ? 0 : secondsHeard(events)
  const expected = Array.from({ length: Math.ceil(total / 60) }, (_, minute) => ({ minute, seconds: Math.min(60, total - minute * 60) }))
  assert.deepEqual(rows, expected, 'the ledger')
}

/** What the log tells the world, each fact once; a rehearsal tells nothing. */
export async function checkFacts(logs: readonly RunLog[], { store, options }: SimReport): Promise<void> {
  const facts = await store.read.selectFrom('domain_events').select(['type', 'sequence']).orderBy('sequence').execute()
  const outbox = await store.read.selectFrom('outbox').selectAll().execute()
  if (options.kind === 'rehearsal') {
    assert.deepEqual([facts, outbox], [[], []], 'a rehearsal tells nobody')
    assert.deepEqual(await store.read.selectFrom('cta_clicks').selectAll().execute(), [], 'a rehearsal counts no click')
    return
  }
  assert.equal(outbox.length, facts.length, 'each fact goes out once')
  facts.forEach(({ sequence }, index) => assert.equal(sequence, index + 1, 'facts are numbered without a gap'))
  const events = logs.flatMap((log) => log.events)
  const visits = (phase: string) => events.filter((event) => event.type === 'visit' && event.data.phase === phase).length
  const started = logs.filter((log) => log.events.some((event) => event.type === 'state' && event.data.status === 'presenting'))
  const completed = events.filter(
    (event) => event.type === 'state' && event.data.status === 'completed' && event.data.previous === 'closing',
  )
  const clicks = new Set(logs.flatMap((log) => clickedIn(log.events).map((who) => `${log.runId} ${who}`)))
  const intents = events.filter((event) => event.type === 'intent' && event.data.signal === 'high_intent')
  const count = (type: string) => facts.filter((fact) => fact.type === type).length
  assert.deepEqual(
    {
      joined: count('attendee.joined'),
      left: count('attendee.left'),
      started: count('session.started'),
      completed: count('session.completed'),
      clicked: count('cta.clicked'),
      intents: count('lead.captured'),
    },
    {
      joined: visits('opened'),
      left: visits('closed'),
      started: started.length,
      completed: completed.length,
      clicked: clicks.size,
      intents: intents.length,
    },
    'facts are those of the log',
  )
}

const clickedIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'cta' && event.data.state === 'clicked' ? [event.audience] : []))

/** A "yes" is consent to the last prompt that its sender had seen when it was first sent, and to nothing else; one for each prompt. */
export function checkConsent({ events, runId, report }: RunLog): void {
  const acts = report.acts.filter((act) => act.runId === runId && act.name === 'ask_question')
  const agreements = new Map<string, number>()
  for (const { id, by, body, prompts, answers } of acts) {
    const told = answers.find((answer) => !answer.startsWith('refused'))
    if (body['text'] !== 'yes' || told === undefined) continue
    const { leadId } = JSON.parse(told) as { leadId?: string }
    const prompt = lastPrompt(events, by, String(body['seen']))
    if (leadId !== undefined) {
      assert.ok(prompt !== undefined && prompts > 0, `the "yes" ${id} was taken as consent, though nothing had been asked`)
      const address = /\w+@[\w.]+\w/.exec(String(acts.find((act) => act.id === prompt)?.body['text']))?.[0] ?? ''
      const own = hashSecret(by + address).slice(0, 16)
      assert.equal(leadId, report.options.kind === 'rehearsal' ? id : own, `the "yes" ${id} to ${address}`)
    }
    if (prompt !== undefined) agreements.set(prompt, (agreements.get(prompt) ?? 0) + (leadId === undefined ? 0 : 1))
  }
  for (const [prompt, count] of agreements) assert.equal(count, 1, `the prompt of ${prompt} was agreed to ${count} times`)
}

/** The question whose prompt was the last that `attendeeId` had been shown at the event `seen`. */
function lastPrompt(events: readonly RunEvent[], attendeeId: string | null, seen: string): string | undefined {
  const seq = Number(seen.split('-')[1])
  const shown = events.filter(
    (event) =>
      event.type === 'answer' &&
      event.audience === attendeeId &&
      event.seq <= seq &&
      event.data.suggestedActions?.some((action) => action.type === 'submit_lead'),
  )
  const last = shown.at(-1)
  return last?.type === 'answer' ? last.data.questionId : undefined
}

/**
 * Of each poll and person the last word counts, once: one that was sent, was not refused, and was followed by no other that was taken.
 * What the room is shown is counted from those before it.
 */
export function checkPolls({ runId, events, report }: RunLog): number {
  const last = new Map<string, Map<string, PollAnswer>>()
  const hidden = new Map<string, string[]>()
  for (const event of events) {
    if (event.type === 'poll_word') hidden.set(event.data.pollId, [...(hidden.get(event.data.pollId) ?? []), wordKey(event.data.word)])
    if (event.type === 'poll_answer') {
      const { pollId, attendeeId, ...answer } = event.data
      last.set(pollId, (last.get(pollId) ?? new Map<string, PollAnswer>()).set(attendeeId, answer))
    }
    if (event.type !== 'poll' || event.data.results === undefined) continue
    const { kind, options, pollId, results } = event.data
    const counted = resultsOf({ kind, options, hidden: hidden.get(pollId) ?? [] }, last.get(pollId)?.values() ?? [])
    assert.deepEqual(results, counted, `event ${event.seq}: the results of ${pollId}`)
  }
  const acts = report.acts.filter((act) => act.runId === runId && act.name === 'answer_poll')
  const isRefused = ({ answers }: Act) => answers.some((answer) => answer.startsWith('refused'))
  for (const { attendee } of report.clients.filter((client) => client.attendee.runId === runId)) {
    for (const pollId of ['quiz', 'words']) {
      const own = acts.filter(({ by, body }) => by === attendee.attendeeId && body['pollId'] === pollId && body['skip'] === undefined)
      const taken = own.filter((act) => act.answeredAt !== null && !isRefused(act))
      const kept = last.get(pollId)?.get(attendee.attendeeId)
      const may = own.filter((act) => !isRefused(act) && !taken.some(({ sentAt }) => sentAt > (act.answeredAt ?? Infinity)))
      const told = `${attendee.attendeeId} of ${pollId}: ${JSON.stringify({ kept, own })}`
      if (kept === undefined) assert.deepEqual(taken, [], told)
      else
        assert.ok(
          may.some(({ body }) => body['choice'] === kept.choice && body['word'] === kept.word),
          told,
        )
    }
  }
  return [...last.values()].reduce((sum, all) => sum + all.size, 0)
}

/** The figures of the session equal a count over the logs of its live runs. */
export async function checkAnalytics(logs: readonly RunLog[], { store, sessionId, options, now }: SimReport): Promise<void> {
  const slides = options.slides ?? 3
  const told = await sessionFigures(store, sessionId, slides, now)
  const live = options.kind === 'rehearsal' ? [] : logs
  const people = live.flatMap(({ events }) => attendeesIn(events).map((who) => ({ who, events })))
  const engaged = people.map(({ who, events }) => engagedMs(who, events, now))
  const clicks = live.flatMap(({ events }) => [...new Set(clickedIn(events))].filter((who) => attendeesIn(events).includes(who)))
  const questions = new Set(
    live.flatMap(({ events }) => events.flatMap((event) => (event.type === 'question' ? [event.data.questionId] : []))),
  )
  const mean = engaged.length === 0 ? 0 : engaged.reduce((sum, ms) => sum + ms, 0) / engaged.length / 1_000
  assert.deepEqual(
    {
      totalAttendees: told.totalAttendees,
      questionsCount: told.questionsCount,
      ctaClicks: told.ctaClicks,
      averageEngagementSec: told.averageEngagementSec,
    },
    {
      totalAttendees: people.length,
      questionsCount: questions.size,
      ctaClicks: clicks.length,
      averageEngagementSec: Math.round(mean * 10) / 10,
    },
    'the analytics are those of the log',
  )
}

const attendeesIn = (events: readonly RunEvent[]): string[] => [
  ...new Set(events.flatMap((event) => (event.type === 'visit' ? [event.data.attendeeId] : []))),
]

/** Time with an open stream between the first `presenting` and the end: summed over every span between two instants that matter. */
function engagedMs(who: string, events: readonly RunEvent[], now: number): number {
  const statusAt = (status: string) => events.find((event) => event.type === 'state' && event.data.status === status)?.at
  const from = statusAt('presenting')
  const to = statusAt('completed') ?? now
  if (from === undefined) return 0
  const visits: Stretch[] = []
  for (const event of events) {
    if (event.type !== 'visit' || event.data.attendeeId !== who) continue
    const last = visits.at(-1)
    if (event.data.phase === 'opened') visits.push({ from: event.at, to: now })
    else if (last !== undefined) last.to = Math.min(event.at, event.data.since)
  }
  const instants = [from, to, ...visits.flatMap((visit) => [visit.from, visit.to])]
    .filter((at) => at >= from && at <= to)
    .toSorted((a, b) => a - b)
  return instants.reduce((sum, at, index) => {
    const next = instants[index + 1] ?? at
    return visits.some((visit) => visit.from <= at && next <= visit.to) ? sum + (next - at) : sum
  }, 0)
}
