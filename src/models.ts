// The parts that language models bring, loaded only where one is configured: a service without models pays nothing for them.
import type { Config } from './config.ts'
import type { ScriptWriter } from './decks/script-writing.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { LeakTest } from './presenter/answer/shingles.ts'
import type { ModelDesk } from './presenter/models/model-desk.ts'
import type { Talks } from './presenter/talks.ts'

export interface ModelsDeps {
  clock: Clock
  ids: Ids
  /** Read when a script is written: the talks are made after the decks that have scripts. */
  searchable: Talks['searchable']
  leakTestOf(sessionId: string, deckId: string | null): Promise<LeakTest>
  warn(words: string, error?: unknown): void
}

export interface Models {
  desk: ModelDesk
  writer: ScriptWriter
  /** Loads what the first question needs; not waited for. */
  warm(): void
}

/** Null where no model is configured. */
export function createModels({ models, llmConcurrency: concurrency, speechWpm }: Config, deps: ModelsDeps): Models | null {
  if (models.length === 0) return null
  const { clock, ids, searchable, leakTestOf, warn } = deps
  let loaded: ReturnType<typeof load> | undefined
  const parts = () => (loaded ??= load())

  async function load() {
    const [{ openModel }, { createModelDesk }, { createScriptWriter }] = await Promise.all([
      import('./presenter/models/open-model.ts'),
      import('./presenter/models/model-desk.ts'),
      import('./presenter/script-writer/script-writer.ts'),
    ])
    const opened = models.map(openModel)
    return {
      opened,
      desk: createModelDesk({ clock, ids, models: opened, concurrency, speechWpm }),
      writer: createScriptWriter({ clock, ids, models: opened, talks: { searchable }, leakTestOf }),
    }
  }

  return {
    desk: {
      async *answer(question) {
        yield* (await parts()).desk.answer(question)
      },
    },
    writer: { write: async (request, signal) => (await parts()).writer.write(request, signal) },
    warm() {
      const fail = (error: unknown) => warn('A language model could not be loaded.', error)
      parts()
        .then(({ opened }) => Promise.all(opened.map((model) => model.warm())))
        .catch(fail)
    },
  }
}
