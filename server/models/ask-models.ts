// Work for which nobody waits at the microphone, by the first model of the chain that can: each is asked once, and read whole.
import type { Clock, Ids } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import type { LanguageModel, ModelPrompt } from './language-model.ts'

/** What whoever asks a model needs. */
export interface ModelParts {
  clock: Clock
  ids: Ids
  models: readonly LanguageModel[]
  /** Counts a call against the budget of the session's account; false where it is used up. */
  afford(sessionId: string): Promise<boolean>
}

const callMs = 60_000
const writtenMax = 60_000

/**
 * What `read` finds in the words of a model; undefined sends it on to the next. Throws `quota_exceeded` where the calls of the day are used
 * up, and what the last model threw where none answered.
 */
export async function askModels<T>(
  { clock, models, afford }: Omit<ModelParts, 'ids'>,
  sessionId: string,
  prompt: ModelPrompt,
  signal: AbortSignal,
  read: (text: string) => T | undefined,
): Promise<T> {
  let last: unknown = new Error('No model is configured.')
  for (const model of models) {
    if (!(await afford(sessionId))) throw new ServiceError('quota_exceeded', 'The model calls of today are used up.')
    const abort = new AbortController()
    const cancel = clock.after(callMs, () => abort.abort())
    let text = ''
    try {
      for await (const part of model.stream(prompt, AbortSignal.any([abort.signal, signal])))
        if (part.type === 'text' && text.length < writtenMax) text += part.text
      if (abort.signal.aborted) throw new Error(`${model.name} did not end in ${callMs / 1_000} s.`)
      const found = read(text)
      if (found !== undefined) return found
      last = new Error(`${model.name} wrote no sentence.`)
    } catch (error) {
      if (signal.aborted) throw error
      last = error
    } finally {
      cancel()
    }
  }
  throw last
}
