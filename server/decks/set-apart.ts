// Lines that a reader took for running heads, footers and page numbers: they are neither said nor answered from, so their host is told
// them in their words, and puts back what belongs to the talk. Pure.
import type { Draft } from '@rostrum/contract/block'
import { readReading } from '@rostrum/deck/block'
import { writeBlocks } from '@rostrum/deck/block-text'
import type { Slide } from './deck-rows.ts'
import { countsWithPages } from '@rostrum/deck/pdf/title'
import { textMinForSpeech } from '@rostrum/deck/protocol'
import type { DeckWarning } from '@rostrum/deck/warnings'

type Seen = Pick<Slide, 'position' | 'reading'>

/** More are told in their number alone. */
const quotedMax = 6
const quotedChars = 80
export const linesMax = 50
/** Hidden slides are left out of a file, their numbers stay. */
const skipMax = 3

/** Lines of one deck that differ in figures at most. */
const sameBut = (line: string) => line.toLowerCase().replace(/\d+/gu, '#').replace(/\s+/gu, ' ').trim()
const numbersIn = (line: string) => (line.match(/\d+/gu) ?? []).map(Number)

interface Group {
  /** As they stand on the first slide that has them. */
  line: string
  /** With the places of their slides. */
  lines: readonly (readonly [position: number, line: string])[]
}

function groupsOf(slides: readonly Seen[]): Group[] {
  const lines = slides.flatMap(({ position, reading }) => readReading(reading).furniture.map((line) => [position, line] as const))
  return [...Map.groupBy(lines, ([, line]) => sameBut(line)).values()].map((of) => ({ line: of[0]?.[1] ?? '', lines: of }))
}

/** Alike to the letter, or with one number that rises with the slides. */
function isRunning({ lines }: Group): boolean {
  const [first = [], ...others] = lines.map(([, line]) => numbersIn(line))
  const changing = first.flatMap((number, at) => (others.every((numbers) => numbers[at] === number) ? [] : [at]))
  const [at, ...more] = changing
  if (at === undefined) return true
  return more.length === 0 && countsWithPages(new Map(lines.map(([position, line]) => [position, numbersIn(line)[at] ?? 0])), skipMax)
}

const isWord = /\p{L}/u
/** A figure that stands on several slides as it is, and so is no page number; "‹7›" is one, whatever it stands on. */
const isSameFigure = ({ line: first, lines }: Group): boolean =>
  /^\d/.test(first) && lines.length > 1 && lines.every(([, line]) => line === first)

/** Of the deck: what readers before the present one took for furniture though its figures change first. Page numbers alone are not told. */
export function setApartWarnings(slides: readonly Seen[]): DeckWarning[] {
  const groups = groupsOf(slides)
  const changing = groups.filter((group) => !isRunning(group))
  const running = groups.filter((group) => isRunning(group) && (isWord.test(group.line) || isSameFigure(group)))
  return [
    ...told(
      changing,
      'Lines whose figures change from slide to slide were taken for headers or footers',
      'Put them back, or send the file again.',
    ),
    ...told(running, 'Set apart as headers, footers or page numbers', 'Put back what belongs to the talk.').map((warning) => ({
      ...warning,
      isUsual: true as const,
    })),
  ]
}

function told(groups: readonly Group[], words: string, fix: string): DeckWarning[] {
  if (groups.length === 0) return []
  const quoted = groups
    .slice(0, quotedMax)
    .map(({ line }) => `“${line.length > quotedChars ? `${line.slice(0, quotedChars).toWellFormed()}…` : line}”`)
  const more = groups.length > quotedMax ? ` and ${groups.length - quotedMax} more` : ''
  const detail = `${words}, and neither said nor answered from: ${quoted.join(', ')}${more}.`
  return [{ index: 0, isOfDeck: true, code: 'set_apart', detail, fix, lines: groups.slice(0, linesMax).map(({ line }) => line) }]
}

/** Those of `lines` that no slide has set apart. */
export function notSetApart(slides: readonly Seen[], lines: readonly string[]): string[] {
  const known = new Set(groupsOf(slides).map(({ line }) => sameBut(line)))
  return lines.filter((line) => !known.has(sameBut(line)))
}

/** The slide with these lines, whatever their figures, as paragraphs below what it says. */
export function withPutBack(slide: Slide, lines: readonly string[]): Slide {
  const { furniture, ...reading } = readReading(slide.reading)
  const wanted = new Set(lines.map(sameBut))
  const back = furniture.filter((line) => wanted.has(sameBut(line)))
  if (back.length === 0) return slide
  const blocks = [...reading.blocks, ...back.map((text): Draft => ({ kind: 'paragraph', text }))]
  const rest = furniture.filter((line) => !wanted.has(sameBut(line)))
  const written = writeBlocks({ ...reading, title: slide.title, blocks, furniture: rest })
  const isSaid = written.text.length >= textMinForSpeech
  return {
    ...slide,
    text_content: written.text,
    reading: JSON.stringify({ ...reading, ...written.reading }),
    state: slide.state === 'no_text' && isSaid ? 'ok' : slide.state,
  }
}
