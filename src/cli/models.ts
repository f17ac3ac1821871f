// `rostrum model list`: the language models that can be had by name, and those that are here.
import { closeSync, openSync, readSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { llamaDir, modelFileOf, modelsDir } from '../config/servers.ts'
import { systemClock } from '../platform/clock.ts'
import type { OpenedEmbedder } from '../answers/model/meanings.ts'
import { isEmbedderFile, openLocalModel } from '../answers/model/local/local-model.ts'
import { openAnyEmbedder } from '../answers/model/open-model.ts'
import { CommandError, type Run } from './command.ts'
import { megabytes } from './fetched/download.ts'
import { install, listed, orderFor, table } from './fetched/installed.ts'
import { knownModels } from './fetched/known-models.ts'
import { addEngine, hasEngine } from './fetched/llama-engine.ts'

export const list: Run = async ({ config: read, print }) => {
  const config = read()
  const dir = modelsDir(config.dataDir)
  const models = [...config.models, ...(config.embedder === null ? [] : [config.embedder])]
  const inUse = models.flatMap(({ provider, model }) => (provider === 'llama' ? [dirname(model)] : []))
  const all = listed(dir, knownModels, inUse, (folder) => ({ about: isEmbedderFile(join(folder, 'model.gguf')) ? 'measures meaning' : '' }))
  const rows = all.map(({ name, about, licence, sizeBytes, state }) => [name, about, licence, megabytes(sizeBytes), state])
  const engine = config.llama ?? llamaDir(config.dataDir)
  const engineWords = hasEngine(engine) ? `Their engine is in ${engine}.` : 'Their engine is not here yet; `install` adds it (85 MB).'
  print.result(`${table([['NAME', '', 'LICENCE', 'SIZE', ''], ...rows])}\n\n${engineWords} --json shows addresses and checksums.`, {
    models: all,
    engine: hasEngine(engine) ? engine : null,
  })
  return 0
}

// `rostrum model install [name]`: adds the engine of language models where it is not there yet, and fetches a model for it.

export const installModel: Run = async ({ config: read, positionals: [name], text, flag, print }) => {
  const config = read()
  const engine = config.llama ?? llamaDir(config.dataDir)
  const known = knownModels.find((each) => each.name === name)
  const order = name === undefined ? undefined : orderFor(known, name, text, flag('unchecked'))
  if (!hasEngine(engine)) await addEngine(engine, print.note)
  if (order === undefined) {
    print.result(`The engine is in ${engine}. \`rostrum model list\` shows models for it.`, { engine })
    return 0
  }
  print.note(`${order.url}${order.sizeBytes === null ? '' : `, ${megabytes(order.sizeBytes)}`}. Licence: ${order.licence}.`)
  const { folder, sha256 } = await install(order, {
    dir: modelsDir(config.dataDir),
    note: print.note,
    place: (file, into) => renameSync(file, join(into, 'model.gguf')),
    check: (made) => mustBeModel(join(made, 'model.gguf')),
  })
  if (order.sha256 === null) print.note(`Its checksum is ${sha256}; nobody has told what it should be.`)
  const variable = isEmbedderFile(join(folder, 'model.gguf')) ? 'ROSTRUM_EMBED' : 'ROSTRUM_LLM'
  print.result(`${folder}\n\nUse it with ${variable}=llama:${name}, or first: rostrum model try ${name}`, { name, folder, sha256, engine })
  return 0
}

function mustBeModel(path: string): void {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(4)
  readSync(file, head, 0, 4, 0)
  closeSync(file)
  if (head.toString('latin1') !== 'GGUF') throw new CommandError('It is no model in GGUF. Nothing was installed.')
}

// `rostrum model try <name>`: lets a language model of this machine write, or measure, and says how fast.

const sample = 'Say in one sentence what a presenter does.'
const tokensMax = 200

export const ask: Run = async ({ config: read, positionals: [name = ''], text, print }) => {
  const config = read()
  const engine = config.llama ?? llamaDir(config.dataDir)
  const file = modelFileOf(name, config.dataDir)
  if (isEmbedderFile(file)) {
    const tried = await tryEmbedder(openAnyEmbedder({ provider: 'llama', model: file, engine }, systemClock))
    const { dimensions, loadedMs, ms } = tried
    print.result(`It measures what texts mean, in ${dimensions} numbers.\n\nloaded in ${loadedMs} ms, a text in ${ms} ms`, tried)
    return 0
  }
  const tried = await tryModel({ engine, file }, text('ask') ?? sample, tokensMax)
  const { words, loadedMs, firstMs, ms, tokens } = tried
  const rate = ms > firstMs ? `, ${((tokens * 1_000) / (ms - firstMs)).toFixed(0)} tokens a second` : ''
  print.result(`${words}\n\nloaded in ${loadedMs} ms, first word after ${firstMs} ms${rate}`, tried)
  return 0
}

/** What it makes of a text, and how long that took. */
export async function tryEmbedder(embedder: OpenedEmbedder) {
  try {
    const start = systemClock.elapsed()
    const since = () => Math.round(systemClock.elapsed() - start)
    await embedder.warm()
    const loadedMs = since()
    const [vector] = await embedder.embed([sample])
    return { dimensions: vector?.length ?? 0, loadedMs, ms: since() - loadedMs }
  } finally {
    embedder.close()
  }
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
