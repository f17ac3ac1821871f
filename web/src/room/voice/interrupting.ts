// A microphone that listens while the presenter speaks: its level moves the two machines, and what they ask for is done here. It is open
// only between `start` and `stop`; nothing of it leaves the page before somebody speaks.
import type { Controller } from '../stream/controller.ts'
import { duckClips } from './clip-voice.ts'
import { type Act, interrupt, type Interruption, type InterruptionInput } from './interruption.ts'
import { browserEars, type Listening, serverEars } from './listening.ts'
import { follow, learn, levelDbOf, silentRoom, type VoiceActivity } from './voice-activity.ts'

export interface InterruptingOptions {
  controller: Controller
  microphone: MediaStream
  language: string
  /** Words of that language by which listeners say that they follow. */
  follows: readonly string[]
  /** The server turns speech into text; otherwise the browser does. */
  hasServer: boolean
  /** Somebody is being heard, or no more. */
  onHearing(on: boolean): void
}

const frameMs = 20
const wordsWithinMs = 1_500
/** Longer than it takes to know a voice and to start recording; shorter than the silence that ends it. */
const recordedLaterS = 0.5

/** Returns what ends it and closes the microphone. */
export function startInterrupting({ controller, microphone, language, follows, hasServer, onHearing }: InterruptingOptions): () => void {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  // A little more than a frame, so that nothing falls between two.
  analyser.fftSize = 1_024
  const samples = new Float32Array(analyser.fftSize)
  const source = context.createMediaStreamSource(microphone)
  source.connect(analyser)
  // A recording starts once there is a voice: what it is given is later by so much that its first syllable is still to come.
  const recorded = context.createMediaStreamDestination()
  source.connect(new DelayNode(context, { delayTime: recordedLaterS })).connect(recorded)
  void context.resume()
  let activity: VoiceActivity = silentRoom
  let now: Interruption = 'idle'
  let ears: Listening | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const listen = () => {
    const seat = controller.seat()
    if (seat === null) return
    let isMine = true
    const told = (input: InterruptionInput) => {
      if (!isMine) return
      isMine = false
      ears = undefined
      activity = learn(activity, input.type === 'words')
      take(input)
    }
    const hooks = {
      waiting: () => undefined,
      heard: (text: string) => told({ type: 'words', text }),
      failed: () => told({ type: 'no_words' }),
    }
    try {
      const opened = hasServer
        ? serverEars(
            {
              url: `/api/v1/runs/${seat.runId}/utterances`,
              token: seat.attendeeToken,
              open: () => Promise.resolve(recorded.stream.clone()),
            },
            hooks,
          )
        : browserEars(language, hooks)
      ears = {
        stop: opened.stop,
        cancel() {
          isMine = false
          opened.cancel()
        },
      }
    } catch {
      // The engine is still ending what it heard before.
      setTimeout(hooks.failed)
    }
  }

  const act = (wanted: Act) => {
    switch (wanted.type) {
      case 'soften':
      case 'restore':
        return duckClips(wanted.type === 'soften')
      case 'listen':
        return listen()
      case 'enough':
        return ears?.stop()
      case 'forget':
        ears?.cancel()
        ears = undefined
        return
      case 'hush':
        return controller.hush(true)
      case 'go_on':
        return controller.hush(false)
      case 'ask':
        return void controller.ask(wanted.text.slice(0, 4_000), true)
      case 'wait':
        timer = setTimeout(() => take({ type: 'timeout' }), wordsWithinMs)
    }
  }

  const take = (input: InterruptionInput) => {
    const { next, acts } = interrupt(now, input, follows)
    if (next !== 'waiting') clearTimeout(timer)
    now = next
    acts.forEach(act)
    onHearing(now === 'hearing' || now === 'waiting')
  }

  /** Only a sentence of the talk can be interrupted. */
  const speaks = () => {
    const { status, beatId } = controller.view().room
    return (status === 'presenting' || status === 'closing') && beatId !== null
  }

  const frames = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const isOpen = now === 'hearing' || now === 'alert' || speaks()
    const { activity: after, cue } = follow(activity, { atMs: context.currentTime * 1_000, levelDb: levelDbOf(samples) })
    activity = isOpen ? after : { ...after, phase: 'quiet' }
    if (isOpen && cue !== null) take({ type: 'cue', cue })
  }, frameMs)

  return () => {
    clearInterval(frames)
    clearTimeout(timer)
    ears?.cancel()
    duckClips(false)
    if (now === 'hearing' || now === 'waiting') controller.hush(false)
    for (const track of microphone.getTracks()) track.stop()
    void context.close()
  }
}
