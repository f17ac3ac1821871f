// The searchable form of one session's public content. An index knows its session and nothing else, so no query can cross sessions.
// Build: 20 to 65 ms of CPU for 300 slides, terse to dense, once warm. Method: BM25 postings over chunks, and per unit what the re-ranking needs (rank.ts).
import type { Source } from '@rostrum/contract/room'
import { baseLanguage, perLanguage } from '@rostrum/languages/languages'
import { stepByStep } from '@rostrum/base/work'
import type { DeckContent } from '@rostrum/contract/content'
import { type Token, tokenise } from './tokens.ts'
import { chunksBySource, type Place, type Unit } from './units.ts'
import { valueBitsOf } from './values.ts'

export interface IndexedUnit {
  text: string
  start: number
  end: number
  /** In the blocks of its slide. */
  place?: Place
  /** Terms the unit has from its title or parent alone; they count for half. */
  contextIds: readonly number[]
  /** All words in reading order, stop words among them, as ids of `SessionIndex.words`. */
  words: readonly number[]
  /** The same for units that say the same, word for word: what a recap says again. */
  saying: number
  /** Opens with a word that stands for something said before ("He died in 1259."). */
  leansBack: boolean
  /** The content terms in reading order. */
  sequence: readonly number[]
  /** Kinds of value the unit holds (value-types.ts). */
  values: number
}

export interface IndexedChunk {
  source: Source
  /** Place of the source among those of the index: chunks of one source share it. */
  sourceAt: number
  title: string
  titleTerms: ReadonlySet<number>
  units: readonly IndexedUnit[]
  terms: ReadonlyMap<number, number>
  length: number
}

export interface SessionIndex {
  sessionId: string
  language: string
  chunks: readonly IndexedChunk[]
  /** Term id of a stem, where the content holds it. */
  vocabulary: ReadonlyMap<string, number>
  /** Ids of all words of the content, by stem. */
  words: ReadonlyMap<string, number>
  /** Stems of the content by their first letters, for inflections that the stemmer keeps apart. */
  byPrefix: ReadonlyMap<string, readonly number[]>
  stems: readonly string[]
  /** Longer stems by their first letter, for slips of the pen. */
  byInitial: ReadonlyMap<string, readonly number[]>
  idf: Float64Array
  /** By term id, pairs of a chunk and how often it says the term. */
  postings: readonly (readonly number[])[]
  averageLength: number
  /** Estimated memory, for the cache. */
  sizeBytes: number
}

/** How much of a term a unit holds: 1 where it says it, half where only its title or parent does. */
export const contextWeight = 0.5
export function holdOf(unit: Pick<IndexedUnit, 'sequence' | 'contextIds'>, id: number): number {
  return unit.sequence.includes(id) ? 1 : unit.contextIds.includes(id) ? contextWeight : 0
}

export const pairBase = 2 ** 20
export const prefixLength = 4
/** Shorter words have too many neighbours to be read as slips of one another. */
export const slipLengthMin = 5
/** What leans on the sentence before it, in the language of a text. */
const backward = perLanguage(
  ({ words, defines }) => new RegExp(String.raw`^\W*(?:${[...words.back, ...defines.articles].join('|') || '(?!)'})\b`, 'iu'),
)

interface Draft {
  words: Map<string, number>
  sayings: Map<string, number>
  vocabulary: Map<string, number>
  stems: string[]
}

function idOf(draft: Draft, stem: string): number {
  let id = draft.vocabulary.get(stem)
  if (id === undefined) {
    id = draft.stems.length
    draft.vocabulary.set(stem, id)
    draft.stems.push(stem)
  }
  return id
}

/** The number of `key`, which is the next where it is new. */
function numberOf(known: Map<string, number>, key: string): number {
  let id = known.get(key)
  if (id === undefined) {
    id = known.size
    known.set(key, id)
  }
  return id
}

const contentTerms = (draft: Draft, tokens: readonly Token[]): number[] =>
  tokens.flatMap(({ term, weight }) => (weight === 0 ? [] : [idOf(draft, term)]))

function indexUnit(draft: Draft, unit: Unit, language: string, context: readonly number[]): IndexedUnit {
  const read = tokenise(unit.text, language)
  const words = read.map(({ term }) => numberOf(draft.words, term))
  const own = contentTerms(draft, read)
  return {
    text: unit.text,
    start: unit.start,
    end: unit.end,
    ...(unit.place !== undefined && { place: unit.place }),
    contextIds: context.filter((id) => !own.includes(id)),
    words,
    saying: numberOf(draft.sayings, words.join()),
    leansBack: backward(language).test(unit.text),
    sequence: own,
    values: valueBitsOf(unit.text),
  }
}

function countTerms(units: readonly IndexedUnit[], titleTerms: ReadonlySet<number>): { terms: Map<number, number>; length: number } {
  const terms = new Map<number, number>()
  let length = 0
  for (const unit of units) {
    for (const id of unit.sequence) {
      terms.set(id, (terms.get(id) ?? 0) + 1)
      length += 1
    }
    for (const id of unit.contextIds) if (!terms.has(id)) terms.set(id, 1)
  }
  for (const id of titleTerms) if (!terms.has(id)) terms.set(id, 1)
  return { terms, length: length + titleTerms.size }
}

/** Of slides, then of passages: twenty books. What is behind them is not found. */
const wordsMost = 2_000_000

type Content = Pick<DeckContent, 'language' | 'slides' | 'passages'>

/** Builds the index of one session in steps of at most a few milliseconds. Deterministic; reads nothing but its arguments. */
function* indexing(sessionId: string, content: Content): Generator<undefined, SessionIndex> {
  const language = baseLanguage(content.language)
  const draft: Draft = { words: new Map(), sayings: new Map(), vocabulary: new Map(), stems: [] }
  const contexts = new Map<string, number[]>()
  const contextTerms = (text: string): number[] => {
    let terms = contexts.get(text)
    if (!terms) {
      terms = contentTerms(draft, tokenise(text, language))
      contexts.set(text, terms)
    }
    return terms
  }
  const chunks: IndexedChunk[] = []
  let [lastSource, sourceAt] = ['', -1]
  let wordsLeft = wordsMost
  for (const found of chunksBySource(content)) {
    if (wordsLeft < 0) break
    for (const chunk of found) {
      const source = `${chunk.source.type}${chunk.source.index}`
      if (source !== lastSource) sourceAt += 1
      lastSource = source
      const titleTerms = new Set(contextTerms(chunk.title))
      const units: IndexedUnit[] = []
      for (const unit of chunk.units) {
        units.push(indexUnit(draft, unit, language, contextTerms(unit.context)))
        yield
      }
      for (const { words } of units) wordsLeft -= words.length
      const { terms, length } = countTerms(units, titleTerms)
      chunks.push({ source: chunk.source, sourceAt, title: chunk.title, titleTerms, units, terms, length })
    }
  }
  return yield* finish(sessionId, language, draft, chunks)
}

export function buildSessionIndex(sessionId: string, content: Content): SessionIndex {
  const build = indexing(sessionId, content)
  for (;;) {
    const step = build.next()
    if (step.done) return step.value
  }
}

/** The same in turns with whatever else the process has to do. */
export const buildSessionIndexInTurns = (sessionId: string, content: Content): Promise<SessionIndex> =>
  stepByStep(indexing(sessionId, content))

function addTo(lists: Map<string, number[]>, key: string, id: number): void {
  const list = lists.get(key)
  if (list) list.push(id)
  else lists.set(key, [id])
}

/** A deck of fewer chunks tells less about how rare a word is than about itself: it is read as one of so many. */
const chunksMin = 16

/** What a term tells that so many of the chunks hold. */
export function rarityOf(chunkCount: number, held: number): number {
  return Math.log(1 + (Math.max(chunkCount, chunksMin) - held + 0.5) / (held + 0.5))
}

/** In how many chunks each term is said anew: what says an earlier unit again makes its words no more common. */
function* heldAnew(chunks: readonly IndexedChunk[], termCount: number): Generator<undefined, Uint32Array> {
  const held = new Uint32Array(termCount)
  const said = new Set<number>()
  for (const { units, terms, titleTerms } of chunks) {
    const fresh = units.filter(({ saying }) => !said.has(saying))
    for (const { saying } of fresh) said.add(saying)
    if (fresh.length === units.length) for (const id of terms.keys()) held[id] = (held[id] ?? 0) + 1
    else if (fresh.length > 0) {
      const anew = new Set([...titleTerms, ...fresh.flatMap(({ sequence, contextIds }) => [...sequence, ...contextIds])])
      for (const id of anew) held[id] = (held[id] ?? 0) + 1
    }
    yield
  }
  return held
}

/** Of a loop over words: so many are a step. */
const stepItems = 2_048

function* finish(sessionId: string, language: string, draft: Draft, chunks: readonly IndexedChunk[]): Generator<undefined, SessionIndex> {
  const postings: number[][] = []
  while (postings.length < draft.stems.length) if (postings.push([]) % stepItems === 0) yield
  let total = 0
  let unitCount = 0
  for (const [at, chunk] of chunks.entries()) {
    total += chunk.length
    unitCount += chunk.units.length
    for (const [id, count] of chunk.terms) postings[id]?.push(at, count)
    yield
  }
  const idf = new Float64Array(draft.stems.length)
  const anew = yield* heldAnew(chunks, draft.stems.length)
  for (const [id, list] of postings.entries()) {
    if (id % stepItems === 0) yield
    const held = list.length / 2
    if (held === 0) continue
    idf[id] = rarityOf(chunks.length, anew[id] ?? held)
  }
  const [byPrefix, byInitial] = [new Map<string, number[]>(), new Map<string, number[]>()]
  for (const [id, stem] of draft.stems.entries()) {
    if (id % stepItems === 0) yield
    if (stem.length >= prefixLength) addTo(byPrefix, stem.slice(0, prefixLength), id)
    if (stem.length >= slipLengthMin) addTo(byInitial, stem.charAt(0), id)
  }
  return {
    sessionId,
    language,
    chunks,
    vocabulary: draft.vocabulary,
    words: draft.words,
    byPrefix,
    byInitial,
    stems: draft.stems,
    idf,
    postings,
    averageLength: chunks.length === 0 ? 1 : Math.max(1, total / chunks.length),
    sizeBytes: 4_000 + draft.stems.length * 200 + total * 80 + unitCount * 500,
  }
}

// Keeps what was made of recently asked sessions in memory, bounded by bytes: what was asked longest ago goes first.

export interface IndexCache<T> {
  /** What is kept under `name`, made by `make` on a miss. A failure is not kept. */
  get(name: string, make: () => Promise<T>): Promise<T>
  /** Forgets all names that begin so, for example those of a session that has changed. */
  drop(prefix: string): void
}

/** `sizeOf`: in bytes. The value that was made last stays whatever its size. */
export function createIndexCache<T>(sizeOf: (value: T) => number, sizeBytesMax = 256 * 1024 * 1024): IndexCache<T> {
  const kept = new Map<string, { value: Promise<T>; sizeBytes: number }>()
  function makeRoom(newest: string): void {
    let total = 0
    for (const { sizeBytes } of kept.values()) total += sizeBytes
    for (const [name, { sizeBytes }] of kept) {
      if (total <= sizeBytesMax) return
      if (name === newest || sizeBytes === 0) continue
      total -= sizeBytes
      kept.delete(name)
    }
  }
  return {
    get(name, make) {
      const found = kept.get(name)
      const entry = found ?? { value: make(), sizeBytes: 0 }
      kept.delete(name)
      kept.set(name, entry)
      if (found === undefined) {
        entry.value.then(
          (value) => {
            if (kept.get(name) !== entry) return
            entry.sizeBytes = sizeOf(value)
            makeRoom(name)
          },
          () => {
            if (kept.get(name) === entry) kept.delete(name)
          },
        )
      }
      return entry.value
    },
    drop(prefix) {
      for (const name of kept.keys()) if (name.startsWith(prefix)) kept.delete(name)
    },
  }
}
