// Which sentence, if any, a message asks the room to say, and from which character. Pure.
import { clauseOffsets, clauseStart, estimateMs } from './captions.ts'
import type { RoomState } from './state.ts'
import type { Utterance } from './voice.ts'
import type { BeatData, RoomMessage } from './wire.ts'

export interface UtteranceContext {
  isolated: boolean
  /** This device's time minus the server's. */
  offsetMs: number
  now: number
}

export function utteranceOf(message: RoomMessage, state: RoomState, context: UtteranceContext): Utterance | null {
  if (message.event === 'beat') return fromBeat(message.data, state, context, message.data.clause ?? 0)
  if (message.event === 'snapshot' && message.data.resumed !== true) {
    const beat = message.data.position?.beat
    const beatId = typeof beat === 'string' ? beat : beat?.beatId
    const found =
      typeof beat === 'object' && beat !== null && beat.text !== undefined
        ? beat
        : message.data.captions?.find((each) => each.beatId === beatId)
    const speaks = state.status === 'presenting' || state.status === 'closing'
    if (!speaks || beatId === undefined || found === undefined) return null
    return { ...fromBeat(found, state, context, 0), ...fromElapsed(found, context) }
  }
  if (message.event === 'answer' && message.data.phase === 'sentence') {
    const { answerId, index = 0, text = '', estMs, audioUrl } = message.data
    // The instant answer of a broadcast is read by its asker, not said to the room.
    if (text === '' || (message.data.private === true && state.status !== 'answering')) return null
    return {
      id: `${answerId}:${index}`,
      text,
      estMs: estMs ?? estimateMs(text, state.speed),
      speed: state.speed,
      from: 0,
      ...(audioUrl ? { audioUrl } : {}),
    }
  }
  return null
}

function fromBeat(beat: BeatData, state: RoomState, context: UtteranceContext, clause: number): Utterance {
  const text = beat.text ?? ''
  return {
    id: beat.beatId,
    text,
    estMs: beat.estMs ?? estimateMs(text, state.speed),
    speed: state.speed,
    from: clause === 0 ? 0 : resumePoint(text, state.cutAt[beat.beatId], clause),
    ...(beat.audioUrl ? { audioUrl: beat.audioUrl } : {}),
    ...(beat.audioMs ? { audioMs: beat.audioMs } : {}),
    ...(context.isolated || !beat.startedAt ? {} : { dueAt: beat.startedAt + context.offsetMs }),
  }
}

/** The clause at or before the cut, or the clause of that number where the cut is not known (after a reload). */
function resumePoint(text: string, cutAt: number | undefined, clause: number): number {
  if (cutAt !== undefined) return clauseStart(text, cutAt)
  return clauseOffsets(text)[clause] ?? 0
}

/** In the middle of a sentence: the clause it should have reached by now. */
function fromElapsed(beat: BeatData, context: UtteranceContext): Partial<Utterance> {
  const text = beat.text ?? ''
  if (!beat.startedAt || !beat.estMs) return { id: beat.beatId, text }
  const share = Math.max(0, Math.min(1, (context.now - beat.startedAt - context.offsetMs) / beat.estMs))
  return { id: beat.beatId, text, from: clauseStart(text, Math.floor(share * Math.max(0, text.length - 1))) }
}
