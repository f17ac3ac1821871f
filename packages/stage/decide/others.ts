// What never moves the status by a row of the table: acknowledgements, pieces of an answer, presence, votes, polls, words of the host.
import {
  answerAtOnce,
  answerIdOf,
  beginAnswer,
  joinedTo,
  joinTo,
  joinTwin,
  nameIn,
  setQuestion,
  settleMerged,
  standsFor,
  unfit,
} from './questions.ts'
import { wordKey } from '@rostrum/contract/poll'
import type { RoomCommand } from '@rostrum/contract/commands'
import { answererIn, pollIn, pollResultsOf } from '../polls.ts'
import { openedPoll, pollEvent, shownPoll } from './polls.ts'
import type { Actor, EventData, SaidClip } from '@rostrum/contract/room'
import type { Question } from '../run-state.ts'
import type { RunSettings } from '@rostrum/contract/talk'
import { clauseAt, cutBeat, type Draft, enter, type OtherInput, resumePlace, say, type TableInput } from './draft.ts'
import { finishAnswerIfSaid, hush } from './moves.ts'

/** Plays a row of the state table. */
export type Play = (input: TableInput) => void
export type Of<Kind extends RoomCommand['kind']> = RoomCommand & { kind: Kind }

// Answers that did not come through the queue: the instant private copy of a broadcast, private words, and the host's own.

type Words = Omit<EventData<'answer'>, 'phase' | 'private' | 'instant'>

/** To one attendee alone, whole; it moves nothing in the room. */
function writeTo(draft: Draft, attendeeId: string, { answerId, questionId, notice, ...words }: Words, beginsFirst = true): void {
  const common = { answerId, questionId, private: true, instant: true, ...(notice && { notice }) } as const
  if (beginsFirst) draft.emit({ type: 'answer', data: { ...common, phase: 'start' } }, attendeeId)
  draft.emit({ type: 'answer', data: { ...common, phase: 'end', ...words } }, attendeeId)
}

function giveInstantAnswer(draft: Draft, { questionId, attendeeId, text, answer }: OtherInput & { type: 'instant_answer' }): void {
  const question = draft.state.questions.get(questionId)
  if (question === undefined || question.status === 'answered' || question.status === 'hidden') return
  // One that expired with the talk is told nothing more.
  if (draft.state.closed && question.status !== 'answering') return
  const { answerId, outcome, mode, confidence, citations, suggestedActions } = answer
  writeTo(draft, attendeeId, { answerId, questionId, text, outcome, mode, confidence, citations, suggestedActions })
  if (question.isPrivate) setQuestion(draft, question, 'answered')
}

/** A word that is no answer from the deck, such as the question whether their details may be sent. */
export function tellPrivately(draft: Draft, { id: answerId, questionId, attendeeId, text, offersForm }: Of<'tell'>): void {
  const suggestedActions = offersForm ? [{ type: 'submit_lead', label: 'Leave your details' } as const] : []
  const whole = { outcome: 'handoff', mode: 'extractive', confidence: 1, citations: [], suggestedActions } as const
  writeTo(draft, attendeeId, { answerId, questionId, notice: true, text, ...whole })
}

type Sentences = readonly { text: string; clip?: SaidClip }[]

const hostsIdOf = ({ id }: Question): string => `h-${answerIdOf(id)}`

/** The host's words to the asker alone. What the room has not seen stays unseen; the question goes first, so that its answer finds it. */
function writePrivately(draft: Draft, question: Question, text: string): void {
  const { id, status, mergedInto, attendeeId } = question
  const isUnseen = status === 'pending' || status === 'declined' || status === 'hidden'
  setQuestion(draft, isUnseen ? { ...question, isPrivate: true } : question, 'answered', mergedInto === null ? {} : { mergedInto })
  const answerId = hostsIdOf(question)
  writeTo(draft, attendeeId, { answerId, questionId: id, text, outcome: 'answered', mode: 'human', confidence: 1, citations: [] }, false)
}

const noQuestion = {
  code: 'not_found',
  detail: 'There is no such question in this run. Its stream, and `GET .../questions` of its session, show their ids.',
} as const

/** The host's answer: said by the presenter where it may speak, written only where it is silent, private where the host wants it. */
export function giveOwnWords(draft: Draft, questionId: string, text: string, sentences: Sentences, isPrivate: boolean): void {
  const question = draft.state.questions.get(questionId)
  if (question === undefined) return draft.refuse(noQuestion)
  const answerId = hostsIdOf(question)
  const composed = { answerId, outcome: 'answered', mode: 'human', confidence: 1, citations: [], suggestedActions: [] } as const
  const { status } = draft.state
  if (isPrivate || question.isPrivate) {
    const joined = joinedTo([question.id], draft.state)
    writePrivately(draft, question, text)
    for (const other of joined) writePrivately(draft, other, text)
    return
  }
  if (status === 'completed' || status === 'failed') {
    return draft.refuse({ code: 'run_state', detail: 'The talk is over; answer in private instead.' })
  }
  if (status === 'handed_over') {
    setQuestion(draft, question, 'answering')
    draft.emit({ type: 'answer', data: { answerId, questionId: question.id, phase: 'start' } })
    draft.emit({
      type: 'answer',
      data: { answerId, questionId: question.id, phase: 'end', text, outcome: 'answered', mode: 'human', confidence: 1, citations: [] },
    })
    setQuestion(draft, question, 'answered')
    return settleMerged(draft, question.id)
  }
  const { returnTo } = draft.state
  hush(draft)
  beginAnswer(draft, question, status === 'answering' ? (returnTo ?? 'presenting') : status, resumePlace(draft), answerId)
  const { speed } = draft.state
  for (const [index, { text: sentence, clip }] of sentences.entries()) {
    const estMs = ownWordsMs(sentence, clip, speed)
    const said = { answerId, questionId: question.id, phase: 'sentence', index, text: sentence, estMs, ...clip, citations: [] } as const
    draft.emit({ type: 'answer', data: said })
  }
  draft.emit({ type: 'trace', data: composed }, 'host')
  finishAnswerIfSaid(draft)
}

function ownWordsMs(text: string, clip: SaidClip | undefined, speed: number): number {
  return Math.round((clip?.audioMs ?? Math.max(700, text.split(/\s+/).length * 400)) / speed)
}

/** The host speaks to the room: never over the presenter. */
export function sayAsHost(draft: Draft, id: string, sentences: Sentences): void {
  const { status } = draft.state
  if (status !== 'handed_over' && status !== 'paused' && status !== 'lobby')
    return draft.refuse({ code: 'run_state', detail: 'The presenter is speaking. Take over first (`take_over`), then say it.' })
  for (const [index, { text, clip }] of sentences.entries()) {
    draft.emit({ type: 'said', data: { saidId: `${id}:${index}`, text, estMs: ownWordsMs(text, clip, 1), ...clip } })
  }
}

const answerNames = { choice: 'choice', rating: 'rating', words: 'word' } as const

/** Once for each attendee: a later answer takes the place of the one before, until the poll is closed. `skip`: the talk goes on without one. */
export function answerPoll(draft: Draft, { kind: _kind, id: _id, attendeeId, pollId, skip, ...answer }: Of<'polls'>): void {
  const { state, setting } = draft
  const poll = pollIn(state, pollId)
  if (poll === undefined) return draft.refuse({ code: 'not_found', detail: 'This run has not asked such a poll.' })
  if (!poll.open) return draft.refuse({ code: 'run_state', detail: 'The poll is closed; no more answers are taken.' })
  if (skip === true) {
    if (setting.mode === 'isolated') return draft.emit(pollEvent({ ...poll, open: false }, 'attendee'))
    return draft.refuse({ code: 'forbidden', detail: 'A broadcast goes on by itself; `skip` is for isolated talks.' })
  }
  const name = answerNames[poll.kind]
  const value = answer[name]
  const isOther = Object.keys(answer).some((each) => each !== name)
  if (value === undefined || isOther || (name === 'choice' && Number(value) >= poll.options.length)) {
    const wanted = name === 'choice' ? `\`choice\`, 0 to ${poll.options.length - 1}` : name === 'rating' ? '`rating`, 1 to 5' : 'a `word`'
    return draft.refuse({ code: 'invalid_request', detail: `Answer this poll with ${wanted}, and nothing else.` })
  }
  if (name === 'word' && unfit(String(value)) !== undefined)
    return draft.refuse({ code: 'invalid_request', detail: 'A room is not shown such a word, or a link. Send another.' })
  const answerer = answererIn(state, pollId, attendeeId)
  if (poll.answers.get(answerer)?.[name] === value) return
  draft.emit({ type: 'poll_answer', data: { pollId, attendeeId: answerer, [name]: value } }, 'log')
}

/** The host asks a poll of the script whenever they like, ends it, shows what came of it, and takes a word out. */
export function leadPoll(draft: Draft, action: 'open_poll' | 'close_poll' | 'show_poll' | 'hide_word', pollId: string, word = ''): void {
  const { state, setting } = draft
  const poll = pollIn(state, pollId)
  if (action === 'open_poll') {
    const beat = setting.talk.beats.find((each) => each.poll?.pollId === pollId)
    if (beat === undefined) return draft.refuse({ code: 'not_found', detail: 'The script has no such poll.' })
    if (poll?.shown === true) return draft.refuse({ code: 'run_state', detail: 'Its results have been shown: it cannot be asked again.' })
    if (poll?.open === true) return
    for (const event of openedPoll(state, beat, { by: 'host', beatId: null, until: null })) draft.emit(event)
    return
  }
  if (poll === undefined)
    return draft.refuse({ code: 'not_found', detail: 'This run has not asked such a poll: open it first (`open_poll`).' })
  if (action === 'hide_word') {
    const key = wordKey(word)
    const isThere = pollResultsOf(poll).words?.some((each) => wordKey(each.word) === key) ?? false
    if (!isThere) return draft.refuse({ code: 'not_found', detail: 'The results have no such word.' })
    draft.emit({ type: 'poll_word', data: { pollId, word: key } }, 'log')
    const after = pollIn(draft.state, pollId)
    if (after?.shown === true) draft.emit(pollEvent(after, 'host'))
    return
  }
  if (action === 'close_poll') return poll.open ? draft.emit(pollEvent({ ...poll, open: false }, 'host')) : undefined
  // Who knows the right answer need not be asked any more.
  if (!poll.shown) draft.emit(pollEvent(shownPoll(poll, setting.talk, poll.open && !poll.quiz), 'host'))
}

/** What comes of work that was under way, and of changed settings. Nothing but an answer in writing is news once the room is closed. */
export function playOther(draft: Draft, input: Exclude<OtherInput, { type: 'tick' }>, play: Play): void {
  const { state } = draft
  if (state.closed && input.type !== 'instant_answer') return
  switch (input.type) {
    case 'answer_sentence': {
      const { answerId, index, text, estMs, citations, clip } = input
      if (state.answer?.answerId !== answerId || state.answer.composed !== null || index !== state.answer.sentences.length) return
      const { questionId } = state.answer
      return draft.emit({ type: 'answer', data: { answerId, questionId, phase: 'sentence', index, text, estMs, ...clip, citations } })
    }
    case 'answer_composed':
      if (state.answer?.answerId !== input.answer.answerId || state.answer.composed !== null) return
      draft.emit({ type: 'trace', data: input.answer }, 'host')
      return finishAnswerIfSaid(draft)
    case 'instant_answer':
      return giveInstantAnswer(draft, input)
    case 'settings':
      return takeSettings(draft, input.settings, play)
  }
}

/** A state event that changes something beside the status. */
export function keepStatus(draft: Draft, by: Actor, extra: Partial<EventData<'state'>>): void {
  const { status, windowUntil } = draft.state
  enter(draft, status, by, { ...extra, ...(windowUntil === null ? {} : { windowUntil }) })
}

/** The attendee goes on after having stopped the voice themselves. */
export function takeUpAgain(draft: Draft, beatId: string): void {
  const { status, speaking, cursor } = draft.state
  if (speaking !== null || cursor === null || cursor.done || cursor.beatId !== beatId) return
  const place = resumePlace(draft)
  if ((status === 'presenting' || status === 'closing') && place !== null) say(draft, place)
}

/** What was acknowledged was heard, also when the acknowledgement comes after the cut that it explains. */
export function cutByAttendee(draft: Draft, beatId: string, chars: number, ms: number | undefined): void {
  const { speaking, cursor } = draft.state
  if (speaking?.beatId === beatId) return cutBeat(draft, chars, ms)
  const beat = draft.setting.order.beat(beatId)
  if (beat === undefined || speaking !== null || cursor === null || cursor.done || cursor.beatId !== beatId || draft.state.closed) return
  const clause = clauseAt(beat, chars)
  if (clause <= cursor.clause) return
  const { slideIndex, index, kind, text } = beat
  const spokenChars = Math.min(chars, text.length)
  draft.emit({ type: 'beat', data: { beatId, slideIndex, index, kind, phase: 'cut', spokenChars, clause } })
}

export function moderateByHost(draft: Draft, action: 'hide_question' | 'approve_question', questionId: string, play: Play): void {
  const question = draft.state.questions.get(questionId)
  if (question === undefined) return draft.refuse(noQuestion)
  if (action === 'hide_question') {
    if (draft.state.answer?.questionId === question.id) play({ type: 'skip_answer', by: 'host' })
    const now = draft.state.questions.get(question.id) ?? question
    if (now.status !== 'hidden') setQuestion(draft, now, 'hidden')
    return
  }
  if (question.status !== 'pending' && question.status !== 'hidden') return
  const { id, text, attendeeId, name, slideIndex, isPrivate } = question
  if (isPrivate && draft.setting.mode === 'broadcast') {
    setQuestion(draft, question, 'answering')
    return answerAtOnce(draft, question)
  }
  if (draft.setting.mode === 'broadcast' && joinTwin(draft, question)) return
  if (draft.state.status === 'handed_over') return setQuestion(draft, question, 'queued')
  play({ type: 'ask', question: { id, text, attendeeId, name, interrupt: false, isPrivate, slideIndex } })
}

/** Two that wait and ask the same become one, as the host reads them. */
export function mergeByHost(draft: Draft, questionId: string, intoId: string): void {
  const [question, target] = [draft.state.questions.get(questionId), draft.state.questions.get(intoId)]
  if (question === undefined || target === undefined || question === target)
    return draft.refuse({ code: 'not_found', detail: 'Name two questions of this run.' })
  if (question.status === 'merged' && question.mergedInto === target.id) return
  const waits = ({ status, isPrivate }: Question) => !isPrivate && (status === 'queued' || status === 'pending')
  if (!waits(question) || !waits(target)) return draft.refuse({ code: 'run_state', detail: 'Only questions that wait can be joined.' })
  joinTo(draft, question, target)
}

export function vote(draft: Draft, input: Of<'votes'>): void {
  const question = standsFor(input.questionId, draft.state)
  if (question === undefined || question.status === 'pending' || question.status === 'hidden' || question.isPrivate) {
    return draft.refuse(noQuestion)
  }
  if (question.attendeeId === input.attendeeId || question.voters.includes(input.attendeeId) === (input.value === 1)) return
  draft.emit({ type: 'vote', data: { questionId: question.id, attendeeId: input.attendeeId, value: input.value } }, 'log')
  const counted = draft.state.questions.get(question.id)
  if (counted !== undefined) setQuestion(draft, counted, counted.status)
}

export function openVisit(draft: Draft, input: Of<'visit'>, play: Play): void {
  const { attendeeId, attendeeKind: kind } = input
  const name = nameIn(draft.state, input)
  const before = draft.state.attendees.get(attendeeId)
  if (before?.isPresent === true) return
  const visit = (before?.visit ?? 0) + 1
  draft.emit({ type: 'visit', data: { attendeeId, visit, phase: 'opened', name, kind, since: draft.now } }, 'log')
  const { mode, session } = draft.setting
  const startsAlone = session.startPolicy === 'first_attendee' || draft.setting.kind === 'rehearsal'
  if (mode === 'broadcast' && draft.state.status === 'lobby' && startsAlone) play({ type: 'start', by: 'system' })
}

/**
 * The lobby is told of another time than it was told last: its presenter may know it already, having just taken the run. Whoever waits
 * has come already, should the first attendee begin the talk now.
 */
function takeSettings(draft: Draft, { startsAt, startPolicy }: RunSettings, play: Play): void {
  const { state, setting } = draft
  if (setting.mode !== 'broadcast' || setting.kind !== 'live' || state.startedAt !== null) return
  if (startsAt !== state.startsAt) keepStatus(draft, state.pausedBy ?? 'host', { reason: 'settings', startsAt })
  if (state.status === 'lobby' && startPolicy === 'first_attendee' && state.present > 0) play({ type: 'start', by: 'system' })
}

type Closing = Pick<Of<'gone'>, 'attendeeId' | 'since' | 'reason'>

export function closeVisit(draft: Draft, { attendeeId, since, reason }: Closing, play: Play): void {
  const before = draft.state.attendees.get(attendeeId)
  if (before?.isPresent === true) {
    const { visit, name, kind } = before
    draft.emit({ type: 'visit', data: { attendeeId, visit, phase: 'closed', name, kind, since, reason } }, 'log')
  }
  if (reason !== 'left') return
  if (draft.setting.mode === 'isolated') play({ type: 'leave', attendeeId })
  else draft.emit({ type: 'closed', data: { reason: 'left' } }, attendeeId)
}
