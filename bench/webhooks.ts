// Sending webhooks, guard on and SQLite synced, against a bare undici pool that posts the same signed bodies: CPU per delivery and
// rate, rounds in turn; and how soon an event is on the wire when nothing else is.
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { createCursors } from '../src/kernel/cursor.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { systemIds } from '../src/kernel/ids.ts'
import { createOutbound } from '../src/outbound/outbound.ts'
import { append } from '../src/storage/domain-events.ts'
import { openSqlite } from '../src/storage/sqlite.ts'
import type { Store } from '../src/storage/store.ts'
import type { Webhooks } from '../src/webhooks/create-webhooks.ts'
import { createWebhooks } from '../src/webhooks/create-webhooks.ts'
import { createWebhook } from '../src/webhooks/create-webhook.ts'
import { outboundConfig } from '../test/support/outbound.ts'
import { sessionRow } from '../test/support/rows.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'

const perRound = 5_000
const rounds = 5
const idleEvents = 200
const session = sessionRow()
const baseUrl = 'https://bench.rostrum.org'
const signal = new AbortController().signal
const padding = 'x'.repeat(180)

interface Shape {
  name: string
  endpoints: number
  perEndpoint: number
}

const shapes: readonly Shape[] = [
  { name: 'one endpoint, 32 at once', endpoints: 1, perEndpoint: 32 },
  { name: '16 endpoints, 4 at once each', endpoints: 16, perEndpoint: 4 },
]

interface Cost {
  /** Microseconds of CPU of this process per delivery. */
  cpu: number
  /** Deliveries a second. */
  rate: number
}

async function costOf(count: number, work: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: (user + system) / count, rate: count / ((performance.now() - began) / 1_000) }
}

/** No store, no guard, no log: what posting signed bodies costs by itself. */
async function raw(port: number, { endpoints, perEndpoint }: Shape, bodies: readonly string[]): Promise<Cost> {
  const key = Buffer.alloc(32, 1)
  const pools = Array.from({ length: endpoints }, () => new Pool(`http://127.0.0.1:${port}`, { connections: perEndpoint }))
  let at = 0
  const lane = async (pool: Pool): Promise<void> => {
    for (let n = at++; n < bodies.length; n = at++) {
      const body = bodies[n] ?? ''
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const id = `msg_raw${n}`
      const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Rostrum-Webhooks/0 (+https://bench.rostrum.org/docs/webhooks)',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${mac}`,
      }
      const { body: answer } = await pool.request({ path: '/', method: 'POST', headers, body })
      await answer.dump()
    }
  }
  const cost = await costOf(bodies.length, async () => {
    await Promise.all(pools.flatMap((pool) => Array.from({ length: perEndpoint }, () => lane(pool))))
  })
  await Promise.all(pools.map((pool) => pool.close()))
  return cost
}

function open(store: Store, perEndpoint: number): { webhooks: Webhooks; close(): Promise<void> } {
  const config = outboundConfig({ baseUrl, egressAllow: ['127.0.0.0/8'] })
  const outbound = createOutbound(config, { clock: systemClock, userAgent: 'bench', hosts: '' })
  const webhooks = createWebhooks({
    store,
    clock: systemClock,
    ids: systemIds,
    cursors: createCursors('bench'),
    outbound,
    settings: {
      webhookRetryMs: [120_000, 1_800_000],
      webhookTimeoutMs: 20_000,
      webhookConcurrency: 64,
      webhookEndpointConcurrency: perEndpoint,
      webhookDisableAfterMs: 259_200_000,
      webhookRetentionDays: 30,
    },
    secrets: ['bench'],
    baseUrl,
    version: '0',
    isAlone: true,
    credentialScopes: async () => [],
    audit: async () => undefined,
    warn: (words, error) => console.error(words, error),
  })
  return {
    webhooks,
    async close() {
      await webhooks.close()
      await outbound.close()
    },
  }
}

async function subscribe(webhooks: Webhooks, port: number, count: number): Promise<void> {
  const principal = {
    kind: 'user',
    accountId: session.account_id,
    userId: 'u',
    signInId: 's',
    role: 'owner',
    scopes: [],
    label: 'bench',
  } as const
  const call = { principal, now: 1, requestId: 'r', address: '127.0.0.1', signal }
  for (let n = 0; n < count; n++)
    await createWebhook.bind(webhooks.deps).handle({ url: `http://localhost:${port}/`, event_types: ['attendee.joined'] }, call)
}

let made = 0

/** `count` events of about 600 bytes, committed, not yet taken from the outbox. */
async function addEvents(store: Store, count: number): Promise<void> {
  const one = (n: number) =>
    store.write((tx) =>
      append(tx, {
        type: 'attendee.joined',
        accountId: session.account_id,
        sessionId: session.id,
        at: Date.now(),
        dedupeKey: `bench:${n}`,
        data: {
          runId: null,
          attendee: { id: `a-${n}`, name: padding, kind: 'human', joinedAt: '2026-11-20T12:00:00.000Z' },
          attendeesOnline: 1,
        },
      }),
    )
  for (let left = count; left > 0; left -= 64) await Promise.all(Array.from({ length: Math.min(64, left) }, () => one(made++)))
}

interface Sink {
  port: number
  ask(path: string): Promise<{ ids: number; repeats: number; firsts: [string, number][] }>
  close(): void
}

async function startSink(): Promise<Sink> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('webhook-sink.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<Buffer>((resolve) => void child.stdout.once('data', resolve))
  const port = Number(line.toString())
  return {
    port,
    ask: async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json() as ReturnType<Sink['ask']>,
    close: () => void child.kill(),
  }
}

async function withStore<T>(fn: (store: Store) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-bench-'))
  const store = await openSqlite(directory, { outbox: { baseUrl, consumers: ['webhooks'] }, lock: true })
  try {
    await store.write((tx) => tx.insertInto('sessions').values(session).execute())
    return await fn(store)
  } finally {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Ours: the events are in the outbox; from there to the end of the last attempt in the store. */
async function ours(store: Store, sink: Sink, { endpoints, perEndpoint }: Shape): Promise<Cost> {
  await addEvents(store, perRound / endpoints)
  await sink.ask('/reset')
  const { webhooks, close } = open(store, perEndpoint)
  const cost = await costOf(perRound, async () => {
    await webhooks.start()
    await webhooks.idle()
  })
  await close()
  const left = await store.read.selectFrom('webhook_deliveries').select('id').where('status', '<>', 'succeeded').execute()
  if (left.length > 0) throw new Error(`${left.length} deliveries were not sent.`)
  return cost
}

async function compare(sink: Sink, shape: Shape): Promise<{ cpu: number; rate: number; own: Cost; bare: Cost }> {
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
    const mid = (of: (pair: { own: Cost; bare: Cost }) => number) => median(pairs.map(of))
    return {
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

export async function benchWebhooks(): Promise<Report> {
  const sink = await startSink()
  try {
    const rows: Report['rows'][number][] = []
    const figures: Record<string, number> = {}
    for (const shape of shapes) {
      const { cpu, rate, own, bare } = await compare(sink, shape)
      const cpuWords = `${cpu.toFixed(2)} x (${own.cpu.toFixed(0)} of ${bare.cpu.toFixed(0)} us)`
      const rateWords = `${rate.toFixed(2)} x (${own.rate.toFixed(0)} of ${bare.rate.toFixed(0)}/s)`
      rows.push({ claim: `CPU per delivery, ${shape.name}`, measured: cpuWords, owed: '<= 1.6 x', holds: cpu <= 1.6 })
      rows.push({ claim: `rate, ${shape.name}`, measured: rateWords, owed: '>= 0.5 x', holds: rate >= 0.5 })
      figures[`cpuRatio${shape.endpoints}`] = cpu
      figures[`rateRatio${shape.endpoints}`] = rate
    }
    const p99 = percentile(await latencies(sink), 0.99)
    rows.push({ claim: 'commit to arrival, idle, p99', measured: `${p99} ms`, owed: '< 50 ms', holds: p99 < 50 })
    figures['idleP99Ms'] = p99
    const skipped = ['pg-boss on PostgreSQL: not a dependency of this project']
    return { suite: 'Webhooks (against a bare undici pool in the same run)', rows, figures, skipped }
  } finally {
    sink.close()
  }
}
