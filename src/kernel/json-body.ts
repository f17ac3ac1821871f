// Reads a JSON body strictly (RFC 8259, I-JSON): UTF-8 only, one value, at most 64 levels, no member twice. `__proto__`
// and `constructor` are plain data, because JSON.parse defines own properties and schemas copy only what they name.
import { isUtf8 } from 'node:buffer'
import { ServiceError } from './errors.ts'

const depthMax = 64
const byteOrderMark = 0xfeff

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/** The value of `bytes`; `invalid_request` says what is wrong without repeating any of it. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed(text.trim() === '' ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON: send one JSON object.')
  }
  // Of members of one name, in whatever spelling, JSON.parse has kept the last.
  if (membersOf(value, 1) !== membersIn(text)) throw malformed('The body has a member twice: send each member once.')
  return value
}

function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8: send JSON in UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

/** Members in `value`, whose containers are those of `level` and deeper. */
function membersOf(value: unknown, level: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (level > depthMax) throw malformed(`The body is nested too deeply: send at most ${depthMax} levels.`)
  const values = Object.values(value)
  let count = Array.isArray(value) ? 0 : values.length
  for (const each of values) count += membersOf(each, level + 1)
  return count
}

/** Members that a text sends which JSON.parse has accepted: each has its colon, outside of every string. */
function membersIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) count++
  }
  return count
}

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
  return slashes % 2 === 1
}

function malformed(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '#', detail }] })
}
