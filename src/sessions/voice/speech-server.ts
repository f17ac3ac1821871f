// Talks to a server with OpenAI's audio protocol: one request, one whole answer within a time and a size. The address is the
// operator's own word, so it may be on this machine or on a private network.
import type { Clock } from '../../platform/clock.ts'
import { SpeechFault } from './speech-fault.ts'

export interface SpeechServer {
  /** As `rostrum doctor` and the log name it: `openai:gpt-4o-mini-tts`. */
  name: string
  model: string
  /** With the path of the version, such as `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string | null
  clock: Pick<Clock, 'after'>
}

interface Asked {
  path: string
  headers?: Readonly<Record<string, string>>
  body: string | FormData
  timeoutMs: number
  bytesMax: number
  signal?: AbortSignal | undefined
}

/** The bytes of a 2xx answer. Throws `SpeechFault`, or the reason of `signal`. */
export async function askServer(server: SpeechServer, asked: Asked): Promise<Uint8Array> {
  const { path, headers, body, timeoutMs, bytesMax, signal } = asked
  const timeout = new AbortController()
  const cancelTimeout = server.clock.after(timeoutMs, () => timeout.abort())
  const key: Record<string, string> = server.apiKey === null ? {} : { Authorization: `Bearer ${server.apiKey}` }
  try {
    const answer = await fetch(`${server.baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { ...key, ...headers },
      body,
      // A key is for the server that was named, not for wherever it points.
      redirect: 'error',
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new SpeechFault(`${server.name} answered ${answer.status}.`, isLasting(answer.status))
    }
    return await readBounded(answer, server.name, bytesMax)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof SpeechFault) throw error
    throw new SpeechFault(timeout.signal.aborted ? `${server.name} took longer than ${timeoutMs} ms.` : `${server.name} does not answer.`)
  } finally {
    cancelTimeout()
  }
}

const isLasting = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429

async function readBounded(answer: Response, name: string, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  const body: ReadableStream<Uint8Array> | null = answer.body
  if (body !== null)
    for await (const part of body) {
      size += part.length
      if (size > bytesMax) throw new SpeechFault(`${name} sent more than ${bytesMax} bytes.`, true)
      parts.push(part)
    }
  return Buffer.concat(parts, size)
}
