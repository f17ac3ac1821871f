// What the log of a run says, folded: where the talk stands, who is there, what was asked. Room snapshots and the presenter's
// decisions read this one state, so what an attendee sees is what the presenter knows.
import type { AnswerEnd, Citation, QuestionStatus } from '@rostrum/contract/answer'
import type { PollAnswer, PollSoFar } from '@rostrum/contract/poll'
import { type Actor, type EventData, type Place, type Reaction, runStatus, type RunStatus, type SaidClip } from '@rostrum/contract/room'

// A map whose versions share one store, so that a fold over ten thousand visits stays pure and each costs one write: `put` writes into the
// store and leaves the version before with what it has had there. An older version is read across those after it; one that is put to once
// more takes a store of its own.

/** Immutable. */
interface Register<T> {
  readonly size: number
  get(key: string): T | undefined
  put(key: string, value: T): Register<T>
  values(): T[]
  entries(): (readonly [string, T])[]
}

class Version<T> implements Register<T> {
  readonly size: number
  /** The newest has the store; an older one knows what the version after it has changed. */
  #held: Map<string, T> | { key: string; value: T | undefined; next: Version<T> }

  constructor(store: Map<string, T>) {
    this.size = store.size
    this.#held = store
  }

  get(key: string): T | undefined {
    let held = this.#held
    while (!(held instanceof Map)) {
      if (held.key === key) return held.value
      held = held.next.#held
    }
    return held.get(key)
  }

  put(key: string, value: T): Register<T> {
    const store = this.#held instanceof Map ? this.#held : new Map(this.entries())
    const before = store.get(key)
    store.set(key, value)
    const next = new Version(store)
    if (this.#held === store) this.#held = { key, value: before, next }
    return next
  }

  values(): T[] {
    return this.entries().map(([, value]) => value)
  }

  /** A copy: whoever goes through it may put meanwhile. */
  entries(): [string, T][] {
    const changed = new Map<string, T | undefined>()
    let held = this.#held
    while (!(held instanceof Map)) {
      if (!changed.has(held.key)) changed.set(held.key, held.value)
      held = held.next.#held
    }
    return [...held].flatMap(([key, now]): [string, T][] => {
      const value = changed.has(key) ? changed.get(key) : now
      return value === undefined ? [] : [[key, value]]
    })
  }
}

export function emptyRegister<T>(): Register<T> {
  return new Version<T>(new Map())
}

/** The beat that is being said. */
export interface Speaking extends Pick<EventData<'beat'>, 'beatId' | 'slideIndex' | 'index' | 'kind'> {
  clause: number
  startedAt: number
  estMs: number
  textLength: number
  /** In the server's voice. */
  clip?: SaidClip
}

/** The last beat begun, or the place to go on from; `done` once it was said to its end. */
export interface Cursor extends Place {
  done: boolean
}

export interface Question {
  id: string
  text: string
  attendeeId: string
  name: string | null
  status: QuestionStatus
  mergedInto: string | null
  votes: number
  voters: readonly string[]
  slideIndex: number
  isPrivate: boolean
  askedAt: number
  /** Its place among the questions of the run, from 0. */
  order: number
  /** What it was answered, once an answer has ended. */
  answer: GivenAnswer | null
  /** The last words to the asker alone since the answer, if any. */
  instant: GivenAnswer | null
  /** The last words of the service itself to the asker: what they are asked there they may agree to, so no answer takes its place. */
  notice: GivenAnswer | null
}

export interface GivenAnswer extends Pick<AnswerEnd, 'outcome' | 'mode' | 'citations' | 'suggestedActions'> {
  answerId: string
  text: string
}

export interface AnswerSentence {
  text: string
  estMs: number
  clip?: SaidClip
  citations: readonly Citation[]
}

/** The one answer that is being given. */
export interface OpenAnswer {
  answerId: string
  questionId: string
  startedAt: number
  sentences: readonly AnswerSentence[]
  /** How many of them were heard. */
  heard: number
  /** When the sentence that is being said began. */
  sentenceSince: number
  /** Set once no more sentences will come. */
  composed: AnswerEnd | null
  isPrivate: boolean
}

export interface Attendance extends Pick<EventData<'visit'>, 'attendeeId' | 'name' | 'kind' | 'visit'> {
  isPresent: boolean
  firstAt: number
  openedAt: number
  /** With an open stream while the run was on, closed visits only. */
  engagedMs: number
  handRaised: boolean
  reactedAt?: number
}

export interface Caption {
  beatId: string
  slideIndex: number
  text: string
  at: number
}

/** What the room was asked, and what each has answered. */
export interface Poll extends Pick<PollSoFar, 'pollId' | 'slideIndex' | 'kind' | 'question' | 'options' | 'open' | 'shown'> {
  quiz: boolean
  /** The sentence that asks it; null where the host has opened it. */
  beatId: string | null
  until: number | null
  /** Of a quiz, once it is shown. */
  right: number | null
  /** The last one of each attendee. */
  answers: Register<PollAnswer>
  /** Words that the host has hidden, as `wordKey` has them. */
  hidden: readonly string[]
}

/** Before the first event: what a state has, and how each begins. */
function atFirst(openedAt: number) {
  return {
    seq: 0,
    epoch: 0,
    /** `seq` of the last room event. */
    roomSeq: 0,
    status: runStatus.enum.lobby as RunStatus,
    /** The first `presenting`. */
    startedAt: null as number | null,
    endedAt: null as number | null,
    endReason: null as string | null,
    /** Time in presenting, answering and closing up to `activeSince`. */
    activeMs: 0,
    activeSince: null as number | null,
    /** Since when somebody has been there without a gap, and the active time then; null while nobody is. */
    occupied: null as { at: number; activeMs: number } | null,
    /** Active time while somebody was there, up to when the room was last empty; spans of less than `heardAfterMs` are left out. */
    heardMs: 0,
    speed: 1,
    /** Asked to be short: of each slide the first statement is said. */
    isBrief: false,
    slideIndex: null as number | null,
    speaking: null as Speaking | null,
    cursor: null as Cursor | null,
    /** When the last beat ended or was cut while presenting. */
    silentSince: openedAt,
    returnTo: null as RunStatus | null,
    pausedBy: null as Actor | null,
    /** Why the present status was entered. */
    reason: null as string | null,
    statusSince: openedAt,
    answer: null as OpenAnswer | null,
    /** Answers given since the last beat, and since when; bounds the questions at a slide boundary. */
    answersInRow: 0,
    answeringSince: null as number | null,
    answered: [] as readonly { question: string; answer: string; slides: readonly number[]; attendeeId: string }[],
    questions: emptyRegister<Question>(),
    /** Ids of questions that wait for an answer, in order of asking. */
    waiting: [] as readonly string[],
    questionsCount: 0,
    windowUntil: null as number | null,
    /** The host ended the talk: only the farewell is said. */
    isEndedEarly: false,
    ctaShown: false,
    ctaShownAt: null as number | null,
    ctaRulesUsed: [] as readonly string[],
    ctaOf: emptyRegister<'clicked' | 'dismissed'>(),
    ctaClicks: 0,
    attendees: emptyRegister<Attendance>(),
    present: 0,
    hands: 0,
    reactions: { agree: 0, like: 0, aha: 0 } satisfies Readonly<Record<Reaction, number>>,
    /** Of attendees: some who are present and gave a name. */
    faces: [] as readonly string[],
    ratingOf: emptyRegister<number>(),
    /** In the order in which they were opened. */
    polls: [] as readonly Poll[],
    /** When the room became empty; null while somebody is there. */
    emptySince: openedAt as number | null,
    /** Processes in which a page of the host is open; an older log names none. */
    hostNodes: [] as readonly string[],
    hostSeenAt: openedAt,
    captions: [] as readonly Caption[],
    /** Slides that were spoken about, in order of first mention. */
    slidesPassed: [] as readonly number[],
    /** Attendees who left their contact details in this run. */
    leadOf: [] as readonly string[],
    highIntent: [] as readonly string[],
    /** Attendees whose name was erased. */
    nameless: [] as readonly string[],
    closed: false,
  }
}

export interface RunState extends ReturnType<typeof atFirst> {
  /** When the talk begins, where its host has changed that in the lobby; null: no time is set any more. */
  startsAt?: number | null
}

export const initialState = (openedAt: number): RunState => atFirst(openedAt)

/** Whoever looks in for less is nobody's audience, and costs nothing. */
export const heardAfterMs = 10_000

/** Milliseconds of active time up to `at`, when `state` is the state then. */
export function activeMs(state: Pick<RunState, 'activeMs' | 'activeSince'>, at: number): number {
  return state.activeMs + (state.activeSince === null ? 0 : Math.max(0, at - state.activeSince))
}

/** Milliseconds in which the talk was on and somebody was there, up to `at`; nobody hears it in less than ten seconds. */
export function heardMs(state: RunState, at: number): number {
  const { occupied } = state
  if (occupied === null || at - occupied.at < heardAfterMs) return state.heardMs
  return state.heardMs + Math.max(0, activeMs(state, at) - occupied.activeMs)
}

/** Questions before this one, which waits or is about to; 0 for one that does not wait. */
export function aheadOf(id: string, status: QuestionStatus | undefined, { waiting, answer }: RunState): number {
  if (status !== 'queued') return 0
  const place = waiting.indexOf(id)
  return (place === -1 ? waiting.length : place) + (answer === null ? 0 : 1)
}

export const isActive = (status: RunStatus): boolean => status === 'presenting' || status === 'answering' || status === 'closing'

/** A name as the room shows it: in a broadcast the given name alone. */
export function shownName(name: string | null, mode: 'isolated' | 'broadcast'): string | null {
  if (name === null || mode === 'isolated') return name
  const given = name.split(/[\s,]+/)[0] ?? ''
  return given.includes('@') || given === '' ? null : given.slice(0, 40)
}
