// The voice or the ears of the server that a variable describes: with address and key, or words on what is missing. Pure.
import { join, resolve } from 'node:path'
import type { ModelName } from './config-values.ts'

export interface SpeechSettings {
  provider: 'openai' | 'compatible' | 'espeak' | 'sherpa'
  /** Of espeak: the voice; of sherpa: the folder. */
  model: string
  /** Null for what is on this machine. */
  baseUrl: string | null
  apiKey: string | null
}

interface Given {
  baseUrl: string | null | undefined
  own: string | null | undefined
  ofOpenai: string | null | undefined
  dataDir: string | undefined
}

/** Where `rostrum voice install` puts what it fetched. */
export const voicesDir = (dataDir: string) => join(dataDir, 'voices')

/** A path, or the name of what was installed. */
export function voiceFolderOf(written: string, dataDir: string): string {
  return /[/\\]/.test(written) ? resolve(written) : join(voicesDir(dataDir), written)
}

const openai = 'https://api.openai.com/v1'
const espeakVoice = 'en'

/** `chosen` is undefined where it could not be read, which has been said then. */
export function speechSettings(
  name: 'ROSTRUM_TTS' | 'ROSTRUM_STT',
  chosen: ModelName | null | undefined,
  { baseUrl: configured, own, ofOpenai, dataDir }: Given,
): { settings: SpeechSettings | null; problem?: string } {
  if (!chosen) return { settings: null }
  const { provider, model } = chosen
  if (provider === 'espeak') return { settings: Object.freeze({ provider, model: model || espeakVoice, baseUrl: null, apiKey: null }) }
  if (provider === 'sherpa')
    return { settings: Object.freeze({ provider, model: voiceFolderOf(model, dataDir ?? '.'), baseUrl: null, apiKey: null }) }
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
