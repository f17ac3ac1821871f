// Sending webhooks, guard on and SQLite synced, against a bare undici pool that posts the same signed bodies: CPU per delivery and
// rate, each in a process of its own, rounds in turn, and where the time goes; how soon an event is on the wire when nothing else is,
// and how long the loop stands still at 200 events a second; on PostgreSQL, against pg-boss.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { startPostgres } from '../test/support/postgres.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'
import type { Sink } from './webhook-rig.ts'
import { addEvents, open, startReceiver, startSink, subscribe, withStore } from './webhook-rig.ts'
import type { Cost, Shape } from './webhook-rounds.ts'
import type { Setting } from './webhook-turns.ts'
import { startTurns } from './webhook-turns.ts'

const perRound = 3_200
/** Which memory a process got is luck, and worth a fifth of its CPU: so many of each. */
const starts = 4
const warmUp = 4
const rounds = 5
const idleEvents = 200
const stallEvents = 600
const peerStarts = 2

const oneEndpoint: Shape = { name: 'one endpoint, 32 at once', endpoints: 1, perEndpoint: 32 }
const shapes: readonly Shape[] = [oneEndpoint, { name: '16 endpoints, 4 at once each', endpoints: 16, perEndpoint: 4 }]

interface Compared {
  pairs: readonly Pair[]
  shares: string
}

/** The same of several processes each. */
async function manyOf(processes: number, compare: () => Promise<Compared>): Promise<Compared> {
  const found: Compared[] = []
  for (let start = 0; start < processes; start++) found.push(await compare())
  return { pairs: found.flatMap(({ pairs }) => pairs), shares: found.at(-1)?.shares ?? '' }
}

/** Two that take turns: costs of rounds that were neighbours. */
async function pairsOf(one: Setting, other: Setting): Promise<Compared> {
  const open: Awaited<ReturnType<typeof startTurns>>[] = []
  try {
    for (const setting of [one, other]) open.push(await startTurns(setting))
    const [own, theirs] = open
    if (own === undefined || theirs === undefined) throw new Error('Two take turns.')
    // What runs for weeks has been compiled long ago.
    for (let round = 0; round < warmUp; round++) for (const each of open) await each.round()
    const pairs: Pair[] = []
    let before = await theirs.round()
    for (let round = 0; round < rounds; round++) {
      const cost = await own.round()
      const after = await theirs.round()
      pairs.push({ own: cost, other: { cpu: (before.cpu + after.cpu) / 2, rate: (before.rate + after.rate) / 2 } })
      before = after
    }
    return { pairs, shares: await own.shares() }
  } finally {
    for (const each of open) await each.close()
  }
}

interface Pair {
  own: Cost
  other: Cost
}

/** Ours of theirs. */
const words = (pairs: readonly Pair[], figure: keyof Cost): string =>
  `${mid(pairs, ({ own }) => own[figure]).toFixed(0)} of ${mid(pairs, ({ other }) => other[figure]).toFixed(0)}`

const mid = (pairs: readonly Pair[], of: (pair: Pair) => number) => median(pairs.map(of))

/** Milliseconds from the commit of an event to its arrival, one event at a time. */
async function latencies(sink: Sink): Promise<number[]> {
  return withStore(async (store) => {
    const { webhooks, close } = open(store, 4)
    await subscribe(webhooks, sink.port, 1)
    await webhooks.start()
    await sink.ask('/reset')
    const committed: number[] = []
    for (let n = 0; n < idleEvents; n++) {
      await addEvents(store, 1)
      committed.push(Date.now())
      await webhooks.idle()
      await new Promise((resolve) => void setTimeout(resolve, 10))
    }
    const { firsts } = await sink.ask('/firsts')
    await close()
    if (firsts.length !== idleEvents) throw new Error(`${firsts.length} of ${idleEvents} events arrived.`)
    return firsts.map(([, at], n) => Math.max(0, at - (committed[n] ?? 0)))
  })
}

/** Milliseconds that the event loop stood still, at 200 events a second, a commit each. */
async function stall(sink: Sink): Promise<number> {
  return withStore(async (store) => {
    const { webhooks, close } = open(store, 4)
    await subscribe(webhooks, sink.port, 1)
    await webhooks.start()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    for (let n = 0; n < stallEvents; n++) {
      void addEvents(store, 1)
      await new Promise((resolve) => void setTimeout(resolve, 5))
    }
    delay.disable()
    await webhooks.idle()
    await close()
    return Math.max(0, delay.percentile(99) / 1e6 - 1)
  })
}

/** Ours against pg-boss on one PostgreSQL, in turn; no pairs where there is no server for this machine. */
async function againstPeer(port: number, shape: Shape): Promise<Compared> {
  const server = await startPostgres({ durable: true })
  if (server === null) return { pairs: [], shares: '' }
  try {
    const setting = { shape, port, perRound, postgres: server.url }
    return await pairsOf({ who: 'ours', ...setting }, { who: 'pg-boss', ...setting })
  } finally {
    await server.stop()
  }
}

export async function benchWebhooks(): Promise<Report> {
  const sink = await startSink()
  const receiver = await startReceiver()
  const { port } = receiver ?? sink
  try {
    const rows: Report['rows'][number][] = []
    const figures: Record<string, number> = {}
    const notes: string[] = []
    const skipped: string[] = []
    if (receiver === null) notes.push('no C compiler (cc): the receiver is a Node server here, which takes a third of the machine')
    for (const shape of shapes) {
      const setting = { shape, port, perRound, postgres: null }
      const { pairs, shares } = await manyOf(starts, () => pairsOf({ who: 'ours', ...setting }, { who: 'bare undici', ...setting }))
      const cpu = mid(pairs, ({ own, other }) => own.cpu / other.cpu)
      const rate = mid(pairs, ({ own, other }) => own.rate / other.rate)
      const cpuWords = `${cpu.toFixed(2)} x (${words(pairs, 'cpu')} us)`
      const rateWords = `${rate.toFixed(2)} x (${words(pairs, 'rate')}/s)`
      rows.push({ claim: `CPU per delivery, ${shape.name}`, measured: cpuWords, owed: '<= 2.0 x', holds: cpu <= 2 })
      rows.push({ claim: `rate, ${shape.name}`, measured: rateWords, owed: '>= 0.5 x', holds: rate >= 0.5 })
      notes.push(`${shape.name}: ${shares}`)
      figures[`cpuRatio${shape.endpoints}`] = cpu
      figures[`rateRatio${shape.endpoints}`] = rate
    }
    const p99 = percentile(await latencies(sink), 0.99)
    rows.push({ claim: 'commit to arrival, idle, p99', measured: `${p99} ms`, owed: '< 50 ms', holds: p99 < 50 })
    figures['idleP99Ms'] = p99
    const stillMs = await stall(sink)
    rows.push({
      claim: 'event loop stands still, 200 events/s, p99',
      measured: `${stillMs.toFixed(1)} ms`,
      owed: '<= 25 ms',
      holds: stillMs <= 25,
    })
    figures['stallP99Ms'] = stillMs
    const { pairs: against } = await manyOf(peerStarts, () => againstPeer(port, oneEndpoint))
    if (against.length === 0) skipped.push('pg-boss: no PostgreSQL for this machine')
    else {
      const rate = mid(against, ({ own, other }) => own.rate / other.rate)
      const measured = `${rate.toFixed(2)} x (${words(against, 'rate')}/s)`
      rows.push({ claim: 'rate, PostgreSQL, against pg-boss', measured, owed: '>= 1 x', holds: rate >= 1 })
      figures['peerRateRatio'] = rate
    }
    return { suite: 'Webhooks (against a bare undici pool in the same run)', rows, figures, skipped, notes }
  } finally {
    sink.close()
    receiver?.close()
  }
}
