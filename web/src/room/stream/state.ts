// What the browser knows of a run: the fold of the messages of its stream. `reduce.ts` is the only writer.
import type { LitSentence } from '../stage/lit.ts'
import type {
  AnswerData,
  Citation,
  ClosedReason,
  PollAnswer,
  PollSoFar,
  Presence,
  QuestionData,
  RoomView,
  RunStatus,
  Slide,
  StateData,
} from './wire.ts'

/** One sentence of the transcript; its id is the beat's, or `<answerId>:<index>`. */
export interface Line {
  id: string
  slideIndex: number
  text: string
  /** `host`: their own words, while the presenter is silent. */
  kind: 'beat' | 'answer' | 'host'
  /** The question that an answer's sentence belongs to. */
  questionId?: string | null
  /** Unix ms at which it was said, where known. */
  at: number | null
  /** False while it is being said for the first time. */
  finished: boolean
}

export interface Answer {
  answerId: string
  sentences: readonly string[]
  citations: readonly Citation[]
  outcome: string | null
  mode: string | null
  ended: boolean
}

export interface Question extends QuestionData {
  mine: boolean
  answer: Answer | null
  /** The instant answer for its asker alone. */
  instant: Answer | null
  /** What the service itself told or asked its asker. */
  notice: Answer | null
}

export type CtaState = 'hidden' | 'shown' | 'clicked' | 'dismissed'

export interface RoomState {
  /** The last applied event, as the stream names it: `<epoch>-<seq>`. */
  cursor: string | null
  seq: number
  status: RunStatus
  by: StateData['by'] | null
  reason: string | null
  speed: number
  windowUntil: number | null
  /** When the talk begins, while its host has said so: ISO 8601, or unix ms. */
  startsAt: string | number | null | undefined
  slides: readonly Slide[]
  slideIndex: number
  /** The beat that is being said, if one is. */
  beatId: string | null
  /** Beats of the live slide said so far; drives the thread. */
  beatsOnSlide: number
  lines: readonly Line[]
  /** The last sentences, with what of a slide each of them lights. */
  said: readonly LitSentence[]
  questions: readonly Question[]
  cta: { state: CtaState; text: string | null; url: string | null; kind?: 'link' | 'checkout' | undefined; host?: string | undefined }
  presence: number
  /** How many are up. */
  hands: number
  /** How many so far. */
  reactions: Presence['reactions']
  /** First letters of some who are here. */
  people: readonly string[]
  /** What this attendee gave the talk. */
  rating: number | null
  /** What the room was asked, in order. */
  polls: readonly PollSoFar[]
  /** Of the one that is open: as it is answered. */
  tally: Presence['poll'] | null
  /** What this attendee has answered, by poll. */
  answered: Readonly<Record<string, PollAnswer>>
  attendeeId: string | null
  /** As given at the door. */
  name: string | null
  /** The host has this attendee's details. */
  hasLead: boolean
  handRaised: boolean
  /** The page this attendee may keep. */
  recapUrl: string | undefined
  recap: readonly { slideIndex: number; title: string; line: string }[]
  closed: ClosedReason | null
}

/** Of whoever has yet to see the room, where nothing is known of it. */
export function initialState(room: Pick<RoomView, 'slides' | 'cta' | 'startsAt'> = { slides: [], cta: null }): RoomState {
  return {
    cursor: null,
    seq: 0,
    status: 'lobby',
    by: null,
    reason: null,
    speed: 1,
    windowUntil: null,
    startsAt: room.startsAt,
    slides: room.slides,
    slideIndex: 0,
    beatId: null,
    beatsOnSlide: 0,
    lines: [],
    said: [],
    questions: [],
    cta: { state: 'hidden', text: room.cta?.text ?? null, url: room.cta?.url ?? null, kind: room.cta?.kind, host: room.cta?.host },
    presence: 0,
    hands: 0,
    reactions: { agree: 0, like: 0, aha: 0 },
    people: [],
    rating: null,
    polls: [],
    tally: null,
    answered: {},
    attendeeId: null,
    name: null,
    hasLead: false,
    handRaised: false,
    recapUrl: undefined,
    recap: [],
    closed: null,
  }
}

export function answerAfter(before: Answer | null, data: AnswerData): Answer {
  // A question that was answered, hidden and let in again is answered anew under the same id.
  const same = before?.answerId === data.answerId && !(before.ended && data.phase === 'start')
  const answer: Answer = same ? before : { answerId: data.answerId, sentences: [], citations: [], outcome: null, mode: null, ended: false }
  const { phase, text = '', index = answer.sentences.length, citations = [] } = data
  const known = { ...answer, outcome: data.outcome ?? answer.outcome, mode: data.mode ?? answer.mode }
  if (phase === 'start') return known
  if (phase === 'sentence')
    return { ...known, sentences: answer.sentences.toSpliced(index, 1, text), citations: joined(answer.citations, citations) }
  // The end carries all citations and, for who missed the sentences, the whole text.
  const sentences = answer.sentences.length > 0 || text === '' ? answer.sentences : [text]
  return { ...known, sentences, citations: citations.length > 0 ? citations : answer.citations, ended: true }
}

function joined(before: readonly Citation[], found: readonly Citation[]): readonly Citation[] {
  return [...before, ...found.filter((one) => !before.some((other) => other.id === one.id && other.quote === one.quote))]
}
