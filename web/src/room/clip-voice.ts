// Clips of the server's voice on one audio element (iOS unlocks an element, not a page).
import type { WebClock } from '../ui/clock.ts'
import type { Voice } from './voice.ts'

const startWithinMs = 2_000

export function clipVoice({ clock, audio }: { clock: WebClock; audio: HTMLAudioElement }): Voice {
  return {
    kind: 'clip',
    play(utterance, hooks) {
      let stopped = false
      const length = utterance.text.length
      const whole = () =>
        Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration * 1_000 : (utterance.audioMs ?? utterance.estMs)
      const chars = () => Math.min(length, Math.max(utterance.from, Math.floor((audio.currentTime * 1_000 * length) / whole())))
      const halt = () => {
        stopped = true
        cancelWatch()
        audio.onended = audio.onerror = audio.ontimeupdate = audio.onplaying = null
        audio.pause()
      }
      const fail = (reason: 'fault' | 'blocked') => {
        if (stopped) return
        const reached = chars()
        halt()
        hooks.failed(reason, reached)
      }
      let cancelWatch = clock.after(startWithinMs, () => fail('fault'))
      audio.onplaying = () => {
        cancelWatch()
        cancelWatch = clock.after(2 * (utterance.audioMs ?? utterance.estMs) + 1_000, () => fail('fault'))
      }
      audio.ontimeupdate = () => hooks.progress(chars())
      audio.onerror = () => fail('fault')
      audio.onended = () => {
        halt()
        hooks.ended()
      }
      audio.src = utterance.audioUrl ?? ''
      audio.playbackRate = utterance.speed
      if (utterance.from > 0 && length > 0) audio.currentTime = (whole() * utterance.from) / length / 1_000
      audio.play().catch((error: unknown) => fail(error instanceof DOMException && error.name === 'NotAllowedError' ? 'blocked' : 'fault'))
      return {
        stop() {
          const reached = chars()
          halt()
          return reached
        },
      }
    },
  }
}
