// What follows from a voice in the room: the presenter falls silent once it surely is one, what was said is asked, and where it was no
// question the talk goes on from the same clause. Pure: the state after each input, and the acts in order (Spec 6.2).
import { isBackChannel } from './back-channel.ts'
import type { VoiceCue } from './voice-activity.ts'

/**
 * | state | the presenter | the ears |
 * |---|---|---|
 * | idle | speaks | closed |
 * | alert | speaks softly | open |
 * | hearing | is silent | open |
 * | waiting | is silent | closed, words may come |
 * | late | speaks on | closed, words may come |
 */
export type Interruption = 'idle' | 'alert' | 'hearing' | 'waiting' | 'late'

export type InterruptionInput =
  | { type: 'cue'; cue: VoiceCue }
  | { type: 'words'; text: string }
  /** The ears have ended without words. */
  | { type: 'no_words' }
  /** Nobody has understood a word for a second and a half. */
  | { type: 'timeout' }

export type Act =
  | { type: 'soften' | 'restore' }
  /** Opens the ears; closes them with what was said; closes them and forgets it. */
  | { type: 'listen' | 'enough' | 'forget' }
  | { type: 'hush' | 'go_on' }
  | { type: 'ask'; text: string }
  /** Comes back as `timeout` unless words come before. */
  | { type: 'wait' }

export interface Step {
  next: Interruption
  acts: readonly Act[]
}

const step = (next: Interruption, ...acts: Act[]): Step => ({ next, acts })

/** Words back to who speaks, of which `follows` holds those of the talk's language, never interrupt. */
export function interrupt(now: Interruption, input: InterruptionInput, follows: readonly string[]): Step {
  if (input.type === 'cue') return onCue(now, input.cue)
  if (input.type === 'timeout') return now === 'waiting' ? step('late', { type: 'go_on' }) : step(now)
  if (now === 'idle') return step('idle')
  const asked = input.type === 'words' && !isBackChannel(input.text, follows) ? input.text : null
  if (asked !== null) return step('idle', ...(now === 'alert' ? [{ type: 'restore' } as const] : []), { type: 'ask', text: asked })
  if (now === 'alert') return step('idle', { type: 'restore' })
  return now === 'late' ? step('idle') : step('idle', { type: 'go_on' })
}

function onCue(now: Interruption, cue: VoiceCue): Step {
  switch (cue) {
    case 'duck':
      if (now === 'late') return step('alert', { type: 'forget' }, { type: 'soften' }, { type: 'listen' })
      return now === 'idle' ? step('alert', { type: 'soften' }, { type: 'listen' }) : step(now)
    case 'restore':
      return now === 'alert' ? step('idle', { type: 'restore' }, { type: 'forget' }) : step(now)
    case 'confirm':
      if (now === 'alert') return step('hearing', { type: 'hush' }, { type: 'restore' })
      if (now === 'late') return step('hearing', { type: 'forget' }, { type: 'hush' }, { type: 'listen' })
      return now === 'idle' ? step('hearing', { type: 'hush' }, { type: 'listen' }) : step(now)
    case 'silence':
      return now === 'hearing' ? step('waiting', { type: 'enough' }, { type: 'wait' }) : step(now)
  }
}
