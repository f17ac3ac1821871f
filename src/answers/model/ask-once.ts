// One short text from the chain, for work that nobody waits for by voice: taken only while a slot is to spare, so that no answer waits
// for it; from the first model that does not fail. Never throws.
import type { Circuits, Slots } from './slots.ts'
import { costOf, type LanguageModel, type ModelPrompt, type TokenCount } from './language-model.ts'

export interface AskOnceDeps {
  models: readonly LanguageModel[]
  slots: Slots
  circuits: Circuits
}

export interface OneReply {
  /** Null unless the model wrote to its end within `charactersMax`. */
  text: string | null
  /** `busy`: no slot to spare; `circuit`: every model is failing; `stopped`: `signal` has aborted. */
  why: 'ended' | 'busy' | 'circuit' | 'failed' | 'too_large' | 'stopped'
  /** Of the last call, where there was one. */
  spent: { model?: string; tokens?: TokenCount; cost?: number | null }
}

export function createAskOnce({ models, slots, circuits }: AskOnceDeps) {
  async function call(
    at: number,
    model: LanguageModel,
    prompt: ModelPrompt,
    charactersMax: number,
    signal: AbortSignal,
  ): Promise<OneReply> {
    const spent: OneReply['spent'] = { model: model.name }
    const over = new AbortController()
    let text = ''
    const end = (why: OneReply['why']): OneReply => ({ text: why === 'ended' ? text : null, why, spent })
    try {
      for await (const part of model.stream(prompt, AbortSignal.any([signal, over.signal]))) {
        if (part.type === 'tokens') Object.assign(spent, { tokens: part.tokens, cost: costOf(part.tokens, model.price) })
        else text += part.text
        if (text.length > charactersMax) over.abort()
        if (over.signal.aborted) return end('too_large')
      }
    } catch {
      if (signal.aborted) return end('stopped')
      circuits.onOutcome(at, 'failed')
      return end('failed')
    }
    return end(signal.aborted ? 'stopped' : 'ended')
  }

  return async (prompt: ModelPrompt, charactersMax: number, signal: AbortSignal): Promise<OneReply> => {
    const leave = slots.takeSpare()
    if (leave === null) return { text: null, why: 'busy', spent: {} }
    try {
      let last: OneReply = { text: null, why: 'circuit', spent: {} }
      for (const [at, model] of models.entries()) {
        if (!circuits.isClosed(at)) continue
        last = await call(at, model, prompt, charactersMax, signal)
        if (last.why !== 'failed') break
      }
      return last
    } finally {
      leave()
    }
  }
}
