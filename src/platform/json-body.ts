// Reads a JSON body strictly (RFC 8259, I-JSON): UTF-8 only, one value, at most 64 levels and 20,000 values, no member twice. `__proto__`
// and `constructor` are plain data, because JSON.parse defines own properties and schemas copy only what they name.
import { isUtf8 } from 'node:buffer'
import { ServiceError } from './errors.ts'

const depthMax = 64
/** The fullest session has some 5,000. Millions would hold the server for seconds, long before a schema says that they are too many. */
const valuesMax = 20_000
const byteOrderMark = 0xfeff

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const space = 0x20
/** Square ones; the curly ones are `curly` behind them. */
const [opening, closing, curly] = [0x5b, 0x5d, 0x20]

/** The value of `bytes`; `invalid_request` says what is wrong without repeating any of it. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  const members = membersIn(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed(text.trim() === '' ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON: send one JSON object.')
  }
  // Of members of one name, in whatever spelling, JSON.parse has kept the last.
  if (membersOf(value) !== members) throw malformed('The body has a member twice: send each member once.')
  return value
}

function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8: send JSON in UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const values = Object.values(value)
  let count = Array.isArray(value) ? 0 : values.length
  for (const each of values) count += membersOf(each)
  return count
}

/** Members that a text sends, if JSON.parse accepts it: each has its colon, outside of every string. Refuses what is too deep or too many. */
function membersIn(text: string): number {
  let count = 0
  let values = 0
  let level = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= space) continue
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) count++
    else if (code === comma) values++
    else if (code === opening || code === opening + curly) level++
    else if (code === closing || code === closing + curly) level--
    if (level > depthMax) throw malformed(`The body is nested too deeply: send at most ${depthMax} levels.`)
    if (count + values > valuesMax) throw malformed(`The body holds too many values: send at most ${valuesMax}.`)
  }
  return count
}

/** Index of the quote that closes the string opened at `start`; the end of a text that never closes it. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== backslash) return end
  // With a quote in it, sign by sign: one may be behind every other.
  for (let at = text.indexOf('\\', start + 1); at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  return text.length
}

function malformed(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '#', detail }] })
}
