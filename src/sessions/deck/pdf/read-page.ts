// A page of a PDF as a person reads it: title, blocks in reading order, furniture set apart. Geometry in, words out; every letter of
// the page is in one of the three.
import type { Draft, PageDraft } from '../blocks/block.ts'
import { boxedTables } from './boxed-tables.ts'
import { labelsOf } from './drawings.ts'
import { blocksOf, boxOf, join, type Sheet } from './flow.ts'
import type { Area, Link, Shape } from './geometry.ts'
import { bodySize, type Habits, type PageLines } from './habits.ts'
import type { Line } from './lines.ts'
import { linked } from './links.ts'
import { regionsOf } from './regions.ts'
import { alignedTables, type Found, taggedTables } from './tables.ts'
import { titleOf } from './title.ts'

/** More pieces than a page that is shown to people holds: they are read from top to bottom, no more is made of them. */
const linesMax = 1_500

export function readPage(page: PageLines, shapes: readonly Shape[], habits: Habits, links: readonly Link[] = []): PageDraft {
  const all = page.lines.filter(({ text }) => text !== '')
  const furniture = all.filter((line) => habits.isFurniture(line, page))
  const ours = minus(all, furniture)
  const boxed = ours.length > linesMax ? [] : boxedTables(ours, shapes, { page, habits, bodySize: bodySize(ours) })
  const title = titleOf(minus(ours, linesIn(boxed)).slice(0, linesMax), page, habits)
  const titleText = title.lines.reduce((text, line) => (text === '' ? line.text : join(text, line.text, habits.words)), '').trim()
  const rest = titleText === '' ? ours : minus(ours, title.lines)
  const sheet = { page, habits, bodySize: bodySize(rest) }
  return {
    title: titleText,
    titleFrom: titleText === '' ? 'none' : title.from,
    isTitleSure: title.isSure,
    blocks: rest.length > linesMax ? plain(rest, sheet) : linked(laidOut(rest, shapes, boxed, sheet), links, page),
    furniture: furniture.map(({ text }) => text),
  }
}

function plain(lines: readonly Line[], { page }: Sheet): Draft[] {
  return lines.map(({ text, area }) => ({ kind: 'paragraph', text, boxes: [boxOf(area, page)] }))
}

type Item = { area: Area; size: number } & ({ line: Line } | { block: Draft })

function laidOut(lines: readonly Line[], shapes: readonly Shape[], boxed: readonly Found[], sheet: Sheet): Draft[] {
  const tagged = taggedTables(lines, sheet)
  const taken = new Set(linesIn(tagged))
  const drawn = [...tagged, ...boxed.filter((table) => !table.lines.some((line) => taken.has(line)))]
  const tables = [...drawn, ...alignedTables(minus(lines, linesIn(drawn)), shapes, sheet)]
  const free = minus(lines, linesIn(tables))
  const { labels, shows } = labelsOf(free, shapes, sheet.page)
  const text = minus(free, labels)
  const items: Item[] = [
    ...text.map((line) => ({ line, area: withMark(line), size: line.size })),
    ...tables.map(({ block, area }) => ({ block, area, size: sheet.bodySize })),
  ]
  const blocks = regionsOf(items).flatMap((region) => regionBlocks(region, sheet))
  if (labels.length === 0) return blocks
  const written = wholeLabels(regionsOf(labels).flat()).map((lines) => ({
    text: lines.map((line) => line.text.replace(/[[\]|]/gu, ' ').trim()).join(' '),
    boxes: lines.map(({ area }) => boxOf(area, sheet.page)),
  }))
  return [...blocks, { kind: 'figure', shows, labels: written }]
}

/** A name that takes two lines in its box is one label. */
function wholeLabels(lines: readonly Line[]): Line[][] {
  const labels: Line[][] = []
  for (const line of lines) {
    const begun = labels.find((label) => isBelow(line, label.at(-1) ?? line))
    if (begun === undefined) labels.push([line])
    else begun.push(line)
  }
  return labels
}

function isBelow(line: Line, last: Line): boolean {
  const step = (line.baseline - last.baseline) / Math.max(1, last.size)
  const isInLine =
    Math.abs(line.area.x0 - last.area.x0) < last.size / 2 || Math.abs(line.area.x0 + line.area.x1 - last.area.x0 - last.area.x1) < last.size
  const isAlike = Math.abs(line.size - last.size) < 0.18 * last.size && !line.isTurned && !last.isTurned
  return isAlike && isInLine && step > 0.6 && step < 1.4 && [line, last].every(({ text }) => /\p{L}{2}/u.test(text))
}

const withMark = ({ area, mark }: Line): Area => (mark === undefined ? area : { ...area, x0: Math.min(area.x0, mark.area.x0) })

const linesIn = (tables: readonly Found[]) => tables.flatMap((table) => table.lines)

function minus(lines: readonly Line[], others: readonly Line[]): Line[] {
  const out = new Set(others)
  return lines.filter((line) => !out.has(line))
}

function regionBlocks(region: readonly Item[], sheet: Sheet): Draft[] {
  const blocks: Draft[] = []
  let lines: Line[] = []
  const end = () => {
    if (lines.length > 0) blocks.push(...blocksOf(lines, sheet))
    lines = []
  }
  for (const item of region) {
    if ('line' in item) lines.push(item.line)
    else {
      end()
      blocks.push(item.block)
    }
  }
  end()
  return blocks
}
