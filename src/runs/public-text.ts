// Text from strangers on its way to a room: nothing that hides, reorders or impersonates, no contact details, given names only
// where others read them.

// Control characters except tab and newline, bidirectional controls, zero-width spaces, tag characters, the byte order mark. Joiners
// stay: scripts and emoji need them.
const hidden = /[[\p{Cc}--[\t\n]]\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gv

/** The text without control and bidirectional characters, its white space folded to what a line of chat needs. */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(hidden, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

export function cleanName(name: string): string | null {
  const clean = cleanText(name).replaceAll('\n', ' ').slice(0, 200)
  return clean === '' ? null : clean
}

/** As the room shows it: in a broadcast the given name alone. */
export function shownName(name: string | null, mode: 'isolated' | 'broadcast'): string | null {
  if (name === null || mode === 'isolated') return name
  const given = name.split(/[\s,]+/)[0] ?? ''
  return given.includes('@') || given === '' ? null : given.slice(0, 40)
}

const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu
const phone = /(?<![\p{L}\p{N}.,])\+?\(?\d(?:[\s()./-]{0,2}\d){7,14}(?![\p{L}\p{N}])/gu

/** Cuts e-mail addresses and telephone numbers: contact details go through the form, with consent, never into a log. */
export function withoutContacts(text: string): { text: string; found: boolean; email: string | null; phone: string | null } {
  const withoutEmail = text.replaceAll(email, '[e-mail]')
  const kept = withoutEmail.replaceAll(phone, '[phone]')
  return { text: kept, found: kept !== text, email: text.match(email)?.[0] ?? null, phone: withoutEmail.match(phone)?.[0] ?? null }
}

const consent =
  /^(?:yes|yes,? please|ok(?:ay)?|sure|i agree|ja(?:,? bitte)?|oui|s[ií](?:,? por favor)?|sim|はい|是的?|好的?|نعم)[\s.!。！]*$/iu

/** An explicit yes and nothing else. */
export const isYes = (text: string): boolean => consent.test(text.trim())
