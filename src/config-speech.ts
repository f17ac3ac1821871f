// The voice or the ears of the server that a variable describes: with address and key, or words on what is missing. Pure.
import type { ModelName } from './config-values.ts'

export interface SpeechSettings {
  provider: 'openai' | 'compatible' | 'espeak'
  /** Of espeak: the voice. */
  model: string
  /** Null for espeak, which is on this machine. */
  baseUrl: string | null
  apiKey: string | null
}

interface Given {
  baseUrl: string | null | undefined
  own: string | null | undefined
  ofOpenai: string | null | undefined
}

const openai = 'https://api.openai.com/v1'
const espeakVoice = 'en'

/** `chosen` is undefined where it could not be read, which has been said then. */
export function speechSettings(
  name: 'ROSTRUM_TTS' | 'ROSTRUM_STT',
  chosen: ModelName | null | undefined,
  { baseUrl: configured, own, ofOpenai }: Given,
): { settings: SpeechSettings | null; problem?: string } {
  if (!chosen) return { settings: null }
  const { provider, model } = chosen
  if (provider === 'espeak') return { settings: Object.freeze({ provider, model: model || espeakVoice, baseUrl: null, apiKey: null }) }
  const given = chosen.baseUrl ?? configured ?? null
  if (provider !== 'openai') {
    const example = `write ${provider}:${model}@http://127.0.0.1:8880/v1, or set ${name}_BASE_URL`
    if (given === null) return { settings: null, problem: `${name}: ${provider}:${model} needs the address of its server: ${example}.` }
    return { settings: Object.freeze({ provider: 'compatible', model, baseUrl: given, apiKey: own ?? null }) }
  }
  // The key of OpenAI is for OpenAI: a server of one's own gets it only where it is written for it.
  const apiKey = own ?? (given === null ? (ofOpenai ?? null) : null)
  if (apiKey === null && given === null)
    return { settings: null, problem: `${name}: openai:${model} needs a key: set OPENAI_API_KEY, or ${name}_API_KEY.` }
  return { settings: Object.freeze({ provider, model, baseUrl: given ?? openai, apiKey }) }
}
