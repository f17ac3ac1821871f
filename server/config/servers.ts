// The servers, files and programs of models and speech that variables describe: each with its address, key and price, or words on what
// is missing. Pure.
import { join, resolve } from 'node:path'
import type { ModelName } from './values.ts'

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

export type EmbedSettings =
  /** `baseUrl` with the path of the version. */
  | { provider: 'openai' | 'compatible'; model: string; baseUrl: string; apiKey: string | null }
  /** `model` is the file. */
  | { provider: 'llama'; model: string; engine: string }

export interface SpeechSettings {
  provider: 'openai' | 'compatible' | 'espeak' | 'sherpa'
  /** Of espeak: the voice; of sherpa: the folder. */
  model: string
  /** Null for what is on this machine. */
  baseUrl: string | null
  apiKey: string | null
}

/** Where `rostrum model install` puts what it fetched. */
export const modelsDir = (dataDir: string) => join(dataDir, 'models')
/** Where it puts the engine, unless `ROSTRUM_LLAMA` names another folder. */
export const llamaDir = (dataDir: string) => join(dataDir, 'engines', 'llama')
/** Where `rostrum voice install` puts what it fetched. */
export const voicesDir = (dataDir: string) => join(dataDir, 'voices')

/** A path, or the name of what was installed. */
export const modelFileOf = (written: string, dataDir: string): string =>
  /[/\\]|\.gguf$/.test(written) ? resolve(written) : join(modelsDir(dataDir), written, 'model.gguf')
export const voiceFolderOf = (written: string, dataDir: string): string =>
  /[/\\]/.test(written) ? resolve(written) : join(voicesDir(dataDir), written)

const keyNames = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', google: 'GOOGLE_GENERATIVE_AI_API_KEY' } as const
const openaiAddress = 'https://api.openai.com/v1'

type Provider = ModelSettings['provider']
const isProvider = (name: string): name is Provider => name === 'compatible' || name === 'llama' || Object.hasOwn(keyNames, name)

interface Chain {
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

/** A list of as many as there are models is taken in order; a single one stands for all, where it cannot mean two things. */
function listFault(name: string, count: number, models: number, isClear: boolean): string | undefined {
  if (count === 0 || count === models || (count === 1 && isClear)) return undefined
  return `${name}: write one for each of the ${models} models of ROSTRUM_LLM, in their order, and - for none.`
}

export function modelChain(written: Chain): { settings: readonly ModelSettings[]; problems: readonly string[] } {
  const { llm, llmBaseUrls, llmApiKeys, llmPrices, dataDir, llama } = written
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
  const settings = llm.flatMap(({ provider, model, baseUrl }, at): ModelSettings[] => {
    if (!isProvider(provider)) return []
    const price = llmPrices[at] ?? null
    if (provider === 'llama') {
      const engine = llama ?? llamaDir(dataDir)
      return [Object.freeze({ provider, model: modelFileOf(model, dataDir), engine, baseUrl: null, apiKey: null, price })]
    }
    const isOne = llmBaseUrls.length === 1 && llm.length > 1
    const given = isOne ? (providers.size === 1 || provider === 'compatible' ? llmBaseUrls[0] : undefined) : llmBaseUrls[at]
    const address = baseUrl ?? given ?? null
    const apiKey = (llmApiKeys.length === 1 ? llmApiKeys[0] : llmApiKeys[at]) ?? own[provider]
    if (provider === 'compatible' && address === null)
      faults.push(
        `ROSTRUM_LLM: compatible:${model} needs the address of its server: write compatible:${model}@http://127.0.0.1:11434/v1, or set ROSTRUM_LLM_BASE_URL.`,
      )
    // A server of one's own may ask for no key.
    else if (provider !== 'compatible' && apiKey === null && address === null)
      faults.push(`ROSTRUM_LLM: ${provider}:${model} needs a key: set ${keyNames[provider]}, or ROSTRUM_LLM_API_KEY.`)
    return [Object.freeze({ provider, model, baseUrl: address, apiKey, price })]
  })
  return { settings: Object.freeze(settings), problems: faults.filter((fault) => fault !== undefined) }
}

interface Read<Settings> {
  settings: Settings | null
  problem?: string
}

/** A server of the protocol of OpenAI. The key of OpenAI is for OpenAI: a server of one's own gets it only where it is written for it. */
function openaiServer(
  name: string,
  { provider, model, baseUrl }: ModelName,
  { own, ofOpenai, example }: { own: string | null | undefined; ofOpenai: string | null | undefined; example: string },
): Read<{ provider: 'openai' | 'compatible'; model: string; baseUrl: string; apiKey: string | null }> {
  if (provider !== 'openai') {
    if (baseUrl === undefined) return { settings: null, problem: `${name}: ${example}` }
    return { settings: Object.freeze({ provider: 'compatible', model, baseUrl, apiKey: own ?? null }) }
  }
  const apiKey = own ?? (baseUrl === undefined ? (ofOpenai ?? null) : null)
  if (apiKey === null && baseUrl === undefined)
    return { settings: null, problem: `${name}: openai:${model} needs a key: set OPENAI_API_KEY, or ${name}_API_KEY.` }
  return { settings: Object.freeze({ provider, model, baseUrl: baseUrl ?? openaiAddress, apiKey }) }
}

interface Keys {
  own: string | null | undefined
  ofOpenai: string | null | undefined
}

/** The server or the file of `ROSTRUM_EMBED`. */
export function embedSettings(
  chosen: ModelName | null | undefined,
  { dataDir, llama, ...keys }: Keys & { dataDir: string; llama: string | null | undefined },
): Read<EmbedSettings> {
  if (!chosen) return { settings: null }
  const { provider, model } = chosen
  if (provider === 'llama')
    return { settings: Object.freeze({ provider, model: modelFileOf(model, dataDir), engine: llama ?? llamaDir(dataDir) }) }
  const example = `write the address of the server too: compatible:${model}@http://127.0.0.1:11434/v1.`
  return openaiServer('ROSTRUM_EMBED', chosen, { ...keys, example })
}

/** The voice or the ears of the server. `chosen` is undefined where it could not be read, which has been said then. */
export function speechSettings(
  name: 'ROSTRUM_TTS' | 'ROSTRUM_STT',
  chosen: ModelName | null | undefined,
  { baseUrl, dataDir, ...keys }: Keys & { baseUrl: string | null | undefined; dataDir: string },
): Read<SpeechSettings> {
  if (!chosen) return { settings: null }
  const { provider, model } = chosen
  const local = { baseUrl: null, apiKey: null }
  if (provider === 'espeak') return { settings: Object.freeze({ provider, model: model || 'en', ...local }) }
  if (provider === 'sherpa') return { settings: Object.freeze({ provider, model: voiceFolderOf(model, dataDir), ...local }) }
  const server = { ...chosen, ...(chosen.baseUrl === undefined && baseUrl && { baseUrl }) }
  const example = `${provider}:${model} needs the address of its server: write ${provider}:${model}@http://127.0.0.1:8880/v1, or set ${name}_BASE_URL.`
  return openaiServer(name, server, { ...keys, example })
}

/** A bucket for blobs. */
export interface BucketSettings {
  /** `https://s3.eu-central-1.amazonaws.com/talks` */
  address: string
  region: string
  keyId: string
  secret: string
}

export function bucketSettings({
  blobs: address,
  databaseUrl,
  bucketKeyId: keyId,
  bucketSecret: secret,
  bucketRegion: region,
}: {
  blobs: string | null | undefined
  databaseUrl: string | null
  bucketKeyId: string | null
  bucketSecret: string | null
  bucketRegion: string
}): Read<BucketSettings> {
  if (!address) return { settings: null }
  if (databaseUrl === null)
    return {
      settings: null,
      problem: 'ROSTRUM_BLOBS: is for many processes on PostgreSQL (DATABASE_URL). Leave it out: one machine keeps files.',
    }
  if (keyId === null || secret === null)
    return { settings: null, problem: 'ROSTRUM_BLOBS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY too.' }
  return { settings: Object.freeze({ address, region, keyId, secret }) }
}
