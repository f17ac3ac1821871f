// The chain of language models that `ROSTRUM_LLM` and its companions describe: each with its address, key and price, or words on what
// is missing. Pure.
import { join, resolve } from 'node:path'
import type { ModelName } from './config-values.ts'

export interface ModelSettings {
  provider: 'openai' | 'anthropic' | 'google' | 'compatible' | 'llama'
  /** Of llama: the file. */
  model: string
  /** Null: the provider's own address. */
  baseUrl: string | null
  apiKey: string | null
  /** Per million tokens read and written. */
  price: { input: number; output: number } | null
  /** Of llama: the folder in whose `node_modules` its engine lies. */
  engine?: string
}

/** Where `rostrum model install` puts what it fetched. */
export const modelsDir = (dataDir: string) => join(dataDir, 'models')
/** Where it puts the engine, unless `ROSTRUM_LLAMA` names another folder. */
export const llamaDir = (dataDir: string) => join(dataDir, 'engines', 'llama')

/** A path, or the name of what was installed. */
export function modelFileOf(written: string, dataDir: string): string {
  return /[/\\]|\.gguf$/.test(written) ? resolve(written) : join(modelsDir(dataDir), written, 'model.gguf')
}

interface Written {
  llm: readonly ModelName[]
  llmBaseUrls: readonly (string | null)[]
  llmApiKeys: readonly (string | null)[]
  llmPrices: readonly ({ input: number; output: number } | null)[]
  openaiApiKey: string | null
  anthropicApiKey: string | null
  googleApiKey: string | null
  dataDir: string
  llama: string | null
}

const keyNames = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', google: 'GOOGLE_GENERATIVE_AI_API_KEY' } as const

type Provider = ModelSettings['provider']

const isProvider = (name: string): name is Provider => name === 'compatible' || name === 'llama' || Object.hasOwn(keyNames, name)

/** A list of as many as there are models is taken in order; a single one stands for all, where it cannot mean two things. */
function listFault(name: string, count: number, models: number, isClear: boolean): string | undefined {
  if (count === 0 || count === models || (count === 1 && isClear)) return undefined
  return `${name}: write one for each of the ${models} models of ROSTRUM_LLM, in their order, and - for none.`
}

export function modelChain(written: Written): { chain: readonly ModelSettings[]; problems: readonly string[] } {
  const { llm, llmBaseUrls, llmApiKeys, llmPrices } = written
  // One key for servers of two owners would tell each the key of the other.
  const owners = new Set(llm.map(({ provider, baseUrl }) => `${provider} ${baseUrl ?? ''}`))
  const providers = new Set(llm.map(({ provider }) => provider))
  const faults = [
    listFault('ROSTRUM_LLM_BASE_URL', llmBaseUrls.length, llm.length, providers.size === 1 || providers.has('compatible')),
    listFault('ROSTRUM_LLM_API_KEY', llmApiKeys.length, llm.length, owners.size === 1),
    listFault('ROSTRUM_LLM_PRICES', llmPrices.length, llm.length, llm.length === 1),
  ]
  const { openaiApiKey: openai, anthropicApiKey: anthropic, googleApiKey: google } = written
  const own = { openai, anthropic, google, compatible: null, llama: null }
  const chain = llm.flatMap(({ provider, model, baseUrl }, at): ModelSettings[] => {
    if (!isProvider(provider)) return []
    if (provider === 'llama') {
      const [file, engine] = [modelFileOf(model, written.dataDir), written.llama ?? llamaDir(written.dataDir)]
      return [Object.freeze({ provider, model: file, engine, baseUrl: null, apiKey: null, price: llmPrices[at] ?? null })]
    }
    const isOne = llmBaseUrls.length === 1 && llm.length > 1
    const given = isOne ? (providers.size === 1 || provider === 'compatible' ? llmBaseUrls[0] : undefined) : llmBaseUrls[at]
    const address = baseUrl ?? given ?? null
    const key = llmApiKeys.length === 1 ? llmApiKeys[0] : llmApiKeys[at]
    const settings = { provider, model, baseUrl: address, apiKey: key ?? own[provider], price: llmPrices[at] ?? null }
    faults.push(missing(settings))
    return [Object.freeze(settings)]
  })
  return { chain: Object.freeze(chain), problems: faults.filter((fault) => fault !== undefined) }
}

function missing({ provider, model, baseUrl, apiKey }: ModelSettings): string | undefined {
  if (provider === 'llama') return undefined
  if (provider === 'compatible') {
    if (baseUrl !== null) return undefined
    return `ROSTRUM_LLM: compatible:${model} needs the address of its server: write compatible:${model}@http://127.0.0.1:11434/v1, or set ROSTRUM_LLM_BASE_URL.`
  }
  // A server of one's own may ask for no key.
  if (apiKey !== null || baseUrl !== null) return undefined
  return `ROSTRUM_LLM: ${provider}:${model} needs a key: set ${keyNames[provider]}, or ROSTRUM_LLM_API_KEY.`
}

export type EmbedSettings =
  | { provider: 'openai' | 'compatible'; model: string; baseUrl: string; apiKey: string | null }
  /** `model` is the file. */
  | { provider: 'llama'; model: string; engine: string }

interface WrittenEmbed {
  embed: ModelName | null | undefined
  embedApiKey: string | null | undefined
  openaiApiKey: string | null | undefined
  dataDir: string
  llama: string | null | undefined
}

const openai = 'https://api.openai.com/v1'

/** The server or the file of `ROSTRUM_EMBED`, or words on what is missing. */
export function embedSettings({ embed, embedApiKey, openaiApiKey, dataDir, llama }: WrittenEmbed): {
  settings: EmbedSettings | null
  problem?: string
} {
  if (!embed) return { settings: null }
  if (embed.provider === 'llama') {
    const [model, engine] = [modelFileOf(embed.model, dataDir), llama ?? llamaDir(dataDir)]
    return { settings: Object.freeze({ provider: 'llama', model, engine }) }
  }
  const { model, baseUrl } = embed
  const provider = embed.provider === 'openai' ? 'openai' : 'compatible'
  if (provider === 'compatible' && baseUrl === undefined)
    return { settings: null, problem: `ROSTRUM_EMBED: write the address of the server too: compatible:${model}@http://127.0.0.1:11434/v1.` }
  // The key of OpenAI is for OpenAI.
  const apiKey = embedApiKey ?? (provider === 'openai' && baseUrl === undefined ? (openaiApiKey ?? null) : null)
  if (apiKey === null && baseUrl === undefined)
    return { settings: null, problem: `ROSTRUM_EMBED: openai:${model} needs a key: set OPENAI_API_KEY, or ROSTRUM_EMBED_API_KEY.` }
  return { settings: Object.freeze({ provider, model, baseUrl: baseUrl ?? openai, apiKey }) }
}
