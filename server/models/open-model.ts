// The one door to the AI SDK: opens a configured model and streams its text. The SDK and the provider's package are loaded with the
// first call, or ahead of it by `warm`, so that a service without a model neither loads nor pays for them.
import type { LanguageModel as SdkModel } from 'ai'
import type { Clock } from '@rostrum/base/clock'
import type { EmbedSettings, ModelSettings } from '../config/servers.ts'
import { type OpenedEmbedder, openEmbedder } from './meanings.ts'
import type { LanguageModel, ModelPart, ModelPrompt } from './language-model.ts'

export interface OpenedModel extends LanguageModel {
  /** Loads what the first call needs. */
  warm(): Promise<unknown>
  /** Ends what runs for it. */
  close?(): void
}

/** A model on this machine is loaded with its engine; every other speaks over the network. */
export async function openAnyModel(settings: ModelSettings, clock: Clock): Promise<OpenedModel> {
  const { provider, model: file, engine = '', price } = settings
  if (provider !== 'llama') return openModel({ ...settings, provider })
  const { openLocalModel } = await import('./local-model.ts')
  return openLocalModel({ engine, file }, price, clock)
}

export function openAnyEmbedder(settings: EmbedSettings, clock: Clock): OpenedEmbedder {
  if (settings.provider !== 'llama') return { ...openEmbedder(settings, clock), warm: () => Promise.resolve(), close() {} }
  const { model: file, engine } = settings
  const opened = import('./local-model.ts').then(({ openLocalEmbedder }) => openLocalEmbedder({ engine, file }, clock))
  return {
    name: `llama:${file}`,
    embed: async (texts, signal) => (await opened).embed(texts, signal),
    warm: async () => (await opened).warm(),
    close: () => void opened.then((embedder) => embedder.close()),
  }
}

export type HostedSettings = ModelSettings & { provider: Exclude<ModelSettings['provider'], 'llama'> }

/** A local server may need no key; the packages insist on one. */
const noKey = 'none'

async function connect({ provider, model, baseUrl, apiKey }: HostedSettings): Promise<SdkModel> {
  const options = { apiKey: apiKey ?? noKey, ...(baseUrl === null ? {} : { baseURL: baseUrl.replace(/(?<!\/)\/+$/, '') }) }
  switch (provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(options)(model)
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(options)(model)
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(options)(model)
    case 'compatible': {
      if (baseUrl === null) throw new Error('A compatible model needs the address of its server.')
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const key = apiKey === null ? {} : { apiKey }
      return createOpenAICompatible({ name: 'compatible', baseURL: baseUrl.replace(/(?<!\/)\/+$/, ''), includeUsage: true, ...key })(model)
    }
  }
}

/** Anthropic caches what is marked; the others cache a repeated front by themselves and are given one plain text, which every server takes. */
function messagesFor(provider: ModelSettings['provider'], { material, ask }: ModelPrompt) {
  if (material === '') return [{ role: 'user' as const, content: ask }]
  if (provider !== 'anthropic') return [{ role: 'user' as const, content: `${material}\n\n${ask}` }]
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' as const } } }
  const parts = [
    { type: 'text' as const, text: material, providerOptions },
    { type: 'text' as const, text: ask },
  ]
  return [{ role: 'user' as const, content: parts }]
}

export function openModel(settings: HostedSettings): OpenedModel {
  const { provider, model, price } = settings
  let connected: Promise<SdkModel> | undefined
  const connection = () => {
    connected ??= connect(settings)
    // A package that could not be loaded is tried again with the next call.
    connected.catch(() => (connected = undefined))
    return connected
  }

  async function* stream(prompt: ModelPrompt, signal: AbortSignal): AsyncIterable<ModelPart> {
    const [{ streamText }, sdkModel] = await Promise.all([import('ai'), connection()])
    if (signal.aborted) return
    const { stream: parts } = streamText({
      model: sdkModel,
      instructions: prompt.rules,
      messages: messagesFor(provider, prompt),
      maxOutputTokens: prompt.outputTokensMax,
      // The chain has its own times, and its own next model.
      maxRetries: 0,
      abortSignal: signal,
      // By default the SDK writes errors and warnings to the console, with what was sent.
      onError: () => undefined,
    })
    for await (const part of parts) {
      if (part.type === 'text-delta') yield { type: 'text', text: part.text }
      else if (part.type === 'error') throw part.error
      else if (part.type === 'abort') return
      else if (part.type === 'finish') {
        const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = part.totalUsage
        yield { type: 'tokens', tokens: { input: inputTokens, cached: inputTokenDetails.cacheReadTokens ?? 0, output: outputTokens } }
      }
    }
  }

  return {
    name: `${provider}:${model}`,
    price,
    stream,
    async warm() {
      Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
      await Promise.all([import('ai'), connection()])
    },
  }
}
