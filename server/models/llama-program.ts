import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serveEngine, type Work } from '@rostrum/base/engine'

// What goes between the server and the process of a language model on this machine. Types alone.

export interface LlamaSetup {
  /** The folder in whose `node_modules` node-llama-cpp lies. */
  engine: string
  /** GGUF. */
  file: string
  /** It measures what texts mean, and writes none. */
  isEmbedder?: boolean
}

export interface ToMeasure {
  texts: readonly string[]
}

export interface ToWrite {
  rules: string
  text: string
  outputTokensMax: number
}

/** What was read and written, without what was still known from the piece before. */
export interface Written {
  input: number
  output: number
}

// The process of a language model on this machine: node-llama-cpp opens the file, then writes one text after the other. What a prompt
// has in common with the one before, rules and material, is not read again.

/** The parts of node-llama-cpp that are used here; it is installed beside Rostrum, so its types are not at hand. */
interface LlamaPackage {
  getLlama(options: { build: 'never'; skipDownload: true; logLevel: string; maxThreads: number }): Promise<{
    loadModel(options: { modelPath: string }): Promise<{
      trainContextSize: number
      tokenize(text: string): number[]
      createEmbeddingContext(options: { contextSize: { max: number } }): Promise<{
        getEmbeddingFor(tokens: number[]): Promise<{ vector: readonly number[] }>
      }>
      createContext(options: { contextSize: { max: number } }): Promise<{ getSequence(): Sequence }>
    }>
  }>
  LlamaChatSession: new (options: { contextSequence: Sequence; systemPrompt: string; autoDisposeSequence: false }) => Session
}

interface Sequence {
  tokenMeter: { getState(): { usedInputTokens: number; usedOutputTokens: number } }
}

interface Session {
  prompt(
    text: string,
    options: {
      maxTokens: number
      temperature: number
      signal: AbortSignal
      stopOnAbortSignal: true
      budgets: { thoughtTokens: number }
      onTextChunk(chunk: string): void
    },
  ): Promise<string>
  dispose(options: { disposeSequence: false }): void
}

/** Material of 24,000 characters, what was said before, and the answer. */
const contextTokensMax = 16_384
/** A line of a slide or a question. */
const measuredTokensMax = 512
/** The signs for its beginning and end. */
const marks = 3

async function open(setup: unknown): Promise<Work> {
  const { engine, file, isEmbedder = false } = setup as LlamaSetup
  const entry = join(engine, 'node_modules/node-llama-cpp/dist/index.js')
  if (!existsSync(entry))
    throw new Error(`node-llama-cpp is not in ${engine}: \`rostrum model install\` adds it, or name its folder in ROSTRUM_LLAMA.`)
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
  const { getLlama, LlamaChatSession } = (await import(pathToFileURL(entry).href)) as LlamaPackage
  // Its own default is more threads than a small machine has processors, and they wait for each other.
  const maxThreads = Math.max(1, availableParallelism() - 1)
  const llama = await getLlama({ build: 'never', skipDownload: true, logLevel: 'error', maxThreads })
  // It has tried its own program in a process; nothing needs another.
  process.permission.drop('child')
  const model = await llama.loadModel({ modelPath: file })
  if (isEmbedder) {
    const most = Math.min(model.trainContextSize, measuredTokensMax)
    const measures = await model.createEmbeddingContext({ contextSize: { max: most } })
    return async (work, _emit, signal): Promise<(readonly number[])[]> => {
      const vectors: (readonly number[])[] = []
      for (const text of (work as ToMeasure).texts) {
        if (signal.aborted) break
        const { vector } = await measures.getEmbeddingFor(model.tokenize(text).slice(0, most - marks))
        vectors.push(vector)
      }
      return vectors
    }
  }
  const context = await model.createContext({ contextSize: { max: Math.min(model.trainContextSize, contextTokensMax) } })
  const contextSequence = context.getSequence()
  return async (work, emit, signal): Promise<Written> => {
    const { rules, text, outputTokensMax } = work as ToWrite
    const before = contextSequence.tokenMeter.getState()
    const session = new LlamaChatSession({ contextSequence, systemPrompt: rules, autoDisposeSequence: false })
    try {
      await session.prompt(text, {
        maxTokens: outputTokensMax,
        temperature: 0,
        signal,
        stopOnAbortSignal: true,
        // A model that thinks first answers too late.
        budgets: { thoughtTokens: 0 },
        onTextChunk: emit,
      })
    } finally {
      session.dispose({ disposeSequence: false })
    }
    const after = contextSequence.tokenMeter.getState()
    return {
      input: after.usedInputTokens - before.usedInputTokens,
      output: after.usedOutputTokens - before.usedOutputTokens,
    }
  }
}

serveEngine(open)
