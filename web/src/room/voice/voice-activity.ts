// Whether somebody has begun to speak, by the energy of the microphone alone. Pure: the state after each frame, and what to do about it
// (Spec 6.2). A cough is shorter than 280 ms; the floor follows the room and what is left of the presenter's own voice in it.

export interface Frame {
  /** Of the audio, so that a busy page changes nothing. */
  atMs: number
  /** Decibels of full scale. */
  levelDb: number
}

/** `duck`: it may be a voice. `restore`: it was none. `confirm`: it is one. `silence`: it has ended. */
export type VoiceCue = 'duck' | 'restore' | 'confirm' | 'silence'

export interface VoiceActivity {
  phase: 'quiet' | 'rising' | 'ducked' | 'speaking'
  /** Since when it has been loud. */
  sinceMs: number
  /** When it was loud last. */
  loudMs: number
  floorDb: number
  /** Above the floor it is loud. */
  marginDb: number
}

const duckMs = 120
const confirmMs = 280
/** A gap between two syllables, while nobody knows yet whether it is a voice. */
const gapMs = 80
/** A pause for breath, once it is one. */
const breathMs = 700
/** Nobody speaks so long without a breath: the room has become loud. */
const endlessMs = 8_000
/** Below this nothing is a voice. */
const faintDb = -50
const marginDb = 12
const marginMaxDb = 24

export const silentRoom: VoiceActivity = { phase: 'quiet', sinceMs: 0, loudMs: 0, floorDb: -60, marginDb }

export function follow(before: VoiceActivity, { atMs, levelDb }: Frame): { activity: VoiceActivity; cue: VoiceCue | null } {
  const level = Math.max(-100, levelDb)
  return level >= Math.max(faintDb, before.floorDb + before.marginDb) ? louder(before, atMs, level) : quieter(before, atMs, level)
}

function louder(before: VoiceActivity, atMs: number, level: number): ReturnType<typeof follow> {
  const { phase } = before
  // Of a stretch that a page held up did not listen to, no more counts than a gap between two syllables.
  const unheardMs = Math.max(0, atMs - before.loudMs - gapMs)
  const sinceMs = phase === 'quiet' ? atMs : before.sinceMs + unheardMs
  const lasted = atMs - sinceMs
  const activity = { ...before, sinceMs, loudMs: atMs }
  if (phase === 'speaking') {
    if (lasted < endlessMs) return { activity, cue: null }
    return { activity: { ...activity, phase: 'quiet', floorDb: level }, cue: 'silence' }
  }
  if (lasted >= confirmMs) return { activity: { ...activity, phase: 'speaking' }, cue: 'confirm' }
  if (lasted >= duckMs) return { activity: { ...activity, phase: 'ducked' }, cue: phase === 'ducked' ? null : 'duck' }
  return { activity: { ...activity, phase: 'rising' }, cue: null }
}

function quieter(before: VoiceActivity, atMs: number, level: number): ReturnType<typeof follow> {
  const { phase, floorDb } = before
  // Down at once, up slowly: a loud moment is no louder room.
  const activity = { ...before, floorDb: floorDb + (level - floorDb) * (level < floorDb ? 0.3 : 0.05) }
  if (phase === 'quiet' || atMs - before.loudMs <= (phase === 'speaking' ? breathMs : gapMs)) return { activity, cue: null }
  const cue = phase === 'speaking' ? 'silence' : phase === 'ducked' ? 'restore' : null
  return { activity: { ...activity, phase: 'quiet' }, cue }
}

/** What was heard held words, or was noise of which the next has to be louder. */
export function learn(activity: VoiceActivity, hadWords: boolean): VoiceActivity {
  return { ...activity, marginDb: hadWords ? marginDb : Math.min(marginMaxDb, activity.marginDb + 3) }
}

/** The level of a stretch of samples. */
export function levelDbOf(samples: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < samples.length; i++) sum += (samples[i] ?? 0) ** 2
  return 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-10)
}
