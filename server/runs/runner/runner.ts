// Presents runs: takes leases, folds logs, wakes runs when something is due, answers questions, hands runs over on shutdown. All
// runs of a process share one renewal and one sweep.
import type { Clock } from '@rostrum/base/clock'
import type { Store } from '../../platform/db/store.ts'
import type { RunEventRow } from '../tables.ts'
import { sentenceSpans } from '@rostrum/deck/sentences'
import { type RoomCommand, roomCommand, type CommandAnswer } from '@rostrum/contract/commands'
import { askOwner, commandsTopic, listWaitingCommands, ownerNotes, type Runs } from '../log/run-log.ts'
import { findRuns, type LeasingDeps, freeAllRunLeases, letSleep, missHosts, openRun, releaseRunLeases, renewRunLeases } from './leases.ts'
import { type AnsweringDeps, type AnswerVoice, createAnswering, firstWordMs } from '../answers.ts'
import type { MinutesPort } from '../../sessions/minutes.ts'
import { cleanUp } from './forget.ts'
import { isKept, LeasedRun, type LeasedRunPorts, LostLease } from './leased-run.ts'
import { createRounds } from '@rostrum/base/work'

export interface RunnerDeps extends AnsweringDeps, LeasingDeps {
  clock: Clock
  minutes: MinutesPort
  /** False for `ROSTRUM_ROLE=web`: the process hands commands on and presents nothing. */
  presents: boolean
  /** This process holds the data directory, so whoever held a lease is dead (SQLite). */
  holdsStore: boolean
  /** Hands fresh rows to the streams of this process, which then need not read them. */
  onAppended?(runId: string, rows: readonly RunEventRow[]): void
  /** Whether an attendee of the run has an open stream, as far as this process knows. */
  streamOpen?(runId: string): boolean
  /** Has the run read before it is taken. */
  foresee?(runId: string): void
}

export interface Runner extends Runs {
  start(): Promise<void>
  /** Finishes what is being written, releases every lease; other processes go on at once. */
  drain(): Promise<void>
  /** Something outside the log changed what is due: a stream opened or closed. */
  nudge(runId: string): void
  readonly owned: number
}

/** What is told of a run, and by nobody who would hear it. */
const passing: ReadonlySet<RoomCommand['kind']> = new Set(['gone', 'leave', 'stop', 'erase', 'settings', 'host_stream'])
/** Runs that are over stay for late clicks and leads, then make room. */
const lingerMs = 60_000
const cleanUpMs = 3_600_000
const runsPerLook = 100
/** Of them. */
const atOnce = 8
/** Between two looks at least. */
const pauseMs = 20
/**
 * The lease of a process that holds the data directory: nobody waits for it to run out but a `rostrum mcp` that came beside one, and
 * to write it costs a sync of the disk.
 */
const heldLeaseMs = 60_000

export function createRunner(given: RunnerDeps): Runner {
  const store: Store = { ...given.store, ...given.store.urgent }
  const leaseMs = given.holdsStore ? heldLeaseMs : given.leaseMs
  const deps: RunnerDeps = { ...given, store, leaseMs }
  const { clock, owner, content } = deps
  const renewMs = Math.max(50, Math.floor(leaseMs / 3))
  const looksMs = Math.max(50, Math.min(1_000, given.leaseMs))
  const runs = new Map<string, LeasedRun>()
  const opening = new Map<string, Promise<LeasedRun | null>>()
  /** Commands that are being obeyed, by their run and id: a repeat gets the same answer. */
  const underWay = new Map<string, Promise<CommandAnswer>>()
  const stops: (() => void)[] = []
  /** A lease may be in our name without a run behind it: a run was given up, or one could not be opened. */
  let mayStray = false
  /** Of the clock, when leases were last written. */
  let renewedAt = Number.NEGATIVE_INFINITY
  let isDraining = false
  let serving: Promise<void> | undefined

  const answering = createAnswering(deps)
  const onFailure = (error: unknown) => deps.onFault('-', error)
  const rounds = createRounds(clock, onFailure)
  const ports: LeasedRunPorts = {
    store,
    clock,
    content,
    minutes: deps.minutes,
    onAppended: (runId, rows) => deps.onAppended?.(runId, rows),
    onTask: (run, task) => answering.perform(run, task),
    onLost: (run) => forget(run),
    streamOpen: (runId) => deps.streamOpen?.(runId) ?? true,
    onFault: deps.onFault,
  }

  /** Once for each: what goes by the id of the run is from then on that of a successor. */
  function forget(run: LeasedRun): void {
    if (runs.get(run.runId) !== run) return
    runs.delete(run.runId)
    mayStray = true
    answering.abortAll(run.runId)
    run.stop()
  }

  /** Takes the run if it is free. `isLate`: also a run that has ended, for what still counts after the end. */
  function take(runId: string, isLate: boolean): Promise<LeasedRun | null> {
    const known = runs.get(runId)
    if (known !== undefined) return Promise.resolve(known)
    const pending = opening.get(runId)
    if (pending !== undefined) return pending
    const opened = openOne(runId, isLate).finally(() => opening.delete(runId))
    opening.set(runId, opened)
    return opened
  }

  async function openOne(runId: string, isLate: boolean): Promise<LeasedRun | null> {
    if (!deps.presents || isDraining) return null
    const opened = await openRun(deps, runId, isLate).catch((error: unknown) => {
      mayStray = true
      throw error
    })
    if (opened === null) return null
    const run = new LeasedRun(opened.setting, opened.epoch, opened.state, ports)
    runs.set(runId, run)
    const isBegun = opened.state.seq > 0
    run.isAsleep = isBegun && isForNobody(run)
    run.put({ type: isBegun && !run.isAsleep ? 'lease_gained' : 'tick' })
    await takeWaiting(run)
    return run
  }

  /** Nobody would hear that the talk goes on. */
  function isForNobody({ runId, setting, state }: LeasedRun): boolean {
    if (setting.mode === 'broadcast') return false
    return given.holdsStore ? deps.streamOpen?.(runId) === false : state.present === 0
  }

  /** Somebody has come to a run that was taken for nobody: it recovers now. */
  function wake(run: LeasedRun): void {
    if (!run.isAsleep) return
    run.isAsleep = false
    run.put({ type: 'lease_gained' })
  }

  /** One that cannot be opened now keeps nobody from the others. */
  async function isTaken(runId: string): Promise<boolean> {
    if (runs.has(runId)) return false
    return (await take(runId, false).catch((error: unknown) => deps.onFault(runId, error))) instanceof LeasedRun
  }

  /**
   * Takes runs that nobody presents; which of several processes gets one, the lease decides. Gives how long until the next look: until
   * the next lease of another process runs out. A lease is renewed when a third of it has passed: one with less than half of it left may
   * be of the dead, and the log of its run is read before it runs out.
   */
  async function look(): Promise<number> {
    const found = await findRuns(store.read, { owner, now: clock.now(), isAlone: given.holdsStore, most: runsPerLook })
    const asleep = await sleeping(found.orphans.filter((runId) => !found.waiting.includes(runId)))
    const wanted = found.orphans.filter((runId) => !asleep.has(runId))
    let taken = asleep.size
    for (let from = 0; from < wanted.length; from += atOnce) {
      const page = await Promise.all(wanted.slice(from, from + atOnce).map(isTaken))
      taken += page.filter(Boolean).length
    }
    if (found.orphans.length === runsPerLook && taken > 0) return look()
    // Nobody else waits for a run that takes long to be opened.
    if (found.waiting.length > 0) serving ??= serveAll(found.waiting).finally(() => (serving = undefined))
    const lateAt = clock.now() + leaseMs / 2
    for (const { runId } of found.lapses.filter(({ at }) => at <= lateAt)) deps.foresee?.(runId)
    const [next] = found.lapses
    if (next === undefined) return looksMs
    return Math.min(looksMs, Math.max(pauseMs, (next.at <= lateAt ? next.at : next.at - leaseMs / 2) - clock.now()))
  }

  async function sleeping(runIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (runIds.length === 0) return new Set()
    return store.write((tx) => letSleep(tx, runIds, { owner, now: clock.now(), isAlone: given.holdsStore }))
  }

  async function serveAll(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) await serveWaiting(runId).catch(onFailure)
  }

  /** Commands that other processes wrote down for this run, in the order of their arrival. */
  async function takeWaiting(run: LeasedRun): Promise<void> {
    const rows = await listWaitingCommands(store.read, run.runId, 1_000)
    for (const row of rows) {
      // One of another version is left to an owner that knows it.
      const { data: command } = roomCommand.safeParse(JSON.parse(row.body))
      // A failed attempt is found waiting again.
      if (command !== undefined) hand(run, command, true).catch(() => undefined)
    }
  }

  /** To the run, with what the voice can add to it. */
  function hand(run: LeasedRun, command: RoomCommand, isStored = false): Promise<CommandAnswer> {
    if (!passing.has(command.kind)) wake(run)
    const obey = async () => {
      const said = deps.voice !== undefined && isToBeSaid(command) ? await voiced(deps.voice, run, command) : command
      return run.submit(said, isStored)
    }
    const key = `${run.runId} ${command.id}`
    if (!isStored && !isKept(command)) return obey()
    const answer = underWay.get(key) ?? obey().finally(() => underWay.delete(key))
    underWay.set(key, answer)
    return answer
  }

  /** Null where another process presents the run. */
  async function submitIfOwned(runId: string, command: RoomCommand): Promise<CommandAnswer | null> {
    const run = await take(runId, true)
    if (run === null) return null
    try {
      return await hand(run, command)
    } catch (error) {
      if (error instanceof LostLease) return null
      throw error
    }
  }

  async function renew(): Promise<void> {
    const at = clock.elapsed()
    const held = [...runs.values()]
    // Nobody takes a lease from who holds the store.
    const isDue = held.length > 0 && (!given.holdsStore || at - renewedAt >= renewMs)
    if (!isDue && !mayStray) return
    mayStray = false
    const kept = await store
      .write((tx) => renewRunLeases(tx, { owner, now: clock.now(), leaseMs }))
      .catch((error: unknown) => {
        mayStray = true
        throw error
      })
    renewedAt = at
    for (const run of held) if (kept.get(run.runId) !== run.epoch) forget(run)
    const strays = [...kept].filter(([runId]) => !runs.has(runId) && !opening.has(runId)).map(([runId, epoch]) => ({ runId, epoch }))
    if (strays.length > 0) await store.write((tx) => releaseRunLeases(tx, strays))
  }

  async function sweep(): Promise<void> {
    // Runs that are over and quiet.
    for (const run of runs.values()) if (run.state.closed && run.isIdle && clock.now() - run.touchedAt > lingerMs) forget(run)
    await missHosts({ store, clock, owner }, runs.values())
  }

  /** A run may have ended since: late clicks and leads still count. */
  async function serveWaiting(runId: string): Promise<void> {
    const run = runs.get(runId)
    if (run === undefined) await take(runId, true)
    else await takeWaiting(run)
  }

  const noteForOwner = ownerNotes({ store: given.store, clock })

  return {
    async submit(runId, command) {
      return (await submitIfOwned(runId, command)) ?? askOwner({ store: given.store, clock }, runId, command)
    },
    async note(runId, command) {
      if ((await submitIfOwned(runId, command)) === null) await noteForOwner(runId, command)
    },
    async adopt(runId) {
      // Who asked for the run has it; what keeps it from being opened now is tried again.
      await take(runId, false).catch((error: unknown) => deps.onFault(runId, error))
    },
    async start() {
      if (!deps.presents) return
      if (deps.holdsStore) await store.write((tx) => freeAllRunLeases(tx))
      stops.push(store.listen(commandsTopic(''), (topic) => void onCommands(topic.slice(commandsTopic('').length))))
      rounds.every(given.holdsStore ? looksMs : renewMs, renew)
      rounds.every(looksMs, sweep)
      rounds.every(cleanUpMs, () => cleanUp(given.store, clock.now()))
      // A store that is busy now is asked again; it need not keep the process from its other work.
      rounds.every(looksMs, look, (await look().catch(onFailure)) ?? looksMs)
      await sweep().catch(onFailure)
    },
    async drain() {
      if (isDraining) return
      isDraining = true
      for (const stop of stops) stop()
      const ended = rounds.stop()
      // A sweep may be taking up a run, and the store is closed after this.
      await Promise.allSettled([ended, ...opening.values()])
      const held = [...runs.values()]
      await Promise.all(held.map((run) => run.settled()))
      for (const run of held) forget(run)
      // Where the store is away, others take the runs once their leases have ended.
      if (held.length > 0) await store.write((tx) => releaseRunLeases(tx, held)).catch(onFailure)
      await serving
    },
    nudge(runId) {
      const run = runs.get(runId)
      if (run !== undefined) {
        if (deps.streamOpen?.(runId) === true) wake(run)
        return run.put({ type: 'tick' })
      }
      // Where others may present it, whoever comes back tells it so.
      if (given.holdsStore && deps.streamOpen?.(runId) === true) void isTaken(runId)
    },
    get owned() {
      return runs.size
    },
  }

  async function onCommands(runId: string): Promise<void> {
    const run = runs.get(runId)
    try {
      if (run !== undefined) await takeWaiting(run)
    } catch (error) {
      deps.onFault(runId, error)
    }
  }
}

// What a host writes in answer, in the server's voice: its sentences get their clips before the command reaches the machine, so that
// nothing of it can be lost between two events. A voice that is late leaves the sentence to the browser.

/** The host's own words, where a voice is to say them to the room. */
function isToBeSaid(command: RoomCommand): command is RoomCommand & { kind: 'host'; text: string } {
  if (command.kind !== 'host' || command.text === undefined || command.sentences !== undefined) return false
  return command.action === 'say' || (command.action === 'answer_text' && command.private !== true)
}

/** The command with its sentences and those of their clips that came in time. Never rejects. */
async function voiced(
  voice: AnswerVoice,
  { setting }: LeasedRun,
  command: RoomCommand & { kind: 'host'; text: string },
): Promise<RoomCommand> {
  const { sessionId, voice: wanted } = setting.session
  const signal = new AbortController().signal
  const texts = sentenceSpans(command.text).map(({ start, end }) => command.text.slice(start, end))
  const sentences = texts.map(async (text) => {
    const clip = await voice.say({ sessionId, text, voice: wanted }, firstWordMs, signal)
    return clip === null ? { text } : { text, clip: { audioUrl: clip.url, audioMs: clip.ms } }
  })
  return { ...command, sentences: await Promise.all(sentences) }
}
