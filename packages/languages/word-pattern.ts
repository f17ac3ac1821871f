// How the files of words write what people say (`languages/README.md`): `[please ]go (back|on)`, `price*`, `how much … cost`. Read on
// folded text in lower case. What cannot be said so stands as a regular expression between slashes. And what a sentence is, with its gaps.
import { z } from 'zod'

export const text = z.string().min(1)

/** A sentence with exactly these gaps, each at least once: "Going to slide {slide}." */
export function sentence(...gaps: string[]) {
  return text.superRefine((value, { addIssue }) => {
    const found = new Set([...value.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
    for (const gap of gaps) if (!found.has(gap)) addIssue(`does not say {${gap}}`)
    for (const gap of found) if (!gaps.includes(gap)) addIssue(`says {${gap}}, which nothing fills`)
  })
}

/** Words between spaces, in as many lines as it takes. */
export const words = z.array(text).transform((lines) => lines.flatMap((line) => line.split(' ')))
const signs: Readonly<Record<string, string>> = {
  '(': '(?:',
  ')': ')',
  '[': '(?:',
  '|': '|',
  '*': String.raw`[\p{L}\p{N}_]*`,
  _: String.raw`[\p{L}\p{N}_.'-]+`,
  '#': '\\d+',
  '~': String.raw`[\s_-]*`,
  "'": "[ '’]",
  '^': '^',
  $: '$',
}
const tokens = /\{number\}|\{title\}| …\d{1,2} |…\d{1,2}|\]\d?|./gsu
const gapMost = 20

function sourceOf(token: string): string {
  if (token === '{number}') return String.raw`(\d{1,4})(?!\d|[. ]\d)`
  if (token === '{title}') return '(.{2,60}?)'
  if (token.startsWith(' …')) return String.raw`\b.{0,${token.trim().slice(1)}}\b`
  if (token.startsWith('…')) return `.{0,${token.slice(1) || gapMost}}`
  if (token.startsWith(']')) return token === ']' ? ')?' : `){0,${token.slice(1)}}`
  return signs[token] ?? token.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')
}

/** The regular expression of a pattern, without what must stand around it. */
export function patternSource(pattern: string): string {
  if (pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/')) return pattern.slice(1, -1)
  return (pattern.match(tokens) ?? []).map(sourceOf).join('')
}

/** The same inside other words: letters of our own alphabet begin and end where a word does, unless `*` says that it goes on. */
function insideSource(pattern: string): string {
  if (pattern.startsWith('/')) return patternSource(pattern)
  const bare = pattern.replace(/^\*/u, '')
  const letters = bare.replace(/\{number\}/gu, '#').match(/[\p{L}\p{N}#_]/gu) ?? []
  const isOurs = (letter = '') => /[a-z0-9#_]/iu.test(letter)
  const start = bare === pattern && !pattern.startsWith('^') && isOurs(letters[0]) ? '\\b' : ''
  const end = !/[*$]$/u.test(bare) && isOurs(letters.at(-1)) ? '\\b' : ''
  return `${start}${patternSource(bare)}${end}`
}

const either = (sources: readonly string[]) => (sources.length === 0 ? '(?!)' : sources.join('|'))

/** Matches a whole utterance; `as`: what stands around it. */
export const wholePattern = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${either(patterns.map(patternSource))})$`, 'u')

/** Matches at the start, where something follows. */
export const startPattern = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${either(patterns.map(patternSource))})(?=.)`, 'u')

/** Matches anywhere in a text. */
export const insidePattern = (patterns: readonly string[], flags = 'u'): RegExp => new RegExp(either(patterns.map(insideSource)), flags)

/** What is wrong with a pattern, for who writes it. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern !== pattern.toLowerCase() && !pattern.startsWith('/')) return 'is read in small letters'
  try {
    insidePattern([pattern])
    return
  } catch {
    return 'has a bracket without its other half'
  }
}
