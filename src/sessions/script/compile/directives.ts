// Reads the directives in private notes: `[pause 2s]`, `[slow]`, `[ask: Any guesses?]`, one per line or in brackets, case-free. They act
// and are never spoken; whatever else the notes hold is dropped here and reaches no beat.

export interface Directives {
  pauseMs?: number
  pace?: 'slow' | 'fast'
  /** Words to stress where the public text holds them. */
  emphasis: readonly string[]
  skip: boolean
  seconds?: number
  /** The one part of notes that becomes public; the editor says so. */
  asks: readonly string[]
  cta: boolean
}

const bracketed = /\[([^[\]\n]{1,300})\]/gu
const bareLine = /^[^\S\n\r\u2028\u2029]*((?:pause|slow|fast|skip|cta|seconds|emphasi[sz]e)\b.*)$/gimu
const pauseMaxMs = 30_000
const askMax = 200
/** Of each kind, for one slide; more is not acted on. */
const asksMost = 20
const emphasisMost = 40

function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
}

function apply(directives: Mutable, command: string): void {
  const [, name = '', rest = ''] = /^\s*([a-z]+)\s*:?\s*(.*)$/isu.exec(command) ?? []
  const value = clean(rest)
  switch (name.toLowerCase()) {
    case 'pause': {
      const [, amount = '1', unit = 's'] = /^(\d{1,5}(?:\.\d+)?)?\s*(ms|s)?$/iu.exec(value) ?? []
      directives.pauseMs = Math.min(pauseMaxMs, Math.round(Number(amount) * (unit.toLowerCase() === 'ms' ? 1 : 1000)))
      break
    }
    case 'slow':
    case 'fast':
      if (value === '') directives.pace = name.toLowerCase() === 'slow' ? 'slow' : 'fast'
      break
    case 'emphasise':
    case 'emphasize':
      if (value !== '' && directives.emphasis.length < emphasisMost) directives.emphasis.push(value)
      break
    case 'skip':
      if (value === '') directives.skip = true
      break
    case 'seconds':
      if (/^\d{1,4}$/.test(value)) directives.seconds = Number(value)
      break
    case 'ask':
      if (value !== '' && value.length <= askMax && directives.asks.length < asksMost) directives.asks.push(value)
      break
    case 'cta':
      if (value === '') directives.cta = true
      break
    default:
  }
}

/** Notes without what acts: the words that somebody wrote to be read, or said. */
export function withoutDirectives(notes: string): string {
  const isDirective = (line: string) =>
    /^(?:slow|fast|skip|cta)\s*$/iu.test(line) || /^(?:pause\s+\d|seconds\s*:|emphasi[sz]e\s*:)/iu.test(line)
  return notes
    .replace(bracketed, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !isDirective(line))
    .join('\n')
    .trim()
}

interface Mutable extends Directives {
  emphasis: string[]
  asks: string[]
}

/**
 * Reads notes of any content; never throws. A bare line counts only where it is nothing but a directive with its mark; `ask:` makes
 * words public and so counts in brackets alone ("Ask: the CFO first" is a reminder, not a question to the room).
 */
export function readDirectives(notes: string): Directives {
  const directives: Mutable = { emphasis: [], skip: false, asks: [], cta: false }
  for (const match of notes.matchAll(bracketed)) apply(directives, match[1] ?? '')
  for (const match of notes.replace(bracketed, '').matchAll(bareLine)) {
    const line = match[1] ?? ''
    if (/^(?:slow|fast|skip|cta)\s*$/iu.test(line) || /^(?:pause\s+\d|seconds\s*:|emphasi[sz]e\s*:)/iu.test(line)) apply(directives, line)
  }
  return directives
}
