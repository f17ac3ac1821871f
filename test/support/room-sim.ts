// A simulated room in virtual time: several processes on one store, attendees that acknowledge, ask, repeat their posts and reconnect,
// a host, and processes that die or stand still at any instant with writes half done. Everything follows from the seed.
import { runTopic } from '../../server/runs/log/run-log.ts'
import type { Store } from '../../server/platform/db/store.ts'
import type { Talk } from '@rostrum/contract/talk'
import { manualClock, passUntil } from './clock.ts'
import type { TestAttendee } from './live.ts'
import { rehearsalToken } from './live.ts'
import { askingTalk, sampleSession, sampleTalk } from './sample-talk.ts'
import type { SimProcess } from './sim/mortal-process.ts'
import { mortalProcess, StoreFault } from './sim/mortal-process.ts'
import { oneOf, randomOf, under, uuidOf } from './sim/random.ts'
import { actAsAttendee, actAsHost, listen, simAnswers, windDown } from './sim/sim-acts.ts'
import { SimClient } from './sim/sim-client.ts'
import type { SimWorld } from './sim/sim-world.ts'
import { openWorld } from './sim/sim-world.ts'
import { openTestStore } from './stores.ts'
import type { TestStream } from './test-stream.ts'

export interface SimOptions {
  seed: number
  mode: 'isolated' | 'broadcast'
  attendees: number
  /** Processes that die during the run. */
  kills: number
  kind?: 'live' | 'rehearsal'
  /** `questions`: attendees hear everything and ask; `all`: they and the host do whatever they may. */
  acts?: 'questions' | 'all'
  moderation?: 'auto' | 'manual'
  hasMoves?: boolean
  /** The talk asks its room, which answers. */
  hasPolls?: boolean
  /** Processes that an operator stops: they hand over what they present. */
  stops?: number
  /** Processes that stand still for longer than their lease, and go on. */
  stalls?: number
  slowMs?: number
  lostRings?: number
  failingWrites?: number
  slides?: number
  virtualMsMax?: number
}

export interface SimReport {
  options: SimOptions
  store: Store
  sessionId: string
  runIds: readonly string[]
  clients: readonly SimClient[]
  acts: SimWorld['acts']
  kills: number
  virtualMs: number
  now: number
  /** What processes complained of. */
  faults: readonly unknown[]
  close(): Promise<void>
}

const leaseMs = 1_500
/** How long people do as they like; then everything is led to its end. */
const actsMs = 40_000
const lateMs = 100_000
/** After the end: late posts are answered, and absences noticed, those at a process that died with the last word of the room too: a minute. */
const afterMs = 61_000

export const talkOf = ({ slides, hasPolls }: SimOptions): Talk => (hasPolls === true ? askingTalk(sampleTalk(slides)) : sampleTalk(slides))

/** On a store of its own, or in `given`, which is empty then and stays open. */
export async function simulate(options: SimOptions, given?: Store): Promise<SimReport> {
  const { seed, mode, attendees, kind = 'live', acts = 'questions', virtualMsMax = 600_000 } = options
  const random = randomOf(seed)
  const clock = manualClock()
  const store = given ?? (await openTestStore({ clock }))
  const began = clock.now()
  const hardship = {
    random,
    slowMs: options.slowMs ?? 0,
    lostRings: options.lostRings ?? 0,
    ...(options.failingWrites !== undefined && { failingWrites: options.failingWrites }),
  }
  const session = { mode, moderation: options.moderation ?? ('auto' as const) }
  const answers = acts === 'all' ? { answers: simAnswers(random, clock) } : {}
  const key = kind === 'live' ? {} : { key: rehearsalToken(sampleSession(session)) }
  const dead: SimProcess[] = []
  let spawned = 0
  let killed = 0
  let stopped = 0
  let stalled = 0
  let hostStream: { stream: TestStream; process: SimProcess } | null = null

  const spawn = async (): Promise<void> => {
    const own = { seed: seed * 1_000 + spawned++, store, clock, leaseMs, session, talk: talkOf(options), ...answers }
    world.processes.push(await passUntil(clock, mortalProcess(own, hardship)))
  }
  const host = { kind: 'api_key' as const, accountId: sampleSession().accountId, credentialId: 'key', label: 'Host' }
  const world = openWorld({
    random,
    clock,
    mode,
    hasMoves: options.hasMoves ?? false,
    hasPolls: options.hasPolls ?? false,
    host: { ...host, scopes: ['sessions:read', 'sessions:write'] },
  })

  /** As a page does: again until it is answered. */
  async function sitDown(wanted: { id: string; name: string }): Promise<TestAttendee> {
    for (;;) {
      try {
        return await passUntil(clock, world.pick().join(wanted))
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
      }
    }
  }

  const join = async (): Promise<void> => {
    const wanted = { id: uuidOf(random), name: `Attendee ${world.clients.length}`, ...key }
    const attendee = await sitDown(wanted)
    const again = random() < 0.1 ? await sitDown(wanted) : attendee
    if (again.attendeeId !== attendee.attendeeId || again.runId !== attendee.runId) throw new Error('A repeated join found another seat.')
    const client = new SimClient(again)
    await connect(client)
    world.clients.push(client)
  }

  /** One process fewer; another is started once the clock stands still. */
  function remove(): SimProcess | undefined {
    const victim = world.processes.splice(under(random, world.processes.length), 1)[0]
    if (victim === undefined) return undefined
    dead.push(victim)
    for (const client of world.clients) if (client.isOn(victim)) client.drop()
    if (hostStream?.process === victim) hostStream = null
    return victim
  }

  function kill(): void {
    remove()?.kill()
    killed++
  }

  async function stop(): Promise<void> {
    stopped++
    const victim = remove()
    if (victim === undefined) return
    await passUntil(clock, victim.room.close())
    victim.kill()
  }

  async function connections(client: SimClient): Promise<void> {
    if (client.isGone) return client.drop()
    if (acts === 'all' && random() < 0.002) client.reload()
    if (client.isConnected && random() >= 0.01) return
    client.drop()
    if (random() < 0.7) await connect(client)
  }

  const connect = (client: SimClient) => client.connect(oneOf(random, world.processes), acts === 'all' && random() < 0.2)

  async function turn(client: SimClient, mayAct: boolean): Promise<void> {
    for (const utterance of client.pump()) if (mode === 'isolated') hear(client, utterance)
    if (client.isClosed) return
    await connections(client)
    if (!mayAct || client.isGone) return
    if (acts === 'all') return actAsAttendee(world, client)
    // A question in the lobby is answered there, and a start that comes meanwhile is ignored.
    const { principal, runId } = client.attendee
    if (client.hasStarted && random() < 0.02)
      world.post(principal, runId, 'ask_question', { text: `How many bolts has part ${under(random, 5)}?`, interrupt: random() < 0.5 })
  }

  function hear(client: SimClient, utterance: { id: string; length: number }): void {
    if (acts === 'all') return listen(world, client, utterance)
    clock.after(under(random, 1_500), () => {
      client.heard.set(utterance.id, Infinity)
      const { principal, runId } = client.attendee
      world.post(principal, runId, 'acknowledge_beats', { acks: [{ beatId: utterance.id, phase: 'ended' }] })
    })
  }

  async function hostTurn(openRuns: readonly string[], mayAct: boolean): Promise<void> {
    if (acts !== 'all') return
    for (const runId of openRuns) {
      if (mayAct) actAsHost(world, runId)
      else windDown(world, runId, clock.now() - began > lateMs)
    }
    if (random() >= 0.02) return
    hostStream?.stream.close()
    hostStream = null
    const runId = openRuns[0]
    const process = oneOf(random, world.processes)
    if (runId !== undefined && random() < 0.6) hostStream = await watch(process, runId)
  }

  async function watch(process: SimProcess, runId: string): Promise<typeof hostStream> {
    try {
      return { stream: await process.room.stream(world.host, runId), process }
    } catch (error) {
      if (error instanceof StoreFault) return null
      throw error
    }
  }

  async function trouble(moved: Promise<void>): Promise<void> {
    const turns = under(random, 4)
    if (killed < options.kills && random() < 0.1) {
      // At any instant: sometimes between the writes of one batch of work.
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
      kill()
      await moved
      return spawn()
    }
    if (stopped < (options.stops ?? 0) && random() < 0.05) {
      await moved
      await stop()
      return spawn()
    }
    if (stalled < (options.stalls ?? 0) && random() < 0.05) {
      stalled++
      oneOf(random, world.processes).stall(leaseMs + under(random, 3_000))
    }
    await moved
  }

  await spawn()
  await spawn()
  const late = acts === 'all' ? under(random, attendees) : 0
  for (let i = late; i < attendees; i++) await join()
  if (mode === 'isolated' && acts === 'questions')
    for (const { attendee } of world.clients) world.post(attendee.principal, attendee.runId, 'control_run', { action: 'start' })

  const isDone = (client: SimClient) => client.isClosed
  let known: readonly string[] | null = null
  const stopListening = store.listen(runTopic(''), () => void (known = null))
  for (let elapsed = 0; elapsed < virtualMsMax; elapsed = clock.now() - began) {
    const openRuns = (known ??= await openRunsOf(store))
    if (openRuns.length === 0 && world.clients.every((client) => isDone(client) || client.isGone) && world.clients.length >= attendees)
      break
    const mayAct = acts === 'questions' || elapsed < actsMs
    for (const client of world.clients) await turn(client, mayAct)
    await hostTurn(openRuns, mayAct)
    if (world.clients.length < attendees && (!mayAct || random() < 0.03)) await join()
    await trouble(clock.advance(20 + under(random, 400)))
  }
  stopListening()
  world.isOver = true
  hostStream = null
  await clock.advance(afterMs)
  for (const client of world.clients) client.pump()
  return {
    options,
    store,
    sessionId: sampleSession().sessionId,
    runIds: [...world.runIds],
    clients: world.clients,
    acts: world.acts,
    kills: killed,
    virtualMs: clock.now() - began,
    now: clock.now(),
    faults: [...dead, ...world.processes].flatMap(({ room }) => room.faults),
    async close() {
      for (const process of world.processes) {
        await passUntil(clock, process.room.close())
        process.kill()
      }
      if (given === undefined) await store.close()
    },
  }
}

async function openRunsOf(store: Store): Promise<string[]> {
  const rows = await store.read.selectFrom('runs').select('id').where('ended_at', 'is', null).execute()
  return rows.map((row) => row.id)
}
