import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signalOf } from '@rostrum/answers/intents'
import fc from 'fast-check'
import { type Step, steps } from '../../../test/support/run-inputs.ts'
import { askingTalk, sampleSession } from '../../../test/support/sample-talk.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { fold } from '../fold.ts'
import { type RunEvent, runStatus } from '@rostrum/contract/room'
import { somebodyIn } from '../polls.ts'
import { initialState, type RunState } from '../run-state.ts'
import { type Input, orderOf, type Setting } from './draft.ts'
import { decide } from './machine.ts'
import { rows, table } from './table.ts'

const start = Date.UTC(2026, 10, 20, 12)
const numRuns = Number(process.env['ROSTRUM_TEST_SEQUENCES'] ?? 1_000)

function settingOf(mode: 'isolated' | 'broadcast', moderation: 'auto' | 'manual' = 'auto'): Setting {
  const talk = askingTalk()
  return {
    runId: 'run',
    kind: 'live',
    mode,
    session: sampleSession({ mode, moderation }),
    talk,
    order: orderOf(talk),
    showsInterest: (text) => signalOf(text) !== undefined,
    questionWindowMs: 15_000,
  }
}

interface Played {
  events: RunEvent[]
  state: RunState
  /** The seqs of events by which somebody chose a new place. */
  jumps: Set<number>
}

interface Watch {
  before?(input: Input): void
  after?(state: RunState, label: string, events: readonly RunEvent[]): void
}

function playAll(setting: Setting, sequence: readonly Step[], watch: Watch = {}): Played {
  let state = initialState(start)
  let now = start
  const events: RunEvent[] = []
  const jumps = new Set<number>()
  const play = (input: Input, label: string) => {
    const before = state.seq
    const wish = state.answer?.composed?.control ?? ('type' in input && input.type === 'answer_composed' ? input.answer.control : undefined)
    watch.before?.(input)
    const draft = decide(state, input, setting, { now, epoch: 1, streamOpen: true })
    events.push(...draft.events)
    state = draft.state
    if (draft.refusal !== null) assert.equal(draft.events.length, 0, `${label} was refused and yet changed something`)
    if (('type' in input && (input.type === 'move' || input.type === 'end')) || (wish ?? null) !== null)
      for (let seq = before + 1; seq <= state.seq; seq++) jumps.add(seq)
    watch.after?.(state, label, draft.events)
  }
  for (const step of sequence) {
    now += step.waitMs
    play({ type: 'tick' }, 'tick')
    play(step.make(state), step.label)
  }
  return { events, state, jumps }
}

function holds(property: (sequence: Step[], setting: Setting) => void): void {
  const setting = fc.tuple(fc.constantFrom('isolated' as const, 'broadcast' as const), fc.constantFrom('auto' as const, 'manual' as const))
  fc.assert(
    fc.property(steps, setting, (sequence, [mode, moderation]) => property(sequence, settingOf(mode, moderation))),
    { numRuns, seed: testSeed },
  )
}

test('the state table has a cell for every input in every status', () => {
  for (const row of rows) assert.deepEqual(Object.keys(table[row]).sort(), runStatus.options.toSorted())
})

test('seq is gapless, and prev names the room event before', () => {
  holds((sequence, setting) => {
    const { events } = playAll(setting, sequence)
    let roomSeq = 0
    events.forEach((event, index) => {
      assert.equal(event.seq, index + 1)
      if (event.audience !== 'room') return assert.equal(event.prev, undefined)
      assert.equal(event.prev, roomSeq)
      roomSeq = event.seq
    })
  })
})

test('one voice speaks at a time, and only in a status that speaks', () => {
  holds((sequence, setting) => {
    playAll(setting, sequence, {
      after(state, label) {
        assert.equal(state.answer !== null, state.status === 'answering', `${label}: ${state.status} with answer ${state.answer?.answerId}`)
        if (state.speaking !== null)
          assert.ok(state.status === 'presenting' || state.status === 'closing', `${label}: speaks while ${state.status}`)
      },
    })
  })
})

test('every answer that begins ends exactly once', () => {
  holds((sequence, setting) => {
    const { events, state } = playAll(setting, sequence)
    const open = new Set<string>()
    for (const event of events) {
      if (event.type !== 'answer' || event.data.instant === true) continue
      const { answerId, phase } = event.data
      if (phase === 'start') {
        assert.ok(!open.has(answerId))
        open.add(answerId)
      } else {
        assert.ok(open.has(answerId), `${answerId} ${phase} while it is not open`)
        if (phase !== 'sentence') open.delete(answerId)
      }
    }
    assert.deepEqual([...open], state.answer === null ? [] : [state.answer.answerId])
  })
})

test('every beat that begins ends or is cut before the next begins', () => {
  holds((sequence, setting) => {
    const { events } = playAll(setting, sequence)
    let open: string | null = null
    for (const event of events) {
      if (event.type !== 'beat') continue
      if (event.data.phase === 'start') {
        assert.equal(open, null)
        open = event.data.beatId
      } else if (open !== null) {
        assert.equal(event.data.beatId, open)
        open = null
      } else assert.equal(event.data.phase, 'cut')
    }
  })
})

test('speech resumes at the clause where it was cut, unless somebody moved', () => {
  holds((sequence, setting) => {
    const { events, jumps } = playAll(setting, sequence)
    let cut: { beatId: string; clause: number } | null = null
    for (const event of events) {
      if (jumps.has(event.seq)) cut = null
      if (event.type !== 'beat' || jumps.has(event.seq)) continue
      const { beatId, phase, clause = 0 } = event.data
      if (phase === 'cut') cut = { beatId, clause }
      if (phase === 'start' && cut !== null) assert.deepEqual({ beatId, clause }, cut)
      if (phase !== 'cut') cut = null
    }
  })
})

test('in an isolated talk only what was acknowledged counts as heard', () => {
  holds((sequence, setting) => {
    if (setting.mode === 'broadcast') return
    const acked = new Map<string, number>()
    const done = new Set<string>()
    playAll(setting, sequence, {
      before(input) {
        if ('kind' in input) {
          if (input.kind !== 'acks') return
          for (const { beatId, phase, chars = 0 } of input.acks)
            if (phase === 'cut') acked.set(beatId, Math.max(acked.get(beatId) ?? 0, chars))
        } else if (input.type === 'beat_done' && input.heard) done.add(input.utterance)
      },
      after(_state, _label, events) {
        for (const { type, data } of events) {
          if (type !== 'beat') continue
          if (data.phase === 'end') assert.ok(done.has(data.beatId), `${data.beatId} ended unheard`)
          if (data.phase !== 'cut') continue
          const beat = setting.order.beat(data.beatId)
          const from = beat?.clauses[data.clause ?? 0] ?? 0
          assert.ok((data.spokenChars ?? 0) <= Math.max(acked.get(data.beatId) ?? 0, from), `${data.beatId} cut at ${data.spokenChars}`)
        }
      },
    })
  })
})

test('a run completes once, and its room hears nothing after closed', () => {
  holds((sequence, setting) => {
    const { events } = playAll(setting, sequence)
    const completed = events.filter(
      (event) => event.type === 'state' && event.data.status === 'completed' && event.data.previous !== 'completed',
    )
    assert.ok(completed.length <= 1)
    const closedAt = events.findIndex((event) => event.type === 'closed' && event.audience === 'room')
    if (closedAt === -1) return
    assert.deepEqual(
      events
        .slice(closedAt + 1)
        .filter((event) => event.audience === 'room')
        .map((event) => event.type),
      [],
    )
  })
})

test('the fold of the log is the state of the live machine at every seq', () => {
  holds((sequence, setting) => {
    let folded = initialState(start)
    const seen: RunState[] = []
    const { events, state } = playAll(setting, sequence, { after: (live) => void seen.push(live) })
    const bySeq = new Map(seen.map((live) => [live.seq, live]))
    for (const event of events) {
      folded = fold(folded, JSON.parse(JSON.stringify(event)) as RunEvent)
      const live = bySeq.get(folded.seq)
      if (live !== undefined) assert.equal(plain(folded), plain(live))
    }
    assert.equal(plain(folded), plain(state))
  })
})

/** The state as text; registers by their entries. */
function plain(state: RunState): string {
  const entries = <T>(register: { entries(): Iterable<readonly [string, T]> }) =>
    [...register.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  const polls = state.polls.map((poll) => ({ ...poll, answers: entries(poll.answers) }))
  const { questions, attendees, ctaOf, ratingOf } = state
  const registers = { questions: entries(questions), attendees: entries(attendees), ctaOf: entries(ctaOf), ratingOf: entries(ratingOf) }
  return JSON.stringify({ ...state, ...registers, polls })
}

test('a poll counts the last answer of each attendee while it is open, and tells results and the right answer no sooner than they are shown', () => {
  holds((sequence, setting) => {
    const { events, state } = playAll(setting, sequence)
    const open = new Set<string>()
    const answered = new Map<string, Map<string, object>>()
    const hidden = new Set<string>()
    for (const event of events) {
      if (event.type === 'poll_word') hidden.add(event.data.word)
      if (event.type === 'erased')
        for (const [pollId, given] of answered) {
          const answer = given.get(event.data.attendeeId)
          if (answer === undefined) continue
          given.delete(event.data.attendeeId)
          given.set(somebodyIn(pollId, event.data.attendeeId), answer)
        }
      if (event.type === 'poll_answer') {
        const { pollId, attendeeId, ...answer } = event.data
        assert.equal(event.audience, 'log', 'who answered what is told to nobody')
        assert.ok(open.has(pollId), `an answer to ${pollId}, which is not open`)
        answered.set(pollId, (answered.get(pollId) ?? new Map<string, object>()).set(attendeeId, answer))
      }
      if (event.type !== 'poll') continue
      const { pollId, shown, results, right } = event.data
      if (event.data.open) open.add(pollId)
      else open.delete(pollId)
      assert.ok(open.size <= 1, 'two polls are open')
      assert.equal(results !== undefined, shown)
      if (!shown) assert.equal(right, undefined)
      const given = [...(answered.get(pollId)?.values() ?? [])] as { choice?: number; rating?: number; word?: string }[]
      const words = given.some(({ word }) => word !== undefined) && !hidden.has('bolts') ? [{ word: 'Bolts', count: given.length }] : []
      const counts = [0, 1, 2].map((at) => given.filter(({ choice }) => choice === at).length)
      const ratings = [1, 2, 3, 4, 5].map((at) => given.filter(({ rating }) => rating === at).length)
      const oracle = { quiz: { counts }, words: { words }, rating: { counts: ratings } }[pollId]
      if (shown) assert.deepEqual(results, { answers: given.length, ...oracle })
    }
    if (state.closed) assert.equal(open.size, 0, 'a poll is open after the end')
  })
})
