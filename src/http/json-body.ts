// Reads a JSON body strictly (RFC 8259, I-JSON): UTF-8 only, one value, at most 64 levels, no member twice. `__proto__`
// and `constructor` are plain data, because JSON.parse defines own properties and schemas copy only what they name.
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../kernel/errors.ts'

const depthMax = 64
const byteOrderMark = 0xfeff

const quote = 0x22
const backslash = 0x5c
const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const comma = 0x2c

/** The value of `bytes`; `invalid_request` says what is wrong without repeating any of it. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed(text.trim() === '' ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON: send one JSON object.')
  }
  inspect(text)
  return value
}

function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8: send JSON in UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

/** Checks depth and duplicate members of a text that JSON.parse has accepted, so the scan may trust its grammar. */
function inspect(text: string): void {
  /** One entry per open container: the names seen in an object, null for an array. */
  const open: (Set<string> | null)[] = []
  let expectsName = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at)
        if (expectsName) {
          const names = open.at(-1)
          const name = nameOf(text, at, end)
          if (names?.has(name)) throw malformed('The body has a member twice: send each member once.')
          names?.add(name)
          expectsName = false
        }
        at = end
        break
      }
      case openObject:
        expectsName = true
        open.push(new Set())
        break
      case openArray:
        open.push(null)
        break
      case comma:
        expectsName = open.at(-1) !== null
        break
      case closeObject:
      case closeArray:
        expectsName = false
        open.pop()
        break
    }
    if (open.length > depthMax) throw malformed(`The body is nested too deeply: send at most ${depthMax} levels.`)
  }
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

/** Two spellings of one name (`"a"`, `"\u0061"`) are the same member. */
function nameOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw
}

function malformed(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '#', detail }] })
}
