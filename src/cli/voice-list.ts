// `rostrum voice list`: the voices and recognisers that can be had by name, and those that are here.
import { join } from 'node:path'
import { voicesDir } from '../config-speech.ts'
import type { Run } from './command.ts'
import { megabytes } from './fetched/download.ts'
import { installedIn, sizeOfFolder, table } from './fetched/installed.ts'
import { knownVoices } from './fetched/known-voices.ts'

export const run: Run = async ({ config: read, print }) => {
  const config = read()
  const dir = voicesDir(config.dataDir)
  const here = installedIn(dir)
  const inUse = [config.voice, config.ears].flatMap((each) => (each?.provider === 'sherpa' ? [each.model] : []))
  const stateOf = (name: string) => {
    if (!here.some((each) => each.name === name)) return ''
    return inUse.includes(join(dir, name)) ? 'in use' : 'installed'
  }
  const known = knownVoices.map(({ name, type, languages, licence, sizeBytes, sha256, url }) => ({
    name,
    type,
    languages,
    licence,
    sizeBytes,
    sha256,
    url,
    state: stateOf(name),
  }))
  const others = here
    .filter(({ name }) => !knownVoices.some((each) => each.name === name))
    .map(({ name, origin }) => ({
      name,
      type: '',
      languages: '',
      licence: origin?.licence ?? '',
      sizeBytes: sizeOfFolder(join(dir, name)),
      sha256: origin?.sha256 ?? null,
      url: origin?.url ?? join(dir, name),
      state: stateOf(name),
    }))
  const all = [...known, ...others]
  const rows = all.map(({ name, type, languages, licence, sizeBytes, state }) => [
    name,
    type,
    languages,
    licence,
    megabytes(sizeBytes),
    state,
  ])
  print.result(
    `${table([['NAME', 'FOR', 'LANGUAGES', 'LICENCE', 'SIZE', ''], ...rows])}\n\nVoices come with data of eSpeak NG (GPL-3.0-or-later). \`rostrum voice install <name>\` fetches one; --json shows addresses and checksums.`,
    { voices: all },
  )
  return 0
}
