// Recognises attempts at what the presenter keeps private: notes, instructions, prompts, keys. The wall is structural (answering has
// no access to notes); this only gives such questions the one fixed reply instead of a search result.
import { inEveryLanguage } from '../languages/languages.ts'
import { lazily } from '../platform/work.ts'
import { insidePattern } from '../languages/word-pattern.ts'
import { fold } from './ranking/tokens.ts'

// Undoes the disguises in which a question may hide what it asks: look-alike letters, digits for letters, spaced or reversed words,
// ROT13, Base64, hexadecimal, percent and entity escapes. Pure, bounded, and total on any string.

const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ѕ: 's',
  ј: 'j',
  ԁ: 'd',
  һ: 'h',
  к: 'k',
  м: 'm',
  т: 't',
  в: 'b',
  н: 'h',
  ո: 'n',
  α: 'a',
  ε: 'e',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  ν: 'v',
  ι: 'i',
  κ: 'k',
  η: 'n',
  ɑ: 'a',
  ɡ: 'g',
  ı: 'i',
}
const digitLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '€': 'e',
}
const inputMax = 4_000

function plainLetters(text: string): string {
  return fold(text)
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/gu, '')
    .toLowerCase()
    .replace(/./gu, (letter) => lookAlikes[letter] ?? letter)
}

function rot13(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97))
}

/** "n o t e s" and "n.o.t.e.s" become "notes"; where most words are single letters, two spaces or more part the words. */
function joinSpaced(text: string): string {
  const pieces = text.split(/\s+/u)
  if (pieces.length > 4 && pieces.filter((piece) => piece.length === 1).length > pieces.length * 0.7) {
    return text
      .split(/\s{2,}/u)
      .map((word) => word.replace(/\s/gu, ''))
      .join(' ')
  }
  return text.replace(/(?:\p{L}[ .\-_*]){3,}\p{L}(?!\p{L})/gu, (run) => run.replace(/[ .\-_*]/g, ''))
}

function isReadable(text: string): boolean {
  const letters = text.match(/[\p{L}\p{N}\s.,!?'":;-]/gu)?.length ?? 0
  return text.length >= 4 && letters / text.length > 0.85
}

function decodedBase64(text: string): string[] {
  return (text.match(/[A-Za-z0-9+/_-]{12,}={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64').toString('utf8')).filter(isReadable)
}

function decodedHex(text: string): string[] {
  return (text.match(/(?:(?:0x|\\x)?[0-9a-f]{2}[\s,]?){6,}/gi) ?? [])
    .map((run) => Buffer.from(run.replace(/0x|\\x|[^0-9a-f]/gi, ''), 'hex').toString('utf8'))
    .filter(isReadable)
}

function decodedPercent(text: string): string[] {
  if (!/%[0-9a-f]{2}/i.test(text)) return []
  try {
    return [decodeURIComponent(text)]
  } catch {
    return []
  }
}

function decodedEntities(text: string): string[] {
  if (!/&#x?[0-9a-f]+;|\\u[0-9a-f]{4}/i.test(text)) return []
  const letter = (code: number) => (code > 0 && code < 0x10ffff ? String.fromCodePoint(code) : '')
  return [
    text
      .replace(/&#x([0-9a-f]{1,6});/gi, (_, code: string) => letter(Number.parseInt(code, 16)))
      .replace(/&#(\d{1,7});/g, (_, code: string) => letter(Number(code)))
      .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => letter(Number.parseInt(code, 16))),
  ]
}

/** Every plain reading of `text` worth looking at, the text itself first, all folded to lower case. */
function readingsOf(text: string): string[] {
  const given = text.slice(0, inputMax).toWellFormed()
  const decoded = [...decodedBase64(given), ...decodedHex(given), ...decodedPercent(given), ...decodedEntities(given)]
  const readings = [given, ...decoded].map(plainLetters)
  const more = readings.flatMap((reading) => [
    joinSpaced(reading),
    reading.replace(/[0134578@$!|€]/gu, (letter) => digitLetters[letter] ?? letter),
    Array.from(reading).toReversed().join(''),
    rot13(reading),
  ])
  return [...new Set([...readings, ...more])]
}

const patterns = lazily(() => inEveryLanguage((language) => language.private).map((pattern) => insidePattern([pattern])))

/** A host asking about what is their own ("Are my notes private?") wants an answer, not a refusal. */
const ownMatter =
  /^(?!.*\b(?:your|ignore|repeat|reveal|print|show|tell|read|translate)\b).*\b(?:my|our|mis?|nuestr[ao]s?|mes|nos|meine?|unsere?|minhas?|nossas?)\s+(?:own\s+)?(?:\w+\s+)?(?:notes?|api|keys?|passwords?|notas?|notizen)\b/u

/** Whether the question, in any of its readings, is after private material. */
export function asksForPrivateMatter(question: string): boolean {
  return readingsOf(question).some((reading, at) => {
    const plain = reading.replace(/[إأآ]/gu, 'ا')
    if (at === 0 && ownMatter.test(plain)) return false
    return patterns().some((pattern) => pattern.test(plain))
  })
}
