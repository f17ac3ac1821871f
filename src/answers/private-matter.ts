// Recognises attempts at what the presenter keeps private: notes, instructions, prompts, keys. The wall is structural (answering has
// no access to notes); this only gives such questions the one fixed reply instead of a search result.
import { inEveryLanguage } from '../languages/languages.ts'
import { lazily } from '../platform/work.ts'
import { insidePattern } from '../languages/word-pattern.ts'
import { fold } from './ranking/tokens.ts'

// Undoes the disguises in which a question may hide what it asks: look-alike letters, digits for letters, spaced or reversed words,
// ROT13, Base64, hexadecimal, percent and entity escapes. Pure, bounded, and total on any string.

/** Each sign with the letter that it stands for. */
const pairs = (list: string): ReadonlyMap<string, string> =>
  new Map(list.split(' ').map(([sign = '', letter = '']): [string, string] => [sign, letter]))
const lookAlikes = pairs('аa еe оo рp сc уy хx іi ѕs јj ԁd һh кk мm тt вb нh ոn αa εe οo ρp τt νv ιi κk ηn ɑa ɡg ıi')
const digitLetters = pairs('0o 1i 3e 4a 5s 7t 8b @a $s !i |l €e')
const inputMax = 4_000

function plainLetters(text: string): string {
  return fold(text)
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/gu, '')
    .toLowerCase()
    .replace(/./gu, (letter) => lookAlikes.get(letter) ?? letter)
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

function decoded(runs: readonly string[] | null, encoding: 'base64' | 'hex', noise: RegExp): string[] {
  return (runs ?? []).map((run) => Buffer.from(run.replace(noise, ''), encoding).toString('utf8')).filter(isReadable)
}

/** Percent, entity and code point escapes, whichever the text holds. */
function unescaped(text: string): string[] {
  const letter = (code: number) => (code > 0 && code < 0x10ffff ? String.fromCodePoint(code) : '')
  const plain = text
    .replace(/&#(\d{1,7});/g, (_, code: string) => letter(Number(code)))
    .replace(/&#x([0-9a-f]{1,6});|\\u([0-9a-f]{4})/gi, (_, entity: string = '', point: string = '') =>
      letter(Number.parseInt(entity + point, 16)),
    )
  try {
    return [plain, decodeURIComponent(text)].filter((each) => each !== text)
  } catch {
    return plain === text ? [] : [plain]
  }
}

/** Every plain reading of `text` worth looking at, the text itself first, all folded to lower case. */
function readingsOf(text: string): string[] {
  const given = text.slice(0, inputMax).toWellFormed()
  const hidden = [
    ...decoded(given.match(/[A-Za-z0-9+/_-]{12,}={0,2}/g), 'base64', /(?!)/g),
    ...decoded(given.match(/(?:(?:0x|\\x)?[0-9a-f]{2}[\s,]?){6,}/gi), 'hex', /0x|\\x|[^0-9a-f]/gi),
    ...unescaped(given),
  ]
  const readings = [given, ...hidden].map(plainLetters)
  const more = readings.flatMap((reading) => [
    joinSpaced(reading),
    reading.replace(/[0134578@$!|€]/gu, (letter) => digitLetters.get(letter) ?? letter),
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
