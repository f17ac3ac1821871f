// Columns and bands of a page, in the order in which they are read: cut where a gap goes through from side to side.
import type { Area } from './geometry.ts'

interface Placed {
  area: Area
  size: number
}

const depthMax = 12

/** Parts of the page; within each, lines stand below one another. */
export function regionsOf<T extends Placed>(items: readonly T[], depth = 0): T[][] {
  if (items.length < 2 || depth > depthMax) return items.length === 0 ? [] : [byPlace(items)]
  const size = items.reduce((sum, each) => sum + each.size, 0) / items.length
  const columns = split(items, (area) => [area.x0, area.x1], 1.2 * size)
  if (columns.length > 1) return columns.flatMap((column) => regionsOf(column, depth + 1))
  const bands = split(items, (area) => [area.y0, area.y1], 0.1 * size)
  if (bands.length < 2) return [byPlace(items)]
  // A band across the page parts what is above it from what is below; bands that hold columns are read one after the other.
  const merged = joined(bands, size)
  return merged.length < 2 ? merged.map((band) => byPlace(band)) : merged.flatMap((band) => regionsOf(band, depth + 1))
}

/** Bands that are columns of the same make belong together: a row of one is not read before the next column's. */
function joined<T extends Placed>(bands: readonly T[][], size: number): T[][] {
  const all: T[][] = []
  let columns: T[][] = []
  for (const band of bands) {
    const both = [...(all.at(-1) ?? []), ...band]
    const together = all.length === 0 ? [] : split(both, (area) => [area.x0, area.x1], 1.2 * size)
    const alone = split(band, (area) => [area.x0, area.x1], 1.2 * size)
    const isSame =
      together.length > 1 && (alone.length > 1 || columns.length > 1) && together.length >= Math.max(alone.length, columns.length)
    const isPlain = alone.length === 1 && columns.length === 1
    if (all.length > 0 && (isSame || isPlain)) {
      all[all.length - 1] = both
      columns = isPlain ? [both] : together
    } else {
      all.push([...band])
      columns = alone
    }
  }
  return all
}

function split<T extends Placed>(items: readonly T[], range: (area: Area) => [number, number], gap: number): T[][] {
  const sorted = items.toSorted((a, b) => range(a.area)[0] - range(b.area)[0])
  const parts: T[][] = []
  let end = -Infinity
  for (const item of sorted) {
    const [from, to] = range(item.area)
    if (from - end > gap || parts.length === 0) parts.push([item])
    else parts.at(-1)?.push(item)
    end = Math.max(end, to)
  }
  return parts
}

const byPlace = <T extends Placed>(items: readonly T[]): T[] => items.toSorted((a, b) => a.area.y1 - b.area.y1 || a.area.x0 - b.area.x0)
