// Moves the moment of a replay: plays, stops, seeks, at a speed; and the single keys that do the same.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { webClock } from '../../ui/clock.ts'
import { isTyping } from '../parts/search-field.tsx'
import { type Replay, sceneAt, stepFrom } from './replay.ts'

export interface Player {
  ms: number
  isPlaying: boolean
  speed: number
  skipsSilence: boolean
  toggle(): void
  seek(ms: number): void
  step(by: 1 | -1): void
  setSpeed(speed: number): void
  setSkipsSilence(skips: boolean): void
  /** How often the moment was moved by hand. */
  jumps: number
}

/** May keep the moment back from going on to `ms`. */
export type Hold = (ms: number) => number

const tickMs = 150
/** Of a silence that is skipped, so much is left before the next sentence. */
const breathMs = 400

export function usePlayer(replay: Replay, startMs: number, hold: { current: Hold }): Player {
  const { endMs } = replay
  const [ms, setMs] = useState(Math.min(startMs, endMs))
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const [skipsSilence, setSkipsSilence] = useState(true)
  const [jumps, setJumps] = useState(0)
  const seek = useCallback(
    (wanted: number) => {
      setMs(Math.max(0, Math.min(endMs, wanted)))
      setJumps((before) => before + 1)
    },
    [endMs],
  )

  useEffect(() => {
    if (!isPlaying) return
    let last = webClock.elapsed()
    let stop = () => {}
    const tick = () => {
      const now = webClock.elapsed()
      const passed = (now - last) * speed
      last = now
      setMs((before) => {
        const next = hold.current(before + passed)
        return skipsSilence ? afterSilence(replay, next) : next
      })
      stop = webClock.after(tickMs, tick)
    }
    stop = webClock.after(tickMs, tick)
    return () => stop()
  }, [isPlaying, speed, skipsSilence, replay])

  const isOver = ms >= endMs
  useEffect(() => {
    if (isOver) setPlaying(false)
  }, [isOver])

  const toggle = () => {
    if (!isPlaying && isOver) seek(0)
    setPlaying(!isPlaying)
  }
  const step = (by: 1 | -1) => seek(stepFrom(replay, ms, by))
  useKeys({ toggle, step, seek, endMs })
  return { ms: Math.min(ms, endMs), isPlaying, speed, skipsSilence, toggle, seek, step, setSpeed, setSkipsSilence, jumps }
}

function afterSilence(replay: Replay, ms: number): number {
  if (!sceneAt(replay, ms).isSilent) return ms
  return Math.max(ms, stepFrom(replay, ms, 1) - breathMs)
}

interface Acts extends Pick<Player, 'toggle' | 'step' | 'seek'> {
  endMs: number
}

function useKeys(acts: Acts): void {
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const { toggle, step, seek, endMs } = latest.current
      const isOnControl = event.target instanceof Element && event.target.closest('a, button, summary') !== null
      if (event.key === 'k' || (event.key === ' ' && !isOnControl)) toggle()
      else if (event.key === 'ArrowLeft') step(-1)
      else if (event.key === 'ArrowRight') step(1)
      else if (event.key === 'Home' && !isOnControl) seek(0)
      else if (event.key === 'End' && !isOnControl) seek(endMs)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
