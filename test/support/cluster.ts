// Two real processes on one PostgreSQL with a crowd of attendees, either of them killed at random and started again (Spec 6.1: each
// fact once): for the test, which asserts that nothing is lost or repeated, and for the bench, which also tells the gaps.
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import type { Account, Member } from './crowd.ts'
import { accountOf, follow } from './crowd.ts'
import { startPostgres } from './postgres.ts'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import { randomOf, under } from './sim/random.ts'
import { moment, placeWitnesses } from './witness.ts'

export interface ClusterOptions {
  attendees: number
  kills: number
  roles: readonly ['all' | 'web', 'all' | 'worker']
  seed?: number
  leaseMs?: number
}

export interface ClusterReport extends Account {
  attendees: number
  events: number
  kills: number
  /** From each kill of an owner to the first event of the next one, in milliseconds, for attendees of both processes: the later of them. */
  gaps: readonly number[]
  /** The same for the earlier of them. */
  firstGaps: readonly number[]
  status: string
}

const joinsAtOnce = 16
const witnessCount = 2
/** For a machine that has much else to do: only what has broken takes so long. */
const patienceMs = 240_000
/** So much of the talk is heard after each kill. */
export const eventsAfterKill = 6
const wordsPerMinute = '900'

/** Begun when everybody is there, and longer than any run of it: a slide takes about five seconds. */
const deck = {
  title: 'Grid storage',
  isLive: true,
  mode: 'broadcast',
  startPolicy: 'host',
  slides: Array.from({ length: 200 }, (_, i) => ({
    textContent: `Part ${i + 1}\n${Array.from({ length: 4 }, (_each, n) => `- A battery of kind ${n} shifts the evening peak of town ${i} by ${n + 2} hours`).join('\n')}`,
  })),
}

async function send(url: string, body: unknown, token = ''): Promise<Record<string, string>> {
  const headers = { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) }
  const post = () => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  let response = await post()
  // Nobody presents the run at this moment: a client repeats what it has sent.
  while (response.status === 503) response = await post()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

/** Null where there is no PostgreSQL for this platform. */
export async function runCluster(options: ClusterOptions): Promise<ClusterReport | null> {
  const postgres = await startPostgres()
  if (postgres === null) return null
  const servers: TestServer[] = []
  const db = new Client({ connectionString: postgres.url })
  try {
    await db.connect()
    const off = Object.fromEntries(['JOIN', 'ROOM', 'API', 'DISCOVERY'].map((name) => [`ROSTRUM_RATE_${name}`, 'off']))
    const common = {
      ...off,
      ROSTRUM_OPEN_RUNS_ADDRESS: 'off',
      DATABASE_URL: postgres.url,
      ROSTRUM_SECRET: crypto.randomUUID() + crypto.randomUUID(),
      ROSTRUM_SPEECH_WPM: wordsPerMinute,
    }
    for (const role of options.roles)
      servers.push(await startServer({ env: { ...common, ROSTRUM_LEASE_MS: String(options.leaseMs ?? 600) }, args: ['--role', role] }))
    return await kills(options, servers, db).catch((cause: unknown) => {
      const words = servers.map((server) => server.printed().slice(-4_000)).join('\n')
      throw new Error(`The processes said:\n${words}`, { cause })
    })
  } finally {
    for (const server of servers) await server.stop().catch(() => undefined)
    await db.end().catch(() => undefined)
    await postgres.stop()
  }
}

async function kills(options: ClusterOptions, servers: readonly TestServer[], db: Client): Promise<ClusterReport> {
  const random = randomOf(options.seed ?? 1)
  const serving = servers.filter((_, index) => options.roles[index] !== 'worker')
  const [first] = serving
  if (first === undefined) throw new Error('No process serves the room.')
  const key = await first.command('key', 'create', '--name', 'cluster')
  const { slug = '' } = await send(`${first.baseUrl}/api/v1/agent/sessions`, deck, key)
  const tokens: string[] = []
  let runId = ''
  const joiner = async () => {
    while (tokens.length < options.attendees + witnessCount) {
      const seat = tokens.push('') - 1
      const joined = await send(`${first.baseUrl}/api/v1/rooms/${slug}/attendees`, {})
      tokens[seat] = joined['attendeeToken'] ?? ''
      runId = joined['runId'] ?? ''
    }
  }
  await Promise.all(Array.from({ length: joinsAtOnce }, joiner))

  let lastSeq = 0
  const ports = serving.map((server) => Number(new URL(server.baseUrl).port))
  const onEvent = ({ seq }: { seq: number }) => void (lastSeq = Math.max(lastSeq, seq))
  let death = { at: 0, epoch: 0, heard: new Map<number, number>() }
  let epochHeard = 0
  const witnesses = await placeWitnesses({ ports, runId, tokens: tokens.splice(0, witnessCount) }, ({ witness, epoch, at }) => {
    epochHeard = Math.max(epochHeard, epoch)
    // Only where its owner died does somebody else take the run.
    if (epoch > death.epoch && !death.heard.has(witness)) death.heard.set(witness, at - death.at)
  })
  const members: Member[] = []
  for (const [index, token] of tokens.entries()) {
    members.push(follow(token, index, { ports, runId, onEvent }))
    if (index % 50 === 49) await wait(50)
  }
  await until('everybody is in the room', () => members.every((member) => member.from !== -1))
  const lead = (action: string) => send(`${first.baseUrl}/api/v1/runs/${runId}/host`, { id: crypto.randomUUID(), action }, key)
  await lead('start')
  await until('the talk has begun', () => lastSeq > 0)

  const gaps: number[] = []
  const firstGaps: number[] = []
  for (let kill = 0; kill < options.kills; kill++) {
    await wait(300 + under(random, 700))
    const victim = servers[under(random, servers.length)]
    death = { at: moment(), epoch: epochHeard, heard: new Map() }
    await victim?.kill()
    await victim?.restart()
    const seq = lastSeq
    await until('the talk goes on', () => lastSeq >= seq + eventsAfterKill)
    const { heard } = death
    await until('both witnesses hear the new owner', () => heard.size === 0 || heard.size === witnessCount)
    if (heard.size > 0) gaps.push(Math.max(...heard.values()))
    if (heard.size > 0) firstGaps.push(Math.min(...heard.values()))
  }
  await witnesses.close()
  await lead('end')
  await until('everybody has heard the end', () => members.every((member) => member.isClosed))
  for (const member of members) member.close()
  const { rows } = await db.query<{ seq: string }>(`SELECT seq FROM run_events WHERE run_id = $1 AND audience = 'room' ORDER BY seq`, [
    runId,
  ])
  const roomSeqs = rows.map((row) => Number(row.seq))
  const status = await db.query<{ status: string }>('SELECT status FROM runs WHERE id = $1', [runId])
  return {
    attendees: members.length,
    events: roomSeqs.length,
    kills: options.kills,
    gaps,
    firstGaps,
    status: status.rows[0]?.status ?? '',
    ...accountOf(members, roomSeqs),
  }
}

/** Polls; only what has broken comes near the end of its patience. */
async function until(claim: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + patienceMs
  while (!holds()) {
    if (performance.now() > end) throw new Error(`It never came to this: ${claim}.`)
    await wait(20)
  }
}
