// A language model on this machine (`ROSTRUM_LLM=llama:<file.gguf>`): no key, no network. It has a process of its own, and writes one
// text at a time.
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../../kernel/clock.ts'
import { createEngine } from '../../../kernel/engine.ts'
import type { LanguageModel, ModelPart, ModelPrice } from '../language-model.ts'
import type { LlamaSetup, ToWrite, Written } from './llama-work.ts'

const program = fileURLToPath(new URL('llama-program.ts', import.meta.url))
/** Beside the weights: what was read so far, and the engine. */
const memoryBesideBytes = 4 * 1024 ** 3
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

export interface LocalModel extends LanguageModel {
  /** Loads the model. */
  warm(): Promise<void>
  close(): void
}

export function openLocalModel({ engine: folder, file }: LlamaSetup, price: ModelPrice | null, clock: Clock): LocalModel {
  const setup: LlamaSetup = { engine: folder, file }
  const limits = { startMs: 300_000, workMs: 180_000, memoryBytes: sizeOf(file) * 2 + memoryBesideBytes }
  const engine = createEngine({ program, setup, clock, limits, mayStartProcesses: true })

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
