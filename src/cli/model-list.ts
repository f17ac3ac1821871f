// `rostrum model list`: the language models that can be had by name, and those that are here.
import { join } from 'node:path'
import { llamaDir, modelsDir } from '../config-models.ts'
import type { Run } from './command.ts'
import { megabytes } from './fetched/download.ts'
import { installedIn, sizeOfFolder, table } from './fetched/installed.ts'
import { knownModels } from './fetched/known-models.ts'
import { hasEngine } from './fetched/llama-engine.ts'

export const run: Run = async ({ config: read, print }) => {
  const config = read()
  const dir = modelsDir(config.dataDir)
  const here = installedIn(dir)
  const inUse = config.models.flatMap(({ provider, model }) => (provider === 'llama' ? [model] : []))
  const stateOf = (name: string) => {
    if (!here.some((each) => each.name === name)) return ''
    return inUse.includes(join(dir, name, 'model.gguf')) ? 'in use' : 'installed'
  }
  const others = here
    .filter(({ name }) => !knownModels.some((each) => each.name === name))
    .map(({ name, origin }) => ({
      name,
      about: '',
      licence: origin?.licence ?? '',
      sizeBytes: sizeOfFolder(join(dir, name)),
      sha256: origin?.sha256 ?? null,
      url: origin?.url ?? join(dir, name),
    }))
  const all = [...knownModels, ...others].map((each) => ({ ...each, state: stateOf(each.name) }))
  const rows = all.map(({ name, about, licence, sizeBytes, state }) => [name, about, licence, megabytes(sizeBytes), state])
  const engine = config.llama ?? llamaDir(config.dataDir)
  const engineWords = hasEngine(engine) ? `Their engine is in ${engine}.` : 'Their engine is not here yet; `install` adds it (85 MB).'
  print.result(`${table([['NAME', '', 'LICENCE', 'SIZE', ''], ...rows])}\n\n${engineWords} --json shows addresses and checksums.`, {
    models: all,
    engine: hasEngine(engine) ? engine : null,
  })
  return 0
}
