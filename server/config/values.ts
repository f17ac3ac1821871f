// What a configuration value may be: text in, typed value out, or words on what to write instead, which never repeat the value.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'

/** `read` gives undefined for text that it cannot use. */
const rule = <T>(words: string, read: (text: string) => T | undefined) =>
  z.string().transform((text, { addIssue }): T => {
    const value = read(text)
    if (value !== undefined) return value
    addIssue(words)
    return z.NEVER
  })
const matching = (pattern: RegExp, words: string) => z.string().regex(pattern, words)

export const text = z.string()
export const path = z.string().transform((written) => resolve(written))
export const flag = z.stringbool({ truthy: ['1', 'true'], falsy: ['0', 'false'], case: 'sensitive', error: 'write 1 or 0' })
export const oneOf = <const T extends readonly string[]>(...allowed: T) => z.enum(allowed, { error: `write ${allowed.join(', ')}` })

const wholeNumber = (written: string, min: number, max: number): number | undefined => {
  const number = /^\d{1,15}$/.test(written) ? Number(written) : Number.NaN
  return number >= min && number <= max ? number : undefined
}
export const integer = (min: number, max: number) =>
  rule(`write a whole number from ${min} to ${max}`, (written) => wholeNumber(written, min, max))

/** A count, or `off` for no limit (null). */
export const budget = rule<number | null>('write a whole number from 0 to 1,000,000,000, or off', (written) =>
  written === 'off' ? null : wholeNumber(written, 0, 1_000_000_000),
)

const unitsOf = (units: Readonly<Record<string, number>>, pattern: RegExp, least: number) => (written: string) => {
  const [, count, unit = ''] = pattern.exec(written) ?? []
  const size = Number(count) * (units[unit] ?? Number.NaN)
  return size >= least ? size : undefined
}
const inMs = unitsOf({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }, /^(\d{1,9})(ms|s|m|h|d)$/, 1)
const inBytes = unitsOf({ MiB: 1_048_576, GiB: 1_073_741_824 }, /^(\d{1,6})(MiB|GiB)$/, 0)
const durationWords = 'write a number and a unit, such as 90d, 24h, 10m, 15s or 500ms'

/** In milliseconds. */
export const durationMs = rule(durationWords, inMs)

/** `500MiB` or `5GiB` in bytes, or `off` for no limit (null). */
export const sizeBytes = rule<number | null>('write a number and a unit, such as 500MiB or 5GiB, or off', (written) =>
  written === 'off' ? null : inBytes(written),
)

/** `1GiB`, `5%`, both with a comma, or `off` (null). */
export const reserve = rule<readonly ({ bytes: number } | { share: number })[] | null>(
  'write a size, a share or both, such as 1GiB, 5% or 1GiB,5%, or off',
  (written) => {
    if (written === 'off') return null
    const found = written.split(',').map((each) => {
      const part = each.trim()
      const bytes = inBytes(part)
      const share = /^\d{1,2}%$/.test(part) ? Number(part.slice(0, -1)) / 100 : undefined
      return bytes !== undefined ? { bytes } : share !== undefined ? { share } : undefined
    })
    return found.every((each) => each !== undefined) ? Object.freeze(found) : undefined
  },
)

/** `count` calls in `windowMs`. */
export interface Rate {
  count: number
  windowMs: number
}

/** `120/1m`, a bare count (the window stays), or `off`. */
export const rate = (usual: string) =>
  rule<Rate | 'off'>('write <count>/<window>, such as 120/1m, a count alone, or off', (written) => {
    if (written === 'off') return 'off'
    const [, count, window = usual.slice(usual.indexOf('/') + 1)] = /^([1-9]\d{0,8})(?:\/(.+))?$/.exec(written) ?? []
    const windowMs = inMs(window)
    return count === undefined || windowMs === undefined ? undefined : Object.freeze({ count: Number(count), windowMs })
  })

/** Values separated by commas or white space. */
export const listOf = <T extends z.ZodType<unknown, string>>(item: T, separator = /[\s,]+/) =>
  z
    .string()
    .transform((written) => written.split(separator).filter(Boolean))
    .pipe(z.array(item))
    .readonly()

/** The one word stands for `meant`, everything else is read by `schema`. */
const unless = <T extends z.ZodType, const M>(word: string, meant: M, schema: T) =>
  z.string().transform((written, { addIssue }): z.output<T> | M => {
    if (written === word) return meant
    const { data, error } = schema.safeParse(written)
    if (error !== undefined) addIssue(error.issues[0]?.message ?? '')
    return data ?? z.NEVER
  })

/** A value, or `-` for none at this place of a list. */
export const orNone = <T extends z.ZodType<unknown, string>>(item: T) => unless('-', null, item)

const url = (words: string, ...protocols: readonly string[]) =>
  rule(words, (written) => {
    const found = URL.parse(written)
    return found !== null && found.hostname !== '' && protocols.includes(found.protocol) ? { written, url: found } : undefined
  })
type Found = z.output<ReturnType<typeof url>>
const hasPath = ({ url: { pathname, search, hash } }: Found) => pathname !== '/' || search !== '' || hash !== ''
const hasUser = ({ url: { username, password } }: Found) => username !== '' || password !== ''
const toOrigin = ({ url: { origin: found } }: Found) => found

/** The public address: an origin alone, because the issuer of RFC 8414 and the room's links are built from it byte for byte. */
export const baseUrl = url('write an http or https address, such as https://talks.example.com', 'http:', 'https:')
  .refine((found) => !hasUser(found), 'leave out the user name and password')
  .refine(
    (found) => !hasPath(found),
    'a path is not supported: write the scheme, host and port alone, and serve Rostrum at its own host name',
  )
  .transform(toOrigin)

export const origin = url('write an origin, such as https://app.example.com', 'http:', 'https:')
  .refine((found) => !hasPath(found), 'write the scheme, host and port alone')
  .transform(toOrigin)

/** An origin, or `*` for any. */
export const originOrAny = unless('*', '*', origin)

export const address = (...protocols: readonly string[]) =>
  url(`write an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`, ...protocols).transform(
    ({ written }) => written,
  )

/** The address of a model's server: without a user name, password or query, because those would be keys in plain sight. */
export const serverAddress = url('write an http or https address, such as http://127.0.0.1:11434/v1', 'http:', 'https:')
  .refine(
    (found) => !hasUser(found) && found.url.search === '',
    'leave out user name, password and query: keys have a variable of their own',
  )
  .transform(({ written }) => written.replace(/(?<!\/)\/+$/, ''))

/** `s3:` and the address of a bucket. */
export const bucket = rule('write s3: and the address of the bucket, such as s3:https://s3.eu-central-1.amazonaws.com/talks', (written) => {
  const found = written.startsWith('s3:') ? URL.parse(written.slice(3)) : null
  const isPlain = found !== null && found.username === '' && found.password === '' && found.search === '' && found.hash === ''
  const isBucket = isPlain && /^https?:$/.test(found.protocol) && /^\/[\w.-]{3,63}\/?$/.test(found.pathname)
  return isBucket ? found.href.replace(/\/$/, '') : undefined
})

/** The sender of mails: `talks@example.com` or `Acme talks <talks@example.com>`. */
export const mailbox = matching(
  /^(?:[^<>@"\p{Cc}]{1,100} <[^\s@<>"(),:;[\\\]\p{Cc}]+@[^\s@<>"(),:;[\\\]\p{Cc}]+>|[^\s@<>"(),:;[\\\]\p{Cc}]+@[^\s@<>"(),:;[\\\]\p{Cc}]+)$/u,
  'write an email address, such as talks@example.com or Acme talks <talks@example.com>',
)

/** As RFC 9116 has it: an address becomes `mailto:`. */
export const securityContact = rule('write an email address, or an address that begins with https:, mailto: or tel:', (written) => {
  if (/^[^\s@<>]+@[^\s@<>]+$/u.test(written) && !written.startsWith('mailto:')) return `mailto:${written}`
  return /^(?:https:\/\/|mailto:|tel:)[\x21-\x7e]+$/.test(written) && URL.canParse(written) ? written : undefined
})

/** Epoch ms. */
export const date = rule('write a day or a time, such as 2027-06-30 or 2027-06-30T12:00:00Z', (written) =>
  /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(written) && !Number.isNaN(Date.parse(written))
    ? Date.parse(written)
    : undefined,
)

export const host = matching(
  /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/,
  'write a host name, with a port where it is not the usual one',
).toLowerCase()

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
export const cidr = rule('write address ranges, such as 10.0.0.0/8 or fd00::/8', (written) => {
  const range = written.includes('/') ? written : `${written}/${isIP(written) === 4 ? 32 : 128}`
  return z.union([z.cidrv4(), z.cidrv6()]).safeParse(range).data
})

/** A range that opens private destinations; everything at once would switch the guard off, so it is refused. */
export const egressRange = cidr.refine(
  (range) => !range.endsWith('/0'),
  '0.0.0.0/0 and ::/0 would switch the guard off: name the ranges you need',
)

/** `ip[:port]`, with brackets around an IPv6 address that has a port. */
export const nameServer = rule('write addresses of name servers, such as 9.9.9.9 or 9.9.9.9:5353', (written) => {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(written)?.[1] ?? /^([^:]+):\d{1,5}$/.exec(written)?.[1] ?? written
  return isIP(bare) === 0 ? undefined : written
})

export const blocklistZone = matching(
  /^(domain|ip):[A-Za-z0-9.-]+(=[0-9.,-]+)?$/,
  'write zones as domain:<zone> or ip:<zone>, each with =codes where the list needs them',
)

/** One model of a fallback chain; `baseUrl` where it is written with it. */
export interface ModelName {
  provider: string
  model: string
  baseUrl?: string
}

/** `<provider>:<model>`, or `<provider>:<model>@<base URL>`. */
export const model = (...providers: readonly string[]) =>
  z.string().transform((written, context): ModelName => {
    const [, name = '', at] = /^(.*?)(?:@(https?:\/\/.*))?$/su.exec(written) ?? []
    const [provider = '', ...rest] = name.split(':')
    const named = rest.join(':')
    const server = at === undefined ? undefined : serverAddress.safeParse(at)
    if (!providers.includes(provider) || (named === '' && provider !== 'espeak'))
      context.addIssue(`write <provider>:<model> or <provider>:<model>@<address>, with a provider of ${providers.join(', ')}`)
    if (server?.success === false) context.addIssue(server.error.issues[0]?.message ?? '')
    return Object.freeze({ provider, model: named, ...(server?.data !== undefined && { baseUrl: server.data }) })
  })

/** `0.15/0.60`: per million tokens read and written. */
export const price = rule('write <read>/<written> per million tokens, such as 0.15/0.60', (written) => {
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(written) ?? []
  return input === undefined || output === undefined ? undefined : Object.freeze({ input: Number(input), output: Number(output) })
})

/** Keys that sign; the first is in use, the others are still accepted. */
export const signingSecret = z.string().min(32, 'write at least 32 random characters, for example from `openssl rand -base64 48`')

const issuers = z.array(
  z.object({ issuer: z.url(), jwks_uri: z.url(), client_ids: z.array(z.string()).optional(), name: z.string().optional() }),
)

/** A JSON array, or `@file` that holds one. */
export const trustedIssuers = rule(
  'write a JSON array of { "issuer", "jwks_uri", "client_ids", "name" }, or @ and the path of a file that holds one',
  (written): Readonly<z.output<typeof issuers>> | undefined => {
    try {
      return issuers.parse(JSON.parse(written.startsWith('@') ? readFileSync(written.slice(1), 'utf8') : written))
    } catch {
      return undefined
    }
  },
)
