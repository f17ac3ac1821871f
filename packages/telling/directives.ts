// Reads the directives in private notes: `[pause 2s]`, `[slow]`, `[ask: Any guesses?]`, `[poll: Which one? | This | That]`, one per line or
// in brackets, case-free. They act and are never spoken; whatever else the notes hold is dropped here and reaches no beat.
import { pollLimits, pollSpec, type PollSpec } from '@rostrum/contract/poll'
import { clean } from './spoken-words.ts'

export interface Directives {
  pauseMs?: number
  pace?: 'slow' | 'fast'
  /** Words to stress where the public text holds them. */
  emphasis: readonly string[]
  skip: boolean
  seconds?: number
  /** The one part of notes that becomes public; the editor says so. */
  asks: readonly string[]
  /** Public as well: what is asked, and what may be answered. */
  polls: readonly PollSpec[]
  /** Of what was meant as a poll and is none: why, and what to write. */
  wrongPolls: readonly string[]
  cta: boolean
}

const bracketed = /\[([^[\]\n]{1,1200})\]/gu
const bareLine = /^[^\S\n\r\u2028\u2029]*((?:pause|slow|fast|skip|cta|seconds|emphasi[sz]e)\b.*)$/gimu
const pauseMaxMs = 30_000
const askMax = 200
/** Of each kind, for one slide; more is not acted on. */
const asksMost = 20
const emphasisMost = 40

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
    case 'poll':
    case 'quiz': {
      const poll = readPoll(value)
      if (typeof poll === 'string') directives.wrongPolls.push(poll)
      else if (directives.polls.length < pollLimits.perSlide) directives.polls.push(poll)
      else directives.wrongPolls.push(`A slide asks at most ${pollLimits.perSlide} polls: move this one to another slide.`)
      break
    }
    case 'cta':
      if (value === '') directives.cta = true
      break
    default:
  }
}

/** What stands behind `[poll`, or what is wrong with it. The right option of a quiz has an asterisk before it. */
function readPoll(value: string): PollSpec | string {
  const how =
    'Write [poll: Question? | One | Two], with * before the right option of a quiz; [poll rating: Question?]; [poll words: Question?].'
  const [, kind, seconds, rest = ''] = /^(?:(rating|words)\b)?\s*(?:(\d{1,4})\s*s\b)?\s*:?\s*(.*)$/isu.exec(value) ?? []
  const [question = '', ...written] = rest.split('|').map((part) => part.trim())
  const right = written.flatMap((option, at) => (option.startsWith('*') ? [at] : []))
  if (right.length > 1) return `Only one option is right: mark one with *. ${how}`
  const options = written.map((option) => option.replace(/^\*\s*/u, ''))
  const { success, data, error } = pollSpec.safeParse({
    kind: kind?.toLowerCase() ?? 'choice',
    question,
    ...(options.length > 0 && { options }),
    ...(right[0] !== undefined && { right: right[0] }),
    ...(seconds !== undefined && { seconds: Number(seconds) }),
  })
  if (success) return data
  const [{ path, message } = { path: [], message: '' }] = error.issues
  return `This poll is not asked, ${path.join(' ')}: ${message} ${how}`
}

/** The directive that says it. */
export function pollDirective({ kind, question, options = [], right, seconds }: PollSpec): string {
  const head = ['poll', ...(kind === 'choice' ? [] : [kind]), ...(seconds === undefined ? [] : [`${seconds}s`])].join(' ')
  return `[${head}: ${[question, ...options.map((option, at) => (at === right ? `*${option}` : option))].join(' | ')}]`
}

/** The notes with these polls instead of theirs; all else stays as it is. */
export function withPolls(notes: string, polls: readonly PollSpec[]): string {
  const others = notes.replace(bracketed, (whole: string, command: string) => (/^\s*(?:poll|quiz)\b/iu.test(command) ? '' : whole))
  return [others.replaceAll(/\n{3,}/gu, '\n\n').trim(), ...polls.map(pollDirective)].filter((part) => part !== '').join('\n')
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
  polls: PollSpec[]
  wrongPolls: string[]
}

/**
 * Reads notes of any content; never throws. A bare line counts only where it is nothing but a directive with its mark; `ask:` makes
 * words public and so counts in brackets alone ("Ask: the CFO first" is a reminder, not a question to the room).
 */
export function readDirectives(notes: string): Directives {
  const directives: Mutable = { emphasis: [], skip: false, asks: [], polls: [], wrongPolls: [], cta: false }
  for (const match of notes.matchAll(bracketed)) apply(directives, match[1] ?? '')
  for (const match of notes.replace(bracketed, '').matchAll(bareLine)) {
    const line = match[1] ?? ''
    if (/^(?:slow|fast|skip|cta)\s*$/iu.test(line) || /^(?:pause\s+\d|seconds\s*:|emphasi[sz]e\s*:)/iu.test(line)) apply(directives, line)
  }
  return directives
}

/** Slides as the lint takes them: without their notes, with what is wrong in their directives. */
export const forLint = <Slide extends { agentNotes?: string }>(slides: readonly Slide[]) =>
  slides.map(({ agentNotes = '', ...slide }) => ({ ...slide, wrongPolls: readDirectives(agentNotes).wrongPolls }))
