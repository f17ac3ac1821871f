// How long the worst that a stranger may send keeps everybody else waiting: the longest turn of the server's thread.
import { pumps, startHostile } from '../test/support/hostile.ts'
import type { Report } from './report.ts'
import { median, row } from './report.ts'

const owedMs = 100

export async function benchHostile(): Promise<Report> {
  const server = await startHostile()
  try {
    const stalls: { what: string; ms: number }[] = []
    for (const [what, pump] of Object.entries(pumps)) stalls.push({ what: `a talk of ${what}`, ms: await server.stallOf(pump) })
    stalls.push({ what: 'a body of millions of values', ms: await server.stallOfValues() })
    stalls.push({ what: 'a deck of 15 MB of Chinese', ms: await server.stallOfDeck() })
    const all = stalls.map(({ ms }) => ms)
    return {
      suite: 'hostile',
      rows: stalls.map(({ what, ms }) => row(`longest turn under ${what}`, `${ms.toFixed(1)} ms`, `at most ${owedMs} ms`, ms <= owedMs)),
      figures: { longestMs: Math.max(...all), medianMs: median(all) },
      notes: [
        "Milliseconds of CPU of the server's thread between two looks at its timers, 24 slides of 20,000 characters and as long notes.",
      ],
    }
  } finally {
    await server.stop()
  }
}
