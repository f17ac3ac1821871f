// Real processes on one PostgreSQL with crowds of attendees, any of them killed and started again, NATS and PostgreSQL too (Spec 6.1:
// each fact once): for the test, which asserts that nothing is lost or repeated, and for the bench, which also tells the gaps.
import { readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import type { Account } from './crowd.ts'
import { type Nats, openNats } from './nats-process.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import type { TestServer } from './server.ts'
import { startServer } from './server.ts'
import { randomOf, under } from './sim/random.ts'
import { moment, placeWitnesses, type Witnesses } from './witness.ts'

type Role = 'all' | 'web' | 'worker'
/** `any`, or one of a role, is killed; NATS is killed, PostgreSQL restarted; `upgrade`: each process is told to end and started again. */
export type Act = 'any' | 'web' | 'worker' | 'nats' | 'postgres' | 'upgrade'

export interface ClusterOptions {
  attendees: number
  acts: readonly Act[]
  roles: readonly Role[]
  /** The attendees spread over so many. */
  rooms?: number
  nats?: boolean
  wordsPerMinute?: number
  /** Without an act, to see what an event costs. */
  quietMs?: number
  seed?: number
  leaseMs?: number
  onStep?(words: string): void
}

export interface ClusterReport extends Account {
  attendees: number
  events: number
  /** From each death of an owner to the first event of the next one, in milliseconds: for the later and the earlier of two attendees of different processes. */
  gaps: readonly number[]
  firstGaps: readonly number[]
  /** Until every room had an event again. */
  silences: readonly { act: Act; ms: number }[]
  statuses: readonly string[]
  /** Of the processes that serve, for an event to an attendee, in a while without an act. */
  writeUs: number
  /** Of each attendee, in those processes. */
  attendeeKb: number
  /** Of the other processes and of PostgreSQL in that while, as shares of a core. */
  workerShare: number
}

const joinsAtOnce = 16
const witnessCount = 2
/** For a machine that has much else to do: only what has broken takes so long. */
const patienceMs = 240_000
/** So much of the talk is heard after each act. */
export const eventsAfterAct = 4

/** Begun when everybody is there, and longer than any run of it: a slide takes about five seconds. */
const deck = {
  title: 'Grid storage',
  isLive: true,
  mode: 'broadcast',
  startPolicy: 'host',
  slides: Array.from({ length: 120 }, (_, i) => ({
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

interface Process {
  role: Role
  server: TestServer
}

/** Null where there is no PostgreSQL for this platform. */
export async function runCluster(options: ClusterOptions): Promise<ClusterReport | null> {
  const postgres = await startPostgres()
  if (postgres === null) return null
  const home = mkdtempSync(join(tmpdir(), 'rostrum-cluster-'))
  const processes: Process[] = []
  const nats = options.nats === true ? await openNats() : undefined
  try {
    const off = Object.fromEntries(['JOIN', 'ROOM', 'API', 'DISCOVERY'].map((name) => [`ROSTRUM_RATE_${name}`, 'off']))
    const env = {
      ...off,
      ROSTRUM_OPEN_RUNS_ADDRESS: 'off',
      DATABASE_URL: postgres.url,
      ROSTRUM_SECRET: crypto.randomUUID() + crypto.randomUUID(),
      ROSTRUM_SPEECH_WPM: String(options.wordsPerMinute ?? 900),
      ROSTRUM_LEASE_MS: String(options.leaseMs ?? 600),
      ...(nats && { NATS_URL: nats.url }),
    }
    for (const [index, role] of options.roles.entries())
      processes.push({ role, server: await startServer({ env, args: ['--role', role], dataDir: join(home, String(index)) }) })
    return await talksUnder(options, { processes, postgres, nats }).catch((cause: unknown) => {
      const words = processes.map(({ server }) => server.printed().slice(-4_000)).join('\n')
      throw new Error(`The processes said:\n${words}`, { cause })
    })
  } finally {
    for (const { server } of processes) await server.stop().catch(() => undefined)
    await nats?.close()
    await postgres.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

interface Room {
  runId: string
  lastSeq: number
  epoch: number
  crowds: readonly Witnesses[]
}

interface Parts {
  processes: readonly Process[]
  postgres: TestPostgres
  nats: Nats | undefined
}

async function talksUnder(options: ClusterOptions, parts: Parts): Promise<ClusterReport> {
  const { processes } = parts
  const step = options.onStep ?? (() => undefined)
  const random = randomOf(options.seed ?? 1)
  const serving = processes.filter(({ role }) => role !== 'worker').map(({ server }) => server)
  const [first] = serving
  if (first === undefined) throw new Error('No process serves the rooms.')
  const key = await first.command('key', 'create', '--name', 'cluster')
  const ports = serving.map((server) => Number(new URL(server.baseUrl).port))
  const memoryBefore = residentKb(serving)
  const perRoom = Math.ceil(options.attendees / (options.rooms ?? 1))

  let death = { at: 0, heard: new Map<Room, Map<number, number>>() }
  const rooms: Room[] = []
  for (let at = 0; at < (options.rooms ?? 1); at++) {
    const { slug = '' } = await send(`${first.baseUrl}/api/v1/agent/sessions`, deck, key)
    const tokens: string[] = []
    const room: Room = { runId: '', lastSeq: 0, epoch: 0, crowds: [] }
    const join = async () => {
      const seat = tokens.push('') - 1
      const joined = await send(`${serving[seat % serving.length]?.baseUrl}/api/v1/rooms/${slug}/attendees`, {})
      tokens[seat] = joined['attendeeToken'] ?? ''
      room.runId = joined['runId'] ?? ''
    }
    // The first of each process has it read the deck.
    while (tokens.length < serving.length) await join()
    const joiner = async () => {
      while (tokens.length < perRoom + witnessCount) await join()
    }
    await Promise.all(Array.from({ length: joinsAtOnce }, joiner))
    const onSeq = (seq: number) => void (room.lastSeq = Math.max(room.lastSeq, seq))
    const onOwner = ({ witness, epoch, at: heardAt }: { witness: number; epoch: number; at: number }) => {
      // Only where its owner died does somebody else take the run.
      if (epoch > room.epoch && death.at > 0) heardIn(room).set(witness, heardAt - death.at)
    }
    const place = { ports, runId: room.runId }
    const crowd = await placeWitnesses({ ...place, tokens: tokens.splice(witnessCount) }, { onSeq })
    room.crowds = [crowd, await placeWitnesses({ ...place, tokens }, { onOwner })]
    rooms.push(room)
    step(`room ${at + 1} has ${perRoom} attendees`)
  }
  function heardIn(room: Room): Map<number, number> {
    const heard = death.heard.get(room) ?? new Map<number, number>()
    death.heard.set(room, heard)
    return heard
  }

  const lead = ({ runId }: Room, action: string) =>
    send(`${first.baseUrl}/api/v1/runs/${runId}/host`, { id: crypto.randomUUID(), action }, key)
  for (const room of rooms) await lead(room, 'start')
  await until('the talks have begun', () => rooms.every(({ lastSeq }) => lastSeq > 0))
  const attendeeKb = (residentKb(serving) - memoryBefore) / options.attendees
  const quiet = await costOf(options.quietMs ?? 0, { rooms, perRoom, processes })
  step('the talks have begun')

  const gaps: number[] = []
  const firstGaps: number[] = []
  const silences: { act: Act; ms: number }[] = []
  for (const act of options.acts) {
    await wait(300 + under(random, 700))
    const epochs = await epochsOf(parts.postgres, rooms)
    for (const room of rooms) room.epoch = epochs.get(room.runId) ?? room.epoch
    death = { at: moment(), heard: new Map() }
    const began = { at: performance.now(), seqs: rooms.map(({ lastSeq }) => lastSeq) }
    const done = carryOut(act, parts, random)
    await until('every room hears something', () => rooms.every(({ lastSeq }, at) => lastSeq > (began.seqs[at] ?? 0)))
    silences.push({ act, ms: performance.now() - began.at })
    await done
    const seqs = rooms.map(({ lastSeq }) => lastSeq)
    await until('the talks go on', () => rooms.every(({ lastSeq }, at) => lastSeq >= (seqs[at] ?? 0) + eventsAfterAct))
    const { heard } = death
    await until('both witnesses hear the new owner', () => [...heard.values()].every(({ size }) => size === witnessCount))
    if (act === 'any' || act === 'worker')
      for (const times of heard.values()) {
        gaps.push(Math.max(...times.values()))
        firstGaps.push(Math.min(...times.values()))
      }
    step(`${act}: every room heard something after ${Math.round(silences.at(-1)?.ms ?? 0)} ms`)
  }
  for (const room of rooms) await lead(room, 'end')
  const db = new Client({ connectionString: parts.postgres.url })
  await db.connect()
  try {
    const sum = { lost: 0, repeated: 0, unordered: 0, resets: 0 }
    const statuses: string[] = []
    let events = 0
    for (const { runId, crowds } of rooms) {
      let status = ''
      for (const end = performance.now() + patienceMs; status !== 'completed' && performance.now() < end; await wait(50))
        status = (await db.query<{ status: string }>('SELECT status FROM runs WHERE id = $1', [runId])).rows[0]?.status ?? ''
      statuses.push(status)
      const { rows } = await db.query<{ seq: string }>(`SELECT seq FROM run_events WHERE run_id = $1 AND audience = 'room' ORDER BY seq`, [
        runId,
      ])
      const roomSeqs = rows.map((row) => Number(row.seq))
      events += roomSeqs.length
      for (const crowd of crowds) {
        const account = await crowd.account(roomSeqs)
        for (const name of ['lost', 'repeated', 'unordered', 'resets'] as const) sum[name] += account[name]
      }
    }
    return { ...sum, attendees: perRoom * rooms.length, events, gaps, firstGaps, silences, statuses, attendeeKb, ...quiet }
  } finally {
    await db.end()
    for (const { crowds } of rooms) for (const crowd of crowds) crowd.close()
  }
}

async function carryOut(act: Act, { processes, postgres, nats }: Parts, random: ReturnType<typeof randomOf>): Promise<void> {
  if (act === 'nats') return nats?.restart()
  if (act === 'postgres') return postgres.restart()
  if (act === 'upgrade') {
    for (const { server } of processes) {
      await server.stop()
      await server.restart()
    }
    return
  }
  const able = processes.filter(({ role }) => act === 'any' || role === act)
  const victim = able[under(random, able.length)]?.server
  await victim?.kill()
  await victim?.restart()
}

async function epochsOf(postgres: TestPostgres, rooms: readonly Room[]): Promise<Map<string, number>> {
  const db = new Client({ connectionString: postgres.url })
  await db.connect()
  try {
    const { rows } = await db.query<{ run_id: string; epoch: string }>(
      'SELECT run_id, MAX(epoch) AS epoch FROM run_events WHERE run_id = ANY($1) GROUP BY run_id',
      [rooms.map(({ runId }) => runId)],
    )
    return new Map(rows.map(({ run_id, epoch }) => [run_id, Number(epoch)]))
  } finally {
    await db.end()
  }
}

/** What the processes take of the machine while nothing happens to them. */
async function costOf(
  ms: number,
  { rooms, perRoom, processes }: { rooms: readonly Room[]; perRoom: number; processes: readonly Process[] },
): Promise<{ writeUs: number; workerShare: number }> {
  if (ms === 0) return { writeUs: 0, workerShare: 0 }
  const heard = () => rooms.reduce((sum, { lastSeq }) => sum + lastSeq, 0)
  const of = (serves: boolean) =>
    processes.filter(({ role }) => (role !== 'worker') === serves).reduce((sum, { server }) => sum + cpuSeconds(server.pid), 0)
  const before = { events: heard(), web: of(true), workers: of(false) }
  await wait(ms)
  const writes = (heard() - before.events) * perRoom
  return { writeUs: ((of(true) - before.web) * 1e6) / writes, workerShare: ((of(false) - before.workers) * 1000) / ms }
}

/** Of a process on Linux, user and system. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const residentKb = (servers: readonly TestServer[]): number =>
  process.platform === 'linux'
    ? servers.reduce((sum, { pid }) => sum + Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0), 0)
    : 0

/** Polls; only what has broken comes near the end of its patience. */
async function until(claim: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + patienceMs
  while (!holds()) {
    if (performance.now() > end) throw new Error(`It never came to this: ${claim}.`)
    await wait(20)
  }
}
