// What a talk asks its room, as events: a poll opens with the sentence that asks, waits, and is shown with the sentence that says what came
// of it. Pure; `draft.ts` emits them when it says a sentence.
import type { PollAnswer } from '@rostrum/contract/poll'
import type { Actor, Place, RunEventBody } from '@rostrum/contract/room'
import { fill, languageOf } from '@rostrum/languages/languages'
import { pollIn, pollResultsOf, pollView } from '../polls.ts'
import { emptyRegister, type Poll, type RunState } from '../run-state.ts'
import type { Talk, TalkBeat } from '@rostrum/contract/talk'

type Mode = 'isolated' | 'broadcast'

/** The poll for whose answers the talk is silent: in a broadcast until its time is over, in an isolated talk until there is one. */
export function heldPoll({ cursor, polls }: RunState, mode: Mode, now: number): Poll | undefined {
  if (cursor?.done !== true) return undefined
  const poll = polls.find(({ open, beatId }) => open && beatId === cursor.beatId)
  if (poll === undefined) return undefined
  return (mode === 'isolated' ? poll.answers.size === 0 : now < (poll.until ?? 0)) ? poll : undefined
}

/** The poll as it is with this change. */
export function pollEvent(poll: Poll, by: Actor): RunEventBody {
  return { type: 'poll', data: { ...pollView(poll), by, ...(poll.beatId !== null && { beatId: poll.beatId }) } }
}

const closed = (poll: Poll, by: Actor) => pollEvent({ ...poll, open: false }, by)

export const shownPoll = (poll: Poll, { beats }: Talk, isOpen: boolean): Poll => ({
  ...poll,
  shown: true,
  open: isOpen,
  right: poll.right ?? beats.find((beat) => beat.poll?.pollId === poll.pollId)?.poll?.right ?? null,
})

/** One is open at a time. */
export function openedPoll(
  state: RunState,
  beat: TalkBeat,
  asks: { by: Actor; beatId: string | null; until: number | null },
): RunEventBody[] {
  const { poll, slideIndex } = beat
  if (poll === undefined) return []
  const { by, ...change } = asks
  const { right, ...asked } = poll
  const fresh = { ...asked, options: poll.options ?? [], slideIndex, quiz: right !== undefined, shown: false, right: null }
  const before = pollIn(state, poll.pollId)
  const { answers, hidden } = before ?? { answers: emptyRegister<PollAnswer>(), hidden: [] }
  const others = state.polls.filter(({ open, pollId }) => open && pollId !== poll.pollId)
  return [...others.map((other) => closed(other, by)), pollEvent({ ...fresh, answers, hidden, ...change, open: true }, by)]
}

/** What the beginning of a sentence does to polls: it asks one, shows one, and leaves behind one that the talk has gone away from. */
export function pollsAt(beat: TalkBeat, state: RunState, talk: Talk, mode: Mode, endsAt: number): RunEventBody[] {
  const left = state.polls.filter(
    ({ open, beatId, pollId }) => open && beatId !== null && pollId !== beat.poll?.pollId && pollId !== beat.resultOf,
  )
  const events = left.map((poll) => closed(poll, 'script'))
  if (beat.poll !== undefined) {
    const until = mode === 'isolated' ? null : endsAt + (beat.waitMs ?? 0)
    return [...events, ...openedPoll(state, beat, { by: 'script', beatId: beat.beatId, until })]
  }
  const poll = beat.resultOf === undefined ? undefined : pollIn(state, beat.resultOf)
  if (poll === undefined || (poll.shown && !poll.open)) return events
  return [...events, pollEvent(shownPoll(poll, talk, false), 'script')]
}

/** The next place that has something to say: what was asked is not asked again, and of what was not there are no results. */
export function pastPolls(
  place: Place | null,
  state: RunState,
  { mode, order, talk, session }: { mode: Mode; order: Order; talk: Talk; session: { language: string } },
): Place | null {
  for (let next = place; next !== null; next = order.after(next.beatId, state.isBrief)) {
    const beat = order.beat(next.beatId)
    const poll = pollIn(state, beat?.poll?.pollId ?? beat?.resultOf ?? '')
    if (beat?.poll !== undefined && poll?.open === false) continue
    if (beat?.resultOf !== undefined && (poll === undefined || resultWords(poll, talk, session.language, mode) === '')) continue
    return next
  }
  return null
}

interface Order {
  beat(beatId: string): TalkBeat | undefined
  after(beatId: string, isBrief?: boolean): Place | null
}

/** The sentence in the words of now. */
export function saidNow(beat: TalkBeat, state: RunState, talk: Talk, mode: Mode, language: string): TalkBeat {
  const poll = beat.resultOf === undefined ? undefined : pollIn(state, beat.resultOf)
  const text = poll && resultWords(poll, talk, language, mode)
  if (text === undefined || text === '') return beat
  return { ...beat, text, clauses: [0], estMs: Math.round((beat.estMs * text.length) / Math.max(1, beat.text.length)) }
}

/** What came of it, in words; empty where there is nothing to say to the one attendee of an isolated talk. */
export function resultWords(poll: Poll, talk: Talk, language: string, mode: Mode): string {
  const { polls: words, script } = languageOf(language)
  const said = (phrase: string, gaps: Readonly<Record<string, string | number>> = {}) => {
    const text = fill(phrase, gaps)
    return /[.!?…。！？؟]$/u.test(text) ? text : `${text}${script.stop}`
  }
  const right = shownPoll(poll, talk, false).right
  const rightOption = right === null ? undefined : poll.options[right]
  const { answers, counts = [], words: given = [] } = pollResultsOf(poll)
  if (mode === 'isolated') {
    const [own] = poll.answers.values()
    if (rightOption !== undefined) return said(own?.choice === right ? words.yours : words.right, { choice: rightOption })
    return own === undefined ? '' : said(words.thanks)
  }
  const percent = (count: number) => Math.round((100 * count) / answers)
  if (answers === 0) return rightOption === undefined ? said(words.none) : said(words.right, { choice: rightOption })
  if (right !== null && rightOption !== undefined)
    return said(words.rightShare, { choice: rightOption, percent: percent(counts[right] ?? 0) })
  switch (poll.kind) {
    case 'choice': {
      const most = Math.max(...counts)
      const first = poll.options.filter((_, at) => counts[at] === most)
      if (first.length === 1) return said(words.top, { choice: first[0] ?? '', percent: percent(most) })
      return said(words.tie, { choices: new Intl.ListFormat(language, { type: 'conjunction' }).format(first) })
    }
    case 'rating': {
      const sum = counts.reduce((all, count, at) => all + count * (at + 1), 0)
      return said(words.mean, { mean: new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(sum / answers) })
    }
    case 'words': {
      const [first, second] = given
      if (first === undefined) return said(words.none)
      return first.count > (second?.count ?? 0) ? said(words.word, { word: first.word }) : said(words.words)
    }
  }
}
