// The parts that language models bring, loaded only where one is configured: a service without models pays nothing for them.
import type { Config } from './config/config.ts'
import type { ScriptWriter } from './scripts/propose-script.ts'
import type { Translator } from './scripts/translations.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import type { LeakTest } from '@rostrum/answers/shingles'
import { createCircuits, createSlots } from './models/slots.ts'
import type { ModelDesk } from './models/model-desk.ts'
import type { Talks } from './runs/talks.ts'

export interface ModelsDeps {
  clock: Clock
  ids: Ids
  /** Read when a script is written: the talks are made after the decks that have scripts. */
  searchable: Talks['searchable']
  leakTestOf(sessionId: string, deckId: string | null): Promise<LeakTest>
  /** Counts a call against the budget of the session's account; false where it is used up. */
  afford(sessionId: string): Promise<boolean>
  warn(words: string, error?: unknown): void
}

/** Null where no model is configured. */
export function createModels({ models, llmConcurrency, speechWpm }: Config, deps: ModelsDeps) {
  if (models.length === 0) return null
  const { clock, ids, searchable, leakTestOf, afford, warn } = deps
  let loaded: ReturnType<typeof load> | undefined
  const parts = () => (loaded ??= load())

  async function load() {
    const [{ openAnyModel }, { createModelDesk }, { createScriptWriter }, { createTranslator }] = await Promise.all([
      import('./models/open-model.ts'),
      import('./models/model-desk.ts'),
      import('./runs/script-writer.ts'),
      import('./models/translator.ts'),
    ])
    const opened = await Promise.all(models.map((model) => openAnyModel(model, clock)))
    const [slots, circuits] = [createSlots(clock, llmConcurrency), createCircuits(clock)]
    return {
      opened,
      desk: createModelDesk({ clock, ids, models: opened, slots, circuits, speechWpm, afford }),
      translator: createTranslator({ clock, ids, models: opened, afford }),
      writer: createScriptWriter({ clock, ids, models: opened, talks: { searchable }, leakTestOf, afford }),
    }
  }

  return {
    desk: {
      async *answer(question: Parameters<ModelDesk['answer']>[0]) {
        yield* (await parts()).desk.answer(question)
      },
    },
    writer: { write: async (...asked: Parameters<ScriptWriter['write']>) => (await parts()).writer.write(...asked) },
    translator: async (...asked: Parameters<Translator>) => (await parts()).translator(...asked),
    /** Loads what the first question needs; not waited for. */
    warm() {
      const fail = (error: unknown) => warn('A language model could not be loaded.', error)
      parts()
        .then(({ opened }) => Promise.all(opened.map((model) => model.warm())))
        .catch(fail)
    },
    close() {
      loaded?.then(({ opened }) => opened.forEach((model) => model.close?.())).catch(() => undefined)
    },
  }
}
