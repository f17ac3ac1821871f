// The slug of a share link: the title in ASCII words and a random end, so that a link cannot be guessed from a title.
import { type Ids, randomBase32 } from '../platform/ids.ts'

const wordsMax = 60
const randomLength = 6

/** At most 60 characters of title, a hyphen, six base32 characters. A title without ASCII words gives `talk-...`. */
export function slugOf(title: string, ids: Ids): string {
  const ascii = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, wordsMax)
    .replace(/^-+|(?<!-)-+$/g, '')
  return `${ascii === '' ? 'talk' : ascii}-${randomBase32(ids, randomLength)}`
}

/** 26 base32 characters, 130 bits; never derived from the slug, and without a hyphen, so that a room key tells which it is. */
export function rehearsalToken(ids: Ids): string {
  return randomBase32(ids, 26)
}
