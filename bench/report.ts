// How every suite of the bench reports: one row per claim, with what is owed and whether it holds.
export interface Row {
  claim: string
  /** What was measured, with its unit. */
  measured: string
  /** What the claim owes, in words. */
  owed: string
  holds: boolean
}

export interface Report {
  suite: string
  rows: readonly Row[]
  /** Figures for other programs. */
  figures: Readonly<Record<string, number>>
  /** Peers or parts that could not be had here, and why. */
  skipped?: readonly string[]
  /** What explains a figure, such as where the time goes. */
  notes?: readonly string[]
}

export const row = (claim: string, measured: string, owed: string, holds: boolean): Row => ({ claim, measured, owed, holds })

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** The median, and between which two values the middle half lies. */
export function spread(values: readonly number[], digits = 2): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => percentile(values, share).toFixed(digits))
  return `${middle} (${low} to ${high})`
}

export function table({ suite, rows, skipped = [], notes = [] }: Report): string {
  const width = Math.max(...rows.map(({ claim }) => claim.length))
  const measured = Math.max(...rows.map((row) => row.measured.length))
  return [
    '',
    suite,
    ...rows.map(
      (row) => `  ${row.holds ? 'ok  ' : 'MISS'}  ${row.claim.padEnd(width)}  ${row.measured.padStart(measured)}  owed ${row.owed}`,
    ),
    ...notes.map((words) => `  ${words}`),
    ...skipped.map((words) => `  skipped: ${words}`),
  ].join('\n')
}
