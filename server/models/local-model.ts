// Models on this machine, no key, no network: one that writes (`ROSTRUM_LLM=llama:<file.gguf>`), and one that measures what texts mean
// (`ROSTRUM_EMBED`). Each has a process of its own, which does one piece of work at a time.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@rostrum/base/clock'
import { createEngine } from '@rostrum/base/engine'
import { direction, type OpenedEmbedder } from './meanings.ts'
import type { LanguageModel, ModelPart, ModelPrice } from './language-model.ts'
import type { LlamaSetup, ToMeasure, ToWrite, Written } from './llama-program.ts'

const program = fileURLToPath(new URL('llama-program.ts', import.meta.url))
/** Beside the weights: what was read so far, and the engine. */
const memoryBesideBytes = 4 * 1024 ** 3
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

export interface LocalModel extends LanguageModel {
  /** Loads the model. */
  warm(): Promise<unknown>
  close(): void
}

export function openLocalModel({ engine: folder, file }: LlamaSetup, price: ModelPrice | null, clock: Clock): LocalModel {
  const setup: LlamaSetup = { engine: folder, file }
  const limits = { startMs: 300_000, workMs: 180_000, memoryBytes: sizeOf(file) * 2 + memoryBesideBytes }
  const engine = createEngine({ program, setup, clock, limits, may: ['addons', 'child-process'] })

  async function* stream(
    { rules, material, ask, outputTokensMax }: Parameters<LanguageModel['stream']>[0],
    signal: AbortSignal,
  ): AsyncIterable<ModelPart> {
    const work: ToWrite = { rules, text: material === '' ? ask : `${material}\n\n${ask}`, outputTokensMax }
    const parts: ModelPart[] = []
    const left = new AbortController()
    let wake = Promise.withResolvers<void>()
    const add = (part: ModelPart) => {
      parts.push(part)
      wake.resolve()
    }
    // The program is our own code: its parts are text, and its answer is of this type.
    const writing = engine
      .run(work, { signal: AbortSignal.any([signal, left.signal]), onPart: (text) => add({ type: 'text', text: text as string }) })
      .then((result) => {
        const { input, output } = result as Written
        return add({ type: 'tokens', tokens: { input, cached: 0, output } })
      })
    const over = writing.then(
      () => 'over' as const,
      () => 'over' as const,
    )
    try {
      for (let isOver = false; !isOver;) {
        isOver = (await Promise.race([wake.promise, over])) === 'over'
        wake = Promise.withResolvers()
        for (const part of parts.splice(0)) if (!signal.aborted) yield part
      }
      if (!signal.aborted) await writing
    } finally {
      left.abort()
    }
  }

  return {
    name: `llama:${basename(file, '.gguf')}`,
    price,
    stream,
    warm: () => engine.ready(),
    close: () => engine.close(),
  }
}

/** So many at once: a question, which is alone, waits for no more. */
const textsAtOnce = 8
const memoryBesideEmbedderBytes = 1024 ** 3

export function openLocalEmbedder({ engine: folder, file }: LlamaSetup, clock: Clock): OpenedEmbedder {
  const setup: LlamaSetup = { engine: folder, file, isEmbedder: true }
  const limits = { startMs: 300_000, workMs: 60_000, memoryBytes: sizeOf(file) * 2 + memoryBesideEmbedderBytes }
  const engine = createEngine({ program, setup, clock, limits, may: ['addons', 'child-process'] })
  const name = `llama:${basename(file, '.gguf')}`
  return {
    name,
    async embed(texts, signal) {
      const found: Float32Array[] = []
      for (let at = 0; at < texts.length; at += textsAtOnce) {
        const work: ToMeasure = { texts: texts.slice(at, at + textsAtOnce) }
        // The program is our own code: its answer is of this type.
        const vectors = (await engine.run(work, { signal, isUrgent: texts.length === 1 })) as number[][]
        found.push(...vectors.map(direction))
      }
      if (found.some((vector) => vector.every((value) => value === 0)))
        throw new Error(`${name} measures nothing: it is no embedding model.`)
      return found
    },
    warm: () => engine.ready(),
    close: () => engine.close(),
  }
}

/** A model that measures texts names how it brings their tokens together, before its vocabulary. */
export function isEmbedderFile(path: string): boolean {
  if (!existsSync(path)) return false
  const head = Buffer.alloc(65_536)
  const file = openSync(path, 'r')
  try {
    return head.toString('latin1', 0, readSync(file, head, 0, head.length, 0)).includes('.pooling_type')
  } finally {
    closeSync(file)
  }
}
