// Where a sentence stands on its slide, as a room is told: few numbers of few digits, since ten thousand people get them with it.
import type { Box } from '../../../contract/deck.ts'
import { type Block, piecesOf } from './block.ts'

/** More parts than these are lit as the one area around them. */
const partsMost = 6
/** Light on nearly all of a slide shows nothing. */
const shareMost = 0.8

/** Lines that stand together are one part. Undefined where there is nothing to light. */
export function litRegion(boxes: readonly Box[]): Box[] | undefined {
  const parts: Box[] = []
  for (const box of boxes.toSorted((a, b) => a[1] - b[1] || a[0] - b[0])) {
    const at = parts.findIndex((part) => isNextTo(part, box))
    const part = parts[at]
    if (part === undefined) parts.push(box)
    else parts[at] = around([part, box])
  }
  const few = parts.length > partsMost ? [around(parts)] : parts
  const share = few.reduce((sum, [, , width, height]) => sum + width * height, 0)
  return few.length === 0 || share > shareMost ? undefined : few.map(rounded)
}

/** The lines of a slide on which the words from `start` to `end` of its text stand. */
export function boxesAt(blocks: readonly Block[], start: number, end: number): Box[] {
  return blocks.flatMap(piecesOf).flatMap(({ boxes = [], start: from, end: to }) => {
    if (from >= end || to <= start || to <= from) return []
    // A piece of several lines: those that hold its part, as if all were equally long.
    const first = Math.floor((Math.max(0, start - from) / (to - from)) * boxes.length)
    const last = Math.ceil((Math.min(to - from, end - from) / (to - from)) * boxes.length)
    return boxes.slice(first, last)
  })
}

/** Below it, above it or beside it, with less than a line between them, and over the same width. */
function isNextTo([x, y, width, height]: Box, [left, top, wide, high]: Box): boolean {
  const gap = Math.max(top - (y + height), y - (top + high))
  const shared = Math.min(x + width, left + wide) - Math.max(x, left)
  return gap < 0.75 * Math.min(high, height) && shared > 0.3 * Math.min(width, wide)
}

function around(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map(([left]) => left))
  const y = Math.min(...boxes.map(([, top]) => top))
  return [
    x,
    y,
    Math.max(...boxes.map(([left, , width]) => left + width)) - x,
    Math.max(...boxes.map(([, top, , height]) => top + height)) - y,
  ]
}

/** A thousandth of a slide is a pixel and a half. */
const rounded = ([x, y, width, height]: Box): Box => [thousandth(x), thousandth(y), thousandth(width), thousandth(height)]
const thousandth = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 1_000
