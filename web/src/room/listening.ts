// Two ways to turn a spoken question into text: a recording that the server transcribes, or the browser's own recognition, whose maker
// may receive the audio. Both end by themselves after half a minute, tell their text once or fail once, and never send a question.

export interface ListeningHooks {
  /** Recording is over; the text is on its way. */
  waiting(): void
  heard(text: string): void
  /** No microphone, no words, no server. */
  failed(): void
}

export interface Listening {
  /** Enough was said. */
  stop(): void
  /** Forgets it; no hook is called afterwards. */
  cancel(): void
}

const listenMaxMs = 30_000
const recordingMaxBytes = 2 * 1_024 * 1_024

interface Recognition {
  lang: string
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null
  onend: (() => void) | null
  onerror: (() => void) | null
  start(): void
  stop(): void
  abort(): void
}

/** `SpeechRecognition` of the browser. */
export function browserEars(language: string, hooks: ListeningHooks): Listening {
  const holder = globalThis as unknown as Readonly<Record<string, (new () => Recognition) | undefined>>
  const Recognizer = holder['SpeechRecognition'] ?? holder['webkitSpeechRecognition']
  if (Recognizer === undefined) throw new Error('no recognition')
  const made = new Recognizer()
  let text = ''
  const timer = setTimeout(() => made.stop(), listenMaxMs)
  const end = () => {
    clearTimeout(timer)
    made.onresult = made.onend = made.onerror = null
  }
  made.lang = language
  made.onresult = ({ results }) => {
    text = Array.from(results, (result) => result[0]?.transcript ?? '')
      .join(' ')
      .trim()
  }
  // The end follows an error too, in every engine but not always in this order.
  made.onend = made.onerror = () => {
    end()
    if (text === '') hooks.failed()
    else hooks.heard(text)
  }
  made.start()
  return {
    stop: () => made.stop(),
    cancel() {
      end()
      made.abort()
    },
  }
}

export interface ServerEarsOptions {
  /** Where the recording goes, and the token of the seat. */
  url: string
  token: string
  open?: () => Promise<MediaStream>
  fetch?: typeof fetch
}

/** Without the presenter's own voice, as far as the device can tell them apart. */
export const openMicrophone = () =>
  navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } })

/** A recording by this device, transcribed by the server of the talk. */
export function serverEars(
  { url, token, open = openMicrophone, fetch: send = (input, init) => fetch(input, init) }: ServerEarsOptions,
  hooks: ListeningHooks,
): Listening {
  const parts: Blob[] = []
  let recorder: MediaRecorder | undefined
  let isOver = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const fail = () => {
    if (isOver) return
    isOver = true
    hooks.failed()
  }
  const transcribe = async () => {
    const recording = new Blob(parts, { type: recorder?.mimeType.split(';')[0] ?? '' })
    if (recording.size === 0 || recording.size > recordingMaxBytes) return fail()
    hooks.waiting()
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': recording.type || 'application/octet-stream' }
    const answer = await send(url, { method: 'POST', headers, body: recording, credentials: 'omit' })
    const body = answer.ok ? ((await answer.json()) as { text?: unknown }) : {}
    if (isOver) return
    if (typeof body.text !== 'string' || body.text === '') return fail()
    isOver = true
    hooks.heard(body.text)
  }
  const record = async () => {
    const microphone = await open()
    const release = () => microphone.getTracks().forEach((track) => track.stop())
    if (isOver || isStopped) {
      release()
      return fail()
    }
    recorder = new MediaRecorder(microphone, { audioBitsPerSecond: 32_000 })
    recorder.ondataavailable = ({ data }) => void parts.push(data)
    recorder.onerror = fail
    recorder.onstop = () => {
      clearTimeout(timer)
      release()
      if (!isOver) transcribe().catch(fail)
    }
    recorder.start()
    timer = setTimeout(() => recorder?.stop(), listenMaxMs)
  }
  record().catch(fail)
  const stop = () => {
    isStopped = true
    if (recorder?.state === 'recording') recorder.stop()
  }
  return {
    stop,
    cancel() {
      isOver = true
      stop()
    },
  }
}
