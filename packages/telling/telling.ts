// What the telling of a whole deck has in mind: how its language joins words, what was on earlier slides, what it has used of its own.
import { baseLanguage, fill, type Language } from '@rostrum/languages/languages'
import { piecesOf, withWords } from '@rostrum/deck/block'
import type { Block, Piece } from '@rostrum/contract/block'
import type { ScriptSlide } from './beat.ts'
import { speakable } from './speak-line.ts'
import {
  isArticle,
  isCode,
  isEnded,
  isFunctionWord,
  isName,
  isOtherScript,
  isOwnScript,
  isRead,
  isUnspeakable,
  keyOf,
} from './spoken-words.ts'

/** The presenter's own words around what the slides say. What follows a colon or stands between commas fits whatever its grammar is. */
export type Phrases = Language['script']

/** "three", or figures beyond what a language counts in words here. */
export const countWord = ({ counts }: Phrases, count: number): string => counts[count - 2] ?? String(count)

export interface Telling {
  language: string
  phrases: Phrases
  /** Words that the deck writes small: where one begins a line with a capital, it is the line's, not the word's. */
  small: ReadonlySet<string>
  /** Words that it writes large in the middle of a sentence: names. */
  large: ReadonlySet<string>
  /** Words that it writes in capitals beside others that it does not: abbreviations. */
  capitals: ReadonlySet<string>
  /** What stands under several titles: a brand, a footer, a heading of the layout. */
  everywhere: ReadonlySet<string>
  /** Of earlier slides; what they held is not said again. */
  seen: Set<string>
  /** Titles of earlier slides. */
  titles: Set<string>
  /** Of the slide before no more was said. */
  isTitleAlone: boolean
  /** How often each phrase with variants was used. */
  turns: Map<string, number>
}

/** One thing to say of a slide. */
export interface Unit {
  kind: 'title' | 'narration'
  /** Empty: it only goes with a title before it. */
  text: string
  /** The same, going on from a title. */
  led?: (lead: string) => string
  pieces: readonly Piece[]
  /** What is said first where not everything can be: 0. */
  rank: number
  /** A whole statement of the slide's own, which a closing may come back to. */
  statement?: string
}

const commas: Readonly<Record<string, string>> = { ar: '،', ja: '、', zh: '，' }
export const commaOf = (language: string): string => commas[baseLanguage(language)] ?? ','

const titlesMin = 3

/** What stands under several titles, looked for slide by slide. */
export function* repeatedPieces(slides: readonly Pick<ScriptSlide, 'title' | 'blocks'>[]): Generator<undefined, Set<string>> {
  const titles = new Map<string, Set<string>>()
  for (const { title, blocks } of slides) {
    yield
    for (const piece of blocks.flatMap((block) => piecesOf<Piece>(block))) {
      const key = keyOf(piece.text)
      const under = titles.get(key)
      if (under === undefined) titles.set(key, new Set([keyOf(title)]))
      else under.add(keyOf(title))
    }
  }
  return new Set([...titles].filter(([, under]) => under.size >= titlesMin).map(([key]) => key))
}

export function newTelling(slides: readonly ScriptSlide[], language: string, phrases: Phrases): Telling {
  const small = new Set<string>()
  const large = new Set<string>()
  const capitals = new Set<string>()
  for (const { text } of slides) {
    for (const [word] of text.matchAll(/(?<![\p{L}\p{N}.])\p{Ll}[\p{L}'’]{1,30}/gu)) small.add(word.toLowerCase())
    for (const [word] of text.matchAll(/(?<=\p{Ll},?[ ])\p{Lu}[\p{L}'’]{1,30}/gu)) large.add(word.toLowerCase())
    for (const [word] of text.matchAll(/(?<=\p{Ll},?[ ])\p{Lu}{2,8}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])\p{Lu}{2,8}(?=,? \p{Ll})/gu))
      capitals.add(word.toLowerCase())
  }
  const counting = repeatedPieces(slides)
  let step = counting.next()
  while (!step.done) step = counting.next()
  const everywhere = step.value
  return {
    language,
    phrases,
    small,
    large,
    capitals,
    everywhere,
    seen: new Set(),
    titles: new Set(),
    isTitleAlone: false,
    turns: new Map(),
  }
}

/** The next of several ways to say a thing. */
export function turn(telling: Telling, name: string): number {
  const used = telling.turns.get(name) ?? 0
  telling.turns.set(name, used + 1)
  return used
}

export function mayBeSaid({ text }: Piece, { seen, everywhere }: Telling): boolean {
  const key = keyOf(text)
  return !isUnspeakable(text) && !seen.has(key) && !everywhere.has(key)
}

const footerLeast = 20

/** What of its words belongs to the talk: not its title again, nor what was read unsurely, nor what it says in another script too. */
export function wordsToTell(
  { title, titleFrom, blocks }: Pick<ScriptSlide, 'title' | 'titleFrom' | 'blocks'>,
  { language, everywhere }: Telling,
): readonly Block[] {
  const isForeign = ({ text }: Piece) => isOtherScript(text, language)
  const texts = blocks.flatMap((block) => (block.kind === 'list' || block.kind === 'paragraph' ? piecesOf<Piece>(block) : []))
  const foreign = texts.filter(isForeign)
  const hasBoth = texts.filter((piece) => !isForeign(piece) && isOwnScript(piece.text, language)).length >= foreign.length
  const titles = [title, title.replace(/^\d{1,2}[.)]\s/u, '')].map(keyOf)
  const footers = [...everywhere].filter((key) => key.length >= footerLeast)
  const isCodeSeen = texts.some(({ text, confidence }) => confidence !== undefined && isCode(text))
  // A picture below a title of the document is a chart, a table, a page of somewhere else: its words are no sentences of the talk.
  const isPage = titleFrom === undefined || titleFrom === 'recognised' || titleFrom === 'none'
  const isKept = (piece: Piece) => {
    const key = keyOf(piece.text)
    if (key !== '' && titles.includes(key)) return false
    // Beside code that was read, lines are code too; a footer that was read is never twice the same.
    const isSeen = piece.confidence !== undefined
    if (isSeen && (!isPage || (isCodeSeen && !('level' in piece)) || footers.some((footer) => key.includes(footer)))) return false
    return isRead(piece, language) && !(hasBoth && isForeign(piece))
  }
  return blocks.flatMap((block) => withWords<Piece>(block, isKept) ?? [])
}

/** After a slide: what it holds is known. */
export function remember(blocks: readonly Block[], telling: Telling): void {
  for (const block of blocks) for (const piece of piecesOf<Piece>(block)) telling.seen.add(keyOf(piece.text))
}

/** The Turkish İ leaves a dot behind that stands by itself. */
const inSmall = (text: string) => text.toLowerCase().replace(/i\u0307/gu, 'i')

/** "TRANSPARENCY" becomes "Transparency"; what is short, or in brackets, may be an abbreviation. */
function withoutShouting(text: string, { capitals }: Telling): string {
  const bare = text.replace(/\([^()]{0,40}\)/gu, '')
  if (/\p{Ll}/u.test(bare) || !/\p{Lu}{7}/u.test(bare)) return text
  const isKept = (word: string) => capitals.has(word.toLowerCase()) || /^[IVX]{1,4}$/u.test(word)
  return text
    .replace(/\([^()]{0,40}\)|[\p{L}'’]{1,200}/gu, (part) => (part.startsWith('(') || isKept(part) ? part : inSmall(part)))
    .replace(/\p{L}/u, (letter) => letter.toUpperCase())
}

/** "Implemen-tation" was broken at the end of a line where the deck writes "implementation" elsewhere. */
function withoutBreaks(text: string, { small, large }: Telling): string {
  return text.replace(/(?<![\p{L}-])(\p{L}\p{Ll}+)-(\p{Ll}{2,})(?![\p{L}-])/gu, (word, start: string, end: string) => {
    const whole = `${start}${end}`.toLowerCase()
    return small.has(whole) || large.has(whole) ? `${start}${end}` : word
  })
}

/** Words of a slide as they are said. */
export function said(text: string, telling: Telling): string {
  return speakable(withoutBreaks(withoutShouting(text, telling), telling), telling.language)
}

/** Going on in the middle of a sentence: small, unless it is a name or a heading that is written large throughout. */
export function inside(text: string, { small, large, language }: Telling): string {
  const [, first, rest = ''] = /^(\p{Lu}[\p{Ll}'’]{0,30})(?![\p{L}\p{N}])(.{0,2})/su.exec(text) ?? []
  if (first === undefined || /^I(?:['’]|$)/u.test(first) || baseLanguage(language) === 'de') return text
  const word = first.toLowerCase()
  // "Office of the Chief Information Officer" is a name.
  if (/\s\p{Lu}\p{Ll}/u.test(text) && isName(text, language)) return text
  const goesOnSmall = /^\s\p{Ll}/u.test(rest)
  const isSmall =
    (isArticle(word) && /^\s/u.test(rest)) || (small.has(word) ? goesOnSmall || rest.trim() === '' : !large.has(word) && goesOnSmall)
  return isSmall ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

export const withoutStop = (text: string): string => text.replace(/(?<![\s.,;:…。；：،؛])[\s.,;:…。；：،؛]{1,10}$/u, '')

/** A remark in brackets goes with what it remarks on; a word or two with a mark are no question in the middle of a list. */
function listed(parts: readonly string[]): string[] {
  const list: string[] = []
  for (const part of parts) {
    const bare = parts.length > 1 ? part.replace(/(?<![?？؟])[?？؟]$/u, '') : part
    if (/^[(（]/u.test(bare) && list.length > 0) list.push(`${list.pop() ?? ''} ${bare}`)
    else list.push(bare)
  }
  return list
}

/** Has commas, or an "and", of its own. */
export function isTangled(part: string, language: string): boolean {
  const list = new Intl.ListFormat(baseLanguage(language), { type: 'conjunction' })
  const and = keyOf(list.formatToParts(['a', 'b']).find(({ type }) => type === 'literal')?.value ?? '')
  return /[,،、，;；]/u.test(part) || (and !== '' && ` ${keyOf(part)} `.includes(` ${and} `))
}

/** "a, b and c"; semicolons where a part has some of its own. */
export function joined(all: readonly string[], language: string): string {
  const parts = listed(all)
  const list = new Intl.ListFormat(baseLanguage(language), { type: 'conjunction' })
  if (parts.length < 2 || !parts.some((part) => isTangled(part, language))) return list.format(parts)
  const last = list.formatToParts(['a', 'b']).find(({ type }) => type === 'literal')?.value ?? ', '
  const mark =
    /[\p{Script=Han}\p{Script=Hiragana}]/u.test(last) || /^(?:ja|zh)/.test(language) ? '；' : language.startsWith('ar') ? '؛ ' : '; '
  return `${parts.slice(0, -1).join(mark)}${/^(?:ja|zh)/.test(language) ? mark : mark.trimEnd() + last}${parts.at(-1) ?? ''}`
}

/** The same going on from a title; not where it has a colon of its own, which would be the second. */
export function led(text: string, telling: Telling, isInside = false): (lead: string) => string {
  return (lead) => (/[:：]\s|[?？؟]$/u.test(text) ? '' : ledBy(lead, isInside ? text : inside(text, telling), telling))
}

/** What ends itself takes no colon ("Why? It is quiet."), nor does what breaks off: "It takes lots of time." */
export function ledBy(lead: string, text: string, { phrases, language }: Telling): string {
  const last = /(?<!\p{L})\p{L}+$/u.exec(lead)?.[0] ?? ''
  if (isFunctionWord(last, language)) return `${lead} ${text}`
  const alone = isEnded(lead) ? lead : /[:：]\s/u.test(lead) ? `${lead}${phrases.stop}` : undefined
  return alone === undefined ? fill(phrases.led, { lead, text }) : `${alone} ${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
