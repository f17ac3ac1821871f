import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fakeRun } from '../../../test/scripted-run.ts'
import { roomView, slides } from '../../../test/scripted-talk.ts'
import { reduce, seqOf } from './reduce.ts'
import { initialState, type RoomState } from './state.ts'
import type { RoomMessage } from './wire.ts'

const me = 'at-1'
const room = roomView('isolated', 'welcome')

/** Drives a scripted run by chance; returns its log and, for each seq, the snapshot a late joiner would get. */
function someRun(acts: readonly number[]) {
  const run = fakeRun({ mode: 'isolated', pace: 1, now: () => 1_000 })
  const snapshots = new Map<number, RoomMessage>()
  const keep = () => {
    snapshots.set(run.log.length, { event: 'snapshot', id: `1-${run.log.length}`, data: run.snapshot(me) as never })
  }
  keep()
  run.start()
  keep()
  acts.forEach((act, i) => {
    const running = run.log.findLast((each) => each.event === 'beat' && each.data.phase === 'start')?.data.beatId
    const answering = run.log.findLast((each) => each.event === 'answer')
    if (act < 5 && typeof running === 'string') run.ack([{ beatId: running, phase: 'ended' }])
    else if (act === 5) run.ask(`q${i}`, `Question ${i}`, { attendeeId: i % 2 === 0 ? me : 'other', name: 'Maya' }, false)
    else if (act === 6) run.ask(`q${i}`, `Question ${i}`, { attendeeId: me, name: 'Maya' }, true)
    else if (act === 7) run.control('pause', {})
    else if (act === 8) run.control('resume', {})
    else run.control('goto', { slideIndex: i % slides.length })
    if (answering?.data.phase === 'sentence' && act % 2 === 0) {
      const id = String(answering.data.answerId)
      run.ack([0, 1].map((index) => ({ beatId: `${id}:${index}`, phase: 'ended' })))
    }
    keep()
  })
  return { log: run.log, snapshots }
}

const messageOf = (event: { seq: number; event: string; data: Record<string, unknown> }) =>
  ({ event: event.event, id: `1-${event.seq}`, data: event.data }) as unknown as RoomMessage

function applied(state: RoomState, message: RoomMessage): RoomState {
  const outcome = reduce(state, message)
  assert.notEqual(outcome.type, 'gap')
  return outcome.type === 'gap' ? state : outcome.state
}

/** What an attendee sees; the transcript is compared apart, since a snapshot holds the last twenty sentences only. */
function visible(state: RoomState) {
  const { status, slideIndex, beatId, questions, cta, seq } = state
  return {
    status,
    slideIndex,
    beatId,
    cta,
    seq,
    questions: questions.map(({ questionId, status: its, mine }) => ({ questionId, status: its, mine })),
  }
}

const acts = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 })

test('any pattern of disconnects, repeats and resumes ends in the state of an unbroken stream', () => {
  fc.assert(
    fc.property(acts, fc.infiniteStream(fc.integer({ min: 0, max: 9 })), (script, chances) => {
      const { log, snapshots } = someRun(script)
      const first = snapshots.get(0)
      assert.ok(first)
      const whole = log.reduce((state, event) => applied(state, messageOf(event)), applied(initialState(room), first))
      const chance = chances[Symbol.iterator]()
      let broken = applied(initialState(room), first)
      for (let at = 0; at < log.length; at++) {
        const event = log[at]
        assert.ok(event)
        broken = applied(broken, messageOf(event))
        const roll = chance.next().value ?? 0
        const snapshot = snapshots.get(at + 1)
        if (roll === 0) at = Math.max(-1, at - 3)
        else if (roll === 1) broken = applied(broken, { event: 'snapshot', data: { resumed: true, presence: { count: 3 } } })
        else if (roll === 2 && snapshot !== undefined) broken = applied(broken, snapshot)
      }
      assert.deepEqual(visible(broken), visible(whole))
      const ids = broken.lines.map((line) => line.id)
      assert.equal(new Set(ids).size, ids.length, 'no sentence is repeated')
      assert.deepEqual(new Set(ids), new Set(whole.lines.map((line) => line.id)), 'no sentence is missing')
    }),
    { numRuns: 300 },
  )
})

test('an event that is not the next one is a gap and changes nothing', () => {
  const state = applied(initialState(room), { event: 'snapshot', id: '1-4', data: { resumed: false } })
  assert.equal(reduce(state, { event: 'state', id: '1-9', data: { status: 'paused', seq: 9, prev: 7 } }).type, 'gap')
  assert.equal(reduce(state, { event: 'state', id: '1-6', data: { status: 'paused', seq: 6, prev: 4 } }).type, 'applied')
  assert.equal(
    reduce(state, { event: 'state', id: '1-6', data: { status: 'paused', seq: 6, prev: 3 } }).type,
    'applied',
    'private events of others leave holes',
  )
  assert.equal(reduce(state, { event: 'state', id: '1-4', data: { status: 'paused', seq: 4, prev: 3 } }).type, 'repeat')
})

test('a snapshot of a new epoch goes on in the same numbers', () => {
  assert.equal(seqOf('3-41'), 41)
  const state = applied(initialState(room), { event: 'snapshot', id: '1-40', data: { resumed: false } })
  const after = applied(state, { event: 'state', id: '2-41', data: { status: 'presenting', seq: 41, prev: 40 } })
  assert.equal(after.cursor, '2-41')
})

test('a private answer of a broadcast stays under its question and out of the transcript', () => {
  let state = applied(initialState(room), {
    event: 'snapshot',
    id: '1-0',
    data: { resumed: false, run: { id: 'r', kind: 'live', mode: 'broadcast', status: 'presenting' }, you: { attendeeId: me } },
  })
  state = applied(state, {
    event: 'question',
    id: '1-1',
    data: { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'queued' },
  })
  state = applied(state, {
    event: 'answer',
    id: '1-2',
    data: { seq: 2, private: true, instant: true, answerId: 'a', questionId: 'q', phase: 'sentence', index: 0, text: 'Because.' },
  })
  assert.equal(state.questions[0]?.instant?.sentences[0], 'Because.')
  assert.equal(state.questions[0]?.mine, true)
  assert.equal(state.lines.length, 0)
})

test('private words are shown again after a reload, and go once the answer is there', () => {
  const asked = { questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'queued' } as const
  const run = { id: 'r', kind: 'live', mode: 'broadcast', status: 'presenting' } as const
  const instant = { answerId: 'i-q', text: 'Because.', outcome: 'answered' }
  let state = applied(initialState(room), {
    event: 'snapshot',
    id: '1-3',
    data: { resumed: false, run, questions: [asked], you: { attendeeId: me, questions: [{ ...asked, instant }] } },
  })
  assert.deepEqual(state.questions[0]?.instant?.sentences, ['Because.'])
  const answer = (seq: number, data: { phase: 'start' | 'end'; answerId: string; text?: string; private?: true; instant?: true }) =>
    ({ event: 'answer', id: `1-${seq}`, data: { seq, questionId: 'q', ...data } }) as const
  state = applied(state, answer(4, { phase: 'start', answerId: 'a-q' }))
  assert.deepEqual(state.questions[0]?.instant?.sentences, ['Because.'])
  state = applied(state, answer(5, { phase: 'end', answerId: 'a-q', text: 'Because of that.' }))
  assert.equal(state.questions[0]?.instant, null)
  state = applied(state, answer(6, { phase: 'end', answerId: 'h-q', text: 'Between you and me.', private: true, instant: true }))
  assert.deepEqual(state.questions[0]?.instant?.sentences, ['Between you and me.'])
  assert.deepEqual(state.questions[0]?.answer?.sentences, ['Because of that.'])
})

test('the question whether contact details may be sent stays when the answer comes, and goes when it was agreed to', () => {
  const answer = (seq: number, data: { answerId: string; text: string; private?: true; instant?: true; notice?: true }) =>
    ({ event: 'answer', id: `1-${seq}`, data: { seq, phase: 'end', questionId: 'q', ...data } }) as const
  const notice = { private: true, instant: true, notice: true } as const
  const question = { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'queued', private: true } as const
  let state = applied(initialState(room), { event: 'question', id: '1-1', data: question })
  state = applied(state, answer(2, { answerId: 'tell-q', text: 'May they be sent?', ...notice }))
  state = applied(state, answer(3, { answerId: 'i-q', text: 'At once.', private: true, instant: true }))
  state = applied(state, answer(4, { answerId: 'a-q', text: 'Because.' }))
  assert.deepEqual([state.questions[0]?.answer?.sentences, state.questions[0]?.notice?.sentences], [['Because.'], ['May they be sent?']])
  state = applied(state, answer(5, { answerId: 'tell-yes', text: 'Sent.', ...notice }))
  assert.deepEqual(state.questions[0]?.notice?.sentences, ['Sent.'])
})

test('what the host says in private after answering the same question aloud stands beside that answer and does not replace it', () => {
  const answer = (seq: number, text: string, more: { private?: true; instant?: true } = {}) =>
    ({ event: 'answer', id: `1-${seq}`, data: { seq, phase: 'end', answerId: 'h-q', questionId: 'q', text, ...more } }) as const
  const question = { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'answered' } as const
  let state = applied(initialState(room), { event: 'question', id: '1-1', data: question })
  state = applied(state, answer(2, 'Aloud.'))
  state = applied(state, answer(3, 'In private.', { private: true, instant: true }))
  assert.deepEqual(state.questions[0]?.answer?.sentences, ['Aloud.'])
  assert.deepEqual(state.questions[0]?.instant?.sentences, ['In private.'])
})

test('private words to a private question that is being answered stand beside that answer', () => {
  const answer = (seq: number, data: { phase: 'start' | 'end'; answerId: string; text?: string; private?: true; instant?: true }) =>
    ({ event: 'answer', id: `1-${seq}`, data: { seq, questionId: 'q', ...data } }) as const
  const question = { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'answering', private: true } as const
  let state = applied(initialState(room), { event: 'question', id: '1-1', data: question })
  state = applied(state, answer(2, { phase: 'start', answerId: 'a-q' }))
  state = applied(state, answer(3, { phase: 'end', answerId: 'h-q', text: 'For you.', private: true, instant: true }))
  assert.deepEqual([state.questions[0]?.answer?.answerId, state.questions[0]?.instant?.sentences], ['a-q', ['For you.']])
  state = applied(state, answer(4, { phase: 'end', answerId: 'a-q', text: 'Because.' }))
  state = applied(state, answer(5, { phase: 'start', answerId: 'h-q', private: true, instant: true }))
  state = applied(state, answer(6, { phase: 'end', answerId: 'h-q', text: 'For you.', private: true, instant: true }))
  assert.deepEqual([state.questions[0]?.answer?.sentences, state.questions[0]?.instant], [['For you.'], null])
})

test('a question that waits again, hidden and let in, has no answer yet', () => {
  const question = (seq: number, status: 'answered' | 'queued') =>
    ({
      event: 'question',
      id: `1-${seq}`,
      data: { seq, prev: seq - 1, questionId: 'q', text: 'Why?', by: { attendeeId: 'x' }, status },
    }) as const
  let state = applied(initialState(room), question(1, 'answered'))
  const said = { seq: 2, prev: 1, answerId: 'a', questionId: 'q', phase: 'end', text: 'Because.' } as const
  state = applied(state, { event: 'answer', id: '1-2', data: said })
  assert.deepEqual(state.questions[0]?.answer?.sentences, ['Because.'])
  assert.equal(applied(state, question(3, 'queued')).questions[0]?.answer, null)
})

test('"3 ahead of you" stayed while they were answered: it counts down, also past one that was hidden', () => {
  let state = initialState(room)
  let seq = 0
  const told = (questionId: string, status: 'queued' | 'answering' | 'answered' | 'hidden', ahead = 0) => {
    seq += 1
    const data = { seq, prev: seq - 1, questionId, text: 'Why?', by: { attendeeId: me }, status, ahead }
    state = applied(state, { event: 'question', id: `1-${seq}`, data })
    return state.questions.map((question) => (question.status === 'queued' ? question.ahead : question.status))
  }
  told('a', 'queued', 0)
  told('a', 'answering')
  told('b', 'queued', 1)
  told('c', 'queued', 2)
  assert.deepEqual(told('d', 'queued', 3), ['answering', 1, 2, 3])
  assert.deepEqual(told('a', 'answered'), ['answered', 0, 1, 2])
  assert.deepEqual(told('b', 'answering'), ['answered', 'answering', 1, 2])
  assert.deepEqual(told('c', 'hidden'), ['answered', 'answering', 'hidden', 1])
  assert.deepEqual(told('b', 'answered'), ['answered', 'answered', 'hidden', 0])
})

test('a click on the offer is final for this attendee', () => {
  let state = applied(initialState(room), {
    event: 'cta',
    id: '1-1',
    data: { seq: 1, prev: 0, state: 'shown', text: 'Call', url: 'https://a.example/' },
  })
  state = applied(state, { event: 'cta', id: '1-2', data: { seq: 2, private: true, state: 'clicked' } })
  state = applied(state, { event: 'cta', id: '1-3', data: { seq: 3, prev: 1, state: 'shown' } })
  assert.deepEqual(state.cta, { state: 'clicked', text: 'Call', url: 'https://a.example/', host: undefined })
})

test('the site that a page on the way out names goes with its address, and not with the next', () => {
  const shown = (seq: number, cta: { url: string; host?: string }) =>
    ({ event: 'cta', id: `1-${seq}`, data: { seq, prev: seq - 1, state: 'shown', text: 'Call', ...cta } }) as const
  const through = applied(initialState(room), shown(1, { url: 'https://talks.example/leaving/1', host: 'a.example' }))
  assert.equal(through.cta.host, 'a.example')
  assert.equal(applied(through, shown(2, { url: 'https://b.example/' })).cta.host, undefined)
})

test('a question that is answered anew under the same id begins with an empty answer', () => {
  const answer = (seq: number, data: { phase: 'start' | 'sentence' | 'end'; text?: string; outcome?: string }) =>
    ({ event: 'answer', id: `1-${seq}`, data: { seq, prev: seq - 1, answerId: 'a', questionId: 'q', ...data } }) as const
  let state = applied(initialState(room), {
    event: 'question',
    id: '1-1',
    data: { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: 'x' }, status: 'answering' },
  })
  state = applied(state, answer(2, { phase: 'start' }))
  state = applied(state, answer(3, { phase: 'end', text: 'Because.', outcome: 'answered' }))
  state = applied(state, answer(4, { phase: 'start' }))
  const { sentences, ended, outcome } = state.questions[0]?.answer ?? {}
  assert.deepEqual({ sentences, ended, outcome }, { sentences: [], ended: false, outcome: null })
})

test('the lobby shows the time of its page until the host has set another one, and none once that was taken back', () => {
  const startsAt = '2026-11-20T12:00:00.000Z'
  const state = (seq: number, data: object) => messageOf({ seq, event: 'state', data: { seq, status: 'lobby', by: 'host', ...data } })
  const run = { id: 'run', kind: 'live', mode: 'broadcast', status: 'lobby' } as const
  const entered = applied(initialState({ ...room, startsAt }), { event: 'snapshot', id: '1-1', data: { resumed: false, run } })
  assert.equal(entered.startsAt, startsAt)
  const changed = applied(applied(entered, state(2, { startsAt: 5_000 })), state(3, {}))
  assert.equal(changed.startsAt, 5_000)
  assert.equal(applied(changed, state(4, { startsAt: null })).startsAt, null)
  const late: RoomMessage = { event: 'snapshot', id: '1-4', data: { resumed: false, run: { ...run, startsAt: null } } }
  assert.equal(applied(entered, late).startsAt, null)
})
