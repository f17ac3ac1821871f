// The voice of a replay: says the sentence of the moment while it plays, and holds the moment until a voice slower than the first one
// has come to its end. Moving to another moment, pausing and leaving silence it at once.
import { useEffect, useRef, useState } from 'preact/hooks'
import { clauseStart } from '@rostrum/contract/captions'
import { showToast } from '../../ui/toast.tsx'
import { createMouth, type Mouth, type Tongue } from '../parts/mouth.ts'
import { type Replay, sceneAt, type Sentence } from './replay.ts'
import type { Hold, Player } from './use-player.ts'

export interface ReplayVoice {
  isOn: boolean
  setOn(on: boolean): void
  /** Inside the press that plays. */
  unlock(): void
}

/** Reading time, for the watch over an engine that falls silent; what was said before may have been cut short. */
const msPerCharacter = 65

export function useReplayVoice(replay: Replay, player: Player, tongue: Tongue, hold: { current: Hold }): ReplayVoice {
  const [isOn, setOn] = useState(true)
  const mouth = useRef<Mouth | null>(null)
  const saying = useRef<Sentence | null>(null)
  hold.current = (ms) => (saying.current !== null && ms >= saying.current.to ? Math.max(saying.current.from, saying.current.to - 1) : ms)

  const hush = () => {
    saying.current = null
    mouth.current?.stop()
  }
  useEffect(() => hush, [])

  const { sentence, isSilent } = sceneAt(replay, player.ms)
  const due = isOn && player.isPlaying && !isSilent ? sentence : null
  useEffect(() => {
    if (due === null) return hush()
    const share = (player.ms - due.from) / Math.max(1, due.to - due.from)
    const { text, entry } = due
    const estMs = Math.max(due.to - due.from, text.length * msPerCharacter) / player.speed
    const clip = entry.audioUrl === undefined ? {} : { audioUrl: entry.audioUrl, audioMs: entry.audioMs }
    const from = clauseStart(text, Math.floor(Math.max(0, share) * text.length))
    saying.current = due
    mouth.current ??= createMouth(tongue)
    mouth.current.say({ id: String(due.from), text, estMs, speed: player.speed, from, ...clip }, (outcome) => {
      saying.current = null
      if (outcome === 'said') return
      setOn(false)
      showToast({ text: 'No voice on this device. The replay goes on in writing.' })
    })
  }, [due, player.speed, player.jumps])

  return {
    isOn,
    setOn,
    unlock() {
      if (isOn) (mouth.current ??= createMouth(tongue)).unlock()
    },
  }
}
