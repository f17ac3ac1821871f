// What came of a poll as a person reads it. Beside its schemas, because pages show it: Zod would come with them, 90 KB that their policy
// refuses to run.
import type { PollKind, PollResults } from './poll.ts'

interface Told {
  kind: PollKind
  options: readonly string[]
  results?: PollResults | undefined
  right?: number | undefined
}

/** What came of it, row by row: `share` in words, `width` of a bar in per cent. */
export function resultRows({ kind, options, results }: Told): { name: string; count: number; share: string; width: number }[] {
  const { answers = 0, counts = [], words = [] } = results ?? {}
  const most = Math.max(1, words[0]?.count ?? 0)
  if (kind === 'words') return words.map(({ word, count }) => ({ name: word, count, share: `${count}`, width: (100 * count) / most }))
  const names = kind === 'choice' ? options : ['1', '2', '3', '4', '5']
  return names.map((name, at) => {
    const count = counts[at] ?? 0
    const width = (100 * count) / Math.max(1, answers)
    return { name, count, share: `${Math.round(width)} %`, width }
  })
}

/** The same as a person reads it: "This: 62 %, That: 38 % (13)". */
export function resultText(told: Told): string {
  const rows = resultRows(told).map(({ name, share }, at) => `${at === told.right ? '\u2713 ' : ''}${name}: ${share}`)
  return `${rows.join(', ')} (${told.results?.answers ?? 0})`
}
