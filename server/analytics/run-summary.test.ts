import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RunEvent, RunStatus } from '@rostrum/contract/room'
import { attendanceOf, figuresOf, joinAlike, summariseRun } from './figures.ts'
import { stepByStep } from '@rostrum/base/work'

const slidesCount = 4
const none = { leads: 0, ofAgents: [] }

/** A random run: facts in order of time, with a status that only moves as a real one does. */
const randomFacts = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 40_000 }),
      who: fc.constantFrom('a', 'b', 'c'),
      slide: fc.integer({ min: 0, max: slidesCount - 1 }),
      what: fc.constantFrom('open', 'close', 'slide', 'present', 'closing', 'complete', 'ask', 'click', 'lead'),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    const facts: RunEvent[] = []
    // Of what is read of an event alone.
    const add = (event: { type: string; at: number; audience: string; data: object }) =>
      void facts.push({ seq: facts.length + 1, epoch: 1, ...event } as RunEvent)
    const isOpen = new Map<string, boolean>()
    let at = 1_000_000
    let status = 'lobby' as RunStatus
    const state = (next: RunStatus) => {
      status = next
      add({ type: 'state', at, audience: 'room', data: { status: next } })
    }
    for (const { gap, who, slide, what } of steps) {
      at += gap
      const here = isOpen.get(who) === true
      if (what === 'open' && !here) {
        isOpen.set(who, true)
        add({ type: 'visit', at, audience: 'log', data: { attendeeId: who, phase: 'opened', since: at } })
      } else if (what === 'close' && here) {
        isOpen.set(who, false)
        add({ type: 'visit', at, audience: 'log', data: { attendeeId: who, phase: 'closed', since: at - Math.min(gap, 30_000) } })
      } else if (what === 'slide' && status === 'presenting') add({ type: 'slide', at, audience: 'room', data: { index: slide } })
      else if (what === 'present' && status === 'lobby') state('presenting')
      else if (what === 'closing' && status === 'presenting') state('closing')
      else if (what === 'complete' && status === 'closing') state('completed')
      else if (what === 'ask' && here) {
        const question = { questionId: `q${facts.length}`, text: 'Why?', slideIndex: slide, by: { attendeeId: who, name: null } }
        add({ type: 'question', at, audience: 'room', data: question })
      } else if (what === 'click' && isOpen.has(who)) add({ type: 'cta', at, audience: who, data: { state: 'clicked' } })
      else if (what === 'lead' && isOpen.has(who)) add({ type: 'lead', at, audience: 'log', data: { leadId: who, attendeeId: who } })
    }
    return { facts, now: at + 1_000 }
  })

/** Counts by looking at every second of the run, one attendee at a time. */
function byHand(facts: readonly RunEvent[], now: number) {
  const first = facts.find((fact) => fact.type === 'state' && fact.data.status === 'presenting')?.at
  const ended = facts.find((fact) => fact.type === 'state' && fact.data.status === 'completed')?.at ?? now
  const people = [...new Set(facts.flatMap((fact) => (fact.type === 'visit' ? [fact.data.attendeeId] : [])))]
  const isThere = (who: string, at: number) => {
    let there = false
    for (const fact of facts) {
      if (fact.type !== 'visit' || fact.data.attendeeId !== who) continue
      if (fact.data.phase === 'opened' && fact.at <= at) there = true
      if (
        fact.data.phase === 'closed' &&
        fact.data.since <= at &&
        !facts.some(
          (other) =>
            other.type === 'visit' &&
            other.data.attendeeId === who &&
            other.data.phase === 'opened' &&
            other.at > fact.at &&
            other.at <= at,
        )
      )
        there = false
    }
    return there
  }
  return { first, ended, people, isThere }
}

test('attendees, questions and clicks are the distinct ones of the log', () => {
  fc.assert(
    fc.property(randomFacts, ({ facts, now }) => {
      const figures = figuresOf([summariseRun(facts, slidesCount, now)], slidesCount, none)
      const { people } = byHand(facts, now)
      const clicked = new Set(facts.flatMap((fact) => (fact.type === 'cta' ? [fact.audience] : [])))
      assert.equal(figures.totalAttendees, people.length)
      assert.equal(figures.ctaClicks, clicked.size)
      assert.equal(figures.questionsCount, facts.filter((fact) => fact.type === 'question').length)
      assert.deepEqual(Object.keys(figures.funnel), ['opened', 'started', 'half', 'completed', 'cta', 'lead'])
    }),
  )
})

test('engagement equals looking at the clock every 100 ms', () => {
  fc.assert(
    fc.property(randomFacts, ({ facts, now }) => {
      const { first, ended, people, isThere } = byHand(facts, now)
      const summary = summariseRun(facts, slidesCount, now)
      for (const who of people) {
        let counted = 0
        if (first !== undefined) for (let at = first; at < ended; at += 100) counted += isThere(who, at) ? Math.min(100, ended - at) : 0
        const { engagedMs = -1 } = summary.attendees.find((attendee) => attendee.attendeeId === who) ?? {}
        // Each visit begins and ends inside a step, so each may be off by one step.
        const visits = facts.filter((fact) => fact.type === 'visit' && fact.data.attendeeId === who).length
        assert.ok(Math.abs(engagedMs - counted) <= 100 * (visits + 1), `${who}: ${engagedMs} against ${counted}`)
      }
    }),
    { numRuns: 60 },
  )
})

test('an attendee who was there when the closing began completed, and left no slide early', () => {
  fc.assert(
    fc.property(randomFacts, ({ facts, now }) => {
      const closing = facts.find((fact) => fact.type === 'state' && fact.data.status === 'closing')?.at
      const { isThere } = byHand(facts, now)
      for (const attendee of summariseRun(facts, slidesCount, now).attendees) {
        assert.equal(attendee.completed, closing !== undefined && isThere(attendee.attendeeId, closing))
        if (attendee.completed) assert.equal(attendee.leftAtSlide, null)
      }
    }),
  )
})

test('attendance has at most 200 points and counts a person once in a step', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 * 24 * 3_600_000 }), (length) => {
      const from = Date.UTC(2026, 10, 20)
      const points = attendanceOf([
        {
          present: [
            { from, to: from + length },
            { from: from + length, to: from + length },
          ],
        },
      ])
      assert.ok(points.length >= 1 && points.length <= 200, String(points.length))
      assert.ok(points.every((point) => point.count === 1))
    }),
  )
})

test('questions that differ only in order and case are one unanswered question, most asked first', () => {
  const ask = (questionId: string, text: string, outcome: string) => ({ questionId, text, outcome, slideIndex: 0 })
  const questions = [
    ask('1', 'What about ice?', 'unknown'),
    ask('2', 'Is it loud?', 'near'),
    ask('3', 'about ICE, what?', 'unknown'),
    ask('4', 'Price?', 'answered'),
  ]
  const { unanswered } = figuresOf([{ attendees: [], questions }], 1, none)
  assert.deepEqual(
    unanswered.map(({ text, count }) => [text, count]),
    [
      ['What about ice?', 2],
      ['Is it loud?', 1],
    ],
  )
})

test('clusters that ask the same are added up under the most asked, and unknown wins over near', async () => {
  const cluster = (text: string, count: number, outcome: 'unknown' | 'near') => ({ text, count, outcome, slideIndex: 0 })
  const isSame = (a: string, b: string) => a.split(' ')[0] === b.split(' ')[0]
  const some = [
    cluster('ice on it', 4, 'near'),
    cluster('noise', 3, 'near'),
    cluster('ice there', 2, 'unknown'),
    cluster('noise now', 4, 'near'),
  ]
  const joined = await stepByStep(joinAlike(some, isSame))
  assert.deepEqual(joined, [cluster('noise', 7, 'near'), cluster('ice on it', 6, 'unknown')])
  const many = Array.from({ length: 300 }, (_, n) => cluster(`q${n}`, 1, 'near'))
  let asked = 0
  assert.equal((await stepByStep(joinAlike(many, () => (asked++, false)))).length, 300)
  assert.ok(asked <= 100 * 100)
})
