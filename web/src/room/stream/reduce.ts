// The pure reducer of the attendee's side: the same messages give the same visible state, whatever the disconnects between them.
// An event at or below the cursor is dropped; one whose `prev` lies above it shows a gap, and the caller asks again from the cursor.
import { litOfAnswer, litOfBeat, type LitSentence, withSentence } from '../stage/lit.ts'
import { answerAfter, type Line, type Question, type RoomState } from './state.ts'
import type {
  AnswerData,
  AnswerSoFar,
  AskedQuestion,
  BeatData,
  CtaData,
  Presence,
  QuestionData,
  RoomMessage,
  SnapshotData,
  WholeRoom,
} from './wire.ts'

export type Applied = { type: 'applied' | 'repeat'; state: RoomState } | { type: 'gap' }

export function reduce(state: RoomState, message: RoomMessage): Applied {
  if (message.event === 'snapshot') return { type: 'applied', state: fromSnapshot(state, message.data, message.id) }
  if (message.event === 'presence') return { type: 'applied', state: { ...state, ...here(message.data) } }
  if (message.event === 'closed') return { type: 'applied', state: { ...state, closed: message.data.reason, beatId: null } }
  const { seq, prev } = message.data
  // Nor has an event of another version that is not of the log a place.
  if (!(seq > state.seq)) return { type: 'repeat', state }
  if (prev !== undefined && prev > state.seq) return { type: 'gap' }
  return { type: 'applied', state: { ...applyEvent(state, message), seq, cursor: message.id ?? state.cursor } }
}

const here = ({ count, poll, ...rest }: Presence) => ({ presence: count, tally: poll ?? null, ...rest })

type Event = Exclude<RoomMessage, { event: 'snapshot' | 'presence' | 'closed' }>

function applyEvent(state: RoomState, message: Event): RoomState {
  switch (message.event) {
    case 'slide':
      return atSlide(state, message.data.index)
    case 'beat':
      return onBeat(state, message.data)
    case 'question':
      return { ...state, questions: withQuestion(state, state.questions, message.data) }
    case 'answer':
      return onAnswer(state, message.data)
    case 'said': {
      const { saidId: id, text, at } = message.data
      if (text === '') return state
      const line: Line = { id, slideIndex: state.slideIndex, text, kind: 'host', at, finished: true }
      return { ...state, lines: withLine(finish(state.lines), line) }
    }
    case 'cta':
      return { ...state, cta: ctaAfter(state.cta, message.data) }
    case 'poll': {
      const { seq: _, at: _at, prev: _prev, by: _by, beatId: _beat, ...poll } = message.data
      const at = state.polls.findIndex(({ pollId }) => pollId === poll.pollId)
      return { ...state, polls: at < 0 ? [...state.polls, poll] : state.polls.with(at, poll) }
    }
    case 'state': {
      const { status, by, reason = null, speed = state.speed, windowUntil = null, startsAt = state.startsAt } = message.data
      return {
        ...state,
        status,
        by,
        reason,
        speed,
        windowUntil,
        startsAt,
        beatId: status === 'presenting' || status === 'closing' ? state.beatId : null,
      }
    }
    // For the host, or of another version.
    default:
      return state
  }
}

function atSlide(state: RoomState, slideIndex: number): RoomState {
  return slideIndex === state.slideIndex ? state : { ...state, slideIndex, beatsOnSlide: 0 }
}

function onBeat(state: RoomState, data: BeatData): RoomState {
  const { beatId, slideIndex, phase } = data
  if (phase === 'start') {
    const said = withSentence(state.said, { id: beatId, lit: litOfBeat(data) })
    return { ...atSlide(state, slideIndex), beatId, said, lines: withLine(finish(state.lines), lineOf(data, false)) }
  }
  const beatsOnSlide = phase === 'cut' || slideIndex !== state.slideIndex ? state.beatsOnSlide : state.beatsOnSlide + 1
  const beatNow = state.beatId === beatId ? null : state.beatId
  return { ...state, beatId: beatNow, beatsOnSlide, lines: finish(state.lines, beatId) }
}

function onAnswer(state: RoomState, data: AnswerData & { at?: number }): RoomState {
  const questions = state.questions.map((question) => {
    if (question.questionId !== data.questionId) return question
    if (data.notice) return { ...question, notice: answerAfter(question.notice, data) }
    // Words aside stand beside the answer until it is there; to a private question that is not being answered they are the answer.
    const before = question.answer
    if (data.instant && !(question.private && (!before || before.ended || before.answerId === data.answerId)))
      return { ...question, instant: answerAfter(question.instant, data) }
    const answer = answerAfter(before, data)
    return { ...question, answer, instant: answer.ended ? null : question.instant }
  })
  if (data.instant) return { ...state, questions }
  if (data.phase !== 'sentence') return { ...state, questions, lines: finish(state.lines) }
  const line: Line = {
    id: `${data.answerId}:${data.index ?? 0}`,
    slideIndex: state.slideIndex,
    text: data.text ?? '',
    kind: 'answer',
    questionId: data.questionId,
    at: data.at ?? null,
    finished: false,
  }
  const said = withSentence(state.said, litOfAnswer(data.answerId, data.index ?? 0, data.citations))
  return { ...state, questions, said, lines: withLine(finish(state.lines), line) }
}

function ctaAfter(before: RoomState['cta'], data: Omit<CtaData, 'rule' | 'private'>): RoomState['cta'] {
  const { text, url, kind, host } = data.url ? data : before
  // Clicking is final for this attendee: nothing that comes later takes it back.
  return { state: before.state === 'clicked' ? before.state : data.state, text, url, kind, host }
}

function fromSnapshot(state: RoomState, data: SnapshotData, id: string | undefined): RoomState {
  const { presence, you } = data
  const own = {
    ...here(presence),
    rating: you.rating ?? state.rating,
    answered: { ...state.answered, ...Object.fromEntries((you.polls ?? []).map(({ pollId, right: _, ...answer }) => [pollId, answer])) },
    attendeeId: you.attendeeId,
    name: you.name,
    hasLead: state.hasLead || you.lead !== null,
    handRaised: you.handRaised ?? state.handRaised,
    recapUrl: you.recapUrl ?? state.recapUrl,
  }
  if (data.resumed) return { ...state, ...own }
  const asker = { ...state, ...own }
  const { position, captions, run } = data
  const runningId = position?.beat?.phase === 'start' ? position.beat.beatId : null
  const lines = captions.reduce<readonly Line[]>((all, beat) => withLine(all, lineOf(beat, beat.beatId !== runningId)), finish(state.lines))
  return {
    ...asker,
    cursor: id ?? state.cursor,
    seq: id ? seqOf(id) : state.seq,
    windowUntil: null,
    // Its status, speed, window and time, and what nobody reads here.
    ...run,
    by: run.pausedBy ?? null,
    reason: null,
    slides: data.slides,
    slideIndex: position?.slideIndex ?? 0,
    beatId: runningId,
    beatsOnSlide: captions.filter((beat) => beat.slideIndex === position?.slideIndex && beat.beatId !== runningId).length,
    lines,
    said: saidIn(data),
    questions: [...data.questions, ...you.questions].reduce<readonly Question[]>((all, question) => withQuestion(asker, all, question), []),
    cta: ctaFromSnapshot(state.cta, data),
    polls: data.polls ?? [],
    recap: data.recap,
    closed: null,
  }
}

/** The sentence under way, or those of the answer that is being given. */
function saidIn({ position, questions, you }: WholeRoom): readonly LitSentence[] {
  const beat = position?.beat
  const open = [...questions, ...you.questions].find(({ status }) => status === 'answering')?.answer
  return [
    ...(beat ? [{ id: beat.beatId, lit: litOfBeat(beat) }] : []),
    ...(open?.sentences ?? []).map(({ index, citations }) => litOfAnswer(open?.answerId ?? '', index, citations)),
  ]
}

function ctaFromSnapshot(before: RoomState['cta'], { cta, you }: WholeRoom): RoomState['cta'] {
  const hidden = { ...before, state: 'hidden' as const }
  const shown = cta ? ctaAfter(hidden, cta) : hidden
  const state = you.cta
  return state === 'clicked' || (state === 'dismissed' && shown.state === 'shown') ? { ...shown, state } : shown
}

/** `<epoch>-<seq>` -> seq; epochs are not compared (a new owner goes on in the same numbers). */
export function seqOf(id: string): number {
  return Number(id.split('-')[1])
}

function lineOf(beat: Pick<BeatData, 'beatId' | 'slideIndex' | 'text' | 'startedAt'> & { at?: number }, finished: boolean): Line {
  const at = beat.startedAt ?? beat.at ?? null
  return { id: beat.beatId, slideIndex: beat.slideIndex, text: beat.text ?? '', kind: 'beat', at, finished }
}

/** A sentence said again (after a pause, a jump back, a recovery) keeps its one line. */
function withLine(lines: readonly Line[], line: Line): readonly Line[] {
  const at = lines.findIndex((other) => other.id === line.id)
  const before = lines[at]
  if (before === undefined) return [...lines, line]
  return before.finished || !line.finished ? lines : lines.with(at, line)
}

/** One line, or all. */
function finish(lines: readonly Line[], id?: string): readonly Line[] {
  return lines.map((line) => (line.finished || line.id !== (id ?? line.id) ? line : { ...line, finished: true }))
}

/** After the end no stream tells of a question: the one that it was asked with does. */
export const withAsked = (state: RoomState, question: AskedQuestion): RoomState => ({
  ...state,
  questions: withQuestion(state, state.questions, question),
})

function withQuestion(
  state: Pick<RoomState, 'attendeeId' | 'questions'>,
  questions: readonly Question[],
  data: QuestionData & Partial<Pick<AskedQuestion, 'answer' | 'instant' | 'notice'>>,
): readonly Question[] {
  const isIt = (question: Question) => question.questionId === data.questionId
  const before = questions.find(isIt) ?? state.questions.find(isIt)
  const mine = before?.mine || data.by.attendeeId === state.attendeeId
  // A question that is let in again is answered anew.
  const isAnew = data.status === 'queued' && before?.status !== 'queued'
  const answer = data.answer ? fromRecord(data.answer) : isAnew ? null : (before?.answer ?? null)
  const instant = data.instant ? fromRecord(data.instant) : (before?.instant ?? null)
  const notice = data.notice ? fromRecord(data.notice) : (before?.notice ?? null)
  const question: Question = { ...before, ...data, mine, answer, instant, notice }
  const at = questions.findIndex(isIt)
  return at < 0 ? [...questions, question] : movedUp(questions.with(at, question), before, data.status)
}

/** Behind a question that was answered, or taken out of the queue, each has one less before it. */
function movedUp(questions: readonly Question[], before: Question | undefined, status: QuestionData['status']): readonly Question[] {
  const isOver = before?.status === 'answering' && status !== 'answering'
  const isOut = before?.status === 'queued' && status !== 'queued' && status !== 'answering'
  if (!isOver && !isOut) return questions
  const from = isOver ? 0 : (before.ahead ?? 0)
  return questions.map((other) =>
    other.status === 'queued' && typeof other.ahead === 'number' && other.ahead > from ? { ...other, ahead: other.ahead - 1 } : other,
  )
}

function fromRecord({ answerId, sentences, text, citations, outcome, mode }: AnswerSoFar) {
  const said = sentences?.map((sentence) => sentence.text) ?? (text ? [text] : [])
  return { answerId, sentences: said, citations, outcome, mode: mode ?? null, ended: sentences === undefined }
}
