// The room as one message: what a newcomer, a late joiner or a reconnecting attendee needs to go on from the last event folded in.
import { z } from 'zod'
import { fill, languageOf } from '@rostrum/languages/languages'
import { attendeeAction, broadcastActions } from '@rostrum/contract/commands'
import { hostAction } from '@rostrum/contract/room'
import type { Snapshot } from '@rostrum/contract/room'
import { lazily } from '@rostrum/base/work'
import { aheadOf, type Question, type RunState, type Speaking, shownName } from '@rostrum/stage/run-state'
import { answersOf, pollView, tallyOf } from '@rostrum/stage/polls'
import type { Talk, TalkSession } from '@rostrum/contract/talk'
import type { RunRow } from '../tables.ts'

type WholeRoom = Extract<Snapshot, { resumed: false }>

/** A run as it is followed, wherever it is held. */
export interface Followed {
  readonly run: Pick<RunRow, 'id' | 'kind' | 'mode' | 'language'>
  readonly session: TalkSession
  readonly talk: Talk
  readonly state: RunState
}

export interface Viewer {
  /** An attendee's id, or `host`. */
  sees: string
  name: string | null
  /** Of an attendee: the page they may keep. */
  recapUrl?: string
}

export const unverifiedView = z.literal(true).optional().describe('An agent made this talk for which nobody vouches: say so.')

export function disclosureOf({ title, unverified, presenter, language }: TalkSession): string {
  const { disclosure, disclosureNamed, unverified: warned } = languageOf(language).asides
  const words = presenter?.name ? fill(disclosureNamed, { name: presenter.name, title }) : fill(disclosure, { title })
  return unverified === undefined ? words : `${words} ${warned}`
}

const slideTexts = new WeakMap<Talk['slides'], string>()

/** As JSON, made once for a deck version: they are most of a snapshot, and thousands come in within a minute. */
function slidesText({ slides }: Talk): string {
  const text = slideTexts.get(slides) ?? JSON.stringify(slides)
  slideTexts.set(slides, text)
  return text
}

/** The whole room as JSON, as `viewer` sees it at `state.seq`. */
export function fullSnapshot(tail: Followed, viewer: Viewer, now: number): string {
  return `${JSON.stringify(roomView(tail, viewer, now)).slice(0, -1)},"slides":${slidesText(tail.talk)}}`
}

/** All but the slides. */
function roomView(tail: Followed, viewer: Viewer, now: number): Omit<WholeRoom, 'slides'> {
  const { run, session, talk, state } = tail
  return {
    resumed: false,
    seq: state.seq,
    at: now,
    run: {
      id: run.id,
      kind: run.kind,
      mode: run.mode,
      status: state.status,
      language: run.language,
      startedAt: state.startedAt,
      speed: state.speed,
      ...(state.windowUntil === null ? {} : { windowUntil: state.windowUntil }),
      ...(state.startsAt === undefined ? {} : { startsAt: state.startsAt }),
      ...(state.pausedBy === null ? {} : { pausedBy: state.pausedBy }),
    },
    session: { title: session.title, slug: session.slug, disclosure: disclosureOf(session) },
    deckVersion: talk.deckVersion,
    position: positionOf(state, talk),
    recap: recapOf(state, talk),
    captions: state.captions.map((caption) => ({ ...caption, phase: caption.beatId === state.speaking?.beatId ? 'start' : 'end' })),
    questions: visibleQuestions(state).map((question) => questionView(question, state)),
    ...(state.polls.length > 0 && { polls: state.polls.map(pollView) }),
    cta: ctaOf(state, session),
    presence: presenceFor(tail, viewer),
    you: youView(tail, viewer),
  }
}

/** In an isolated talk there is nobody else to see. */
export function presenceOf({ run, state }: Pick<Followed, 'run' | 'state'>, isHost: boolean): WholeRoom['presence'] {
  const names = run.mode === 'isolated' ? [] : state.faces.map((id) => shownName(state.attendees.get(id)?.name ?? null, run.mode) ?? '')
  const people = names.map((name) => graphemes().segment(name).containing(0)?.segment.toUpperCase() ?? '').filter((letter) => letter !== '')
  const poll = tallyOf(state, isHost)
  return { count: state.present, hands: state.hands, reactions: state.reactions, people, ...(poll && { poll }) }
}

const graphemes = lazily(() => new Intl.Segmenter())

/** As one begins to look: a host sees whose hands are up, which events tell afterwards. */
function presenceFor(tail: Followed, { sees }: Viewer): WholeRoom['presence'] {
  const presence = presenceOf(tail, sees === 'host')
  if (sees !== 'host' || presence.hands === 0) return presence
  const raised: string[] = []
  for (const [id, { handRaised }] of tail.state.attendees.entries()) if (handRaised) raised.push(id)
  return { ...presence, raised }
}

/** What may have changed beside the events that follow, as JSON. */
export function shortSnapshot(tail: Followed, viewer: Viewer, now: number): string {
  return JSON.stringify({ resumed: true, at: now, presence: presenceFor(tail, viewer), you: youView(tail, viewer) })
}

function positionOf(state: RunState, talk: Talk): WholeRoom['position'] {
  if (state.slideIndex === null) return null
  const slideId = talk.slides[state.slideIndex]?.id ?? null
  const { speaking, cursor } = state
  const beat = talk.beats.find((one) => one.beatId === (speaking?.beatId ?? cursor?.beatId))
  if (beat === undefined) return { slideIndex: state.slideIndex, slideId, beat: null }
  const { beatId, index, kind, sources, at } = beat
  // What came of a poll is said in other words than the script has.
  const text = state.captions.find((caption) => caption.beatId === beatId)?.text ?? beat.text
  const spoken =
    speaking === null
      ? { phase: cursor?.done === true ? ('end' as const) : ('cut' as const), clause: cursor?.clause ?? 0 }
      : { phase: 'start' as const, ...timesOf(speaking) }
  return {
    slideIndex: state.slideIndex,
    slideId,
    beat: { beatId, slideIndex: beat.slideIndex, index, kind, text, sources, ...at, ...spoken },
  }
}

const timesOf = ({ estMs, startedAt, clause, clip }: Speaking) => ({ estMs, startedAt, clause, ...clip })

/** One title and one line for each slide passed. */
function recapOf(state: RunState, talk: Talk): WholeRoom['recap'] {
  return state.slidesPassed
    .filter((slideIndex) => slideIndex !== state.slideIndex)
    .map((slideIndex) => {
      const beats = talk.beats.filter((beat) => beat.slideIndex === slideIndex)
      const line = beats.find((beat) => beat.kind === 'narration') ?? beats.find((beat) => beat.kind === 'title') ?? beats[0]
      return { slideIndex, title: talk.slides[slideIndex]?.title ?? '', line: line?.text ?? '' }
    })
}

const hiddenStatuses: ReadonlySet<string> = new Set(['hidden', 'declined', 'pending'])
const questionsShownMax = 100

/** The newest questions that the whole room may see; one that was joined to another is told to its asker alone. */
function visibleQuestions(state: RunState): Question[] {
  const visible = [...state.questions.values()].filter(
    ({ isPrivate, mergedInto, status }) => !isPrivate && mergedInto === null && !hiddenStatuses.has(status),
  )
  return visible.sort((a, b) => a.order - b.order).slice(-questionsShownMax)
}

export function questionView(question: Question, state: RunState): WholeRoom['questions'][number] {
  const { id, text, attendeeId, name, status, mergedInto, votes, slideIndex, isPrivate } = question
  return {
    questionId: id,
    text,
    by: { attendeeId, name },
    status,
    ...(mergedInto === null ? {} : { mergedInto }),
    votes,
    ahead: aheadOf(id, status, state),
    slideIndex,
    ...(isPrivate ? { private: true } : {}),
    answer: answerView(question, state),
  }
}

function ownQuestionView(question: Question, state: RunState): WholeRoom['you']['questions'][number] {
  const { instant, notice } = question
  return { ...questionView(question, state), ...(instant && { instant }), ...(notice && { notice }) }
}

/** The answer that was given, or the beginning of the one that is being given. */
function answerView({ id, answer }: Question, { answer: open }: RunState): WholeRoom['questions'][number]['answer'] {
  if (open?.questionId !== id) return answer === null ? null : { ...answer }
  const { answerId, sentences } = open
  return {
    answerId,
    outcome: null,
    sentences: sentences.map(({ text, estMs, clip, citations }, index) => ({ index, text, estMs, ...clip, citations })),
    citations: sentences.flatMap(({ citations }) => citations),
  }
}

function ctaOf(state: RunState, session: TalkSession): WholeRoom['cta'] {
  return session.cta === null ? null : { state: state.ctaShown ? 'shown' : 'hidden', ...session.cta }
}

function youView({ state, run, session }: Followed, { sees, name, recapUrl }: Viewer): WholeRoom['you'] {
  if (sees === 'host')
    return { attendeeId: null, name, questions: [], cta: null, lead: null, allowed: state.closed ? [] : hostAction.options }
  const own = [...state.questions.values()].filter((question) => question.attendeeId === sees).sort((a, b) => a.order - b.order)
  return {
    attendeeId: sees,
    name,
    questions: own.map((question) => ownQuestionView(question, state)),
    cta: state.ctaOf.get(sees) ?? (state.ctaShown ? 'shown' : 'hidden'),
    lead: state.leadOf.includes(sees) ? { consentText: session.consentText } : null,
    handRaised: state.attendees.get(sees)?.handRaised ?? false,
    ...(state.polls.length > 0 && { polls: answersOf(state, sees) }),
    ...(state.ratingOf.get(sees) === undefined ? {} : { rating: state.ratingOf.get(sees) as number }),
    ...(recapUrl === undefined ? {} : { recapUrl }),
    allowed: state.closed ? ['rate'] : run.mode === 'isolated' ? attendeeAction.options : broadcastActions,
  }
}
