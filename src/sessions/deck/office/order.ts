// The order in which shapes are read: that of the file, which authors and checkers of accessibility set, corrected by place where
// it jumps: what stands above another in its column, or left of it on its line, comes first.
import type { Box } from '../../../contract/deck.ts'

interface Placed {
  box?: Box
}

const pairsMax = 200

export function inReadingOrder<T extends Placed>(shapes: readonly T[], isRightToLeft: boolean): T[] {
  if (shapes.length > pairsMax) return [...shapes]
  const left = [...shapes]
  const ordered: T[] = []
  while (left.length > 0) {
    // Boxes that wind about each other have no first one: then the file's order stands.
    const at = left.findIndex((shape) => left.every((other) => other === shape || !precedes(other, shape, isRightToLeft)))
    ordered.push(...left.splice(Math.max(0, at), 1))
  }
  return ordered
}

function precedes({ box: one }: Placed, { box: other }: Placed, isRightToLeft: boolean): boolean {
  if (one === undefined || other === undefined) return false
  const [x, y, w, h] = one
  const [otherX, otherY, otherW, otherH] = other
  const across = overlap(x, w, otherX, otherW)
  const along = overlap(y, h, otherY, otherH)
  if (across > 0.5 && y + h <= otherY + slack) return true
  if (along <= 0.5) return false
  return isRightToLeft ? x >= otherX + otherW - slack : x + w <= otherX + slack
}

const slack = 0.01

/** Share of the shorter one. */
export function overlap(from: number, length: number, otherFrom: number, otherLength: number): number {
  const shared = Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom)
  const shorter = Math.min(length, otherLength)
  return shorter > 0 ? Math.max(0, shared) / shorter : 0
}
