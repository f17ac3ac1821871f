// Paragraphs of one shape as blocks: bullets become a list, a typewriter's face code, quotation marks a quote, a link alone a link.
import type { Box } from '@rostrum/contract/deck'
import type { Draft, ListItem, Words } from '@rostrum/contract/block'
import type { Paragraph } from './text.ts'

type Item = Words & ListItem

export interface Context {
  boxes?: readonly Box[]
  /** The body of a slide: short lines one below the other are its points. */
  isBody: boolean
}

const headingMax = 60
const pointMax = 110
const sentenceEnd = /[.!?…。！？]["”»)]?$/u
const quoted = /^[“„«"『「](.{15,600})[”“»"』」]$/su
const speaker = /^[—–-] ?(\S.{1,79})$/u
const address = /^(?:https?:\/\/|www\.)\S+$/i
const isAddress = (text: string) => address.test(text) || (text.includes('@') && !/\s/.test(text))
const isCapitals = (text: string) => text.length >= 4 && text === text.toUpperCase() && text !== text.toLowerCase()
const typedNumber = /^\(?(\d{1,2})[.)]\s+/u

export function blocksOf(paragraphs: readonly Paragraph[], { boxes, isBody }: Context): Draft[] {
  const placed = boxes === undefined ? {} : { boxes }
  const said = numbered(joined(paragraphs))
  const blocks: Draft[] = []
  for (let at = 0; at < said.length;) {
    const paragraph = said[at]
    if (paragraph === undefined) break
    const run = runLength(said, at, isBody)
    if (paragraph.code !== undefined) blocks.push({ kind: 'code', text: codeOf(said.slice(at, at + run)), ...placed })
    else if (run > 1 || paragraph.bullet !== 'none') blocks.push({ kind: 'list', items: itemsOf(said.slice(at, at + run), placed) })
    else blocks.push(...single(paragraph, said, at, placed))
    at += run + (blocks.at(-1)?.kind === 'quote' && speakerOf(said, at + 1) !== undefined ? 1 : 0)
  }
  return blocks
}

/** How many paragraphs from here are one block. */
function runLength(said: readonly Paragraph[], from: number, isBody: boolean): number {
  const first = said[from]
  if (first === undefined) return 1
  const isSame = (each: Paragraph) =>
    first.code !== undefined
      ? each.code !== undefined
      : each.code === undefined && (first.bullet !== 'none' ? each.bullet !== 'none' : isBody && isPoint(first) && isPoint(each))
  let at = from + 1
  while (at < said.length && isSame(said[at] ?? first) && !isHeading(said, at)) at++
  return isHeading(said, from) ? 1 : at - from
}

/** A line of the body that is no sentence of its own. */
function isPoint({ text, bullet, url }: Paragraph): boolean {
  return (
    bullet === 'none' && url === undefined && text.length <= pointMax && !sentenceEnd.test(text) && !quoted.test(text) && !isAddress(text)
  )
}

/** Short, in bold or larger than what stands below it in the same shape. */
export function isHeading(said: readonly Paragraph[], at: number): boolean {
  const [here, next] = [said[at], said[at + 1]]
  if (here === undefined || next === undefined || here.bullet !== 'none' || here.code !== undefined || here.url !== undefined) return false
  if (here.text.length > headingMax || sentenceEnd.test(here.text) || next.code !== undefined) return false
  if (isAddress(here.text)) return false
  return (here.isBold && !next.isBold) || here.size >= next.size * 1.2 || (isCapitals(here.text) && !isCapitals(next.text))
}

function single(paragraph: Paragraph, said: readonly Paragraph[], at: number, placed: { boxes?: readonly Box[] }): Draft[] {
  const { text, url } = paragraph
  if (isHeading(said, at)) return [{ kind: 'heading', level: 3, text, ...placed }]
  const quote = quoted.exec(text)?.[1]
  if (quote !== undefined) {
    const by = speakerOf(said, at + 1)
    return [{ kind: 'quote', text: quote, ...(by !== undefined && { by }), ...placed }]
  }
  if (url !== undefined) return [{ kind: 'link', text, url, ...placed }]
  if (address.test(text)) return [{ kind: 'link', text, url: text, ...placed }]
  return [{ kind: 'paragraph', text, ...placed }]
}

/** "– Ada", as the last line below a quote. */
function speakerOf(said: readonly Paragraph[], at: number): string | undefined {
  const line = said[at]
  if (line === undefined || at < said.length - 1) return undefined
  return line.bullet === 'mark' && line.text.length <= 80 ? line.text : speaker.exec(line.text)?.[1]
}

function codeOf(lines: readonly Paragraph[]): string {
  return lines.map(({ code }) => code ?? '').join('\n')
}

/** Levels count from the outermost of the list, without a gap. */
function itemsOf(paragraphs: readonly Paragraph[], placed: { boxes?: readonly Box[] }): Item[] {
  const open: number[] = []
  return paragraphs.map(({ text, level, bullet }) => {
    while (open.length > 0 && (open.at(-1) ?? 0) >= level) open.pop()
    open.push(level)
    return { text, level: open.length - 1, ...(bullet === 'number' && { isOrdered: true as const }), ...placed }
  })
}

/** A sentence that its author broke into lines of their own goes on in small letters. */
export function joined(paragraphs: readonly Paragraph[]): Paragraph[] {
  const whole: Paragraph[] = []
  for (const paragraph of paragraphs) {
    const before = whole.at(-1)
    const goesOn =
      before !== undefined &&
      before.code === undefined &&
      paragraph.code === undefined &&
      paragraph.bullet === 'none' &&
      before.level === paragraph.level &&
      before.url === paragraph.url &&
      /^\p{Ll}/u.test(paragraph.text) &&
      (before.text.length >= 25 || /[,–-]$/u.test(before.text)) &&
      !/[.!?…:;。]$/u.test(before.text)
    if (goesOn) whole[whole.length - 1] = { ...before, text: `${before.text} ${paragraph.text}` }
    else whole.push(paragraph)
  }
  return whole
}

/** Numbers that somebody typed, from 1 on, are those of a list. */
function numbered(paragraphs: readonly Paragraph[]): Paragraph[] {
  const numbers = paragraphs.map(({ text, bullet, code }) =>
    bullet === 'none' && code === undefined ? Number(typedNumber.exec(text)?.[1] ?? 0) : 0,
  )
  const isInList = numbers.map((number, at) => number > 0 && isRunFromOne(numbers, at))
  return paragraphs.map((paragraph, at) =>
    isInList[at] === true ? { ...paragraph, bullet: 'number', text: paragraph.text.replace(typedNumber, '') } : paragraph,
  )
}

function isRunFromOne(numbers: readonly number[], at: number): boolean {
  const number = numbers[at] ?? 0
  const start = at - number + 1
  if (start < 0 || (number === 1 && numbers[at + 1] !== 2)) return false
  return numbers.slice(start, at + 1).every((each, place) => each === place + 1)
}
