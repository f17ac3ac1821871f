// Meaning as numbers: a server with OpenAI's embedding protocol turns texts into directions that lie near each other where they mean
// the same. The address is the operator's own word, so it may be on this machine. A file on this machine is another `Embedder`
// (`local-model.ts`).
import { z } from 'zod'
import type { EmbedSettings } from '../config/servers.ts'
import type { Clock } from '@rostrum/base/clock'
import { askServer } from '../platform/egress/outbound.ts'
import type { Candidate } from '@rostrum/answers/ranking/rank'
import type { IndexedChunk, SessionIndex } from '@rostrum/answers/ranking/session-index'

interface Embedder {
  /** `provider:model`, for the log. */
  name: string
  /** One direction of length 1 for each text, in their order. Throws where the server fails. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/** One that a process opened: it may have to be loaded, and ended. */
export interface OpenedEmbedder extends Embedder {
  warm(): Promise<unknown>
  close(): void
}

type EmbedderSettings = Exclude<EmbedSettings, { provider: 'llama' }>

const textsAtOnce = 64
const timeoutMs = 20_000
const bytesMax = 32 * 1024 * 1024

const answered = z.object({ data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.number()).min(1) })) })

export function openEmbedder({ provider, model, baseUrl, apiKey }: EmbedderSettings, clock: Pick<Clock, 'after'>): Embedder {
  const name = `${provider}:${model}`
  const server = { name, baseUrl, apiKey, clock }

  async function ask(input: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const sent = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ model, input }) }
    const asked = { path: '/embeddings', ...sent, timeoutMs, bytesMax, signal }
    const bytes = await askServer(server, asked, (detail) => new Error(detail))
    return inOrder(JSON.parse(new TextDecoder().decode(bytes)), input.length)
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

// What a question means, where its words are not those of the talk: the place whose meaning comes nearest, if it stands out. Asked only
// when the words have found nothing; what it finds is told as uncertain. Public text alone is sent.

export interface Meanings {
  /** Undefined where nothing stands out, and where the server is slow or fails: the answer is then what the words have found. */
  nearest(index: SessionIndex, question: string): Promise<Candidate | undefined>
}

interface Place {
  chunk: IndexedChunk
  unitAt: number
}

interface Known {
  places: readonly Place[]
  vectors: readonly Float32Array[]
}

/** In standard deviations above what the places of the talk come on average: so near is not by chance. */
const closenessMin = 3
/** What is not measured is found by its words alone. */
const placesMost = 4_000
const textMax = 400
const questionMax = 500
/** An answer waits so long; the places of a talk go on being measured for the next question. */
const waitMs = 1_500
/** After a failure the server is left alone. */
const restMs = 60_000

export function createMeanings({
  embedder,
  clock,
  warn,
}: {
  embedder: Embedder
  clock: Pick<Clock, 'now' | 'after'>
  warn(words: string, error: unknown): void
}): Meanings {
  const measured = new WeakMap<SessionIndex, Promise<Known>>()
  let restsUntil = 0

  function knownOf(index: SessionIndex): Promise<Known> {
    const found = measured.get(index)
    if (found !== undefined) return found
    const made = measure(index)
    measured.set(index, made)
    made.catch(() => measured.delete(index))
    return made
  }

  async function measure({ chunks }: SessionIndex): Promise<Known> {
    const places = chunks.flatMap((chunk) => chunk.units.map((_unit, unitAt) => ({ chunk, unitAt }))).slice(0, placesMost)
    return { places, vectors: await embedder.embed(places.map(textOf)) }
  }

  async function find(index: SessionIndex, question: string): Promise<Candidate | undefined> {
    const [{ places, vectors }, [asked]] = await Promise.all([knownOf(index), embedder.embed([question.slice(0, questionMax)])])
    return asked === undefined ? undefined : standingOut(places, vectors, asked)
  }

  return {
    async nearest(index, question) {
      if (clock.now() < restsUntil || index.chunks.length === 0) return undefined
      const late = Promise.withResolvers<undefined>()
      const cancel = clock.after(waitMs, () => late.resolve(undefined))
      const found = find(index, question).catch((error: unknown) => {
        restsUntil = clock.now() + restMs
        warn(`${embedder.name} could not measure what a question means; it is left alone for a minute.`, error)
        return undefined
      })
      try {
        return await Promise.race([found, late.promise])
      } finally {
        cancel()
      }
    },
  }
}

function textOf({ chunk: { title, units }, unitAt }: Place): string {
  const text = units[unitAt]?.text ?? ''
  return (title === '' || text === title ? text : `${title}: ${text}`).slice(0, textMax)
}

/** Counted: four thousand places of three thousand numbers are 20 ms like this, and 130 by `reduce`. */
function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

function standingOut(places: readonly Place[], vectors: readonly Float32Array[], asked: Float32Array): Candidate | undefined {
  const near = vectors.map((vector) => dot(vector, asked))
  const mean = near.reduce((sum, value) => sum + value, 0) / near.length
  const spread = Math.sqrt(near.reduce((sum, value) => sum + (value - mean) ** 2, 0) / near.length)
  const at = near.indexOf(Math.max(...near))
  const [place, closeness] = [places[at], spread === 0 ? 0 : ((near[at] ?? 0) - mean) / spread]
  const unit = place?.chunk.units[place.unitAt]
  if (place === undefined || unit === undefined || closeness < closenessMin) return undefined
  return { chunk: place.chunk, unit, unitAt: place.unitAt, score: closeness, features: [] }
}
