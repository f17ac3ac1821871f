// What people ask of a run is what the machine takes: a command is obeyed or refused, and the state after it becomes its answer.
import { type Ack, type AttendeeAction, broadcastActions, type CommandAnswer, type RoomCommand } from '@rostrum/contract/commands'
import type { Actor } from '@rostrum/contract/room'
import { shownName, aheadOf, type RunState } from '../run-state.ts'
import { pollIn } from '../polls.ts'
import { actOnCta, type Draft, enter, type Setting } from './draft.ts'
import { hush } from './moves.ts'
import {
  answerPoll,
  closeVisit,
  cutByAttendee,
  giveOwnWords,
  keepStatus,
  leadPoll,
  mergeByHost,
  moderateByHost,
  type Of,
  openVisit,
  type Play,
  sayAsHost,
  takeUpAgain,
  tellPrivately,
  vote,
} from './others.ts'
import { expireOpen, standsFor, takeIn } from './questions.ts'

const invalid = (draft: Draft, detail: string) => draft.refuse({ code: 'invalid_request', detail })
const over = (draft: Draft) => draft.refuse({ code: 'run_state', detail: 'The talk is over.' })

/** What still counts once the room has been told that it is closed; the state table has a word of its own for what is about the talk. */
const afterTheEnd: ReadonlySet<RoomCommand['kind']> = new Set(['questions', 'control', 'host', 'cta', 'lead', 'erase', 'leave', 'gone'])

export function obey(draft: Draft, command: RoomCommand, play: Play): void {
  const { state, setting } = draft
  if (state.closed && !afterTheEnd.has(command.kind)) {
    if (command.kind === 'votes' || command.kind === 'polls') over(draft)
    return
  }
  switch (command.kind) {
    case 'questions': {
      const { kind: _kind, ...asked } = command
      const question = { ...asked, name: shownName(asked.name, setting.mode) }
      if (takeIn(draft, question)) play({ type: 'ask', question })
      return
    }
    case 'acks':
      // A broadcast goes by the clock of the server, the same for all: what one of them heard moves nothing.
      if (setting.mode === 'isolated') for (const ack of command.acks) acknowledge(draft, ack, play)
      return
    case 'control':
      return control(draft, command, play)
    case 'host': {
      lead(draft, command, play)
      const { action, by, slideIndex, questionId, pollId } = command
      if (draft.refusal !== null || draft.state.closed) return
      const place = { ...(slideIndex !== undefined && { slideIndex }), ...(questionId && { questionId }), ...(pollId && { pollId }) }
      return draft.emit({ type: 'audit', data: { action, by, ...place } }, 'host')
    }
    case 'cta':
      return actOnCta(draft, command.attendeeId, command.action)
    case 'votes':
      return vote(draft, command)
    case 'polls':
      return answerPoll(draft, command)
    case 'tell':
      return tellPrivately(draft, command)
    case 'lead':
      return draft.emit({ type: 'lead', data: { leadId: command.leadId, attendeeId: command.attendeeId } }, 'log')
    case 'erase':
      if (!state.nameless.includes(command.attendeeId)) draft.emit({ type: 'erased', data: { attendeeId: command.attendeeId } }, 'log')
      return
    case 'visit':
      return openVisit(draft, command, play)
    case 'leave':
      return closeVisit(draft, { ...command, since: draft.now, reason: 'left' }, play)
    case 'gone':
      return closeVisit(draft, command, play)
    case 'host_stream': {
      const { present, node } = command
      if (state.hostNodes.includes(node) !== present) draft.emit({ type: 'host', data: { present, node } }, 'log')
      return
    }
    // The run has read them by now, and plays them itself.
    case 'settings':
      return
    case 'stop':
      // Somebody may have come meanwhile: they keep their place.
      if (command.reason === 'abandoned' && state.present > 0) return
      hush(draft)
      expireOpen(draft)
      enter(draft, 'completed', 'system', { reason: command.reason })
      return draft.emit({ type: 'closed', data: { reason: command.reason === 'abandoned' ? 'left' : command.reason } })
  }
}

function acknowledge(draft: Draft, { beatId, phase, chars = 0, ms }: Ack, play: Play): void {
  if (phase === 'started') takeUpAgain(draft, beatId)
  else if (phase === 'ended') play({ type: 'beat_done', utterance: beatId, heard: true })
  else cutByAttendee(draft, beatId, chars, ms)
}

const reactionEveryMs = 2_000

function control(draft: Draft, command: Of<'control'>, play: Play): void {
  const { state, setting, now } = draft
  const { action, attendeeId, reaction, rating } = command
  const attendee = state.attendees.get(attendeeId)
  switch (action) {
    case 'raise_hand':
    case 'lower_hand': {
      const raised = action === 'raise_hand'
      if (state.closed || attendee === undefined || attendee.handRaised === raised) return
      return draft.emit({ type: 'intent', data: { attendeeId, signal: raised ? 'hand_raised' : 'hand_lowered' } }, 'host')
    }
    case 'react':
      if (reaction === undefined) return invalid(draft, 'Name the `reaction`: agree, like or aha.')
      // Whoever presses on and on is not many.
      if (state.closed || attendee === undefined || now - (attendee.reactedAt ?? -Infinity) < reactionEveryMs) return
      return draft.emit({ type: 'reaction', data: { attendeeId, reaction } }, 'log')
    case 'rate':
      if (rating === undefined) return invalid(draft, 'Send the `rating`, 1 to 5.')
      if (attendee === undefined || state.ratingOf.get(attendeeId) === rating) return
      return draft.emit({ type: 'rating', data: { attendeeId, rating } }, 'log')
    default:
      break
  }
  if (setting.mode === 'isolated') return steer(draft, action, 'attendee', command, play)
  if (!broadcastActions.includes(action))
    return draft.refuse({ code: 'forbidden', detail: 'In a broadcast only the host controls the talk.' })
  closeVisit(draft, { attendeeId, since: now, reason: 'left' }, play)
}

function steer(
  draft: Draft,
  action: Exclude<AttendeeAction, 'raise_hand' | 'lower_hand' | 'react' | 'rate'>,
  by: Actor,
  { slideIndex, speed }: { slideIndex?: number; speed?: number },
  play: Play,
): void {
  switch (action) {
    case 'goto':
      if (slideIndex === undefined) return invalid(draft, 'Name the slide to go to: `slideIndex`, from 0.')
      return play({ type: 'move', to: { type: 'goto', slideIndex }, by })
    case 'next':
    case 'previous':
    case 'repeat':
      return play({ type: 'move', to: { type: action }, by })
    case 'speed':
      if (speed === undefined) return invalid(draft, 'Name the speed: `speed`, 0.75 to 2.')
      if (draft.state.speed === speed || draft.state.status === 'completed') return
      return keepStatus(draft, by, { reason: 'speed', speed })
    default:
      return play({ type: action, by })
  }
}

function lead(draft: Draft, command: Of<'host'>, play: Play): void {
  const { action, slideIndex, questionId, intoId, pollId, word, text, sentences, private: isPrivate = false } = command
  const at = slideIndex === undefined ? {} : { slideIndex }
  const isOver = draft.state.closed
  switch (action) {
    case 'hide_question':
    case 'approve_question':
      if (questionId === undefined) return invalid(draft, 'Name the question: `questionId`.')
      return isOver ? over(draft) : moderateByHost(draft, action, questionId, play)
    case 'open_poll':
    case 'close_poll':
    case 'show_poll':
    case 'hide_word':
      if (pollId === undefined) return invalid(draft, 'Name the poll: `pollId`, as the beats of the script have it.')
      if (action === 'hide_word' && word === undefined) return invalid(draft, 'Send the `word` to hide, as the results have it.')
      return isOver ? over(draft) : leadPoll(draft, action, pollId, word)
    case 'merge_question':
      if (questionId === undefined || intoId === undefined)
        return invalid(draft, 'Name both questions: `questionId`, and `intoId` that it is joined with.')
      return isOver ? over(draft) : mergeByHost(draft, questionId, intoId)
    case 'answer_text':
      if (questionId === undefined || text === undefined) return invalid(draft, 'Send `questionId` and the `text` of the answer.')
      return isOver ? over(draft) : giveOwnWords(draft, questionId, text, sentences ?? [{ text }], isPrivate)
    case 'say':
      if (text === undefined && sentences === undefined) return invalid(draft, 'Send the `text` to say.')
      return isOver ? over(draft) : sayAsHost(draft, command.id, sentences ?? [{ text: text ?? '' }])
    case 'hand_back':
      return play({ type: 'hand_back', by: 'host', ...at })
    case 'take_over':
    case 'end':
      return play({ type: action, by: 'host' })
    default:
      return steer(draft, action, 'host', at, play)
  }
}

/** What the caller is told, read from the state that the command has left. */
export function answerOf(command: RoomCommand, state: RunState, setting: Setting): CommandAnswer & { ok: true } {
  const data = ((): Record<string, unknown> => {
    switch (command.kind) {
      case 'questions': {
        const question = state.questions.get(command.id)
        const ahead = aheadOf(command.id, question?.status, state)
        const merged = question?.mergedInto ?? null
        return { questionId: command.id, status: question?.status ?? 'declined', ahead, ...(merged === null ? {} : { mergedInto: merged }) }
      }
      case 'acks':
        return { accepted: command.acks.length, seq: state.seq }
      case 'cta':
        return {
          state: state.ctaOf.get(command.attendeeId) ?? (state.ctaShown ? 'shown' : 'hidden'),
          url: setting.session.cta?.url ?? null,
        }
      case 'votes':
        return { votes: standsFor(command.questionId, state)?.votes ?? 0 }
      case 'polls': {
        const poll = pollIn(state, command.pollId)
        return { pollId: command.pollId, open: poll?.open ?? false, answers: poll?.answers.size ?? 0 }
      }
      case 'leave':
        return { left: true }
      case 'tell':
        // Nothing is told once the room is closed.
        return state.closed ? {} : { seq: state.seq }
      case 'lead':
      case 'erase':
      case 'visit':
      case 'gone':
      case 'host_stream':
      case 'settings':
        return {}
      case 'control':
      case 'host':
      case 'stop':
        return { status: state.status }
    }
  })()
  return { ok: true, data }
}
