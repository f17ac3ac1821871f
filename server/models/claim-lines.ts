// Reads what a model writes as it comes: one JSON object a claim, usually one a line. An object is held until its last brace, so no
// half sentence is ever judged or said. Total on any text; how the text is cut into pieces makes no difference.
import { clean } from '@rostrum/telling/spoken-words'

export type ModelLine =
  /** `n`: which sentence it puts into other words, where a script is written. */
  | { type: 'claim'; text: string; sources: readonly string[]; n?: number }
  /** The call to action fits here. */
  | { type: 'suggest_cta' }
  /** The material does not answer: a person should. */
  | { type: 'handoff' }
  | { type: 'malformed' }

export interface ClaimReader {
  /** The lines that became whole with this piece. */
  push(piece: string): ModelLine[]
  /** What is left when the stream has ended: a cut object is malformed. */
  end(): ModelLine[]
}

const objectMax = 4_000
const sourcesMax = 8

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').slice(0, sourcesMax) : []
}

/** A claim may carry a flag: both lines follow. */
function linesOf(json: string): ModelLine[] {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return [{ type: 'malformed' }]
  }
  if (typeof value !== 'object' || value === null) return [{ type: 'malformed' }]
  const lines: ModelLine[] = []
  if ('text' in value && typeof value.text === 'string') {
    const n = 'n' in value && typeof value.n === 'number' ? { n: value.n } : {}
    lines.push({ type: 'claim', text: clean(value.text), sources: 'sources' in value ? strings(value.sources) : [], ...n })
  }
  if ('suggest_cta' in value && value.suggest_cta === true) lines.push({ type: 'suggest_cta' })
  if ('handoff' in value && value.handoff === true) lines.push({ type: 'handoff' })
  return lines.length === 0 ? [{ type: 'malformed' }] : lines
}

/** Where the object that begins `text` ends; undefined while its last brace has not come. */
function objectEnd(text: string): number | undefined {
  let [depth, inText] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (inText && letter === '\\') at++
    else if (letter === '"') inText = !inText
    else if (!inText && letter === '{') depth++
    else if (!inText && letter === '}' && --depth === 0) return at + 1
  }
  return undefined
}

export function claimReader(): ClaimReader {
  let held = ''
  /** An object that grew beyond reason is skipped to the end of its line. */
  let isSkipping = false

  function next(): ModelLine[] | undefined {
    const start = isSkipping ? held.indexOf('\n') : held.indexOf('{')
    held = start < 0 ? '' : held.slice(start)
    if (start < 0) return undefined
    if (isSkipping) {
      isSkipping = false
      return []
    }
    const end = objectEnd(held.slice(0, objectMax))
    if (end === undefined && held.length <= objectMax) return undefined
    const object = held.slice(0, end ?? objectMax)
    held = held.slice(object.length)
    isSkipping = end === undefined
    return end === undefined ? [{ type: 'malformed' }] : linesOf(object)
  }

  return {
    push(piece) {
      held += piece
      const found: ModelLine[] = []
      for (let lines = next(); lines !== undefined; lines = next()) found.push(...lines)
      return found
    },
    end() {
      const isCut = held !== '' && !isSkipping
      held = ''
      return isCut ? [{ type: 'malformed' }] : []
    },
  }
}
