// What a stranger can do to a server and to everybody beside them: its resident size, the longest turn of its thread and the waits of an
// honest host under each attack (`bench/hostile/attacks.ts`), and the longest turn under the worst texts. From outside, over loopback.
import { pumps, startHostile } from '../test/support/hostile.ts'
import { attacks } from './hostile/attacks.ts'
import { openStage } from './hostile/stage.ts'
import type { Report, Row } from './report.ts'
import { median, row } from './report.ts'

const owedStallMs = 100
const owedMb = 300
const owedWaitMs = 1_000

export interface HostileOptions {
  seconds?: number
  filmMb?: number
  /** Attacks whose names hold these words alone; `texts` for the worst texts. */
  only?: string
}

export async function benchHostile({ seconds = 10, filmMb = 200, only = '' }: HostileOptions = {}): Promise<Report> {
  const wanted = attacks.filter(({ name }) => name.includes(only))
  const attacked = wanted.length > 0 ? await underAttack(wanted, { seconds, filmMb }) : { rows: [], figures: {}, notes: [] }
  const texts = only === '' || only === 'texts' ? await underTexts() : { rows: [], figures: {}, notes: [] }
  return {
    suite: 'hostile',
    rows: [...attacked.rows, ...texts.rows],
    figures: { ...attacked.figures, ...texts.figures },
    notes: [...attacked.notes, ...texts.notes],
  }
}

type Part = Pick<Report, 'figures'> & { rows: Row[]; notes: string[] }

async function underAttack(wanted: typeof attacks, sizes: { seconds: number; filmMb: number }): Promise<Part> {
  const stage = await openStage(sizes)
  const [rows, notes, figures]: [Row[], string[], Record<string, number>] = [[], [], {}]
  try {
    for (const { name, run } of wanted) {
      const { told, measured } = await stage.during(() => run(stage))
      const { atRestMb, peakMb, stallMs, waitP95Ms, waitMaxMs } = measured
      const words = `${peakMb.toFixed(0)} MB, stall ${stallMs.toFixed(0)} ms, wait ${waitP95Ms.toFixed(0)} to ${waitMaxMs.toFixed(0)} ms`
      const holds = told.holds !== false && peakMb <= owedMb && stallMs <= owedStallMs && waitMaxMs <= owedWaitMs
      rows.push(row(name, words, `${owedMb} MB, ${owedStallMs} ms, ${owedWaitMs} ms`, holds))
      notes.push(`${name}: ${told.words}; ${atRestMb.toFixed(0)} MB before.`)
      Object.assign(figures, { [`${name}: MB`]: peakMb, [`${name}: stall`]: stallMs, [`${name}: wait`]: waitMaxMs })
      // An attack takes a while: whoever watches sees each as it ends.
      console.error(`${name}: ${words}; ${told.words}`)
    }
  } finally {
    await stage.close()
  }
  notes.push(
    `A film of ${sizes.filmMb} MB, ${sizes.seconds} s each. The wait is the 95th percentile and the longest of a host who lists sessions.`,
  )
  return { rows, notes, figures }
}

async function underTexts(): Promise<Part> {
  const server = await startHostile()
  try {
    const stalls: { what: string; ms: number }[] = []
    for (const [what, pump] of Object.entries(pumps)) stalls.push({ what: `a talk of ${what}`, ms: await server.stallOf(pump) })
    stalls.push({ what: 'a body of millions of values', ms: await server.stallOfValues() })
    stalls.push({ what: 'a deck of 15 MB of Chinese', ms: await server.stallOfDeck() })
    const all = stalls.map(({ ms }) => ms)
    return {
      rows: stalls.map(({ what, ms }) =>
        row(`longest turn under ${what}`, `${ms.toFixed(1)} ms`, `at most ${owedStallMs} ms`, ms <= owedStallMs),
      ),
      figures: { longestMs: Math.max(...all), medianMs: median(all) },
      notes: [
        "Milliseconds of CPU of the server's thread between two looks at its timers, 24 slides of 20,000 characters and as long notes.",
      ],
    }
  } finally {
    await server.stop()
  }
}
