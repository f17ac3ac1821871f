// Polls in the log of a run: what the room was asked, who answered what, and what comes of it. Pure.
import { type PollAnswer, type PollResults, type PollSoFar, resultsOf, wordKey } from '@rostrum/contract/poll'
import type { EventData } from '@rostrum/contract/room'
import { emptyRegister, type Poll, type RunState } from './run-state.ts'

export const pollIn = (state: Pick<RunState, 'polls'>, pollId: string): Poll | undefined =>
  state.polls.find((poll) => poll.pollId === pollId)

export function foldPoll(state: RunState, data: EventData<'poll'>): RunState {
  const { by: _, results: _results, quiz = false, beatId = null, until = null, right = null, ...asked } = data
  const before = pollIn(state, data.pollId)
  const { answers, hidden } = before ?? { answers: emptyRegister<PollAnswer>(), hidden: [] }
  return withPoll(state, { ...asked, quiz, beatId, until, right, answers, hidden })
}

export function foldPollAnswer(state: RunState, { pollId, attendeeId, ...answer }: EventData<'poll_answer'>): RunState {
  const poll = pollIn(state, pollId)
  return poll === undefined ? state : withPoll(state, { ...poll, answers: poll.answers.put(attendeeId, answer) })
}

export function foldPollWord(state: RunState, { pollId, word }: EventData<'poll_word'>): RunState {
  const poll = pollIn(state, pollId)
  return poll === undefined ? state : withPoll(state, { ...poll, hidden: [...poll.hidden, wordKey(word)] })
}

function withPoll(state: RunState, poll: Poll): RunState {
  const at = state.polls.findIndex(({ pollId }) => pollId === poll.pollId)
  return { ...state, polls: at === -1 ? [...state.polls, poll] : state.polls.with(at, poll) }
}

/** Once their name was erased, what they answered is somebody's: it counts on, once, and is told of nobody. The page of a kept talk folds as well. */
export function somebodyIn(pollId: string, attendeeId: string): string {
  const half = (seed: number) => {
    let hash = seed
    for (const char of `${pollId} ${attendeeId}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01_00_01_93)
    return (hash >>> 0).toString(16).padStart(8, '0')
  }
  return `somebody-${half(0x81_1c_9d_c5 | 0)}${half(0x9e_37_79_b9 | 0)}`
}

export const answererIn = ({ nameless }: Pick<RunState, 'nameless'>, pollId: string, attendeeId: string): string =>
  nameless.includes(attendeeId) ? somebodyIn(pollId, attendeeId) : attendeeId

export function withoutAnswerer(polls: readonly Poll[], attendeeId: string): readonly Poll[] {
  return polls.map((poll) => {
    if (poll.answers.get(attendeeId) === undefined) return poll
    let answers = emptyRegister<PollAnswer>()
    for (const [key, answer] of poll.answers.entries())
      answers = answers.put(key === attendeeId ? somebodyIn(poll.pollId, key) : key, answer)
    return { ...poll, answers }
  })
}

export const pollResultsOf = (poll: Poll): PollResults => resultsOf(poll, poll.answers.values())

/** As the room may see it. */
export function pollView(poll: Poll): PollSoFar {
  const { pollId, slideIndex, kind, question, options, quiz, open, until, shown, right } = poll
  return {
    pollId,
    slideIndex,
    kind,
    question,
    options,
    ...(quiz && { quiz }),
    open,
    ...(until !== null && { until }),
    shown,
    ...(shown && { results: pollResultsOf(poll), ...(right !== null && { right }) }),
  }
}

/** What comes in as it is answered: to the room how many have, to its host everything. */
export function tallyOf({ polls }: Pick<RunState, 'polls'>, isHost: boolean): ({ pollId: string } & PollResults) | undefined {
  const poll = polls.find(({ open }) => open)
  if (poll === undefined) return undefined
  const { pollId, answers } = poll
  return isHost || poll.shown ? { pollId, ...pollResultsOf(poll) } : { pollId, answers: answers.size }
}

/** What this attendee has answered. */
export function answersOf(state: Pick<RunState, 'polls' | 'nameless'>, attendeeId: string) {
  return state.polls.flatMap(({ pollId, answers, shown, right }) => {
    const answer = answers.get(answererIn(state, pollId, attendeeId))
    if (answer === undefined) return []
    return [{ pollId, ...answer, ...(shown && right !== null && { right: answer.choice === right }) }]
  })
}
