// What a decision is made of: what stays the same for the length of a run, what may happen to it, and the decision in the making, in which
// each event is folded at once, so the next rule sees the room as it will be.
import type { Citation } from '@rostrum/contract/answer'
import type { RoomCommand } from '@rostrum/contract/commands'
import type { Actor, EventData, NewRunEvent, Place, RunEvent, RunEventBody, RunStatus, SaidClip } from '@rostrum/contract/room'
import { fold } from '../fold.ts'
import type { RunState } from '../run-state.ts'
import type { RunSettings, SpokenClip, Talk, TalkBeat, TalkSession } from '@rostrum/contract/talk'
import { heldPoll, pollsAt, saidNow } from './polls.ts'

// What stays the same for the length of a run: its session, its pinned talk and the order in which the talk is said.

export interface Setting {
  runId: string
  kind: 'live' | 'rehearsal'
  mode: 'isolated' | 'broadcast'
  session: TalkSession
  talk: Talk
  order: TalkOrder
  /** Whether two questions ask the same of this talk; in broadcast. */
  isSame?: (a: string, b: string) => boolean
  /** Whether somebody who says this wants what is offered. */
  showsInterest(text: string): boolean
  /** `ROSTRUM_QA_WINDOW_MS` */
  questionWindowMs: number
  /** Of the networks from which the run was opened, where a stranger has opened it for themselves. */
  addressMark?: string | null
  /** The session has used the minutes that it may, or a network those of an hour, as of what was counted last. */
  isOutOfMinutes?: boolean
}

/** Where beats stand, and what comes after what. Closing beats form the tail that `closing` says. */
export interface TalkOrder {
  beat(beatId: string): TalkBeat | undefined
  first(): Place | null
  /** The beat after `beatId` in the body of the talk, further statements of a slide left out where it is to be short; null: the body is over. */
  after(beatId: string, isBrief?: boolean): Place | null
  /** The first beat of slide `index`, or of the next slide that has one. */
  ofSlide(index: number): Place | null
  firstClosing(): Place | null
  lastClosing(): Place | null
  afterClosing(beatId: string): Place | null
  isClosing(beatId: string): boolean
}

/** A statement after another of the same slide, which neither asks nor shows anything. */
export function isFurther(beat: TalkBeat | undefined, before: TalkBeat | undefined): boolean {
  const isStatement = beat?.kind === 'narration' && before?.kind === 'narration' && beat.slideIndex === before.slideIndex
  return isStatement && beat.waitMs === undefined && beat.resultOf === undefined && beat.showsCta !== true
}

export function orderOf(talk: Talk): TalkOrder {
  const { beats } = talk
  let bodyEnd = beats.length
  while (bodyEnd > 0 && (beats[bodyEnd - 1]?.kind === 'closing' || beats[bodyEnd - 1]?.kind === 'cta')) bodyEnd--
  const positions = new Map(beats.map((beat, position) => [beat.beatId, position]))
  const placeOf = (beat: TalkBeat | undefined): Place | null =>
    beat === undefined ? null : { slideIndex: beat.slideIndex, beatId: beat.beatId, clause: 0 }
  const at = (position: number, from: number, end: number) => (position >= from && position < end ? placeOf(beats[position]) : null)
  return {
    beat: (beatId) => beats[positions.get(beatId) ?? -1],
    first: () => at(0, 0, bodyEnd),
    after(beatId, isBrief = false) {
      let next = (positions.get(beatId) ?? beats.length) + 1
      if (isBrief) while (next < bodyEnd && isFurther(beats[next], beats[next - 1])) next++
      return at(next, 0, bodyEnd)
    },
    ofSlide(index) {
      const body = beats.slice(0, bodyEnd)
      const own = body.find((beat) => beat.slideIndex >= index && beat.kind !== 'opening')
      return placeOf(own ?? body.find((beat) => beat.slideIndex >= index))
    },
    firstClosing: () => at(bodyEnd, bodyEnd, beats.length),
    lastClosing: () => at(beats.length - 1, bodyEnd, beats.length),
    afterClosing: (beatId) => at((positions.get(beatId) ?? beats.length) + 1, bodyEnd, beats.length),
    isClosing: (beatId) => (positions.get(beatId) ?? -1) >= bodyEnd,
  }
}

/** The last clause that begins at or before `chars`. */
export function clauseAt(beat: Pick<TalkBeat, 'clauses'>, chars: number): number {
  let clause = 0
  beat.clauses.forEach((offset, index) => {
    if (offset <= chars) clause = index
  })
  return clause
}

/** A silence up to this ends a sentence of a broadcast. */
const briefSilenceMs = 1_000

/**
 * Milliseconds of silence `before` the end of a said beat is told and `after` it, until the talk goes on. A broadcast tells the end
 * after a brief silence, in one change with what follows, so that its crowd is written to once; a longer one begins with the end. An
 * isolated talk goes at the pace of its attendee: only a question waits.
 */
export function silenceAround({ mode, order }: Setting, beatId: string): { before: number; after: number } {
  const { waitMs = 0, pauseMs = 0 } = order.beat(beatId) ?? {}
  if (mode === 'isolated') return { before: 0, after: waitMs }
  const silence = waitMs + pauseMs
  return silence <= briefSilenceMs ? { before: silence, after: 0 } : { before: 0, after: silence }
}

/** The rules write to this; nothing else changes. */
export interface Draft {
  readonly setting: Setting
  readonly now: number
  readonly state: RunState
  readonly events: readonly RunEvent[]
  /** The state after each event. */
  readonly states: readonly RunState[]
  readonly tasks: readonly Task[]
  readonly refusal: Refusal | null
  /** Room events by default; an attendee's id makes it private. */
  emit(body: RunEventBody, audience?: string): void
  task(task: Task): void
  refuse(refusal: Refusal): void
}

/** `epoch` is the lease under which the events will be written. */
export function draftOf(start: RunState, setting: Setting, epoch: number, now: number): Draft {
  let state = start
  let refusal: Refusal | null = null
  const events: RunEvent[] = []
  const states: RunState[] = []
  const tasks: Task[] = []
  return {
    setting,
    now,
    events,
    states,
    tasks,
    get state() {
      return state
    },
    get refusal() {
      return refusal
    },
    emit(body, audience = 'room') {
      const placed: NewRunEvent = { ...body, audience }
      const prev = audience === 'room' ? { prev: state.roomSeq } : {}
      const event: RunEvent = { ...placed, seq: state.seq + 1, epoch, at: now, ...prev }
      events.push(event)
      state = fold(state, event)
      states.push(state)
    },
    task: (task) => void tasks.push(task),
    refuse(why) {
      refusal = why
    },
  }
}

// What may happen to a run. Inputs of the state table carry the name of their row; commands are obeyed (`commands.ts`); the others never
// move the status.

export type Destination = { type: 'goto'; slideIndex: number } | { type: 'next' } | { type: 'previous' } | { type: 'repeat' }

/** Its `name` as the room may show it. */
export type AskedQuestion = Omit<RoomCommand & { kind: 'questions' }, 'kind'>

/** What its trace tells. */
export type ComposedAnswer = EventData<'trace'>

export type TableInput =
  | { type: 'start'; by: Actor }
  /** `utterance`: a beat's id, or `<answerId>:<index>`. */
  | { type: 'beat_done'; utterance: string; heard: boolean }
  | { type: 'finish'; by: Actor }
  | { type: 'ask'; question: AskedQuestion }
  | { type: 'answer_done' }
  | { type: 'answer_timeout' }
  | { type: 'pause'; by: Actor }
  | { type: 'resume'; by: Actor }
  | { type: 'move'; to: Destination; by: Actor }
  | { type: 'skip_answer'; by: Actor }
  | { type: 'take_over'; by: Actor }
  | { type: 'hand_back'; by: Actor; slideIndex?: number }
  | { type: 'end'; by: Actor }
  | { type: 'empty' }
  | { type: 'leave'; attendeeId: string }
  | { type: 'lease_gained' }
  | { type: 'fault' }

export type OtherInput =
  /** Time has passed: whatever is due happens. */
  | { type: 'tick' }
  | {
      type: 'answer_sentence'
      answerId: string
      index: number
      text: string
      estMs: number
      citations: readonly Citation[]
      clip?: SaidClip
    }
  | { type: 'answer_composed'; answer: ComposedAnswer }
  | { type: 'instant_answer'; questionId: string; attendeeId: string; text: string; answer: ComposedAnswer }
  | { type: 'settings'; settings: RunSettings }

export type Input = TableInput | OtherInput | RoomCommand

/** Work that a decision asks for; done after its events are durable. */
export type Task =
  | { type: 'answer'; answerId: string; questionId: string; instant: false }
  | { type: 'answer'; answerId: string; questionId: string; instant: true; attendeeId: string }
  | { type: 'abort_answer'; answerId: string }

export type Refusal = { code: 'run_state' | 'forbidden' | 'not_found' | 'invalid_request'; detail: string }

// Saying the talk: which place comes next, beginning a beat, cutting one, and the call to action beside it. Only one voice speaks at a time:
// a beat begins only when no beat and no answer is open.

/** Where speech goes on: the interrupted clause, or the beat after the one that was said. Null at the end of the body. */
export function resumePlace({ state, now, setting: { order, mode } }: Draft): Place | null {
  const { cursor } = state
  if (cursor === null) return order.first()
  const { slideIndex, beatId, clause, audioFromMs } = cursor
  // The script was made anew under the run: from the beginning of the slide, or of the closing.
  if (order.beat(beatId) === undefined) {
    const isClosing = state.status === 'closing' || state.returnTo === 'closing'
    return isClosing ? order.firstClosing() : order.ofSlide(slideIndex)
  }
  if (!cursor.done) return { slideIndex, beatId, clause, ...(audioFromMs === undefined ? {} : { audioFromMs }) }
  // Whoever is still asked is asked again after an interruption.
  if (heldPoll(state, mode, now) !== undefined) return { slideIndex, beatId, clause: 0 }
  return order.isClosing(cursor.beatId) ? order.afterClosing(cursor.beatId) : order.after(cursor.beatId, state.isBrief)
}

export function enter(draft: Draft, status: RunStatus, by: Actor, extra: Partial<EventData<'state'>> = {}): void {
  draft.emit({ type: 'state', data: { status, previous: draft.state.status, by, ...extra } })
}

export function showSlide(draft: Draft, index: number, reason: EventData<'slide'>['reason']): void {
  const slide = draft.setting.talk.slides[index]
  if (slide === undefined || draft.state.slideIndex === index) return
  const { id, title, text, imageUrl } = slide
  draft.emit({ type: 'slide', data: { slideId: id, index, title, text, imageUrl, reason } })
  showByRule(draft, `slide:${id}`)
}

/** Milliseconds that the rest of a beat takes from `clause` on, at the speed of the run; `wholeMs` is all of it at speed 1. */
export function spokenMs(beat: TalkBeat, clause: number, speed: number, wholeMs = beat.estMs): number {
  const from = beat.clauses[clause] ?? 0
  const rest = beat.text.length === 0 ? 1 : (beat.text.length - from) / beat.text.length
  return Math.max(1, Math.round((wholeMs * rest) / speed))
}

/** Begins the beat at `place`, on its slide. A place of a beat that is not in the talk is skipped by the caller. */
export function say(draft: Draft, place: Place, reason: EventData<'slide'>['reason'] = 'script'): void {
  const { order, talk, mode, session } = draft.setting
  const written = order.beat(place.beatId)
  if (written === undefined || draft.state.speaking !== null) return
  showSlide(draft, written.slideIndex, reason)
  const beat = saidNow(written, draft.state, talk, mode, session.language)
  const { beatId, slideIndex, index, kind, text, sources, at } = beat
  const spoken = { beatId, slideIndex, index, kind, text, sources, ...at }
  // Nobody has said ahead what is only known now.
  const clip = beat === written ? talk.clipOf?.(beatId) : undefined
  const timing = { estMs: spokenMs(beat, place.clause, draft.state.speed, clip?.ms), startedAt: draft.now, clause: place.clause }
  for (const event of pollsAt(beat, draft.state, talk, mode, draft.now + timing.estMs)) draft.emit(event)
  const nextAudioUrl = clip && clipAfter(draft, beatId)?.url
  const voiced = clip && { ...clipAt(clip, place), ...(nextAudioUrl === undefined ? {} : { nextAudioUrl }) }
  draft.emit({ type: 'beat', data: { ...spoken, phase: 'start', ...timing, ...voiced } })
  if (beat.showsCta === true) showByRule(draft, 'agent')
}

/** Of the sentence that comes next unless somebody asks, so that a room may fetch it ahead. */
function clipAfter({ state, setting: { order, talk } }: Draft, beatId: string): SpokenClip | undefined {
  const next = order.isClosing(beatId) ? order.afterClosing(beatId) : (order.after(beatId, state.isBrief) ?? order.firstClosing())
  return next === null ? undefined : talk.clipOf?.(next.beatId)
}

/** A clip goes on at its millisecond, where it was cut in the clause that is begun again. */
function clipAt(clip: SpokenClip, { audioFromMs }: Place) {
  const from = audioFromMs === undefined || audioFromMs >= clip.ms ? {} : { audioFromMs }
  return { audioUrl: clip.url, audioMs: clip.ms, ...from }
}

/** Ends the beat that is being said; here and below from the state alone, since the script may have it no more. */
export function endBeat(draft: Draft, heard: boolean): void {
  const { speaking } = draft.state
  if (speaking === null) return
  const { beatId, slideIndex, index, kind, textLength } = speaking
  const common = { beatId, slideIndex, index, kind }
  if (heard) draft.emit({ type: 'beat', data: { ...common, phase: 'end', spokenChars: textLength } })
  else draft.emit({ type: 'beat', data: { ...common, phase: 'unheard' } })
}

/**
 * Cuts the beat that is being said, if any. In broadcast the server's clock tells how far speech had come, and a beat whose time is
 * over ends; in isolated only what the attendee acknowledged counts as heard, so without `chars` the clause begins anew.
 */
export function cutBeat(draft: Draft, chars?: number, ms?: number): void {
  const { state, setting, now } = draft
  const { speaking } = state
  if (speaking === null) return
  if (setting.mode === 'broadcast' && now >= speaking.startedAt + speaking.estMs) return endBeat(draft, true)
  const { beatId, slideIndex, index, kind, textLength } = speaking
  const beat = setting.order.beat(beatId) ?? { clauses: [] }
  const from = beat.clauses[speaking.clause] ?? 0
  const share = Math.min(1, Math.max(0, now - speaking.startedAt) / Math.max(1, speaking.estMs))
  const elapsed = setting.mode === 'broadcast' ? from + Math.floor((textLength - from) * share) : from
  const spokenChars = Math.min(textLength, Math.max(from, chars ?? elapsed))
  const said = { spokenChars, clause: clauseAt(beat, spokenChars), ...(ms === undefined || !speaking.clip ? {} : { spokenMs: ms }) }
  draft.emit({ type: 'beat', data: { beatId, slideIndex, index, kind, phase: 'cut', ...said } })
}

// The call to action beside the talk: shown by rules, each once a run; clicked and dismissed by each attendee for themselves
// (Spec 6.1 `cta.clicked`). It never moves the status.

/** Shows the call to action when the session has one and asks for `rule`, and this run has not used the rule yet. */
export function showByRule(draft: Draft, rule: string): void {
  const { session } = draft.setting
  if (session.cta === null || draft.state.ctaRulesUsed.includes(rule)) return
  // A directive of the script needs no rule, and shows nothing again that is there already.
  if (rule === 'agent' ? draft.state.ctaShown : !session.ctaRules.includes(rule)) return
  draft.emit({ type: 'cta', data: { state: 'shown', ...session.cta, rule } })
}

export function actOnCta(draft: Draft, attendeeId: string, action: 'click' | 'dismiss'): void {
  const { cta } = draft.setting.session
  if (cta === null) return draft.refuse({ code: 'not_found', detail: 'This talk has no call to action.' })
  const before = draft.state.ctaOf.get(attendeeId)
  const after = action === 'click' ? 'clicked' : 'dismissed'
  if (before === after || before === 'clicked') return
  // What is not shown cannot be waved away.
  if (action === 'dismiss' && !draft.state.ctaShown) return
  draft.emit({ type: 'cta', data: { state: after, ...cta, rule: null, private: true } }, attendeeId)
}

/** Logs high intent once for an attendee: what they ask shows it, whatever the answer to it will be. */
export function noteIntent(draft: Draft, { attendeeId, text }: { attendeeId: string; text: string }): void {
  if (!draft.setting.showsInterest(text) || draft.state.highIntent.includes(attendeeId)) return
  draft.emit({ type: 'intent', data: { attendeeId, signal: 'high_intent' } }, 'host')
}

/** The place to go to; null: beyond the last slide, where the closing begins; undefined: refused, as there is no such slide. */
export function destinationOf(draft: Draft, input: TableInput): Place | null | undefined {
  const { order, talk } = draft.setting
  const here = draft.state.slideIndex ?? 0
  const to = input.type === 'move' ? input.to : ({ type: 'repeat' } as const)
  switch (to.type) {
    case 'goto':
      if (talk.slides[to.slideIndex] !== undefined) return order.ofSlide(to.slideIndex)
      draft.refuse({ code: 'invalid_request', detail: 'This talk has no such slide.' })
      return undefined
    case 'next':
      return talk.slides[here + 1] === undefined ? order.firstClosing() : order.ofSlide(here + 1)
    case 'previous':
      return order.ofSlide(Math.max(0, here - 1))
    case 'repeat':
      return order.ofSlide(here)
  }
}
