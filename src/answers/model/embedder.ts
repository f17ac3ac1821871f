// Meaning as numbers: a server with OpenAI's embedding protocol turns texts into directions that lie near each other where they mean
// the same. The address is the operator's own word, so it may be on this machine. A file on this machine is another `Embedder`
// (`local/local-model.ts`).
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'

export interface Embedder {
  /** `provider:model`, for the log. */
  name: string
  /** One direction of length 1 for each text, in their order. Throws where the server fails. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/** One that a process opened: it may have to be loaded, and ended. */
export interface OpenedEmbedder extends Embedder {
  warm(): Promise<void>
  close(): void
}

export interface EmbedderSettings {
  provider: 'openai' | 'compatible'
  model: string
  /** With the path of the version. */
  baseUrl: string
  apiKey: string | null
}

const textsAtOnce = 64
const timeoutMs = 20_000
const bytesMax = 32 * 1024 * 1024

const answered = z.object({ data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()).min(1) })) })

export function openEmbedder({ provider, model, baseUrl, apiKey }: EmbedderSettings, clock: Pick<Clock, 'after'>): Embedder {
  const name = `${provider}:${model}`
  const key: Record<string, string> = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }

  async function ask(input: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const timeout = new AbortController()
    const cancel = clock.after(timeoutMs, () => timeout.abort())
    try {
      const answer = await fetch(`${baseUrl}/embeddings`, {
        method: 'POST',
        headers: { ...key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model, input }),
        // A key is for the server that was named, not for wherever it points.
        redirect: 'error',
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      })
      if (!answer.ok) {
        await answer.body?.cancel()
        throw new Error(`${name} answered ${answer.status}.`)
      }
      return inOrder(JSON.parse(await readBounded(answer)), input.length)
    } finally {
      cancel()
    }
  }

  async function readBounded(answer: Response): Promise<string> {
    const decoder = new TextDecoder()
    let text = ''
    const body: ReadableStream<Uint8Array> | null = answer.body
    if (body !== null)
      for await (const bytes of body) {
        text += decoder.decode(bytes, { stream: true })
        if (text.length > bytesMax) throw new Error(`${name} sent more than ${bytesMax} bytes.`)
      }
    return text + decoder.decode()
  }

  function inOrder(body: unknown, count: number): Float32Array[] {
    const found = answered.safeParse(body)
    const vectors = found.success ? found.data.data.toSorted((one, other) => one.index - other.index) : []
    const size = vectors[0]?.embedding.length
    if (vectors.length !== count || vectors.some(({ embedding, index }, at) => index !== at || embedding.length !== size))
      throw new Error(`${name} did not answer with one embedding for each text.`)
    return vectors.map(({ embedding }) => direction(embedding))
  }

  return {
    name,
    async embed(texts, signal) {
      const found: Float32Array[] = []
      for (let at = 0; at < texts.length; at += textsAtOnce) found.push(...(await ask(texts.slice(at, at + textsAtOnce), signal)))
      return found
    },
  }
}

/** Of length 1. */
export function direction(values: readonly number[]): Float32Array {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1
  return Float32Array.from(values, (value) => value / length)
}
