// What the room's HTML carries as JSON (`#boot`): the answer of GET /api/v1/rooms/{key} and the words of one language.
import type { InputOf } from '../../../../client/operations.ts'
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
  /** Which link led here. */
  utm?: Utm
}

type Utm = NonNullable<InputOf<'join_room'>['utm']>

const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const
const utmMax = 100

/** Of the page's address: `utm_source` and its like, or the name of a link in `source`. A longer one is cut, and nobody is kept out. */
export function utmIn(search: string): Utm | undefined {
  const query = new URLSearchParams(search)
  const given = utmNames.flatMap((name) => {
    const value = query.get(`utm_${name}`) ?? (name === 'source' ? query.get(name) : null)
    return value ? [[name, value.replaceAll('\0', '').slice(0, utmMax).toWellFormed()] as const] : []
  })
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

export type T = Translate<MessageKey>

/** Reads and parses `#boot`; the server wrote it, so its shape is trusted. */
export function readBoot(document: Document): Boot {
  return JSON.parse(document.getElementById('boot')?.textContent ?? '{}') as Boot
}
