// What a round of posting costs, and the two that ours is held against: a bare undici pool, and jobs of pg-boss posted through one.
import { createHmac } from 'node:crypto'
import type { PgBoss } from 'pg-boss'
import { Pool } from 'undici'

export interface Shape {
  name: string
  endpoints: number
  perEndpoint: number
}

export interface Cost {
  /** Microseconds of CPU of this process per delivery. */
  cpu: number
  /** Deliveries a second. */
  rate: number
}

export async function costOf(count: number, work: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: (user + system) / count, rate: count / ((performance.now() - began) / 1_000) }
}

const key = Buffer.alloc(32, 1)

async function post(pool: Pool, id: string, body: string): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
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

const poolsOf = (port: number, { endpoints, perEndpoint }: Shape) =>
  Array.from({ length: endpoints }, () => new Pool(`http://127.0.0.1:${port}`, { connections: perEndpoint }))

/** No store, no guard, no log: what posting signed bodies costs by itself. */
export async function raw(port: number, shape: Shape, bodies: readonly string[]): Promise<Cost> {
  const pools = poolsOf(port, shape)
  let at = 0
  const lane = async (pool: Pool): Promise<void> => {
    for (let n = at++; n < bodies.length; n = at++) await post(pool, `msg_raw${n}`, bodies[n] ?? '')
  }
  const cost = await costOf(bodies.length, async () => {
    await Promise.all(pools.flatMap((pool) => Array.from({ length: shape.perEndpoint }, () => lane(pool))))
  })
  await Promise.all(pools.map((pool) => pool.close()))
  return cost
}

const queue = 'webhooks'
const batchMax = 128

/** Its jobs fetched and completed in batches by hand: its own `work` is bound by its polling. */
export async function peer(boss: PgBoss, port: number, shape: Shape, bodies: readonly string[]): Promise<Cost> {
  await boss.insert(
    queue,
    bodies.map((body) => ({ data: { body } })),
  )
  const pools = poolsOf(port, shape)
  const pool = pools[0]
  if (pool === undefined) throw new Error('A shape has an endpoint.')
  const cost = await costOf(bodies.length, async () => {
    for (;;) {
      const jobs = await boss.fetch<{ body: string }>(queue, { batchSize: batchMax })
      if (jobs.length === 0) return
      let at = 0
      const lane = async (): Promise<void> => {
        for (let job = jobs[at++]; job !== undefined; job = jobs[at++]) await post(pool, job.id, job.data.body)
      }
      await Promise.all(Array.from({ length: shape.perEndpoint }, lane))
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      )
    }
  })
  await Promise.all(pools.map((each) => each.close()))
  return cost
}
