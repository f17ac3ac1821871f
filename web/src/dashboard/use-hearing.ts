// Hearing sentences of a script in the editor, one after the other: Stop, Escape, leaving the slide and the end all silence it, and no
// voice at all is told in words.
import { useEffect, useRef, useState } from 'preact/hooks'
import { showToast } from '../ui/toast.tsx'
import { clipOf } from './deck-acts.ts'
import type { Mouth } from './mouth.ts'
import { createMouth } from './mouth.ts'

/** A sentence to hear; one without a `beatId` is not of the script yet, and the browser says it. */
export interface Heard {
  /** What `now` says while it is said; else its `beatId`, or its text. */
  name?: string
  beatId?: string
  text: string
  estMs: number
}

export interface Hearing {
  /** What is being said: the id of its beat, or its text. */
  now: string | null
  hear(sessionId: string, sentences: readonly Heard[]): void
  stop(): void
}

const nameOf = ({ name, beatId, text }: Heard): string => name ?? beatId ?? text

export function useHearing(language: string): Hearing {
  const [now, setNow] = useState<string | null>(null)
  const mouth = useRef<Mouth | null>(null)
  const asking = useRef<AbortController | null>(null)

  const stop = () => {
    asking.current?.abort()
    asking.current = null
    mouth.current?.stop()
    setNow(null)
  }

  useEffect(() => stop, [])

  const isHearing = now !== null
  useEffect(() => {
    if (!isHearing) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') stop()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isHearing])

  const hear = (sessionId: string, sentences: readonly Heard[]) => {
    stop()
    const turn = new AbortController()
    asking.current = turn
    const voice = (mouth.current ??= createMouth(language))
    voice.unlock()
    const next = async (at: number) => {
      const sentence = sentences[at]
      if (turn.signal.aborted) return
      if (sentence === undefined) return stop()
      setNow(nameOf(sentence))
      // A clip that cannot be had is no reason for silence: the browser says the sentence.
      const clip = sentence.beatId === undefined ? null : await clipOf(sessionId, sentence.beatId, turn.signal).catch(() => null)
      if (turn.signal.aborted) return
      const { text, estMs } = sentence
      const sound = clip?.audioUrl ? { audioUrl: clip.audioUrl, audioMs: clip.audioMs ?? estMs } : {}
      voice.say({ id: nameOf(sentence), text, estMs, speed: 1, from: 0, ...sound }, (outcome) => {
        if (outcome === 'said') return void next(at + 1)
        showToast({ text: 'No voice on this device. The presenter would show captions alone here.' })
        stop()
      })
    }
    void next(0)
  }
  return { now, hear, stop }
}
