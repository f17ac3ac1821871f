// Readers of one configuration value each: text in, typed value out, or words on what to send instead. No I/O but `@file`.
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'

/** A value that cannot be used; the message says what to write instead and never repeats the value. */
export class BadValue extends Error {}

export type Read<T> = (text: string) => T

export const text: Read<string> = (value) => value

export const path: Read<string> = (value) => resolve(value)

export const flag: Read<boolean> = (value) => {
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  throw new BadValue('write 1 or 0')
}

export function integer(min: number, max: number): Read<number> {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new BadValue(`write a whole number from ${min} to ${max}`)
  }
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Read<T> {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value)
    if (found !== undefined) return found
    throw new BadValue(`write ${allowed.join(', ')}`)
  }
}

/** Values separated by commas or white space, each read by `item`. */
export function listOf<T>(item: Read<T>, separator = /[\s,]+/): Read<readonly T[]> {
  return (value) => Object.freeze(value.split(separator).filter(Boolean).map(item))
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `500ms`, `15s`, `10m`, `24h`, `90d`, in milliseconds. */
export const durationMs: Read<number> = (value) => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value)
  const ms = Number(match?.[1]) * (unitMs[match?.[2] ?? ''] ?? Number.NaN)
  if (ms > 0) return ms
  throw new BadValue('write a number and a unit, such as 90d, 24h, 10m, 15s or 500ms')
}

function urlOf(value: string, protocols: readonly string[], words: string): URL {
  const url = URL.parse(value)
  if (url === null || url.hostname === '' || !protocols.includes(url.protocol)) throw new BadValue(words)
  return url
}

/** The public address: an origin alone, because the issuer of RFC 8414 and the room's links are built from it byte for byte. */
export const baseUrl: Read<string> = (value) => {
  const url = urlOf(value, ['http:', 'https:'], 'write an http or https address, such as https://talks.example.com')
  if (url.username !== '' || url.password !== '') throw new BadValue('leave out the user name and password')
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new BadValue('a path is not supported: write the scheme, host and port alone, and serve Rostrum at its own host name')
  }
  return url.origin
}

export const origin: Read<string> = (value) => {
  const url = urlOf(value, ['http:', 'https:'], 'write an origin, such as https://app.example.com')
  if (url.pathname !== '/' || url.search !== '') throw new BadValue('write the scheme, host and port alone')
  return url.origin
}

/** An origin, or `*` for any. */
export const originOrAny: Read<string> = (value) => (value === '*' ? value : origin(value))

export function address(...protocols: readonly string[]): Read<string> {
  return (value) => {
    urlOf(value, protocols, `write an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    return value
  }
}

/** The sender of mails: `talks@example.com` or `Acme talks <talks@example.com>`. */
export const mailbox: Read<string> = (value) => {
  if (
    /^(?:[^<>@"\p{Cc}]{1,100} <)?[^\s@<>"(),:;[\\\]\p{Cc}]+@[^\s@<>"(),:;[\\\]\p{Cc}]+>?$/u.test(value) &&
    value.includes('<') === value.endsWith('>')
  )
    return value
  throw new BadValue('write an e-mail address, such as talks@example.com or Acme talks <talks@example.com>')
}

export const host: Read<string> = (value) => {
  if (/^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(value) || /^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(value)) return value.toLowerCase()
  throw new BadValue('write a host name, with a port where it is not the usual one')
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. */
export const cidr: Read<string> = (value) => {
  const [start = '', bits] = value.split('/')
  const version = isIP(start)
  const prefix = bits === undefined ? (version === 4 ? 32 : 128) : Number(/^\d{1,3}$/.test(bits) ? bits : Number.NaN)
  try {
    if (version === 0) throw new RangeError()
    new BlockList().addSubnet(start, prefix, version === 4 ? 'ipv4' : 'ipv6')
  } catch {
    throw new BadValue('write address ranges, such as 10.0.0.0/8 or fd00::/8')
  }
  return `${start}/${prefix}`
}

/** A range that opens private destinations; everything at once would switch the guard off, so it is refused. */
export const egressRange: Read<string> = (value) => {
  const range = cidr(value)
  if (range.endsWith('/0')) throw new BadValue('0.0.0.0/0 and ::/0 would switch the guard off: name the ranges you need')
  return range
}

/** `ip[:port]`, with brackets around an IPv6 address that has a port. */
export const nameServer: Read<string> = (value) => {
  const bare = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(value)?.[1] ?? /^([^:]+):\d{1,5}$/.exec(value)?.[1] ?? value
  if (isIP(bare) === 0) throw new BadValue('write addresses of name servers, such as 9.9.9.9 or 9.9.9.9:5353')
  return value
}

export const blocklistZone: Read<string> = (value) => {
  if (/^(domain|ip):[A-Za-z0-9.-]+(=[0-9.,-]+)?$/.test(value)) return value
  throw new BadValue('write zones as domain:<zone> or ip:<zone>, each with =codes where the list needs them')
}

/** `count` calls in `windowMs`. */
export interface Rate {
  count: number
  windowMs: number
}

/** `120/1m`, a bare count (the window stays), or `off`. */
export function rate(windowMs: number): Read<Rate | 'off'> {
  return (value) => {
    if (value === 'off') return 'off'
    const [count = '', window] = value.split('/')
    if (!/^[1-9]\d{0,8}$/.test(count)) throw new BadValue('write <count>/<window>, such as 120/1m, a count alone, or off')
    return Object.freeze({ count: Number(count), windowMs: window === undefined ? windowMs : durationMs(window) })
  }
}

/** A count, or `off` for no limit (null). */
export const budget: Read<number | null> = (value) => {
  if (value === 'off') return null
  try {
    return integer(0, 1_000_000_000)(value)
  } catch {
    throw new BadValue('write a whole number from 0 to 1,000,000,000, or off')
  }
}

const unitBytes: Readonly<Record<string, number>> = { MiB: 1_048_576, GiB: 1_073_741_824 }

/** `500MiB` or `5GiB` in bytes, or `off` for no limit (null). */
export const sizeBytes: Read<number | null> = (value) => {
  if (value === 'off') return null
  const match = /^(\d{1,6})(MiB|GiB)$/.exec(value)
  const bytes = Number(match?.[1]) * (unitBytes[match?.[2] ?? ''] ?? Number.NaN)
  if (bytes >= 0) return bytes
  throw new BadValue('write a number and a unit, such as 500MiB or 5GiB, or off')
}

/** One model of a fallback chain; `baseUrl` where it is written with it. */
export interface ModelName {
  provider: string
  model: string
  baseUrl?: string
}

/** `<provider>:<model>`, or `<provider>:<model>@<base URL>`. */
export function model(...providers: readonly string[]): Read<ModelName> {
  return (value) => {
    const [, name = '', at] = /^(.*?)(?:@(https?:\/\/.*))?$/su.exec(value) ?? []
    const [provider = '', ...rest] = name.split(':')
    const model = rest.join(':')
    if (!providers.includes(provider) || (model === '' && provider !== 'espeak')) {
      throw new BadValue(`write <provider>:<model> or <provider>:<model>@<address>, with a provider of ${providers.join(', ')}`)
    }
    return Object.freeze({ provider, model, ...(at === undefined ? {} : { baseUrl: serverAddress(at) }) })
  }
}

/** The address of a model's server: without a user name, password or query, because those would be keys in plain sight. */
export const serverAddress: Read<string> = (value) => {
  const url = urlOf(value, ['http:', 'https:'], 'write an http or https address, such as http://127.0.0.1:11434/v1')
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new BadValue('leave out user name, password and query: keys have a variable of their own')
  return value.replace(/(?<!\/)\/+$/, '')
}

/** A value, or `-` for none at this place of a list. */
export function orNone<T>(read: Read<T>): Read<T | null> {
  return (value) => (value === '-' ? null : read(value))
}

/** `0.15/0.60`: per million tokens read and written. */
export const price: Read<{ input: number; output: number }> = (value) => {
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(value) ?? []
  if (input === undefined || output === undefined) throw new BadValue('write <read>/<written> per million tokens, such as 0.15/0.60')
  return Object.freeze({ input: Number(input), output: Number(output) })
}

/** Keys that sign; the first is in use, the others are still accepted. */
export const signingSecret: Read<string> = (value) => {
  if (value.length < 32) throw new BadValue('write at least 32 random characters, for example from `openssl rand -base64 48`')
  return value
}

const issuer = z.object({
  issuer: z.url(),
  jwks_uri: z.url(),
  client_ids: z.array(z.string()).optional(),
  name: z.string().optional(),
})
export type TrustedIssuer = z.output<typeof issuer>

/** A JSON array, or `@file` that holds one. */
export const trustedIssuers: Read<readonly TrustedIssuer[]> = (value) => {
  const words = 'write a JSON array of { "issuer", "jwks_uri", "client_ids", "name" }, or @ and the path of a file that holds one'
  try {
    const json: unknown = JSON.parse(value.startsWith('@') ? readFileSync(value.slice(1), 'utf8') : value)
    return Object.freeze(z.array(issuer).parse(json))
  } catch {
    throw new BadValue(words)
  }
}
