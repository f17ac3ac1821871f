// `rostrum model install [name]`: adds the engine of language models where it is not there yet, and fetches a model for it.
import { closeSync, openSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { llamaDir, modelsDir } from '../config-models.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { megabytes } from './fetched/download.ts'
import { install, orderFor } from './fetched/installed.ts'
import { knownModels } from './fetched/known-models.ts'
import { addEngine, hasEngine } from './fetched/llama-engine.ts'

export const run: Run = async ({ config: read, positionals: [name], text, flag, print }) => {
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
  print.result(`${folder}\n\nUse it with ROSTRUM_LLM=llama:${name}, or first: rostrum model try ${name}`, { name, folder, sha256, engine })
  return 0
}

function mustBeModel(path: string): void {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(4)
  readSync(file, head, 0, 4, 0)
  closeSync(file)
  if (head.toString('latin1') !== 'GGUF') throw new CommandError('It is no model in GGUF. Nothing was installed.')
}
