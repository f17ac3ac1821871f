// Tells the language of a deck from its words. The small words of a language ("the", "und", "los") decide where there are any:
// slides are full of names and borrowed terms, which trigrams take for some other language. Scripts of one language decide alone.
import { francAll } from 'franc-min'
import { languageOf, languageTags } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import { piecesOf, readReading } from './block.ts'
import type { Block, Piece } from '@rostrum/contract/block'

/** Short texts of names alone say nothing. */
const lettersMin = 40
const lettersForTrigrams = 200
const textMax = 20_000
/** English scores high on any technical deck; another language has to be clearly ahead of it. */
const trigramMargin = 0.85

/** Neighbours that the product does not speak: told apart, so that they are not taken for one that it does. */
const neighbours: readonly [string, string][] = [
  ['nl', 'de het een en van is zijn met voor niet op te dat die in aan wordt bij ook naar of als wij uw om'],
]

const smallWords = lazily(() => [
  ...languageTags().map((tag): [string, ReadonlySet<string>] => [tag, new Set(languageOf(tag).words.telling)]),
  ...neighbours.map(([tag, list]): [string, ReadonlySet<string>] => [tag, new Set(list.split(' '))]),
])

const share = (text: string, letters: number, script: RegExp) => (text.match(script)?.length ?? 0) / letters

/** BCP 47 primary tag, or undefined where the words do not tell. Looks at the first 20,000 characters. */
export function detectLanguage(texts: Iterable<string>): string | undefined {
  const text = firstOf(texts)
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  // A character of these scripts is worth a few letters.
  if (letters >= lettersMin / 4) {
    if (share(text, letters, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) > 0.1) return 'ja'
    if (share(text, letters, /\p{Script=Han}/gu) > 0.3) return 'zh'
  }
  if (letters < lettersMin) return undefined
  return bySmallWords(text) ?? byTrigrams(text, letters)
}

/** A line of a program: its names (`i`, `el`, `la`, `con`) are words of some language. */
const code = /[{};=<>\\]|\w\(|::|->/

/** What is prose, each line once: the steps of a build repeat themselves. Where all looks like code, all of it. */
function firstOf(texts: Iterable<string>): string {
  let text = ''
  for (const part of texts) {
    text += `${part.slice(0, textMax - text.length)}\n`
    if (text.length >= textMax) break
  }
  const prose = [...new Set(text.split('\n'))].filter((line) => !code.test(line)).join('\n')
  return /\p{L}/u.test(prose) ? prose : text
}

function bySmallWords(text: string): string | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const hits = smallWords()
    .map(([language, known]) => ({ language, hits: words.reduce((sum, word) => sum + (known.has(word) ? 1 : 0), 0) }))
    .toSorted((a, b) => b.hits - a.hits)
  const [first, second] = hits
  if (first === undefined || second === undefined) return undefined
  // A tenth of running text are such words; of bullets, a thirtieth.
  return first.hits >= 3 && first.hits >= words.length / 50 && first.hits >= second.hits * 1.25 ? first.language : undefined
}

function byTrigrams(text: string, letters: number): string | undefined {
  const guesses = francAll(text, { minLength: lettersMin })
  const [best] = guesses
  if (best === undefined || best[0] === 'und') return undefined
  const isLatin = share(text, letters, /\p{Script=Latin}/gu) > 0.5
  const english = guesses.find(([code]) => code === 'eng')?.[1] ?? 0
  if (isLatin && best[0] !== 'eng' && (letters < lettersForTrigrams || english > trigramMargin)) return undefined
  // franc tells ISO 639-3; the canonical form is the two-letter tag where there is one.
  return Intl.getCanonicalLocales(best[0])[0]
}

export interface ReadSlide {
  title: string
  /** As it is stored: the JSON of `Reading`. */
  reading: string
}

/** By what the slides say: neither what every page repeats nor code counts, and words of pictures only where there are no others. */
export function languageOfSlides(slides: readonly ReadSlide[]): string | undefined {
  // Slide by slide as they are asked for: of a deck as large as it may be the first few are enough, and the others are not even opened.
  function* texts(counts: (piece: Piece) => boolean): Generator<string> {
    for (const { title, reading } of slides) {
      const pieces = readReading(reading).blocks.flatMap(spoken)
      yield [title, ...pieces.filter(counts).map(textOf)].join('\n')
    }
  }
  return detectLanguage(texts(({ confidence }) => confidence === undefined)) ?? detectLanguage(texts(() => true))
}

const spoken = (block: Block): readonly Piece[] => (block.kind === 'code' ? [] : piecesOf(block))
const textOf = ({ text }: Piece) => text
