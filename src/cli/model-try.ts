// `rostrum model try <name>`: lets a language model of this machine write, and says how fast.
import { llamaDir, modelFileOf } from '../config-models.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLocalModel } from '../presenter/models/local/local-model.ts'
import type { Run } from './command.ts'

const sample = 'Say in one sentence what a presenter does.'
const tokensMax = 200

export const run: Run = async ({ config: read, positionals: [name = ''], text, print }) => {
  const config = read()
  const engine = config.llama ?? llamaDir(config.dataDir)
  const tried = await tryModel({ engine, file: modelFileOf(name, config.dataDir) }, text('ask') ?? sample, tokensMax)
  const { words, loadedMs, firstMs, ms, tokens } = tried
  const rate = ms > firstMs ? `, ${((tokens * 1_000) / (ms - firstMs)).toFixed(0)} tokens a second` : ''
  print.result(`${words}\n\nloaded in ${loadedMs} ms, first word after ${firstMs} ms${rate}`, tried)
  return 0
}

/** One text of it, and how long that took. */
export async function tryModel(from: { engine: string; file: string }, ask: string, outputTokensMax: number) {
  const model = openLocalModel(from, null, systemClock)
  try {
    const start = systemClock.elapsed()
    const since = () => Math.round(systemClock.elapsed() - start)
    await model.warm()
    const loadedMs = since()
    let [words, firstMs, tokens] = ['', 0, 0]
    for await (const part of model.stream({ rules: 'Answer briefly.', material: '', ask, outputTokensMax }, new AbortController().signal)) {
      if (part.type === 'tokens') tokens = part.tokens.output
      else {
        words += part.text
        if (firstMs === 0) firstMs = since() - loadedMs
      }
    }
    return { words: words.trim(), loadedMs, firstMs, ms: since() - loadedMs, tokens }
  } finally {
    model.close()
  }
}
