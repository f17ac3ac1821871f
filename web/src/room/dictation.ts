// Speaking a question where the browser can turn speech into text. The text lands in the field for editing; it is never sent by itself.
import { useEffect, useRef, useState } from 'preact/hooks'

interface Recognition {
  lang: string
  interimResults: boolean
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null
  onend: (() => void) | null
  onerror: (() => void) | null
  start(): void
  stop(): void
}

type RecognitionClass = new () => Recognition

export interface Dictation {
  available: boolean
  listening: boolean
  toggle: () => void
}

function recognitionClass(): RecognitionClass | undefined {
  const holder = globalThis as { SpeechRecognition?: RecognitionClass; webkitSpeechRecognition?: RecognitionClass }
  return holder.SpeechRecognition ?? holder.webkitSpeechRecognition
}

const listenMaxMs = 30_000

export function useDictation(language: string, onHeard: (text: string) => void): Dictation {
  const [available, setAvailable] = useState(false)
  const [listening, setListening] = useState(false)
  const running = useRef<Recognition | null>(null)
  const heard = useRef(onHeard)
  heard.current = onHeard
  useEffect(() => {
    setAvailable(recognitionClass() !== undefined)
    return () => running.current?.stop()
  }, [])
  const toggle = () => {
    if (running.current !== null) return running.current.stop()
    const Recognition = recognitionClass()
    if (Recognition === undefined) return
    const made = new Recognition()
    made.lang = language
    made.interimResults = false
    made.onresult = (event) => {
      const text = Array.from(event.results, (result) => result[0]?.transcript ?? '')
        .join(' ')
        .trim()
      if (text !== '') heard.current(text)
    }
    const timer = setTimeout(() => made.stop(), listenMaxMs)
    made.onerror = made.onend = () => {
      clearTimeout(timer)
      running.current = null
      setListening(false)
    }
    running.current = made
    setListening(true)
    made.start()
  }
  return { available, listening, toggle }
}
