// Which sentences a message asks the room to say, and from which character. Pure.
import { clauseOffsets } from '@rostrum/contract/spoken'
import { clauseStart } from '@rostrum/contract/captions'
import type { RoomState } from '../stream/state.ts'
import type { AnswerData, BeatData, RoomMessage } from '../stream/wire.ts'
import type { Utterance } from './voice.ts'

export interface UtteranceContext {
  isolated: boolean
  /** This device's time minus the server's. */
  offsetMs: number
  now: number
}

export function utterancesOf(message: RoomMessage, state: RoomState, context: UtteranceContext): readonly Utterance[] {
  if (message.event === 'beat') return [fromBeat(message.data, state, context)]
  if (message.event === 'answer') {
    const { phase, private: isPrivate } = message.data
    // The instant answer of a broadcast is read by its asker, not said to the room.
    if (phase !== 'sentence' || (isPrivate === true && state.status !== 'answering')) return []
    return [fromSentence(message.data, state)]
  }
  if (message.event === 'said') {
    const { saidId: id, ...said } = message.data
    return [{ ...said, id, speed: 1, from: 0, byHost: true }]
  }
  if (message.event !== 'snapshot' || message.data.resumed) return []
  const { position, questions, you } = message.data
  if (state.status === 'answering') {
    const open = [...questions, ...you.questions].find((question) => question.status === 'answering')
    const { answerId, sentences = [] } = open?.answer ?? { answerId: '' }
    return sentences.map((sentence) => fromSentence({ ...sentence, answerId }, state))
  }
  const beat = position?.beat
  if (beat?.phase !== 'start') return []
  return [midway(fromBeat(beat, state, context), beat, context)]
}

function fromSentence(
  { answerId, index = 0, text = '', estMs = 0, audioUrl, audioMs }: Omit<AnswerData, 'questionId' | 'phase'>,
  state: RoomState,
): Utterance {
  return {
    id: `${answerId}:${index}`,
    text,
    estMs,
    speed: state.speed,
    from: 0,
    audioUrl,
    audioMs,
  }
}

/** `estMs` of a beat is what remains from its clause on; an utterance counts the whole sentence. */
function fromBeat(beat: BeatData, state: RoomState, context: UtteranceContext): Utterance {
  const { beatId, text = '', estMs = 0, audioUrl, audioMs, audioFromMs, nextAudioUrl, startedAt } = beat
  const from = clauseOffsets(text)[beat.clause ?? 0] ?? 0
  return {
    id: beatId,
    text,
    estMs: from === 0 ? estMs : (estMs * text.length) / (text.length - from),
    speed: state.speed,
    from,
    audioUrl,
    audioMs,
    fromMs: audioFromMs,
    nextAudioUrl,
    dueAt: context.isolated || !startedAt ? undefined : startedAt + context.offsetMs,
  }
}

/** In the middle of a sentence: the clause it should have reached by now. */
function midway(utterance: Utterance, beat: BeatData, context: UtteranceContext): Utterance {
  if (!beat.startedAt || !beat.estMs) return utterance
  const { text, from, estMs } = utterance
  const reached = from + ((context.now - beat.startedAt - context.offsetMs) / estMs) * text.length
  return { ...utterance, fromMs: undefined, from: Math.max(from, clauseStart(text, Math.min(reached, text.length - 1))) }
}
