// Sending webhooks, guard on and SQLite synced, against a bare undici pool that posts the same signed bodies: CPU per delivery and
// rate, rounds in turn, and where the time goes; how soon an event is on the wire when nothing else is, and how long the loop
// stands still at 200 events a second; on PostgreSQL, against pg-boss.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PgBoss } from 'pg-boss'
import { openPostgres } from '../src/storage/postgres.ts'
import type { Store } from '../src/storage/store.ts'
import { startPostgres } from '../test/support/postgres.ts'
import type { Webhooks } from '../src/webhooks/create-webhooks.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'
import type { Sink } from './webhook-rig.ts'
import { addEvents, baseUrl, open, session, startSink, subscribe, withStore } from './webhook-rig.ts'
import type { Cost, Shape } from './webhook-rounds.ts'
import { costOf, peer, raw } from './webhook-rounds.ts'
import { profileShares } from './webhook-shares.ts'

const perRound = 3_200
const rounds = 5
const idleEvents = 200
const stallEvents = 600
const peerRounds = 3

const shapes: readonly Shape[] = [
  { name: 'one endpoint, 32 at once', endpoints: 1, perEndpoint: 32 },
  { name: '16 endpoints, 4 at once each', endpoints: 16, perEndpoint: 4 },
]

type Around = (work: () => Promise<void>) => Promise<void>

/** Everything has left the outbox and was sent and written. */
async function emptied(store: Store, { idle }: Pick<Webhooks, 'idle'>): Promise<void> {
  for (;;) {
    await idle()
    const left = await store.read.selectFrom('outbox').select('event_id').limit(1).execute()
    if (left.length === 0) return
    await new Promise((resolve) => void setTimeout(resolve, 5))
  }
}

/** Ours: the events are in the outbox; from there to the end of the last attempt in the store. */
async function ours(store: Store, sink: Sink, { endpoints, perEndpoint }: Shape, around: Around = (work) => work()): Promise<Cost> {
  await addEvents(store, perRound / endpoints)
  await sink.ask('/reset')
  const { webhooks, close } = open(store, perEndpoint)
  const cost = await costOf(perRound, () =>
    around(async () => {
      await webhooks.start()
      await emptied(store, webhooks)
    }),
  )
  await close()
  const left = await store.read.selectFrom('webhook_deliveries').select('id').where('status', '<>', 'succeeded').execute()
  if (left.length > 0) throw new Error(`${left.length} deliveries were not sent.`)
  return cost
}

async function compare(sink: Sink, shape: Shape): Promise<{ cpu: number; rate: number; own: Cost; bare: Cost; shares: string }> {
  return withStore(async (store) => {
    const setUp = open(store, shape.perEndpoint)
    await subscribe(setUp.webhooks, sink.port, shape.endpoints)
    await setUp.close()
    await addEvents(store, 1)
    const { body } = await store.read.selectFrom('domain_events').select('body').executeTakeFirstOrThrow()
    const bodies = Array.from({ length: perRound }, () => body)
    await raw(sink.port, shape, bodies)
    await ours(store, sink, shape)
    const pairs: { own: Cost; bare: Cost }[] = []
    for (let round = 0; round < rounds; round++) {
      const first = await raw(sink.port, shape, bodies)
      const own = await ours(store, sink, shape)
      const last = await raw(sink.port, shape, bodies)
      pairs.push({ own, bare: { cpu: (first.cpu + last.cpu) / 2, rate: (first.rate + last.rate) / 2 } })
    }
    const shares = await profileShares((around) => ours(store, sink, shape, around))
    const mid = (of: (pair: { own: Cost; bare: Cost }) => number) => median(pairs.map(of))
    return {
      shares,
      cpu: mid(({ own, bare }) => own.cpu / bare.cpu),
      rate: mid(({ own, bare }) => own.rate / bare.rate),
      own: { cpu: mid(({ own }) => own.cpu), rate: mid(({ own }) => own.rate) },
      bare: { cpu: mid(({ bare }) => bare.cpu), rate: mid(({ bare }) => bare.rate) },
    }
  })
}

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

/** Ours against pg-boss on one PostgreSQL, in turn; null where there is no server for this machine. */
async function againstPeer(sink: Sink, shape: Shape): Promise<{ rate: number; own: Cost; other: Cost } | null> {
  const server = await startPostgres({ durable: true })
  if (server === null) return null
  const boss = new PgBoss({ connectionString: server.url, schema: 'boss' })
  boss.on('error', (error) => console.error(error))
  try {
    const store = await openPostgres(server.url, { outbox: { baseUrl, consumers: ['webhooks'] } })
    await store.write((tx) => tx.insertInto('sessions').values(session).execute())
    const setUp = open(store, shape.perEndpoint)
    await subscribe(setUp.webhooks, sink.port, shape.endpoints)
    await setUp.close()
    await boss.start()
    await boss.createQueue('webhooks')
    await addEvents(store, 1)
    const { body } = await store.read.selectFrom('domain_events').select('body').executeTakeFirstOrThrow()
    const bodies = Array.from({ length: perRound }, () => body)
    await ours(store, sink, shape)
    const pairs: { own: Cost; other: Cost }[] = []
    for (let round = 0; round < peerRounds; round++)
      pairs.push({ other: await peer(boss, sink.port, shape, bodies), own: await ours(store, sink, shape) })
    await store.close()
    const mid = (of: (pair: { own: Cost; other: Cost }) => number) => median(pairs.map(of))
    return {
      rate: mid(({ own, other }) => own.rate / other.rate),
      own: { cpu: mid(({ own }) => own.cpu), rate: mid(({ own }) => own.rate) },
      other: { cpu: mid(({ other }) => other.cpu), rate: mid(({ other }) => other.rate) },
    }
  } finally {
    await boss.stop({ graceful: false })
    await server.stop()
  }
}

export async function benchWebhooks(): Promise<Report> {
  const sink = await startSink()
  try {
    const rows: Report['rows'][number][] = []
    const figures: Record<string, number> = {}
    const notes: string[] = []
    const skipped: string[] = []
    for (const shape of shapes) {
      const { cpu, rate, own, bare, shares } = await compare(sink, shape)
      const cpuWords = `${cpu.toFixed(2)} x (${own.cpu.toFixed(0)} of ${bare.cpu.toFixed(0)} us)`
      const rateWords = `${rate.toFixed(2)} x (${own.rate.toFixed(0)} of ${bare.rate.toFixed(0)}/s)`
      rows.push({ claim: `CPU per delivery, ${shape.name}`, measured: cpuWords, owed: '<= 1.6 x', holds: cpu <= 1.6 })
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
    const [shape] = shapes
    const against = shape === undefined ? null : await againstPeer(sink, shape)
    if (against === null) skipped.push('pg-boss: no PostgreSQL for this machine')
    else {
      const measured = `${against.rate.toFixed(2)} x (${against.own.rate.toFixed(0)} of ${against.other.rate.toFixed(0)}/s)`
      rows.push({ claim: 'rate, PostgreSQL, against pg-boss', measured, owed: '>= 1.5 x', holds: against.rate >= 1.5 })
      figures['peerRateRatio'] = against.rate
    }
    return { suite: 'Webhooks (against a bare undici pool in the same run)', rows, figures, skipped, notes }
  } finally {
    sink.close()
  }
}
