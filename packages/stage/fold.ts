// The pure reducer of a run: `fold(state, event)` is the state after the event. It never reads the clock and never decides; the
// room at `seq` n is the fold of the first n events, on every node and after every restart.
import type { QuestionStatus } from '@rostrum/contract/answer'
import type { EventData, NewRunEvent, RunEvent, SaidClip } from '@rostrum/contract/room'
import {
  activeMs,
  type Attendance,
  emptyRegister,
  type GivenAnswer,
  heardMs,
  isActive,
  type OpenAnswer,
  type Question,
  type RunState,
} from './run-state.ts'
import { foldPoll, foldPollAnswer, foldPollWord, withoutAnswerer } from './polls.ts'

// Folds the one answer that is being given into the state of a run. Private words beside it, such as the instant answers of a
// broadcast, move nothing: they are kept for their asker's snapshot until the next answer is there.

const historyMax = 6

function foldAnswer(state: RunState, data: EventData<'answer'>, at: number): RunState {
  if (data.instant === true) return data.phase === 'end' ? keepInstant(state, data) : state
  if (data.phase === 'start') {
    const answer: OpenAnswer = {
      answerId: data.answerId,
      questionId: data.questionId,
      startedAt: at,
      sentences: [],
      heard: 0,
      sentenceSince: at,
      composed: null,
      isPrivate: data.private === true,
    }
    return { ...state, answer }
  }
  const open = state.answer
  if (open === null || open.answerId !== data.answerId) return state
  if (data.phase === 'sentence') {
    const clip = clipIn(data)
    const sentence = { text: data.text ?? '', estMs: data.estMs ?? 0, ...(clip && { clip }), citations: data.citations ?? [] }
    const sentenceSince = open.heard === open.sentences.length ? at : open.sentenceSince
    return { ...state, answer: { ...open, sentences: [...open.sentences, sentence], sentenceSince } }
  }
  const { text: question = '', attendeeId = '' } = state.questions.get(open.questionId) ?? {}
  const slides = (data.citations ?? []).flatMap(({ type, index }) => (type === 'slide' ? [index] : []))
  const answered = [...state.answered, { question, answer: data.text ?? '', slides, attendeeId }].slice(-historyMax)
  return { ...keepAnswer(state, data), answer: null, answered, answersInRow: state.answersInRow + 1 }
}

function keepAnswer(state: RunState, data: EventData<'answer'>): RunState {
  const question = state.questions.get(data.questionId)
  if (question === undefined) return state
  return { ...state, questions: state.questions.put(question.id, { ...question, answer: givenIn(data), instant: null }) }
}

/** Words of the service have a place of their own. To a private question that is not being answered others are the answer. */
function keepInstant(state: RunState, data: EventData<'answer'>): RunState {
  const question = state.questions.get(data.questionId)
  if (question === undefined) return state
  if (data.notice === true) return { ...state, questions: state.questions.put(question.id, { ...question, notice: givenIn(data) }) }
  if (question.isPrivate && state.answer?.questionId !== question.id) return keepAnswer(state, data)
  return { ...state, questions: state.questions.put(question.id, { ...question, instant: givenIn(data) }) }
}

function givenIn(data: EventData<'answer'>): GivenAnswer {
  const { answerId, outcome = 'answered', mode = 'extractive', text = '', citations = [], suggestedActions = [] } = data
  return { answerId, outcome, mode, text, citations, suggestedActions }
}

/**
 * What its asker heard: its own answer, or that of the nearest question it was joined to. One that was answered may be let in again and
 * joined to a third, and neither its asker nor those who were joined to it before asked that.
 */
export function answerTo({ answer, mergedInto }: Question, state: RunState): GivenAnswer | null {
  const next = answer === null && mergedInto !== null ? state.questions.get(mergedInto) : undefined
  return next === undefined ? answer : answerTo(next, state)
}

function foldTrace(state: RunState, data: EventData<'trace'>): RunState {
  if (state.answer === null || state.answer.answerId !== data.answerId) return state
  const { answerId: _id, trace: _trace, ...composed } = data
  return { ...state, answer: { ...state.answer, composed } }
}

function foldHeard(state: RunState, data: EventData<'heard'>, at: number): RunState {
  const open = state.answer
  if (open === null || open.answerId !== data.answerId || data.index !== open.heard) return state
  return { ...state, answer: { ...open, heard: open.heard + 1, sentenceSince: at } }
}

// Folds questions and votes into the state of a run.

const waits = (status: QuestionStatus): boolean => status === 'queued'

function foldQuestion(state: RunState, data: EventData<'question'>, at: number): RunState {
  const before = state.questions.get(data.questionId)
  const question: Question = {
    id: data.questionId,
    text: data.text,
    attendeeId: data.by.attendeeId,
    name: data.by.name,
    status: data.status,
    mergedInto: data.mergedInto ?? null,
    votes: data.votes,
    voters: before?.voters ?? [],
    slideIndex: data.slideIndex,
    isPrivate: data.private === true,
    askedAt: before?.askedAt ?? at,
    order: before?.order ?? state.questionsCount,
    // Let in again, it is answered anew.
    answer: waits(data.status) && before?.status !== data.status ? null : (before?.answer ?? null),
    instant: before?.instant ?? null,
    notice: before?.notice ?? null,
  }
  return {
    ...state,
    questions: state.questions.put(data.questionId, question),
    questionsCount: state.questionsCount + (before === undefined ? 1 : 0),
    waiting: waitingAfter(state.waiting, data),
  }
}

/** A question that waits keeps its place, whatever else of it changes. */
function waitingAfter(waiting: RunState['waiting'], { questionId, status }: EventData<'question'>): RunState['waiting'] {
  if (!waits(status)) return waiting.filter((id) => id !== questionId)
  return waiting.includes(questionId) ? waiting : [...waiting, questionId]
}

function foldVote(state: RunState, data: EventData<'vote'>): RunState {
  const question = state.questions.get(data.questionId)
  if (question === undefined) return state
  const others = question.voters.filter((id) => id !== data.attendeeId)
  const voters = data.value === 1 ? [...others, data.attendeeId] : others
  return {
    ...state,
    questions: state.questions.put(question.id, { ...question, voters, votes: question.votes + voters.length - question.voters.length }),
  }
}

const captionsMax = 20

export function fold(state: RunState, event: RunEvent): RunState {
  const next = apply(state, event)
  const roomSeq = event.audience === 'room' ? event.seq : state.roomSeq
  return { ...next, seq: event.seq, epoch: event.epoch, roomSeq }
}

function apply(state: RunState, event: NewRunEvent & { at: number }): RunState {
  switch (event.type) {
    case 'slide': {
      const { index } = event.data
      const slidesPassed = state.slidesPassed.includes(index) ? state.slidesPassed : [...state.slidesPassed, index]
      return { ...state, slideIndex: index, slidesPassed }
    }
    case 'beat':
      return foldBeat(state, event.data, event.at)
    case 'state':
      return foldState(state, event.data, event.at)
    case 'question':
      return foldQuestion(state, event.data, event.at)
    case 'answer':
      return foldAnswer(state, event.data, event.at)
    case 'trace':
      return foldTrace(state, event.data)
    case 'heard':
      return foldHeard(state, event.data, event.at)
    case 'cta':
      return foldCta(state, event.data, event.audience, event.at)
    case 'visit':
      return foldVisit(state, event.data, event.at)
    case 'intent':
      return foldSignal(state, event.data)
    case 'reaction':
      return foldReaction(state, event.data, event.at)
    case 'rating':
      return { ...state, ratingOf: state.ratingOf.put(event.data.attendeeId, event.data.rating) }
    case 'vote':
      return foldVote(state, event.data)
    case 'poll':
      return foldPoll(state, event.data)
    case 'poll_answer':
      return foldPollAnswer(state, event.data)
    case 'poll_word':
      return foldPollWord(state, event.data)
    case 'lead':
      return state.leadOf.includes(event.data.attendeeId) ? state : { ...state, leadOf: [...state.leadOf, event.data.attendeeId] }
    case 'erased':
      return foldErased(state, event.data)
    case 'audit':
      return { ...state, hostSeenAt: event.at }
    case 'host':
      return foldHost(state, event.data, event.at)
    case 'said':
      return state
    case 'closed':
      // Told to one attendee alone, it is they who have left; the room goes on.
      return event.audience === 'room' ? { ...state, closed: true } : state
  }
}

function foldHost(state: RunState, { present, node = '' }: EventData<'host'>, at: number): RunState {
  const others = state.hostNodes.filter((each) => each !== node)
  return { ...state, hostNodes: present ? [...others, node] : others, hostSeenAt: at }
}

function foldBeat(state: RunState, data: EventData<'beat'>, at: number): RunState {
  if (data.phase === 'start') {
    const { beatId, slideIndex, index, kind, clause = 0, startedAt = at, estMs = 0, text = '' } = data
    const clip = clipIn(data)
    const speaking = { beatId, slideIndex, index, kind, clause, startedAt, estMs, textLength: text.length, ...(clip && { clip }) }
    const captions = [...state.captions.filter((caption) => caption.beatId !== beatId), { beatId, slideIndex, text, at }].slice(
      -captionsMax,
    )
    const cursor = { beatId, slideIndex, clause, done: false }
    return { ...state, speaking, cursor, captions, answersInRow: 0, answeringSince: null }
  }
  const clause = data.phase === 'cut' ? (data.clause ?? 0) : 0
  const from = data.phase === 'cut' && data.spokenMs !== undefined ? { audioFromMs: data.spokenMs } : {}
  const cursor = { beatId: data.beatId, slideIndex: data.slideIndex, clause, ...from, done: data.phase !== 'cut' }
  return { ...state, speaking: null, cursor, silentSince: at }
}

function foldState(state: RunState, data: EventData<'state'>, at: number): RunState {
  const { status, resumeAt } = data
  const changed = status !== state.status
  const startedAt = state.startedAt ?? (status === 'presenting' ? at : null)
  const ended = status === 'completed' && state.endedAt === null
  const activeMs = state.activeMs + (state.activeSince === null ? 0 : Math.max(0, at - state.activeSince))
  return {
    ...state,
    status,
    startedAt,
    speed: data.speed ?? state.speed,
    isBrief: data.brief ?? state.isBrief,
    reason: data.reason ?? (changed ? null : state.reason),
    statusSince: changed ? at : state.statusSince,
    returnTo: data.returnTo ?? (status === 'answering' || status === 'paused' ? state.returnTo : null),
    pausedBy: status === 'paused' ? data.by : status === 'answering' ? state.pausedBy : null,
    isEndedEarly: state.isEndedEarly || (status === 'closing' && data.reason === 'ended'),
    windowUntil: status === 'closing' ? (data.windowUntil ?? null) : null,
    ...(data.startsAt === undefined ? {} : { startsAt: data.startsAt }),
    activeMs,
    activeSince: isActive(status) ? at : null,
    cursor: resumeAt === undefined || resumeAt === null ? state.cursor : { ...resumeAt, done: false },
    endedAt: ended ? at : state.endedAt,
    endReason: ended ? (data.reason ?? 'finished') : state.endReason,
    answeringSince: status === 'answering' ? (state.answeringSince ?? at) : state.answeringSince,
    silentSince: at,
  }
}

function foldCta(state: RunState, data: EventData<'cta'>, audience: string, at: number): RunState {
  if (data.state === 'clicked' || data.state === 'dismissed') {
    const before = state.ctaOf.get(audience)
    if (before === 'clicked') return state
    return {
      ...state,
      ctaOf: state.ctaOf.put(audience, data.state),
      ctaClicks: state.ctaClicks + (data.state === 'clicked' ? 1 : 0),
    }
  }
  const rule = data.rule
  const ctaOf = data.state === 'shown' ? withoutDismissals(state.ctaOf) : state.ctaOf
  return {
    ...state,
    ctaOf,
    ctaShown: data.state === 'shown',
    ctaShownAt: data.state === 'shown' ? (state.ctaShownAt ?? at) : state.ctaShownAt,
    ctaRulesUsed: rule === null || state.ctaRulesUsed.includes(rule) ? state.ctaRulesUsed : [...state.ctaRulesUsed, rule],
  }
}

/** A rule not yet used shows the call to action again to those who had dismissed it. */
function withoutDismissals(before: RunState['ctaOf']): RunState['ctaOf'] {
  let kept: RunState['ctaOf'] = emptyRegister()
  for (const [attendeeId, state] of before.entries()) if (state === 'clicked') kept = kept.put(attendeeId, state)
  return kept
}

function foldSignal(state: RunState, data: EventData<'intent'>): RunState {
  if (data.signal === 'high_intent') return { ...state, highIntent: [...state.highIntent, data.attendeeId] }
  const attendee = state.attendees.get(data.attendeeId)
  if (attendee === undefined || data.signal === 'unanswered') return state
  const handRaised = data.signal === 'hand_raised'
  if (attendee.handRaised === handRaised) return state
  return {
    ...state,
    attendees: state.attendees.put(data.attendeeId, { ...attendee, handRaised }),
    hands: state.hands + (handRaised ? 1 : -1),
  }
}

function foldReaction(state: RunState, { attendeeId, reaction }: EventData<'reaction'>, at: number): RunState {
  const attendee = state.attendees.get(attendeeId)
  return {
    ...state,
    attendees: attendee === undefined ? state.attendees : state.attendees.put(attendeeId, { ...attendee, reactedAt: at }),
    reactions: { ...state.reactions, [reaction]: state.reactions[reaction] + 1 },
  }
}

// Folds the comings and goings of attendees into the state of a run.

const facesMax = 5

function foldVisit(state: RunState, data: EventData<'visit'>, at: number): RunState {
  return data.phase === 'opened' ? opened(state, data, at) : closed(state, data)
}

function opened(state: RunState, data: EventData<'visit'>, at: number): RunState {
  const before = state.attendees.get(data.attendeeId)
  if (before?.isPresent === true) return state
  const { attendeeId, name, kind, visit } = data
  const attendance: Attendance = {
    attendeeId,
    name,
    kind,
    visit,
    isPresent: true,
    firstAt: before?.firstAt ?? at,
    openedAt: at,
    engagedMs: before?.engagedMs ?? 0,
    handRaised: false,
  }
  const occupied = state.occupied ?? { at, activeMs: activeMs(state, at) }
  const faces = name === null || state.faces.length >= facesMax ? state.faces : [...state.faces, attendeeId]
  return { ...state, attendees: state.attendees.put(attendeeId, attendance), present: state.present + 1, faces, emptySince: null, occupied }
}

function closed(state: RunState, data: EventData<'visit'>): RunState {
  const before = state.attendees.get(data.attendeeId)
  if (before === undefined || !before.isPresent) return state
  const engagedMs = before.engagedMs + engagedBetween(state, before.openedAt, data.since)
  const present = state.present - 1
  return {
    ...state,
    attendees: state.attendees.put(data.attendeeId, { ...before, isPresent: false, engagedMs, handRaised: false }),
    present,
    faces: state.faces.filter((id) => id !== data.attendeeId),
    occupied: present === 0 ? null : state.occupied,
    heardMs: present === 0 ? heardMs(state, data.since) : state.heardMs,
    hands: state.hands - (before.handRaised ? 1 : 0),
    emptySince: present === 0 ? data.since : null,
  }
}

/** What was logged before is without the name already; this is for those who have it in memory. */
function foldErased(state: RunState, { attendeeId }: EventData<'erased'>): RunState {
  const attendance = state.attendees.get(attendeeId)
  let { questions } = state
  for (const question of state.questions.values())
    if (question.attendeeId === attendeeId) questions = questions.put(question.id, { ...question, name: null })
  return {
    ...state,
    nameless: state.nameless.includes(attendeeId) ? state.nameless : [...state.nameless, attendeeId],
    attendees: attendance === undefined ? state.attendees : state.attendees.put(attendeeId, { ...attendance, name: null }),
    faces: state.faces.filter((id) => id !== attendeeId),
    questions,
    polls: withoutAnswerer(state.polls, attendeeId),
  }
}

/** Milliseconds of [from, to] between the start and the end of the run. */
export function engagedBetween(state: Pick<RunState, 'startedAt' | 'endedAt'>, from: number, to: number): number {
  if (state.startedAt === null) return 0
  return Math.max(0, Math.min(to, state.endedAt ?? to) - Math.max(from, state.startedAt))
}

// The clip that an event names: a beat or a sentence of an answer in the server's voice.

function clipIn(data: Partial<SaidClip>): SaidClip | undefined {
  const { audioUrl, audioMs, audioFromMs } = data
  if (audioUrl === undefined || audioMs === undefined) return undefined
  return { audioUrl, audioMs, ...(audioFromMs === undefined ? {} : { audioFromMs }) }
}
