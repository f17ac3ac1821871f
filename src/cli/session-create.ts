// `rostrum session create`: the same operations that the API offers, called for the owner's account.
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { createLog } from './log.ts'

const deckTypes: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
}

export const run: Run = async ({ config: read, text, flag, print }) => {
  const config = read()
  const deckPath = text('deck')
  const deck = deckPath === undefined ? undefined : await readDeck(deckPath)
  const [{ openApp }, log] = await Promise.all([import('../app.ts'), createLog(config.log)])
  const app = await openApp(config, { log })
  try {
    const made = await app.createSession({ title: text('title') ?? '', publish: flag('publish'), ...(deck && { deck }) })
    const lines = [made.shareLink, ...(made.rehearsalUrl === undefined ? [] : [`Rehearse: ${made.rehearsalUrl}`]), `Status: ${made.status}`]
    print.result(lines.join('\n'), made)
    return 0
  } finally {
    await app.close()
  }
}

export interface DeckFile {
  name: string
  type: string
  bytes: Uint8Array
}

async function readDeck(path: string): Promise<DeckFile> {
  const type = deckTypes[extname(path).toLowerCase()]
  if (type === undefined) throw new CommandError(`--deck: send a file that ends in ${Object.keys(deckTypes).join(' or ')}.`, 2)
  const bytes = await readFile(path).catch(() => {
    throw new CommandError(`--deck: ${path} cannot be read.`)
  })
  return { name: basename(path), type, bytes }
}
