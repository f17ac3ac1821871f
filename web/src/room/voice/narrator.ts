// Turns the messages of the room into speech and reports what was given: starts say, cuts and stops silence, ends acknowledge.
import type { WebClock } from '../../ui/clock.ts'
import { type Ack, createAcks } from '../stream/acks.ts'
import type { RoomState } from '../stream/state.ts'
import type { RoomMessage } from '../stream/wire.ts'
import type { Spoken, View } from '../view.ts'
import { createSpeaker, type SpeakerVoices } from './speaker.ts'
import { utterancesOf } from './utterance-of.ts'

export interface NarratorOptions {
  clock: WebClock
  isolated: boolean
  voices: SpeakerVoices
  sendAcks: (body: { acks: readonly Ack[] }) => void
  /** Null: nothing is being said, and what was said last is over. */
  onSpoken: (spoken: Spoken | null) => void
  onNotice: (notice: View['notice']) => void
}

/** In these states nobody but the host speaks. */
const quiet: ReadonlySet<string> = new Set(['paused', 'handed_over', 'completed', 'failed', 'lobby'])
/** Words of the host stay so long after their end, so that they can be read. */
const lingersMs = 1_500

export function createNarrator({ clock, isolated, voices, sendAcks, onSpoken, onNotice }: NarratorOptions) {
  const acks = createAcks({ clock, isWanted: () => isolated, send: sendAcks })
  /** This device's time minus the server's, by the fastest message so far. */
  let offsetMs = Infinity
  let hushed: string | void
  let cancelClear = () => {}
  const speaker = createSpeaker({
    clock,
    voices,
    onStart({ id, text, from }) {
      cancelClear()
      onSpoken({ id, text, chars: from })
    },
    onProgress: ({ id, text }, chars, word) => onSpoken({ id, text, chars, ...(word && { word }) }),
    onDone({ id, text, byHost }, phase, chars, ms) {
      if (byHost) return void (cancelClear = clock.after(lingersMs, () => onSpoken(null)))
      if (phase === 'ended') onSpoken({ id, text, chars })
      acks.add({ beatId: id, phase, chars, ms })
    },
    onNotice,
  })
  return {
    hear(message: RoomMessage, state: RoomState) {
      if ('at' in message.data && message.data.at !== undefined) offsetMs = Math.min(offsetMs, clock.now() - message.data.at)
      if (message.event === 'closed') return speaker.stop()
      if (message.event === 'state' && quiet.has(message.data.status)) {
        speaker.stop()
        // What the presenter said is no caption to what the host does.
        if (message.data.status === 'handed_over') onSpoken(null)
        return
      }
      if (message.event === 'answer' && message.data.phase === 'cut') return speaker.stop()
      if (message.event === 'beat' && message.data.phase !== 'start') {
        // In a broadcast an ended sentence may run on for its last syllables; in an isolated run it has ended here first.
        if (message.data.phase !== 'end' || isolated) speaker.drop(message.data.beatId)
        return
      }
      const context = { isolated, offsetMs: Number.isFinite(offsetMs) ? offsetMs : 0, now: clock.now() }
      for (const utterance of utterancesOf(message, state, context)) speaker.say(utterance)
    },
    stop: speaker.stop,
    /** Silence while the attendee speaks; `false` goes on from the clause, where nothing else has happened. */
    hush(on: boolean) {
      if (!isolated) return
      hushed = on ? speaker.stop() : void (hushed && acks.add({ beatId: hushed, phase: 'started' }))
    },
    setSound: speaker.setSound,
    setVoiced: speaker.setVoiced,
    acksSettled: acks.settled,
    acksDelivered: acks.delivered,
  }
}
