// Clips of the server's voice on one audio element (iOS unlocks an element, not a page).
import type { WebClock } from '../../ui/clock.ts'
import { barsOfSound } from './level.ts'
import type { Voice } from './voice.ts'

const startWithinMs = 2_000
const softVolume = 0.25
const elements = new Set<HTMLAudioElement>()

/** Clips are said softly while somebody may be beginning to speak. */
export function duckClips(on: boolean): void {
  for (const audio of elements) audio.volume = on ? softVolume : 1
}

/** By an element of its own: a clip may come from an origin that media alone may be had from. */
function fetchAhead(url: string): void {
  const ahead = new Audio()
  ahead.preload = 'auto'
  ahead.src = url
}

const levelEveryMs = 80

/**
 * What the element plays, taken apart. Only where the browser lets a page do so at once (elsewhere the element would fall silent), and
 * only for sound of this origin, which a page may look into.
 */
function analyserOf(audio: HTMLAudioElement): () => Uint8Array | null {
  let analyser: AnalyserNode | null | undefined
  return () => {
    if (analyser === undefined && audio.src.startsWith(location.origin)) {
      const context = new AudioContext()
      analyser = context.state === 'running' ? context.createAnalyser() : null
      if (analyser === null) void context.close()
      else {
        analyser.fftSize = 256
        context.createMediaElementSource(audio).connect(analyser).connect(context.destination)
        context.onstatechange = () => void (context.state === 'running' || context.resume().catch(() => undefined))
      }
    }
    if (!analyser) return null
    const magnitudes = new Uint8Array(analyser.frequencyBinCount)
    analyser.getByteFrequencyData(magnitudes)
    return magnitudes
  }
}

export function clipVoice({ clock, audio }: { clock: WebClock; audio: HTMLAudioElement }): Voice {
  elements.add(audio)
  const analysed = analyserOf(audio)
  return {
    kind: 'clip',
    level() {
      const magnitudes = audio.paused ? null : analysed()
      return magnitudes && barsOfSound(magnitudes)
    },
    onLevel(tell) {
      let cancel = () => {}
      const tick = () => {
        if (!audio.paused) tell()
        cancel = clock.after(levelEveryMs, tick)
      }
      tick()
      return () => cancel()
    },
    play(utterance, hooks) {
      let stopped = false
      const length = utterance.text.length
      const whole = () =>
        Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration * 1_000 : (utterance.audioMs ?? utterance.estMs)
      const reachedMs = () => Math.round(audio.currentTime * 1_000)
      const chars = () => Math.min(length, Math.max(utterance.from, Math.floor((reachedMs() * length) / whole())))
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
      // A server or a network that falls silent: the rest is another voice's.
      let cancelWatch = clock.after(startWithinMs, () => fail('fault'))
      let heardMs = -1
      audio.onplaying = audio.ontimeupdate = () => {
        if (stopped) return
        const nowMs = reachedMs()
        if (nowMs > heardMs) {
          heardMs = nowMs
          cancelWatch()
          cancelWatch = clock.after(startWithinMs, () => fail('fault'))
        }
        hooks.progress(chars())
      }
      audio.onerror = () => fail('fault')
      audio.onended = () => {
        halt()
        hooks.ended()
      }
      audio.src = utterance.audioUrl ?? ''
      audio.playbackRate = utterance.speed
      const fromMs = utterance.fromMs ?? (length > 0 ? ((utterance.audioMs ?? utterance.estMs) * utterance.from) / length : 0)
      if (fromMs > 0) audio.currentTime = fromMs / 1_000
      if (utterance.nextAudioUrl) fetchAhead(utterance.nextAudioUrl)
      audio.play().catch((error: unknown) => fail(error instanceof DOMException && error.name === 'NotAllowedError' ? 'blocked' : 'fault'))
      return {
        stop() {
          const reached = chars()
          halt()
          return reached
        },
        ms: reachedMs,
      }
    },
  }
}
