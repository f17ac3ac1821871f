// The host speaks to the room while the presenter is silent: typed words, which the presenter says for them, or their own voice, which
// the room hears phrase by phrase.
import { Mic, MicOff } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asWav, openMicrophone } from '../../room/voice/listening.ts'
import { levelDbOf } from '../../room/voice/voice-activity.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showToast } from '../../ui/toast.tsx'
import { wordsOf } from '../data/api.ts'
import { orToast } from '../data/undoable.ts'
import { hostAct, hostSpeech } from './live-run.ts'
import { hearFrame, noPhrase } from './phrases.ts'

const frameMs = 20
/** A recording begins once there is a voice: what it is given is later by so much that the first syllable is still to come. */
const laterMs = 400
/** After a pause was found: the end of the phrase has been given to its recorder by then, the pause not. */
const endsAfterMs = 300

/** Hands on each phrase in its order. Returns what ends it and closes the microphone. */
function startPhrases(microphone: MediaStream, hooks: { phrase(recording: Blob): void; level(share: number): void }): () => Promise<void> {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  analyser.fftSize = 1_024
  const samples = new Float32Array(analyser.fftSize)
  const recorded = context.createMediaStreamDestination()
  const source = context.createMediaStreamSource(microphone)
  source.connect(analyser)
  source.connect(new DelayNode(context, { delayTime: laterMs / 1_000 })).connect(recorded)
  void context.resume()
  let phrases = noPhrase
  let recorder: MediaRecorder | null = null
  let ending: ReturnType<typeof setTimeout> | undefined

  const end = () => {
    clearTimeout(ending)
    if (recorder?.state === 'recording') recorder.stop()
    recorder = null
  }
  const begin = () => {
    end()
    recorder = new MediaRecorder(recorded.stream, { audioBitsPerSecond: 64_000 })
    recorder.ondataavailable = ({ data }) => data.size > 0 && hooks.phrase(data)
    recorder.start()
  }
  const frames = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const levelDb = levelDbOf(samples)
    hooks.level(Math.max(0, Math.min(1, (levelDb + 60) / 50)))
    const heard = hearFrame(phrases, { atMs: context.currentTime * 1_000, levelDb })
    phrases = heard.phrases
    if (heard.cue === 'begin' || heard.cue === 'next') begin()
    if (heard.cue === 'end') ending = setTimeout(end, endsAfterMs)
  }, frameMs)
  return async () => {
    clearInterval(frames)
    // What was being said is still to come.
    await new Promise((resolve) => setTimeout(resolve, laterMs))
    const last = recorder
    const ended = last?.state === 'recording' && new Promise((resolve) => last.addEventListener('stop', resolve))
    end()
    await ended
    for (const track of microphone.getTracks()) track.stop()
    void context.close()
  }
}

/** Closes the microphone that is open, and what it still has to say. */
let finish: (() => Promise<void>) | null = null

/** Once every phrase has reached the room: the presenter goes on only then, or it would speak over the last of them. */
export const allSaid = async (): Promise<void> => finish?.()

export function HostVoice({ runId }: { runId: string }) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const stop = useRef<(() => Promise<void>) | null>(null)
  const closing = useRef(Promise.resolve())
  const meter = useRef<HTMLSpanElement>(null)
  /** A phrase waits for the one before it. */
  const sent = useRef(Promise.resolve())
  useEffect(() => {
    finish = close
    return () => {
      finish = null
      void stop.current?.()
    }
  }, [])

  const say = async () => {
    const words = text.trim()
    if (words === '') return
    setText('')
    await orToast(hostAct(runId, { action: 'say', text: words }))
  }
  const close = async () => {
    if (stop.current !== null) closing.current = stop.current()
    stop.current = null
    setOpen(false)
    await closing.current
    await sent.current
  }
  const open = async () => {
    try {
      const microphone = await openMicrophone()
      stop.current = startPhrases(microphone, {
        phrase(recording) {
          sent.current = sent.current
            .then(async () => hostSpeech(runId, await asWav(recording)))
            .catch((error: unknown) => void showToast({ text: `The room did not hear a phrase. ${wordsOf(error)}` }))
        },
        level: (share) => meter.current?.style.setProperty('--level', String(share)),
      })
      setOpen(true)
    } catch {
      showToast({ text: 'This page has no microphone. Allow it in the browser, or type what you want to say.' })
    }
  }
  return (
    <form
      class="host-voice"
      onSubmit={(event) => {
        event.preventDefault()
        void say()
      }}
    >
      <label class="vh" for="host-words">
        Words for the room
      </label>
      <input
        id="host-words"
        class="input"
        maxLength={4_000}
        autocomplete="off"
        placeholder="Type, and the presenter says it for you"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === ''}>
        Say
      </Button>
      <Button aria-pressed={isOpen} onClick={() => void (isOpen ? close() : open())}>
        <Icon of={isOpen ? MicOff : Mic} />
        {isOpen ? 'Stop speaking' : 'Speak'}
        {isOpen && <span ref={meter} class="mic-level" aria-hidden="true" />}
      </Button>
    </form>
  )
}
