// What the room's HTML carries as JSON (`#boot`): the answer of GET /api/v1/rooms/{key} and the words of one language.
import type { MessageKey } from '../../ui/words.ts'
import type { Catalogue, Translate } from '../../ui/words.ts'
import type { RoomView } from './wire.ts'

export interface Boot {
  key: string
  room: RoomView
  language: string
  strings: Catalogue
  follows: readonly string[]
  embed: boolean
  /** The talk is kept in a file: no host, no link, and nobody to send anything to. */
  isKept?: boolean
}

export type T = Translate<MessageKey>

/** Reads and parses `#boot`; the server wrote it, so its shape is trusted. */
export function readBoot(document: Document): Boot {
  return JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as Boot
}
