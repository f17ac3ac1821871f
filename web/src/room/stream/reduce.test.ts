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

/** A message by what the test is about; members that it does not read are left out. */
const told = (event: RoomMessage['event'], seq: number, data: object, epoch = 1) =>
  ({ event, id: `${epoch}-${seq}`, data: { seq, at: 0, ...data } }) as unknown as RoomMessage

const nobody = { attendeeId: me, name: null, questions: [], cta: null, lead: null, allowed: [] }
const presence = { count: 1, hands: 0, reactions: { agree: 0, like: 0, aha: 0 }, people: [] }
const run = { id: 'r', kind: 'live', mode: 'broadcast', status: 'presenting', speed: 1, language: 'en', startedAt: null } as const

function wholeRoom(seq: number, more: { run?: object; questions?: object[]; you?: object } = {}): RoomMessage {
  const empty = { position: null, recap: [], captions: [], questions: [], cta: null, slides, presence }
  return told('snapshot', seq, { resumed: false, ...empty, ...more, run: { ...run, ...more.run }, you: { ...nobody, ...more.you } })
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
        else if (roll === 1) broken = applied(broken, { event: 'snapshot', data: { resumed: true, at: 0, presence, you: nobody } })
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
  const state = applied(initialState(room), wholeRoom(4))
  assert.equal(reduce(state, told('state', 9, { status: 'paused', prev: 7 })).type, 'gap')
  assert.equal(reduce(state, told('state', 6, { status: 'paused', prev: 4 })).type, 'applied')
  assert.equal(reduce(state, told('state', 6, { status: 'paused', prev: 3 })).type, 'applied', 'private events of others leave holes')
  assert.equal(reduce(state, told('state', 4, { status: 'paused', prev: 3 })).type, 'repeat')
})

test('a snapshot of a new epoch goes on in the same numbers', () => {
  assert.equal(seqOf('3-41'), 41)
  const state = applied(initialState(room), wholeRoom(40))
  const after = applied(state, told('state', 41, { status: 'presenting', prev: 40 }, 2))
  assert.equal(after.cursor, '2-41')
})

test('a private answer of a broadcast stays under its question and out of the transcript', () => {
  let state = applied(initialState(room), wholeRoom(0))
  state = applied(state, told('question', 1, { prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'queued' }))
  const said = { private: true, instant: true, answerId: 'a', questionId: 'q', phase: 'sentence', index: 0, text: 'Because.' }
  state = applied(state, told('answer', 2, said))
  assert.equal(state.questions[0]?.instant?.sentences[0], 'Because.')
  assert.equal(state.questions[0]?.mine, true)
  assert.equal(state.lines.length, 0)
})

test('private words are shown again after a reload, and go once the answer is there', () => {
  const asked = { questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'queued' } as const
  const instant = { answerId: 'i-q', text: 'Because.', outcome: 'answered' }
  let state = applied(initialState(room), wholeRoom(3, { questions: [asked], you: { questions: [{ ...asked, instant }] } }))
  assert.deepEqual(state.questions[0]?.instant?.sentences, ['Because.'])
  const answer = (seq: number, data: { phase: 'start' | 'end'; answerId: string; text?: string; private?: true; instant?: true }) =>
    told('answer', seq, { questionId: 'q', ...data })
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
    told('answer', seq, { phase: 'end', questionId: 'q', ...data })
  const notice = { private: true, instant: true, notice: true } as const
  const question = { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'queued', private: true } as const
  let state = applied(initialState(room), told('question', 1, question))
  state = applied(state, answer(2, { answerId: 'tell-q', text: 'May they be sent?', ...notice }))
  state = applied(state, answer(3, { answerId: 'i-q', text: 'At once.', private: true, instant: true }))
  state = applied(state, answer(4, { answerId: 'a-q', text: 'Because.' }))
  assert.deepEqual([state.questions[0]?.answer?.sentences, state.questions[0]?.notice?.sentences], [['Because.'], ['May they be sent?']])
  state = applied(state, answer(5, { answerId: 'tell-yes', text: 'Sent.', ...notice }))
  assert.deepEqual(state.questions[0]?.notice?.sentences, ['Sent.'])
})

test('what the host says in private after answering the same question aloud stands beside that answer and does not replace it', () => {
  const answer = (seq: number, text: string, more: { private?: true; instant?: true } = {}) =>
    told('answer', seq, { phase: 'end', answerId: 'h-q', questionId: 'q', text, ...more })
  const question = { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'answered' } as const
  let state = applied(initialState(room), told('question', 1, question))
  state = applied(state, answer(2, 'Aloud.'))
  state = applied(state, answer(3, 'In private.', { private: true, instant: true }))
  assert.deepEqual(state.questions[0]?.answer?.sentences, ['Aloud.'])
  assert.deepEqual(state.questions[0]?.instant?.sentences, ['In private.'])
})

test('private words to a private question that is being answered stand beside that answer', () => {
  const answer = (seq: number, data: { phase: 'start' | 'end'; answerId: string; text?: string; private?: true; instant?: true }) =>
    told('answer', seq, { questionId: 'q', ...data })
  const question = { seq: 1, prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: me }, status: 'answering', private: true } as const
  let state = applied(initialState(room), told('question', 1, question))
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
    told('question', seq, { prev: seq - 1, questionId: 'q', text: 'Why?', by: { attendeeId: 'x' }, status })
  let state = applied(initialState(room), question(1, 'answered'))
  const said = { seq: 2, prev: 1, answerId: 'a', questionId: 'q', phase: 'end', text: 'Because.' } as const
  state = applied(state, told('answer', 2, said))
  assert.deepEqual(state.questions[0]?.answer?.sentences, ['Because.'])
  assert.equal(applied(state, question(3, 'queued')).questions[0]?.answer, null)
})

test('"3 ahead of you" stayed while they were answered: it counts down, also past one that was hidden', () => {
  let state = initialState(room)
  let seq = 0
  const tell = (questionId: string, status: 'queued' | 'answering' | 'answered' | 'hidden', ahead = 0) => {
    seq += 1
    state = applied(state, told('question', seq, { prev: seq - 1, questionId, text: 'Why?', by: { attendeeId: me }, status, ahead }))
    return state.questions.map((question) => (question.status === 'queued' ? question.ahead : question.status))
  }
  tell('a', 'queued', 0)
  tell('a', 'answering')
  tell('b', 'queued', 1)
  tell('c', 'queued', 2)
  assert.deepEqual(tell('d', 'queued', 3), ['answering', 1, 2, 3])
  assert.deepEqual(tell('a', 'answered'), ['answered', 0, 1, 2])
  assert.deepEqual(tell('b', 'answering'), ['answered', 'answering', 1, 2])
  assert.deepEqual(tell('c', 'hidden'), ['answered', 'answering', 'hidden', 1])
  assert.deepEqual(tell('b', 'answered'), ['answered', 'answered', 'hidden', 0])
})

test('a click on the offer is final for this attendee', () => {
  const offer = { text: 'Call', url: 'https://a.example/', kind: 'checkout' }
  let state = applied(initialState(room), told('cta', 1, { prev: 0, state: 'shown', ...offer }))
  state = applied(state, told('cta', 2, { private: true, state: 'clicked', ...offer }))
  state = applied(state, told('cta', 3, { prev: 1, state: 'shown', ...offer }))
  assert.deepEqual(state.cta, { state: 'clicked', kind: 'checkout', text: 'Call', url: 'https://a.example/', host: undefined })
})

test('the site that a page on the way out names goes with its address, and not with the next', () => {
  const shown = (seq: number, cta: { url: string; host?: string }) =>
    told('cta', seq, { prev: seq - 1, state: 'shown', text: 'Call', ...cta })
  const through = applied(initialState(room), shown(1, { url: 'https://talks.example/leaving/1', host: 'a.example' }))
  assert.equal(through.cta.host, 'a.example')
  assert.equal(applied(through, shown(2, { url: 'https://b.example/' })).cta.host, undefined)
})

test('a question that is answered anew under the same id begins with an empty answer', () => {
  const answer = (seq: number, data: { phase: 'start' | 'sentence' | 'end'; text?: string; outcome?: string }) =>
    told('answer', seq, { prev: seq - 1, answerId: 'a', questionId: 'q', ...data })
  const asked = { prev: 0, questionId: 'q', text: 'Why?', by: { attendeeId: 'x' }, status: 'answering' }
  let state = applied(initialState(room), told('question', 1, asked))
  state = applied(state, answer(2, { phase: 'start' }))
  state = applied(state, answer(3, { phase: 'end', text: 'Because.', outcome: 'answered' }))
  state = applied(state, answer(4, { phase: 'start' }))
  const { sentences, ended, outcome } = state.questions[0]?.answer ?? {}
  assert.deepEqual({ sentences, ended, outcome }, { sentences: [], ended: false, outcome: null })
})

test('the lobby shows the time of its page until the host has set another one, and none once that was taken back', () => {
  const startsAt = '2026-11-20T12:00:00.000Z'
  const state = (seq: number, data: object) => messageOf({ seq, event: 'state', data: { seq, status: 'lobby', by: 'host', ...data } })
  const entered = applied(initialState({ ...room, startsAt }), wholeRoom(1, { run: { status: 'lobby' } }))
  assert.equal(entered.startsAt, startsAt)
  const changed = applied(applied(entered, state(2, { startsAt: 5_000 })), state(3, {}))
  assert.equal(changed.startsAt, 5_000)
  assert.equal(applied(changed, state(4, { startsAt: null })).startsAt, null)
  const late = wholeRoom(4, { run: { status: 'lobby', startsAt: null } })
  assert.equal(applied(entered, late).startsAt, null)
})
