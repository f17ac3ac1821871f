// Random inputs for a run, for property tests of the machine: every row of the state table and everything beside it.
import fc from 'fast-check'
import type { Ack } from '@rostrum/contract/commands'
import type { Input } from '@rostrum/stage/decide/draft'
import type { TalkControl } from '@rostrum/contract/answer'
import type { RunState } from '@rostrum/stage/run-state'

/** An input as a function of the state, so that acknowledgements and answers can name what is open. */
export interface Step {
  waitMs: number
  make(state: RunState): Input
  label: string
}

const by = fc.constantFrom('attendee' as const, 'host' as const, 'system' as const)
const attendeeId = fc.constantFrom('ada', 'bob', 'eve')
const questionId = fc.integer({ min: 0, max: 11 }).map((n) => `q${n}`)
const questionText = fc.constantFrom(
  'How many bolts?',
  'How many bolts are there?',
  'What does it cost?',
  'Who fits it?',
  'See www.example.com now',
)

const utteranceOf = (state: RunState): string =>
  state.answer === null ? (state.speaking?.beatId ?? 'beat-0') : `${state.answer.answerId}:${state.answer.heard}`

const pollId = fc.constantFrom('quiz', 'words', 'rating', 'none')

/** What every command of an attendee, and of the host, has. */
const said = <Kind extends string>(kind: Kind) => ({ kind: fc.constant(kind), id: fc.constantFrom('s-1', 's-2'), attendeeId })
const led = { ...said('host'), attendeeId: fc.constant(null), by: fc.constant('host') }

const plain: fc.Arbitrary<Input> = fc.oneof(
  fc.record({ type: fc.constant('start' as const), by }),
  fc.record({ type: fc.constant('finish' as const), by }),
  fc.record({ type: fc.constant('pause' as const), by }),
  fc.record({ type: fc.constant('resume' as const), by }),
  fc.record({ type: fc.constant('skip_answer' as const), by }),
  fc.record({ type: fc.constant('take_over' as const), by: fc.constant('host' as const) }),
  fc.record({ type: fc.constant('hand_back' as const), by: fc.constant('host' as const) }),
  fc.record({ type: fc.constant('end' as const), by: fc.constant('host' as const) }),
  fc.constant<Input>({ type: 'lease_gained' }),
  fc.constant<Input>({ type: 'fault' }),
  fc.constant<Input>({ type: 'tick' }),
  fc.record({ type: fc.constant('leave' as const), attendeeId }),
  fc.record({ ...said('control'), action: fc.constant('speed' as const), speed: fc.constantFrom(0.75, 1, 2) }),
  fc.record({ ...said('control'), action: fc.constantFrom('raise_hand' as const, 'lower_hand' as const) }),
  fc.record({ ...said('visit'), name: fc.constant(null), attendeeKind: fc.constant('human' as const) }),
  fc.record({ ...said('cta'), action: fc.constantFrom('click' as const, 'dismiss' as const) }),
  fc.record({ ...said('votes'), questionId, value: fc.constantFrom(0 as const, 1 as const) }),
  fc.record(said('erase')),
  fc.record({ ...led, action: fc.constantFrom('hide_question' as const, 'approve_question' as const), questionId }),
  fc.record({ ...led, action: fc.constant('merge_question' as const), questionId, intoId: questionId }),
  fc.record({
    ...led,
    action: fc.constant('answer_text' as const),
    questionId,
    text: fc.constant('It takes two bolts.'),
    sentences: fc.constantFrom(
      [{ text: 'It takes two bolts.' }],
      [{ text: 'It takes' }, { text: 'two bolts.', clip: { audioUrl: '/media/a.mp3', audioMs: 900 } }],
    ),
    private: fc.boolean(),
  }),
  fc.record({
    ...led,
    action: fc.constant('say' as const),
    sentences: fc.constantFrom([{ text: 'Good morning.' }], [{ text: '', clip: { audioUrl: '/media/a.wav', audioMs: 1_200 } }]),
  }),
  fc
    .tuple(
      fc.record({ ...said('polls'), pollId }),
      fc.constantFrom(
        { choice: 0 },
        { choice: 1 },
        { choice: 7 },
        { rating: 2 },
        { rating: 5 },
        { word: 'Bolts' },
        { word: 'fuck' },
        {},
        { skip: true as const },
      ),
    )
    .map(([asked, answer]) => ({ ...asked, ...answer })),
  fc.record({
    ...led,
    action: fc.constantFrom('open_poll' as const, 'close_poll' as const, 'show_poll' as const, 'hide_word' as const),
    pollId,
    word: fc.constant('bolts'),
  }),
  fc.record({
    kind: fc.constant('host_stream' as const),
    id: fc.constant('h'),
    attendeeId: fc.constant(null),
    present: fc.boolean(),
    node: fc.constantFrom('one', 'another'),
  }),
  fc.record({
    type: fc.constant('move' as const),
    by,
    to: fc.oneof(
      fc.record({ type: fc.constant('goto' as const), slideIndex: fc.integer({ min: -1, max: 4 }) }),
      fc.constantFrom({ type: 'next' as const }, { type: 'previous' as const }, { type: 'repeat' as const }),
    ),
  }),
)

const fixed = plain.map((input) => ({ make: () => input, label: JSON.stringify(input) }))

const ask = fc
  .record({ id: questionId, text: questionText, attendeeId, interrupt: fc.boolean(), isPrivate: fc.boolean() })
  .map((question) => ({
    make: (): Input => ({ kind: 'questions', ...question, name: null, slideIndex: null }),
    label: JSON.stringify(question),
  }))

const control: fc.Arbitrary<TalkControl | null> = fc.option(
  fc.oneof(
    fc.record({ action: fc.constant('goto' as const), slideIndex: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ action: fc.constantFrom('repeat', 'slower', 'faster', 'pause', 'resume', 'next', 'previous') }),
  ),
  { freq: 2 },
)

const acks = (...of: Ack[]): Input => ({ kind: 'acks', id: 'k', attendeeId: 'ada', acks: of })

const bound = fc.oneof(
  fc
    .boolean()
    .map((heard) => ({ make: (state: RunState): Input => ({ type: 'beat_done', utterance: utteranceOf(state), heard }), label: 'done' })),
  fc.nat(60).map((chars) => ({
    make: (state: RunState): Input => acks({ beatId: utteranceOf(state), phase: 'cut', chars }),
    label: `cut ${chars}`,
  })),
  fc.constant({
    make: (state: RunState): Input => acks({ beatId: state.cursor?.beatId ?? 'beat-0', phase: 'started' }),
    label: 'begun',
  }),
  fc.constant({
    make: (state: RunState): Input => ({
      type: 'answer_sentence',
      answerId: state.answer?.answerId ?? 'a-q0',
      index: state.answer?.sentences.length ?? 0,
      text: 'Slide 1 says: "2 bolts".',
      estMs: 900,
      citations: [],
    }),
    label: 'sentence',
  }),
  fc.tuple(fc.constantFrom('answered' as const, 'unknown' as const), control).map(([outcome, wish]) => ({
    make: (state: RunState): Input => ({
      type: 'answer_composed',
      answer: {
        answerId: state.answer?.answerId ?? 'a-q0',
        outcome,
        mode: 'extractive',
        confidence: 0.9,
        citations: [],
        suggestedActions: [],
        ...(wish === null ? {} : { control: wish }),
      },
    }),
    label: `${outcome} ${JSON.stringify(wish)}`,
  })),
  attendeeId.map((id) => ({
    make: (): Input => ({ kind: 'gone', id, attendeeId: id, since: 0, reason: 'disconnected' }),
    label: `gone ${id}`,
  })),
)

const wait = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6_000 }), fc.integer({ min: 20_000, max: 200_000 }))

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc
    .tuple(wait, fc.oneof({ weight: 3, arbitrary: fixed }, { weight: 2, arbitrary: ask }, { weight: 6, arbitrary: bound }))
    .map(([waitMs, step]) => ({ waitMs, ...step })),
  { maxLength: 60 },
)
