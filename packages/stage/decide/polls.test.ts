// A poll in its talk: asked and waited for, shown with the words of what came of it; led by the host, answered in an isolated talk.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signalOf } from '@rostrum/answers/intents'
import { askingTalk, sampleSession } from '../../../test/support/sample-talk.ts'
import { languageTags } from '@rostrum/languages/languages'
import type { RunEvent } from '@rostrum/contract/room'
import type { PollAnswer } from '@rostrum/contract/poll'
import { pollIn } from '../polls.ts'
import { emptyRegister, initialState, type RunState } from '../run-state.ts'
import { type Input, orderOf, type Setting } from './draft.ts'
import { decide, nextDue } from './machine.ts'
import { resultWords } from './polls.ts'

const start = Date.UTC(2026, 10, 20, 12)

function room(mode: 'isolated' | 'broadcast') {
  const talk = askingTalk()
  const session = sampleSession({ mode, ctaRules: [] })
  const setting: Setting = {
    runId: 'run',
    kind: 'live',
    mode,
    session,
    talk,
    order: orderOf(talk),
    showsInterest: (text) => signalOf(text) !== undefined,
    questionWindowMs: 15_000,
  }
  let state: RunState = initialState(start)
  let now = start
  const events: RunEvent[] = []
  const play = (input: Input) => {
    const draft = decide(state, input, setting, { now, epoch: 1, streamOpen: true })
    state = draft.state
    events.push(...draft.events)
    return draft.refusal
  }
  /** Time passes until the next sentence has begun, or nothing is due any more. */
  const next = (): string | undefined => {
    const before = state.speaking?.beatId
    for (let turn = 0; turn < 20; turn++) {
      const due = nextDue(state, setting, true)
      if (due === null || due.at > now + 60_000) return undefined
      now = Math.max(now, due.at)
      play({ type: 'tick' })
      if (state.speaking !== null && state.speaking.beatId !== before) return state.speaking.beatId
    }
    return undefined
  }
  const until = (beatId: string) => {
    for (let turn = 0; turn < 60 && state.speaking?.beatId !== beatId; turn++) if (next() === undefined) break
    assert.equal(state.speaking?.beatId, beatId)
  }
  const hear = () => play({ type: 'beat_done', utterance: state.speaking?.beatId ?? '', heard: true })
  const answer = (attendeeId: string, given: PollAnswer | null, pollId = 'quiz') =>
    play({ kind: 'polls', id: attendeeId, attendeeId, pollId, ...(given ?? { skip: true }) })
  const visit = () => play({ kind: 'visit', id: 'v', attendeeId: 'ada', name: null, attendeeKind: 'human' })
  const said = () => events.findLast((event) => event.type === 'beat' && event.data.phase === 'start')?.data
  return {
    play,
    next,
    until,
    hear,
    answer,
    visit,
    said,
    events,
    pass: (ms: number) => void (now += ms),
    get: () => state,
    at: () => now - start,
    setting,
  }
}

test('a broadcast waits its time for answers, then shows them and says in words what came of it', () => {
  const { play, next, until, answer, said, events, get, at } = room('broadcast')
  play({ type: 'start', by: 'host' })
  until('ask-quiz')
  const asked = at()
  for (const [who, choice] of [
    ['ada', 0],
    ['bob', 1],
    ['eve', 1],
    ['ada', 2],
  ] as const)
    assert.equal(answer(who, { choice }), null)
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'poll' ? [event.data] : [])),
    [
      {
        pollId: 'quiz',
        slideIndex: 0,
        kind: 'choice',
        question: 'How many bolts?',
        options: ['Two', 'Three', 'Four'],
        quiz: true,
        open: true,
        until: start + asked + 21_500,
        shown: false,
        by: 'script',
        beatId: 'ask-quiz',
      },
    ],
  )
  assert.equal(next(), 'result-quiz')
  assert.equal(at() - asked, 21_500)
  const shown = events.findLast((event) => event.type === 'poll')?.data
  assert.deepEqual(shown && 'results' in shown && { ...shown.results, right: shown.right, open: shown.open }, {
    answers: 3,
    counts: [0, 2, 1],
    right: 1,
    open: false,
  })
  assert.match(JSON.stringify(said()), /"The right answer is Three; 67 percent of you knew it\."/)
  assert.deepEqual(answer('bob', { choice: 0 }), { code: 'run_state', detail: 'The poll is closed; no more answers are taken.' })
  assert.equal(pollIn(get(), 'quiz')?.answers.size, 3)
})

test('after an interruption the question is asked again, and what was answered stays', () => {
  const { play, until, answer, next, pass, get } = room('broadcast')
  play({ type: 'start', by: 'host' })
  until('ask-quiz')
  pass(3_000)
  play({ type: 'tick' })
  answer('ada', { choice: 1 })
  play({ type: 'pause', by: 'host' })
  pass(5_000)
  play({ type: 'resume', by: 'host' })
  assert.equal(get().speaking?.beatId, 'ask-quiz')
  assert.equal(pollIn(get(), 'quiz')?.answers.size, 1)
  assert.equal(next(), 'result-quiz')
})

test('a presenter that takes the run over while its room answers waits on, and asks nobody again', () => {
  const { play, until, next, pass, at, events } = room('broadcast')
  play({ type: 'start', by: 'host' })
  until('ask-quiz')
  const asked = at()
  pass(5_000)
  play({ type: 'tick' })
  play({ type: 'lease_gained' })
  assert.equal(next(), 'result-quiz')
  assert.equal(at() - asked, 21_500)
  assert.equal(
    events.filter((event) => event.type === 'beat' && event.data.beatId === 'ask-quiz' && event.data.phase === 'start').length,
    1,
  )
})

test('an isolated talk waits for the answer of its attendee, or for a skip, however long', () => {
  for (const [given, words] of [
    [{ choice: 1 }, 'That is right, Three.'],
    [{ choice: 0 }, 'The right answer is Three.'],
    [null, 'The right answer is Three.'],
  ] as const) {
    const { play, visit, hear, answer, said, get, setting } = room('isolated')
    visit()
    play({ type: 'start', by: 'attendee' })
    while (get().speaking?.beatId !== 'ask-quiz') {
      hear()
      play({ type: 'tick' })
    }
    hear()
    assert.equal(nextDue(get(), setting, true), null, 'nothing is due but the answer')
    answer('ada', given)
    play({ type: 'tick' })
    assert.match(JSON.stringify(said()), new RegExp(words))
  }
})

test('a question between does not end the wait of an isolated talk', () => {
  const { play, visit, hear, answer, get } = room('isolated')
  visit()
  play({ type: 'start', by: 'attendee' })
  while (get().speaking?.beatId !== 'ask-quiz') {
    hear()
    play({ type: 'tick' })
  }
  hear()
  const question = { id: 'q', text: 'What for?', attendeeId: 'ada', name: null, interrupt: true, isPrivate: false, slideIndex: null }
  play({ kind: 'questions', ...question })
  assert.equal(get().status, 'answering')
  play({ type: 'skip_answer', by: 'attendee' })
  assert.equal(get().speaking?.beatId, 'ask-quiz')
  answer('ada', { choice: 1 })
  hear()
  play({ type: 'tick' })
  assert.equal(get().speaking?.beatId, 'result-quiz')
})

test('the host asks a poll early, shows it and hides a word; the script asks it no more', () => {
  const { play, until, answer, next, get, events } = room('broadcast')
  play({ type: 'start', by: 'host' })
  const lead = (action: 'open_poll' | 'close_poll' | 'show_poll' | 'hide_word', pollId = 'words') =>
    play({ kind: 'host', id: action, attendeeId: null, by: 'Ada', action, pollId, word: 'BOLTS' })
  assert.equal(lead('show_poll')?.code, 'not_found')
  assert.equal(lead('open_poll'), null)
  answer('ada', { word: 'Bolts' }, 'words')
  answer('bob', { word: 'bolts' }, 'words')
  answer('eve', { word: 'steel' }, 'words')
  assert.match(answer('eve', { choice: 1 }, 'words')?.detail ?? '', /Answer this poll with a `word`/)
  assert.equal(lead('show_poll'), null)
  const shown = () => events.findLast((event) => event.type === 'poll')?.data
  assert.match(JSON.stringify(shown()), /"words":\[\{"word":"Bolts","count":2\},\{"word":"steel","count":1\}\]/)
  lead('hide_word')
  assert.match(JSON.stringify(shown()), /"words":\[\{"word":"steel","count":1\}\]/)
  // Another poll of the script begins: this one is closed.
  until('ask-quiz')
  assert.equal(pollIn(get(), 'words')?.open, false)
  for (let beat = next(); beat !== undefined && beat !== 'result-words'; beat = next()) assert.notEqual(beat, 'ask-words')
  assert.equal(lead('open_poll')?.code, 'run_state')
})

test('a talk that is led elsewhere closes what it asked, and shows nothing', () => {
  const { play, until, get } = room('broadcast')
  play({ type: 'start', by: 'host' })
  until('ask-quiz')
  play({ type: 'move', to: { type: 'goto', slideIndex: 2 }, by: 'host' })
  const { open, shown } = pollIn(get(), 'quiz') ?? {}
  assert.deepEqual({ open, shown }, { open: false, shown: false })
})

test('what came of a poll is said in every language, with its figures', () => {
  const { play, until, answer, get, setting } = room('broadcast')
  play({ type: 'start', by: 'host' })
  until('ask-quiz')
  answer('ada', { choice: 1 })
  const poll = pollIn(get(), 'quiz')
  assert.ok(poll)
  for (const language of languageTags()) {
    assert.match(resultWords(poll, setting.talk, language, 'broadcast'), /Three.*100|100.*Three/su, language)
    const open = { ...setting.talk, beats: [] }
    assert.match(resultWords(poll, open, language, 'broadcast'), /100.*Three|Three.*100/su, language)
    assert.match(resultWords(poll, setting.talk, language, 'isolated'), /Three/u, language)
    assert.ok(resultWords({ ...poll, answers: emptyRegister() }, open, language, 'broadcast').length > 5, language)
  }
})
