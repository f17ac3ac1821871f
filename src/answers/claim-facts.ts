// What the sources of a session state, in the form in which claims are checked against them: figures with their measures, names,
// addresses and promises by unit of text. Made once a source and index, and kept while the index lives. Pure.
import { clauseEnd, isMonth, type Measure, measureNamed, promisesIn, signsAsWords } from './claim-words.ts'
import { isNegated } from './ranking/question.ts'
import type { IndexedUnit, SessionIndex } from './ranking/session-index.ts'
import { type Token, tokenise } from './ranking/tokens.ts'

/** A figure with the measures that stand beside it. */
export interface Figure {
  value: string
  measures: readonly Measure[]
  /** The word after it, unless that is a measure: what it counts. */
  counts?: string
  /** The word before it and the figure: the 3 of "FL-3". */
  pair: string
  /** The word before it is a month. */
  isDated?: true
}

export interface UnitFacts {
  unit: IndexedUnit
  text: string
  values: ReadonlySet<string>
  figures: readonly Figure[]
  promises: ReadonlySet<string>
  /** Between its commas and "and"s. */
  parts: readonly { values: ReadonlySet<string>; terms: ReadonlySet<string> }[]
  terms: ReadonlySet<string>
  words: ReadonlySet<string>
}

export interface SourceFacts {
  values: ReadonlySet<string>
  terms: ReadonlySet<string>
  words: ReadonlySet<string>
  /** Figures of the title, each with the word before it. */
  titled: ReadonlySet<string>
  measures: ReadonlySet<string>
  /** What is denied: after each "no", "not" or "without", the words it is said of. */
  denied: readonly (readonly string[])[]
  addresses: ReadonlySet<string>
  units: readonly UnitFacts[]
}

const address =
  /(?<![^\s"'<>()@])[^\s"'<>()@]+@[^\s"'<>()@]+\.[^\s"'<>()@.,;:]+|(?:https?:\/\/|www\.)[^\s"'<>()]+[^\s"'<>().,;:]|(?<![a-z0-9-]|[a-z0-9-]\.)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|eu|co|uk|de|at|ch|fr|es|pt|br|app|dev|ai|info|example|test)\b(?:\/[^\s"'<>()]*[^\s"'<>().,;:])?/giu

const rootLength = 6

/** "guaranteed" is the promise of "guarantee". */
export const promiseRoot = (word: string): string => word.slice(0, rootLength)

/** E-mail addresses and links, however they are written. */
export function addressesIn(text: string): string[] {
  return (text.match(address) ?? []).map((found) =>
    found
      .toLowerCase()
      .replace(/^https?:\/\//u, '')
      .replace(/^www\./u, '')
      .replace(/\/$/u, ''),
  )
}

export const isFigure = ({ isNumber, term }: Token): boolean => isNumber || /^\d+(?:\.\d+)?$/u.test(term)

/** Tokens in which signs such as € and % are words. */
export const claimTokens = (text: string, language: string): Token[] => tokenise(signsAsWords(text), language)

const deniedMax = 3
const deniedReach = 6

/** The words that a denial is said of: the next three that say something, or those before it where none follow. */
export function deniedIn(text: string, language: string): string[][] {
  return text.split(/[,;.!?](?:\s|$)/u).flatMap((part) => {
    const tokens = claimTokens(part, language)
    const told = (some: readonly Token[]) =>
      some.filter(({ word, weight }) => weight > 0 && !isNegated(word, language)).map(({ term }) => term)
    const free = [...part.matchAll(/(?<!\p{L})(\p{L}+)-free\b/giu)].map(([, word = '']) =>
      claimTokens(word, language).map(({ term }) => term),
    )
    return [
      ...free,
      ...tokens.flatMap(({ word }, at) => {
        if (!isNegated(word, language)) return []
        const after = told(tokens.slice(at + 1, at + 1 + deniedReach)).slice(0, deniedMax)
        return [after.length > 0 ? after : told(tokens.slice(Math.max(0, at - deniedReach), at)).slice(-deniedMax)]
      }),
    ]
  })
}

export function figuresIn(tokens: readonly Token[], language: string): Figure[] {
  return tokens.flatMap((token, at): Figure[] => {
    if (!isFigure(token)) return []
    const measureAt = (place: number) => measureNamed(tokens[place]?.word ?? '', language)
    const [before, after] = [measureAt(at - 1), measureAt(at + 1)]
    const second = after?.dimension === 'size' ? measureAt(at + 2) : undefined
    const found = [before?.dimension === 'money' ? before : undefined, after, second]
    const next = tokens[at + 1]
    const counts = after === undefined && next !== undefined && next.weight > 0 && !isFigure(next) ? { counts: next.term } : {}
    const pair = `${tokens[at - 1]?.term ?? ''} ${token.term}`
    const dated = isMonth(tokens[at - 1]?.word ?? '') ? { isDated: true as const } : {}
    return [{ value: token.term, measures: found.filter((measure) => measure !== undefined), pair, ...counts, ...dated }]
  })
}

const values = (tokens: readonly Token[]) => new Set(tokens.filter(isFigure).map(({ term }) => term))
const wordSet = (tokens: readonly Token[]) => new Set(tokens.map(({ word }) => word))

export const measuresNamed = (tokens: readonly Token[], language: string): Set<string> =>
  new Set(tokens.flatMap(({ word }) => measureNamed(word, language)?.name ?? []))

function partsOf(text: string, language: string): UnitFacts['parts'] {
  const parts = text.split(clauseEnd()).map((part) => claimTokens(part, language))
  return parts.map((tokens) => ({ values: values(tokens), terms: new Set(tokens.map(({ term }) => term)) }))
}

function unitFacts(unit: IndexedUnit, title: string, language: string): UnitFacts {
  const own = claimTokens(unit.text, language)
  const all = [...own, ...claimTokens(title, language)]
  return {
    unit,
    text: unit.text,
    values: values(own),
    figures: figuresIn(own, language),
    promises: new Set(promisesIn(unit.text).map(promiseRoot)),
    parts: partsOf(unit.text, language),
    terms: new Set(all.map(({ term }) => term)),
    words: wordSet(own),
  }
}

const kept = new WeakMap<SessionIndex, Map<string, SourceFacts | null>>()

function make(index: SessionIndex, id: string): SourceFacts | null {
  const chunks = index.chunks.filter(({ source }) => source.id === id)
  if (chunks.length === 0) return null
  const { language } = index
  const units = chunks.flatMap((chunk) => chunk.units.map((unit) => unitFacts(unit, chunk.title, language)))
  const title = chunks[0]?.title ?? ''
  const text = units.map((unit) => unit.text).join('\n')
  const tokens = claimTokens(`${title}\n${text}`, language)
  return {
    values: values(claimTokens(text, language)),
    terms: new Set(tokens.map(({ term }) => term)),
    words: wordSet(tokens),
    titled: new Set(figuresIn(claimTokens(title, language), language).map(({ pair }) => pair)),
    measures: measuresNamed(tokens, language),
    denied: units.flatMap((unit) => deniedIn(unit.text, language)),
    addresses: new Set(addressesIn(`${title}\n${text}`)),
    units,
  }
}

/** What the source of this id states; null: the session has no such source, or it says nothing. */
export function sourceFacts(index: SessionIndex, id: string): SourceFacts | null {
  const facts = kept.get(index) ?? new Map<string, SourceFacts | null>()
  kept.set(index, facts)
  const known = facts.get(id)
  if (known !== undefined) return known
  const made = make(index, id)
  facts.set(id, made)
  return made
}
