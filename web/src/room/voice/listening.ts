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
/** What recognisers hear at; 30 seconds of it are 960 kB. */
const wavRate = 16_000
/** The server has said that it takes WAV alone. */
let isWavWanted = false

/** What was recorded as a WAV of 16 bits and one channel. */
export async function asWav(recording: Blob): Promise<Blob> {
  // It decodes at its own rate and in one channel, so nothing is left to mix.
  const context = new OfflineAudioContext(1, 1, wavRate)
  const sound = await context.decodeAudioData(await recording.arrayBuffer())
  const samples = sound.getChannelData(0)
  const view = new DataView(new ArrayBuffer(44 + samples.length * 2))
  for (const [at, four] of [
    [0, 0x52494646],
    [8, 0x57415645],
    [12, 0x666d7420],
    [36, 0x64617461],
  ] as const)
    view.setUint32(at, four)
  for (const [at, value] of [
    [4, view.byteLength - 8],
    [16, 16],
    [24, wavRate],
    [28, wavRate * 2],
    [40, samples.length * 2],
  ] as const)
    view.setUint32(at, value, true)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    view.setUint16(at, value, true)
  samples.forEach((sample, at) => view.setInt16(44 + at * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true))
  return new Blob([view], { type: 'audio/wav' })
}

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
    const post = (body: Blob) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': body.type || 'application/octet-stream' }
      return send(url, { method: 'POST', headers, body, credentials: 'omit' })
    }
    let answer = await post(isWavWanted ? await asWav(recording) : recording)
    if (answer.status === 415 && !isWavWanted) {
      isWavWanted = true
      answer = await post(await asWav(recording))
    }
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
