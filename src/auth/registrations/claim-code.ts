// The code that a person reads to their agent: 8 of 20 consonants (34 bits), in two groups. Case, spaces and dashes do not
// matter, and no word can be spelt.
import type { Ids } from '../../kernel/ids.ts'
import { hashSecret } from '../token.ts'

const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** `BDFK-RTWX`, unbiased. */
export function mintClaimCode(ids: Ids): string {
  let code = ''
  while (code.length < length) {
    for (const byte of ids.bytes(16)) {
      if (byte < 240 && code.length < length) code += alphabet.charAt(byte % alphabet.length)
    }
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** As it is shown; other text stays recognisably wrong. */
export function normalCode(text: string): string {
  const letters = text.toUpperCase().replaceAll(/[\s\u2010-\u2015-]/g, '')
  return /^[BCDFGHJ-NP-TVWXZ]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters
}

/** Bound to its registration, so that the code of another one never matches. */
export function hashCode(registrationId: string, code: string): string {
  return hashSecret(`${registrationId} ${normalCode(code)}`)
}
