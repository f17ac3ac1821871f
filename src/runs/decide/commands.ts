// From what people ask to what the machine takes: a command becomes inputs, and the state after them becomes its answer.
import { type Ack, type AttendeeAction, type RoomCommand, broadcastActions } from '../../contract/commands.ts'
import { type HostAction } from '../../contract/room.ts'
import type { CommandAnswer } from '../log/run-log.ts'
import { pollIn } from '../log/polls.ts'
import { standsFor } from './questions.ts'
import { shownName } from '../attendees.ts'
import type { Actor } from '../../contract/room.ts'
import { aheadOf, type RunState } from '../log/run-state.ts'
import type { Input, Refusal, Setting } from './draft.ts'

const refuse = (code: Refusal['code'], detail: string): { refusal: Refusal } => ({ refusal: { code, detail } })

/** The inputs of a command in order, or why it is refused before it reaches the machine. */
export function inputsOf(command: RoomCommand, setting: Setting, now: number): Input[] | { refusal: Refusal } {
  switch (command.kind) {
    case 'questions': {
      const { kind: _kind, ...question } = command
      return [{ type: 'ask', question: { ...question, name: shownName(question.name, setting.mode) } }]
    }
    case 'acks':
      // A broadcast goes by the clock of the server, the same for all: what one of them heard moves nothing.
      return setting.mode === 'broadcast' ? [] : command.acks.map(ackInput)
    case 'control':
      return controlInputs(command, setting, now)
    case 'cta':
      return [{ type: 'cta', attendeeId: command.attendeeId, action: command.action }]
    case 'votes':
      return [{ type: 'vote', attendeeId: command.attendeeId, questionId: command.questionId, value: command.value }]
    case 'polls': {
      const { kind: _kind, id: _id, attendeeId, pollId, skip, ...answer } = command
      return [{ type: 'answer_poll', attendeeId, pollId, answer: skip === true ? null : answer }]
    }
    case 'lead':
      return [{ type: 'lead', attendeeId: command.attendeeId, leadId: command.leadId }]
    case 'erase':
      return [{ type: 'erase', attendeeId: command.attendeeId }]
    case 'tell':
      return [
        {
          type: 'tell',
          attendeeId: command.attendeeId,
          answerId: command.id,
          questionId: command.questionId,
          text: command.text,
          offersForm: command.offersForm,
        },
      ]
    case 'leave':
      return [{ type: 'visit_closed', attendeeId: command.attendeeId, since: now, reason: 'left' }]
    case 'visit':
      return [{ type: 'visit_opened', attendeeId: command.attendeeId, name: command.name, kind: command.attendeeKind }]
    case 'gone':
      return [{ type: 'visit_closed', attendeeId: command.attendeeId, since: command.since, reason: command.reason }]
    case 'host':
      return hostInputs(command)
    case 'host_stream':
      return [{ type: 'host_seen', present: command.present, node: command.node }]
    // The run has read them by now, and plays them itself.
    case 'settings':
      return []
    case 'stop':
      return [{ type: 'stop', reason: command.reason }]
  }
}

function ackInput({ beatId, phase, chars = 0, ms }: Ack): Input {
  switch (phase) {
    case 'started':
      return { type: 'beat_begun', utterance: beatId, chars }
    case 'ended':
      return { type: 'beat_done', utterance: beatId, heard: true }
    case 'cut':
      return { type: 'beat_cut', utterance: beatId, chars, ...(ms === undefined ? {} : { ms }) }
  }
}

function controlInputs(command: RoomCommand & { kind: 'control' }, setting: Setting, now: number): Input[] | { refusal: Refusal } {
  const { action, attendeeId } = command
  if (action === 'raise_hand' || action === 'lower_hand') return [{ type: 'hand', attendeeId, raised: action === 'raise_hand' }]
  if (action === 'react') {
    if (command.reaction === undefined) return refuse('invalid_request', 'Name the `reaction`: agree, like or aha.')
    return [{ type: 'react', attendeeId, reaction: command.reaction }]
  }
  if (action === 'rate') {
    if (command.rating === undefined) return refuse('invalid_request', 'Send the `rating`, 1 to 5.')
    return [{ type: 'rate', attendeeId, rating: command.rating }]
  }
  if (setting.mode === 'broadcast') {
    if (!broadcastActions.includes(action)) return refuse('forbidden', 'In a broadcast only the host controls the talk.')
    return [{ type: 'visit_closed', attendeeId, since: now, reason: 'left' }]
  }
  return steer(action, 'attendee', command)
}

function steer(
  action: Exclude<AttendeeAction, 'raise_hand' | 'lower_hand' | 'react' | 'rate'>,
  by: Actor,
  given: { slideIndex?: number; speed?: number },
): Input[] | { refusal: Refusal } {
  switch (action) {
    case 'goto':
      if (given.slideIndex === undefined) return refuse('invalid_request', 'Name the slide to go to: `slideIndex`, from 0.')
      return [{ type: 'move', to: { type: 'goto', slideIndex: given.slideIndex }, by }]
    case 'next':
    case 'previous':
    case 'repeat':
      return [{ type: 'move', to: { type: action }, by }]
    case 'speed':
      if (given.speed === undefined) return refuse('invalid_request', 'Name the speed: `speed`, 0.75 to 2.')
      return [{ type: 'speed', speed: given.speed, by }]
    default:
      return [{ type: action, by }]
  }
}

function hostInputs(command: RoomCommand & { kind: 'host' }): Input[] | { refusal: Refusal } {
  const { action, by, slideIndex, questionId, pollId } = command
  const asked = hostAct(action, command)
  if ('refusal' in asked) return asked
  const place = {
    ...(slideIndex === undefined ? {} : { slideIndex }),
    ...(questionId === undefined ? {} : { questionId }),
    ...(pollId === undefined ? {} : { pollId }),
  }
  return [...asked, { type: 'audit', audit: { action, by, ...place } }]
}

function hostAct(action: HostAction, command: RoomCommand & { kind: 'host' }): Input[] | { refusal: Refusal } {
  const { by, slideIndex, questionId, intoId, pollId, word, text, sentences, private: isPrivate = false } = command
  const at = slideIndex === undefined ? {} : { slideIndex }
  switch (action) {
    case 'hide_question':
    case 'approve_question':
      if (questionId === undefined) return refuse('invalid_request', 'Name the question: `questionId`.')
      return [{ type: 'moderate', action, questionId }]
    case 'open_poll':
    case 'close_poll':
    case 'show_poll':
    case 'hide_word':
      if (pollId === undefined) return refuse('invalid_request', 'Name the poll: `pollId`, as the beats of the script have it.')
      if (action === 'hide_word' && word === undefined) return refuse('invalid_request', 'Send the `word` to hide, as the results have it.')
      return [{ type: 'host_poll', action, pollId, ...(word !== undefined && { word }) }]
    case 'merge_question':
      if (questionId === undefined || intoId === undefined)
        return refuse('invalid_request', 'Name both questions: `questionId`, and `intoId` that it is joined with.')
      return [{ type: 'merge', questionId, intoId }]
    case 'answer_text':
      if (questionId === undefined || text === undefined)
        return refuse('invalid_request', 'Send `questionId` and the `text` of the answer.')
      return [{ type: 'answer_text', questionId, text, sentences: sentences ?? [{ text }], isPrivate, by }]
    case 'say':
      if (text === undefined && sentences === undefined) return refuse('invalid_request', 'Send the `text` to say.')
      return [{ type: 'say', id: command.id, sentences: sentences ?? [{ text: text ?? '' }] }]
    case 'hand_back':
      return [{ type: 'hand_back', by: 'host', ...at }]
    case 'take_over':
    case 'end':
      return [{ type: action, by: 'host' }]
    default:
      return steer(action, 'host', at)
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
