// `rostrum voice install <name>`: fetches a voice or a recogniser, checks it, unpacks it, and says how it is used. Nothing else ever
// fetches one.
import { voicesDir } from '../config-speech.ts'
import { earsFolder, voiceFolder } from '../speech/local/model-folder.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { megabytes } from './fetched/download.ts'
import { install, orderFor } from './fetched/installed.ts'
import { knownVoices } from './fetched/known-voices.ts'

export const run: Run = async ({ config: read, positionals: [name = ''], text, flag, print }) => {
  const order = orderFor(
    knownVoices.find((each) => each.name === name),
    name,
    text,
    flag('unchecked'),
  )
  print.note(`${order.url}${order.sizeBytes === null ? '' : `, ${megabytes(order.sizeBytes)}`}. Licence: ${order.licence}.`)
  let found: ReturnType<typeof look> | undefined
  const { folder, sha256 } = await install(order, {
    dir: voicesDir(read().dataDir),
    note: print.note,
    check: (made) => (found = look(made)),
  })
  if (order.sha256 === null) print.note(`Its checksum is ${sha256}; nobody has told what it should be.`)
  const variable = found?.type === 'ears' ? 'ROSTRUM_STT' : 'ROSTRUM_TTS'
  print.result(`${folder}\n\nUse it with ${variable}=sherpa:${name}, or first: rostrum voice try ${name}`, {
    name,
    folder,
    sha256,
    ...found,
  })
  return 0
}

/** What the unpacked folder holds. Throws where neither engine would take it. */
export function look(folder: string): { type: 'voice' | 'ears'; kind: string; speakers?: readonly string[] } {
  try {
    const { kind, speakers } = voiceFolder(folder)
    return { type: 'voice', kind, speakers }
  } catch (asVoice) {
    try {
      return { type: 'ears', kind: earsFolder(folder).kind }
    } catch (asEars) {
      const words = [asVoice, asEars].map((error) => (error instanceof Error ? error.message : String(error)))
      throw new CommandError(`It is neither a voice (${words[0]}) nor a recogniser (${words[1]}).`)
    }
  }
}
