// Hearing sentences of a script in the editor, one after the other: Stop, Escape, leaving the slide and the end all silence it, and no
// voice at all is told in words.
import { useEffect, useRef, useState } from 'preact/hooks'
import { showToast } from '../../ui/toast.tsx'
import { clipOf } from '../deck/deck-acts.ts'
import { createMouth, type Mouth, type Tongue } from '../parts/mouth.ts'

/** A sentence to hear; one without a `beatId` is not of the script yet, and the browser says it. */
export interface Heard {
  /** What `now` says while it is said; else its `beatId`, or its text. */
  name?: string
  beatId?: string
  text: string
  estMs: number
  /** Another voice of the server than that of the session; null: the one of the service. */
  voice?: string | null
}

/** A voice of the server, or of this device, which says it because the server has none (`none`) or did not answer (`failed`). */
export type By = { from: 'server'; name: string } | { from: 'device'; name: string | null; server: 'none' | 'failed' | 'unasked' }

export interface Hearing {
  /** What is being said: the id of its beat, or its text. */
  now: string | null
  /** Whose voice the last sentence is said in; undefined before. */
  by: By | undefined
  hear(sessionId: string, sentences: readonly Heard[]): void
  stop(): void
}

const nameOf = ({ name, beatId, text }: Heard): string => name ?? beatId ?? text

export function useHearing(tongue: Tongue): Hearing {
  const [now, setNow] = useState<string | null>(null)
  const [by, setBy] = useState<By>()
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
    const voice = (mouth.current = createMouth(tongue))
    voice.unlock()
    const next = async (at: number) => {
      const sentence = sentences[at]
      if (turn.signal.aborted) return
      if (sentence === undefined) return stop()
      setNow(nameOf(sentence))
      // A clip that cannot be had is no reason for silence: the browser says the sentence.
      const clip =
        sentence.beatId === undefined ? null : await clipOf(sessionId, sentence.beatId, turn.signal, sentence.voice).catch(() => null)
      if (turn.signal.aborted) return
      const { text, estMs } = sentence
      const server = sentence.beatId === undefined ? 'unasked' : clip !== null && clip.voice === null ? 'none' : 'failed'
      setBy(clip?.audioUrl && clip.voice !== null ? { from: 'server', name: clip.voice } : { from: 'device', name: voice.device(), server })
      const sound = clip?.audioUrl ? { audioUrl: clip.audioUrl, audioMs: clip.audioMs ?? estMs } : {}
      voice.say({ id: nameOf(sentence), text, estMs, speed: 1, from: 0, ...sound }, (outcome) => {
        if (outcome === 'said') return void next(at + 1)
        showToast({ text: 'No voice on this device. The presenter would show captions alone here.' })
        stop()
      })
    }
    void next(0)
  }
  return { now, by, hear, stop }
}
