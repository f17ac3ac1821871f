// Spellings of one mailbox. Upper and lower case are the same everywhere. What else is the same is the provider's to say: a tag (RFC 5233)
// and dots are passed over only where the provider is known to do it, because somewhere else they may be two people.

/** They take `name+anything@` as `name@`, as their own help says. */
const tagged = new Set(
  'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com icloud.com me.com mac.com proton.me protonmail.com pm.me fastmail.com'.split(
    ' ',
  ),
)
const dotless = new Set(['gmail.com', 'googlemail.com'])
/** Other names of the same house. */
const alias: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com', 'protonmail.com': 'proton.me', 'pm.me': 'proton.me' }

/** The same for two addresses that are known to be read by one person. */
export function mailboxOf(email: string): string {
  const { name, domain } = parts(email)
  return join(tagged.has(domain) ? untagged(name) : name, domain)
}

/** Behind the sign, in the spellings of `mailboxOf`. */
export function domainsOf(email: string): string[] {
  const { domain } = parts(email)
  const house = alias[domain] ?? domain
  return [house, ...Object.keys(alias).filter((name) => alias[name] === house)]
}

/**
 * The same for all addresses that may be one person's: the tag is passed over at every provider. For what must not come again: a mail too
 * few is asked for once more, one too many is an offence.
 */
export function readerOf(email: string): string {
  const { name, domain } = parts(email)
  return join(untagged(name), domain)
}

function parts(email: string): { name: string; domain: string } {
  const lower = email.trim().toLowerCase()
  const at = lower.lastIndexOf('@')
  return { name: lower.slice(0, at), domain: lower.slice(at + 1).replace(/\.$/, '') }
}

/** What begins with the sign has no name without it. */
const untagged = (name: string): string => /^[^+]+/.exec(name)?.[0] ?? name

const join = (name: string, domain: string): string => `${dotless.has(domain) ? name.replaceAll('.', '') : name}@${alias[domain] ?? domain}`
