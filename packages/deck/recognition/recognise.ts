// Pages of a deck whose words are to be read from their pictures, one after the other, in the language of the deck; where nobody knows
// it, the first pictures are tried in one script after the other until one reads well.
import type { Box } from '@rostrum/contract/deck'
import { baseLanguage } from '@rostrum/languages/languages'
import { isSure, lettersOf, meanConfidence, type PageDraft } from '../block.ts'
import type { Draft, Words } from '@rostrum/contract/block'
import { detectLanguage } from '../language.ts'
import { looksCoded } from '../pdf/flow.ts'
import { around, median } from '../pdf/geometry.ts'
import { blankPage, type OpenDocument, type RenderedPage, type RenderJob } from '../protocol.ts'
import { type Eyes, openEyes, recognisedLanguages, type SeenPicture, type SeenWord } from './tesseract.ts'

// Turns words seen in a picture into what a reader makes of a page: a title where the largest line of the upper part is sure, and
// below it lines joined to paragraphs and items. What looks like words and is none (textures, icons, logos) is left out.

interface Line {
  paragraph: string
  words: readonly SeenWord[]
  text: string
  confidence: number
  /** Of its letters, in pixels. */
  size: number
  x0: number
  y0: number
  x1: number
  y1: number
}

/** Below it a word is more often noise than a word. */
const wordMin = 0.3
/** Of a line: what helps search, and nothing else (`isSure`). */
const lineMin = 0.5
/** Of single signs and short words, of which noise is full. */
const shortMin = 0.85
const titlePart = 0.45
const titleMax = 200

const isSpaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー、。，！？：；（）「」]/u
const bullet = /^[•‣▪▸►●○◦·–—*»©®@¢■□☐☑✓✔➢➤-]\s+(?=\S)/u

export function readSeen(picture: SeenPicture): PageDraft {
  const lines = linesOf(withBullets(picture.words))
  const found = titleOf(lines, picture)
  const parts = found.length === 1 ? found.flatMap(partsOf) : []
  const title = parts.length > 1 ? parts.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, 1) : found
  const beside = parts.length > 1 ? parts.filter((part) => !title.includes(part)) : []
  const rest = [...beside, ...lines.filter((line) => !found.includes(line))]
  const words = title.length === 0 ? undefined : wordsOf(title, picture)
  return {
    title: words?.text ?? '',
    titleFrom: words === undefined ? 'none' : 'recognised',
    isTitleSure: words !== undefined && (words.confidence ?? 0) >= 0.9,
    blocks: blocksOf(rest, picture),
    furniture: [],
  }
}

/** Bullets that are drawn are read as any sign, another one each time: what lines have at one place before their first word. */
function withBullets(words: readonly SeenWord[]): SeenWord[] {
  const lines = [...Map.groupBy(words, ({ line }) => line).values()]
  const firsts = lines.flatMap(([first, ...rest]) =>
    first !== undefined && rest.length > 0 && first.text.length <= 3 && !/\p{N}|\p{L}{2}/u.test(first.text) ? [first] : [],
  )
  const isMark = ({ x0, y0, y1 }: SeenWord) => {
    const same = firsts.filter((other) => Math.abs(other.x0 - x0) < (y1 - y0) / 2)
    return same.length >= runMin && same.filter(({ text }) => /[^\p{L}]/u.test(text)).length * 2 > same.length
  }
  const marks = new Set(firsts.filter(isMark))
  return words.map((word) => (marks.has(word) ? { ...word, text: '•', confidence: 1 } : word))
}

function linesOf(words: readonly SeenWord[]): Line[] {
  const lines = [...Map.groupBy(words, ({ line }) => line).values()]
  return lines.flatMap((seen) => {
    const likely = seen.filter(({ confidence }) => confidence >= wordMin)
    // A letter that stands alone is a piece of a drawing.
    if (likely.every(({ text }) => /^\P{N}?$/u.test(text.replace(/[^\p{L}\p{N}]/gu, '')) && !isSpaceless.test(text))) return []
    const isShort = likely.reduce((sum, { text }) => sum + lettersOf(text), 0) < 4 && !likely.some(({ text }) => isSpaceless.test(text))
    if (sureness(likely) < (isShort ? shortMin : lineMin)) return []
    // An unsure word among sure ones is a word all the same; a sign or a letter is not.
    const whole = trimmed(seen.filter(({ text, confidence }) => confidence >= wordMin || lettersOf(text) > 2))
    return [lineOf(sureness(whole) < lineMin ? trimmed(likely) : whole)].filter((line) => line !== undefined)
  })
}

const sureness = (words: readonly SeenWord[]) => meanConfidence(words) ?? 0

function lineOf(words: readonly SeenWord[]): Line | undefined {
  const sizes = words.filter(({ text }) => lettersOf(text) > 0).map(sizeOf)
  const [first] = words
  if (first === undefined) return undefined
  return { paragraph: first.paragraph, words, text: joined(words), confidence: sureness(words), size: median(sizes), ...around(words) }
}

/** Of its capitals: a word without any is lower, one that reaches below its line higher. */
const sizeOf = ({ text, y0, y1 }: SeenWord) =>
  (y1 - y0) / ((/[^acegm-su-z]/u.test(text) ? 1 : 0.74) + (/[gjpqy,;()]/u.test(text) ? 0.26 : 0))

/** Its parts between wide gaps: a logo beside the title is no part of it. */
function partsOf({ words, size }: Line): Line[] {
  const parts: SeenWord[][] = []
  for (const word of words) {
    const last = parts.at(-1)?.at(-1)
    if (last === undefined || word.x0 - last.x1 > 1.5 * size) parts.push([word])
    else parts.at(-1)?.push(word)
  }
  return parts.flatMap((part) => lineOf(trimmed(part)) ?? [])
}

/** Signs at its ends are icons and rules; the mark of an item is kept. */
function trimmed(words: readonly SeenWord[]): readonly SeenWord[] {
  const says = ({ text }: SeenWord) => lettersOf(text) > 0
  const from = words.findIndex(says)
  const mark = words[from - 1]
  return words.slice(mark !== undefined && bullet.test(`${mark.text} x`) ? from - 1 : Math.max(0, from), words.findLastIndex(says) + 1)
}

/** Chinese and Japanese are written without spaces; the recognition puts one between any two signs. */
function joined(parts: readonly { text: string }[]): string {
  let text = ''
  for (const word of parts) {
    const isTight = isSpaceless.test(text.at(-1) ?? '') && isSpaceless.test(word.text.charAt(0))
    text += text === '' || isTight ? word.text : ` ${word.text}`
  }
  return text
}

/** A logo is large and says one word. */
const weightOf = ({ size, text }: Line) => size * Math.sqrt(Math.min(30, lettersOf(text)))

const titleLinesMax = 3

/** The largest line of the upper part and the lines of its size around it, where they are sure and stand out. */
function titleOf(lines: readonly Line[], picture: SeenPicture, others: readonly Line[] = lines): readonly Line[] {
  const candidates = others.filter(
    ({ y0, text, confidence }) =>
      y0 < titlePart * picture.height && isSure({ text, confidence }) && lettersOf(text) >= 3 && !bullet.test(text),
  )
  const largest = candidates.reduce<Line | undefined>(
    (best, line) => (best === undefined || weightOf(line) > weightOf(best) ? line : best),
    undefined,
  )
  if (largest === undefined) return []
  const smaller = lines.filter((line) => line.size < 0.85 * largest.size && lettersOf(line.text) > 3)
  const usual = median((smaller.length === 0 ? lines : smaller).map(({ size }) => size))
  const without = (text: readonly Line[]) =>
    titleOf(
      lines,
      picture,
      others.filter((line) => !text.includes(line)),
    )
  if (lines.length > 1 && largest.size < 1.15 * usual) return without([largest])
  const at = lines.indexOf(largest)
  let [from, to] = [at, at + 1]
  const goesOn = (one: Line | undefined, other: Line | undefined) =>
    one !== undefined &&
    other !== undefined &&
    Math.abs(one.size - other.size) < 0.2 * largest.size &&
    other.y0 - one.y1 < largest.size &&
    other.y0 >= one.y0
  while (goesOn(lines[from - 1], lines[from])) from--
  while (goesOn(lines[to - 1], lines[to])) to++
  const title = lines.slice(from, to)
  // A text, beside which another line is the title.
  return title.length > titleLinesMax || joined(title).length > titleMax ? without(title) : title
}

function blocksOf(lines: readonly Line[], picture: SeenPicture): Draft[] {
  const blocks: Draft[] = []
  // Of coloured code some words are seen and others not: as code nobody tells them.
  const coded = lines.flatMap(({ text }, at) => (looksCoded.test(text.slice(-200)) ? [at] : []))
  const from = coded[0] ?? 0
  const end = (coded.at(-1) ?? -1) + 1
  if (coded.length >= runMin && coded.length * 3 >= end - from) {
    const code = lines.slice(from, end)
    const block: Draft = { kind: 'code', ...wordsOf(code, picture), text: code.map(({ text }) => text).join('\n') }
    return [...blocksOf(lines.slice(0, from), picture), block, ...blocksOf(lines.slice(end), picture)]
  }
  for (const paragraph of Map.groupBy(lines, (line) => line.paragraph).values()) {
    const passages = passagesOf(paragraph)
    for (const passage of passages) {
      const words = wordsOf(passage, picture)
      const mark = bullet.exec(words.text)?.[0]
      const open = blocks.at(-1)
      if (mark === undefined) blocks.push({ kind: 'paragraph', ...words })
      else {
        const item = { ...words, text: words.text.slice(mark.length), level: 0 }
        if (open?.kind === 'list') blocks[blocks.length - 1] = { kind: 'list', items: [...open.items, item] }
        else blocks.push({ kind: 'list', items: [item] })
      }
    }
  }
  return labelled(blocks)
}

/** A run of words that stand alone is what is written in a drawing. */
function labelled(blocks: readonly Draft[]): Draft[] {
  const found: Draft[] = []
  for (let at = 0; at < blocks.length;) {
    const end = blocks.findIndex((block, place) => place >= at && !isLabel(block))
    const run = blocks.slice(at, end < 0 ? undefined : end)
    const labels = run.flatMap((block): Words[] => (block.kind === 'paragraph' ? [wordsIn(block)] : []))
    if (run.length >= runMin) found.push({ kind: 'figure', shows: 'diagram', labels })
    else found.push(...run)
    const next = blocks[at + run.length]
    if (next !== undefined) found.push(next)
    at += run.length + 1
  }
  return found
}

const runMin = 3
const wordsIn = ({ text, boxes, confidence }: Words): Words => ({
  text,
  ...(boxes && { boxes }),
  ...(confidence !== undefined && { confidence }),
})
const isLabel = (block: Draft) => block.kind === 'paragraph' && block.text.length <= 30 && block.text.split(' ').length <= 3

/** Lines go on where the one before is as wide as its paragraph; a row of a table or a label stays for itself. */
function passagesOf(lines: readonly Line[]): Line[][] {
  const right = Math.max(...lines.map(({ x1 }) => x1))
  const passages: Line[][] = []
  for (const line of lines) {
    const open = passages.at(-1)
    const last = open?.at(-1)
    const isFull = last !== undefined && right - last.x1 < 6 * last.size && last.x1 - last.x0 > 8 * last.size
    const isApart = bullet.test(line.text) || hasGaps(line) || (last !== undefined && hasGaps(last))
    const isAlike = last !== undefined && Math.abs(last.size - line.size) < 0.3 * last.size
    if (open !== undefined && isFull && isAlike && !isApart && !/[.!?:。！？：]$/u.test(last?.text ?? '')) open.push(line)
    else passages.push([line])
  }
  return passages
}

/** Cells of a table stand apart. */
const hasGaps = ({ words, size }: Line) => words.some((word, at) => word.x0 - (words[at - 1]?.x1 ?? word.x0) > 2.5 * size)

function wordsOf(lines: readonly Line[], { width, height }: SeenPicture): Words {
  const boxes = lines.map(({ x0, y0, x1, y1 }): Box => [
    round(x0 / width),
    round(y0 / height),
    round((x1 - x0) / width),
    round((y1 - y0) / height),
  ])
  return {
    text: joined(lines),
    boxes,
    confidence: round(meanConfidence(lines) ?? 0),
  }
}

const round = (value: number) => Math.round(value * 1_000) / 1_000

/** One language of each script. */
const scripts = ['en', 'zh', 'ja', 'ar'] as const
/** Letters that were read well, at least, before a script counts as found. */
const lettersMin = 30
const wellMin = 0.75
/** Pictures that all scripts are tried on. */
const searchesMax = 3

export async function openRecognition(
  pictures: readonly Uint8Array[],
  { language, likely }: Pick<RenderJob, 'language' | 'likely'>,
): Promise<OpenDocument> {
  let known = language === undefined ? undefined : baseLanguage(language)
  const first = baseLanguage(likely ?? 'en')
  let searches = 0
  let open: { language: string; eyes: Eyes } = await opened(known ?? first)
  const read = (picture: Uint8Array) => open.eyes.read(picture)
  async function look(picture: Uint8Array, wanted: string): Promise<SeenPicture> {
    if (open.language !== wanted) {
      open.eyes.close()
      open = await opened(wanted)
    }
    return read(picture)
  }
  async function search(picture: Uint8Array): Promise<SeenPicture> {
    let best: { language: string; seen: SeenPicture; well: number } | undefined
    if (searches >= searchesMax) return look(picture, first)
    for (const script of new Set([first, ...scripts])) {
      const seen = await look(picture, script)
      if (seen.words.length === 0) return seen
      const well = readWell(seen)
      if (best === undefined || well > best.well) best = { language: script, seen, well }
      if (well >= lettersMin && isClear(seen, well)) break
    }
    searches++
    if (best === undefined || best.well < lettersMin) return best?.seen ?? (await look(picture, first))
    known = best.language
    const detected = baseLanguage(detectLanguage([textOf(best.seen)]) ?? best.language)
    if (detected === best.language || !recognisedLanguages.includes(detected)) return best.seen
    known = detected
    return look(picture, detected)
  }
  return {
    total: pictures.length,
    async page(index): Promise<RenderedPage> {
      const picture = pictures[index] ?? new Uint8Array()
      const seen = known === undefined ? await search(picture) : await look(picture, known)
      const draft = readSeen(seen)
      return { ...blankPage(index), state: 'ok', recognised: { draft, ...(known !== undefined && { language: known }) } }
    },
  }
}

async function opened(language: string) {
  return { language, eyes: await openEyes(language) }
}

const textOf = ({ words }: SeenPicture) => words.map(({ text }) => text).join(' ')

function readWell({ words }: SeenPicture): number {
  return words.reduce((sum, { text, confidence }) => sum + (confidence >= wellMin ? lettersOf(text) : 0), 0)
}

const isClear = ({ words }: SeenPicture, well: number) => well >= 0.6 * words.reduce((sum, { text }) => sum + lettersOf(text), 0)
