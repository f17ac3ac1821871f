// A simulated room in virtual time: several processes on one store, attendees that acknowledge, ask, repeat their posts and reconnect,
// and processes that die at any instant with writes half done. Everything follows from the seed.
import type { Store } from '../../src/storage/store.ts'
import { manualClock, settle } from './clock.ts'
import type { ManualClock } from './clock.ts'
import type { LiveRoom, TestAttendee } from './live.ts'
import type { TestStream } from './test-stream.ts'
import { liveRoom } from './live.ts'
import { openTestStore } from './stores.ts'

export interface SimOptions {
  seed: number
  mode: 'isolated' | 'broadcast'
  attendees: number
  /** Processes that die during the run. */
  kills: number
  virtualMsMax?: number
}

export interface SimReport {
  store: Store
  runIds: string[]
  clients: SimClient[]
  kills: number
  virtualMs: number
  close(): Promise<void>
}

interface SimProcess {
  room: LiveRoom
  kill(): void
}

/** A store, clock and process that stop dead: nothing that was asked of them is ever answered again. */
function mortal(store: Store, clock: ManualClock): { store: Store; clock: ManualClock; kill(): void } {
  let isDead = false
  const stops: (() => void)[] = []
  const never = <T>() => new Promise<T>(() => undefined)
  const mortalClock: ManualClock = {
    ...clock,
    after(delayMs, fn) {
      return clock.after(delayMs, () => {
        if (!isDead) fn()
      })
    },
  }
  return {
    clock: mortalClock,
    store: {
      ...store,
      read: store.read,
      async write(fn) {
        if (isDead) return never()
        const result = await store.write(fn)
        // The commit may be done although the process did not live to hear of it.
        return isDead ? never() : result
      },
      listen(prefix, listener) {
        const stop = store.listen(prefix, (topic) => {
          if (!isDead) listener(topic)
        })
        stops.push(stop)
        return stop
      },
    },
    kill() {
      isDead = true
      for (const stop of stops) stop()
    },
  }
}

export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** An attendee's client: applies each event once, asks again from its cursor, retries its posts under the same id. */
export class SimClient {
  readonly attendee: TestAttendee
  /** `seq` of every room event applied since the last full snapshot, and that snapshot's. */
  applied: number[] = []
  snapshotSeq = 0
  isClosed = false
  /** Questions in the lobby would be answered there, and a start that comes meanwhile is ignored. */
  hasStarted = false
  gaps: string[] = []
  #cursor: string | undefined
  #stream: TestStream | undefined
  #read = 0
  #host: SimProcess | undefined

  constructor(attendee: TestAttendee) {
    this.attendee = attendee
  }

  async connect(process: SimProcess): Promise<void> {
    this.#stream?.close()
    this.#host = process
    this.#read = 0
    try {
      this.#stream = await process.room.stream(this.attendee.principal, this.attendee.runId, this.#cursor)
    } catch {
      this.#stream = undefined
    }
  }

  isOn(process: SimProcess): boolean {
    return this.#host === process
  }

  drop(): void {
    this.#stream?.close()
    this.#stream = undefined
  }

  get isConnected(): boolean {
    return this.#stream?.isOpen() === true
  }

  /** Applies what has arrived; returns utterances that were begun and wait for an acknowledgement. */
  pump(): string[] {
    const begun: string[] = []
    const messages = this.#stream?.messages ?? []
    for (const { id, event, data } of messages.slice(this.#read)) {
      if (id !== undefined) this.#cursor = id
      if (event === 'snapshot') this.#applySnapshot(data, begun)
      else if (event === 'closed') this.isClosed = data['reason'] !== 'superseded'
      if (event !== 'snapshot' && event !== 'presence' && data['seq'] !== undefined) this.#apply(event, data, begun)
    }
    this.#read = messages.length
    return begun
  }

  #applySnapshot(data: Record<string, unknown>, begun: string[]): void {
    if (data['resumed'] === true) return
    this.snapshotSeq = Number(data['seq'])
    this.applied = []
    const position = data['position'] as { beat?: { beatId: string; phase: string } | null } | null
    if (position?.beat?.phase === 'start') begun.push(position.beat.beatId)
  }

  #apply(event: string, data: Record<string, unknown>, begun: string[]): void {
    const seq = Number(data['seq'])
    if (event === 'beat') this.hasStarted = true
    if (event === 'beat' && data['phase'] === 'start') begun.push(String(data['beatId']))
    if (event === 'answer' && data['phase'] === 'sentence') begun.push(`${String(data['answerId'])}:${String(data['index'])}`)
    if (data['prev'] === undefined) return
    const last = this.applied.at(-1) ?? this.snapshotSeq
    if (seq <= last) this.gaps.push(`seq ${seq} after ${last}`)
    if (Number(data['prev']) > last) this.gaps.push(`prev ${Number(data['prev'])} was never applied, last ${last}`)
    this.applied.push(seq)
  }
}

export async function simulate(options: SimOptions): Promise<SimReport> {
  const { seed, mode, attendees, virtualMsMax = 600_000 } = options
  const random = randomOf(seed)
  const store = await openTestStore()
  const clock = manualClock()
  const began = clock.now()
  let spawned = 0
  const spawn = async (): Promise<SimProcess> => {
    const body = mortal(store, clock)
    const process = { seed: seed * 1_000 + spawned++, store: body.store, clock: body.clock, leaseMs: 1_500 }
    return { room: await liveRoom({ ...process, session: { mode } }), kill: body.kill }
  }
  const processes = [await spawn(), await spawn()]
  const pick = (): SimProcess => processes[Math.floor(random() * processes.length)] ?? (processes[0] as SimProcess)
  const clients: SimClient[] = []
  for (let i = 0; i < attendees; i++) clients.push(new SimClient(await pick().room.join({ name: `Attendee ${i}` })))
  for (const client of clients) await client.connect(pick())

  /** Posts until it was answered, each time with the same id and at any process that lives. */
  const post = (client: SimClient, name: string, body: Record<string, unknown>): void => {
    const id = uuidOf(random)
    const repeats = random() < 0.2 ? 2 : 1
    const send = (): void => {
      let isDone = false
      const { room } = pick()
      void room.call(name, client.attendee.principal, { runId: client.attendee.runId, id, ...body }).then(
        () => void (isDone = true),
        (error: { code?: string }) => void (isDone = error.code !== 'temporarily_unavailable'),
      )
      clock.after(4_000, () => {
        if (!isDone && !client.isClosed && clock.now() - began < virtualMsMax) send()
      })
    }
    for (let i = 0; i < repeats; i++) send()
  }

  let killed = 0
  if (mode === 'isolated') for (const client of clients) post(client, 'control_run', { action: 'start' })
  while (clock.now() - began < virtualMsMax && clients.some((client) => !client.isClosed)) {
    for (const client of clients) {
      const begun = client.pump()
      if (client.isClosed) continue
      for (const utterance of mode === 'isolated' ? begun : []) acknowledge(client, utterance)
      if (!client.isConnected || random() < 0.01) {
        client.drop()
        if (random() < 0.7) await client.connect(pick())
      }
      if (client.hasStarted && random() < 0.02)
        post(client, 'ask_question', { text: `How many bolts has part ${Math.floor(random() * 5)}?`, interrupt: random() < 0.5 })
    }
    // A kill at any instant: sometimes between the writes of one batch of work.
    const turns = Math.floor(random() * 4)
    const moved = clock.advance(Math.floor(random() * 400) + 20)
    if (killed < options.kills && random() < 0.1) {
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
      await kill()
    }
    await moved
  }
  await settle()
  for (const client of clients) client.pump()

  function acknowledge(client: SimClient, utterance: string): void {
    clock.after(Math.floor(random() * 1_500), () => post(client, 'acknowledge_beats', { acks: [{ beatId: utterance, phase: 'ended' }] }))
  }

  async function kill(): Promise<void> {
    const victim = processes.splice(Math.floor(random() * processes.length), 1)[0]
    if (victim === undefined) return
    victim.kill()
    killed++
    for (const client of clients) if (client.isOn(victim)) client.drop()
    processes.push(await spawn())
  }

  return {
    store,
    runIds: [...new Set(clients.map((client) => client.attendee.runId))],
    clients,
    kills: killed,
    virtualMs: clock.now() - began,
    async close() {
      for (const { room } of processes) await room.close()
      await store.close()
    },
  }
}

function uuidOf(random: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16))
  hex[12] = '4'
  hex[16] = '8'
  const text = hex.join('')
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
}
