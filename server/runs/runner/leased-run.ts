// One run that this process presents: a mailbox of inputs, decided in order, written in batches under the lease, and only then acted
// upon. Nothing is told to anybody before it is durable; a lost lease drops everything that is not.
import type { Clock } from '@rostrum/base/clock'
import type { Store, Tx } from '../../platform/db/store.ts'
import type { RunEventRow } from '../tables.ts'
import type { MinutesLeft, MinutesPort } from '../../sessions/minutes.ts'
import type { RoomCommand, CommandAnswer } from '@rostrum/contract/commands'
import { answerCommands, answersTo, appendRunEvents } from '../log/run-log.ts'
import { answerOf } from '@rostrum/stage/decide/commands'
import { decide, nextDue } from '@rostrum/stage/decide/machine'
import type { Input, Setting, Task } from '@rostrum/stage/decide/draft'
import type { RunState } from '@rostrum/stage/run-state'
import type { ContentPort } from '../talks.ts'
import type { RunSettings } from '@rostrum/contract/talk'
import { heardSeconds, type Step, writeFacts } from './facts.ts'
import { openRunSettings } from '@rostrum/contract/session'

/** Another process owns the run now. */
export class LostLease extends Error {
  constructor(runId: string) {
    super(`The lease of run ${runId} is lost.`)
    this.name = 'LostLease'
  }
}

export interface LeasedRunPorts {
  store: Store
  clock: Clock
  content: Pick<ContentPort, 'getSession'>
  minutes: MinutesPort
  /** After the commit, with the rows as stored. */
  onAppended(runId: string, rows: readonly RunEventRow[]): void
  onTask(run: LeasedRun, task: Task): void
  onLost(run: LeasedRun): void
  /** Whether the attendee of this isolated run can hear. */
  streamOpen(runId: string): boolean
  /** A decision threw: a bug, told to the log with no content of the talk. */
  onFault(runId: string, error: unknown): void
}

interface Letter {
  input: Input
  /** It is a command that waits in its table. */
  isStored?: boolean
  resolve?: (answer: CommandAnswer) => void
  reject?: (error: unknown) => void
}

/** The outcome of a batch, not yet durable. */
interface Batch {
  steps: Step[]
  tasks: Task[]
  answers: { command: RoomCommand; answer: CommandAnswer; isStored: boolean; resolve: Letter['resolve'] }[]
  state: RunState
  /** In the ledger, with this batch. */
  heardSec: number
  /** Where more was heard. */
  left?: MinutesLeft
}

const lettersPerBatch = 64
const retryDelaysMs = [1_000, 2_000, 4_000]

export class LeasedRun {
  readonly setting: Setting
  readonly epoch: number
  state: RunState
  #mailbox: Letter[] = []
  #isWorking = false
  #working: Promise<void> = Promise.resolve()
  #isStopped = false
  #cancelWake: (() => void) | undefined
  /** In the ledger; null before the first count of a run that another process has presented. */
  #heardSec: number | null
  /** It was taken while nobody was in it, and has not recovered. */
  isAsleep = false
  /** When it last had work, for letting go of runs that are over. */
  touchedAt: number
  readonly #ports: LeasedRunPorts

  constructor(setting: Setting, epoch: number, state: RunState, ports: LeasedRunPorts) {
    this.setting = setting
    this.epoch = epoch
    this.state = state
    this.#ports = ports
    this.touchedAt = ports.clock.now()
    this.#heardSec = state.seq === 0 ? 0 : null
  }

  get runId(): string {
    return this.setting.runId
  }

  /** A broadcast goes by its clock, whoever hears it. */
  get #streamOpen(): boolean {
    return this.setting.mode === 'broadcast' || this.#ports.streamOpen(this.runId)
  }

  /** Nothing is waiting or being written. */
  get isIdle(): boolean {
    return !this.#isWorking && this.#mailbox.length === 0
  }

  put(input: Input): void {
    this.#post({ input })
  }

  /** Resolves once what follows from the command is durable; rejects with `LostLease` when another process took the run. */
  submit(command: RoomCommand, isStored = false): Promise<CommandAnswer> {
    return new Promise((resolve, reject) => this.#post({ input: command, isStored, resolve, reject }))
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelWake?.()
    for (const letter of this.#mailbox.splice(0)) letter.reject?.(new LostLease(this.runId))
  }

  #post(letter: Letter): void {
    if (this.#isStopped) return letter.reject?.(new LostLease(this.runId))
    this.#mailbox.push(letter)
    if (this.#isWorking) return
    this.#isWorking = true
    // Letters of the same tick share one batch.
    this.#working = new Promise((resolve) => queueMicrotask(() => void this.#work().then(resolve)))
  }

  /** Resolves when what was posted so far has been written. */
  settled(): Promise<void> {
    return this.#working
  }

  async #work(): Promise<void> {
    while (this.#mailbox.length > 0 && !this.#isStopped) await this.#turn(this.#mailbox.splice(0, lettersPerBatch))
    this.#isWorking = false
    this.#cancelWake?.()
    const due = this.#isStopped ? null : nextDue(this.state, this.setting, this.#streamOpen)
    const { clock } = this.#ports
    this.#cancelWake = due === null ? undefined : clock.after(Math.max(0, due.at - clock.now()), () => this.put({ type: 'tick' }))
  }

  async #turn(letters: readonly Letter[]): Promise<void> {
    this.touchedAt = this.#ports.clock.now()
    let batch: Batch
    let rows: readonly RunEventRow[]
    try {
      // Between two batches, so that what was read last is what counts.
      const isChanged = letters.some(({ input }) => isSettings(input))
      const session = isChanged ? await this.#ports.content.getSession(this.setting.session.sessionId) : null
      const kept = letters.flatMap(({ input }) => ('kind' in input && isKept(input) ? [input.id] : []))
      const before = await this.#patiently(() => answersTo(this.#ports.store.read, this.runId, kept))
      batch = this.#decideAll(letters, before, session && openRunSettings(session))
      rows = await this.#write(batch)
    } catch (error) {
      for (const { reject } of letters) reject?.(error)
      this.stop()
      return this.#ports.onLost(this)
    }
    this.state = batch.state
    const newlySec = batch.heardSec - (this.#heardSec ?? batch.heardSec)
    if (batch.left !== undefined) this.#heardSec = batch.heardSec
    if (batch.left !== undefined) this.setting.isOutOfMinutes = await this.#isOver(batch.left, newlySec)
    if (rows.length > 0) this.#ports.onAppended(this.runId, rows)
    for (const { resolve, answer } of batch.answers) resolve?.(answer)
    for (const task of batch.tasks) this.#ports.onTask(this, task)
  }

  /** `before`: what commands of these letters were answered the first time. */
  #decideAll(letters: readonly Letter[], before: ReadonlyMap<string, CommandAnswer>, settings: RunSettings | null): Batch {
    const batch: Batch = { steps: [], tasks: [], answers: [], state: this.state, heardSec: 0 }
    for (const { input, isStored = false, resolve } of letters) {
      // What was due before comes before, whichever of timer and letter was quicker.
      this.#play(batch, { type: 'tick' })
      if (!('kind' in input)) {
        this.#play(batch, input)
        continue
      }
      const known = before.get(input.id)
      if (known !== undefined) {
        resolve?.(known)
        continue
      }
      if (isSettings(input) && settings !== null) this.#playSettings(batch, settings)
      const refusal = this.#play(batch, input)
      const answer = refusal === null ? answerOf(input, batch.state, this.setting) : { ok: false as const, ...refusal }
      batch.answers.push({ command: input, answer, isStored, resolve })
    }
    return batch
  }

  #playSettings(batch: Batch, settings: RunSettings): void {
    this.#play(batch, { type: 'settings', settings })
    this.setting.session = { ...this.setting.session, ...settings }
  }

  #play(batch: Batch, input: Input): ReturnType<typeof decide>['refusal'] {
    const moment = { now: this.#ports.clock.now(), epoch: this.epoch, streamOpen: this.#streamOpen }
    let draft: ReturnType<typeof decide>
    try {
      draft = decide(batch.state, input, this.setting, moment)
    } catch (error) {
      this.#ports.onFault(this.runId, error)
      if ('type' in input && input.type === 'fault') return { code: 'run_state', detail: 'The talk cannot go on.' }
      return this.#play(batch, { type: 'fault' })
    }
    draft.events.forEach((event, index) => {
      const state = draft.states[index]
      if (state !== undefined) batch.steps.push({ event, state })
    })
    batch.tasks.push(...draft.tasks)
    batch.state = draft.state
    return draft.refusal
  }

  async #write(batch: Batch): Promise<readonly RunEventRow[]> {
    const kept = batch.answers.filter(({ command, isStored }) => isStored || isKept(command))
    if (batch.steps.length === 0 && kept.length === 0) return []
    return this.#patiently(() => this.#ports.store.write((tx) => this.#commit(tx, batch, kept)))
  }

  /** The talk, or the network that it is heard from, has no minutes left. */
  async #isOver({ ofTalk, ofAddress }: MinutesLeft, seconds: number): Promise<boolean> {
    const { addressMark, session } = this.setting
    const { minutes, clock } = this.#ports
    if (ofTalk !== null && ofTalk <= 0) return true
    return Boolean(addressMark) && !(await minutes.hear(session.sessionId, addressMark ?? '', { seconds, ofAddress, now: clock.now() }))
  }

  /** A store that fails is tried again, three times, before the run is given up. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        const delay = retryDelaysMs[attempt]
        if (error instanceof LostLease || delay === undefined || this.#isStopped) throw error
        this.#ports.onFault(this.runId, error)
        await new Promise<void>((resolve) => void this.#ports.clock.after(delay, resolve))
      }
    }
  }

  async #commit(tx: Tx, batch: Batch, kept: Batch['answers']): Promise<readonly RunEventRow[]> {
    const events = batch.steps.map(({ event: { at, audience, type, data, prev } }) => ({
      at,
      audience,
      type,
      data: prev === undefined ? data : { prev, ...data },
    }))
    const rows = await appendRunEvents(tx, { runId: this.runId, epoch: this.epoch, events })
    if (rows === 'lost') throw new LostLease(this.runId)
    // The fold and the log count alike, or somebody else has written.
    if (rows.length > 0 && rows[0]?.seq !== this.state.seq + 1) throw new LostLease(this.runId)
    const before = this.#heardSec ?? 0
    const after = heardSeconds(batch.steps, before)
    await writeFacts(tx, this.state, batch.steps, this.setting, { before, after })
    batch.heardSec = after
    if (this.setting.kind === 'live' && after > before) {
      const { minutes, clock } = this.#ports
      const { accountId, sessionId } = this.setting.session
      const now = clock.now()
      batch.left = await minutes.left(tx, sessionId, now)
      if (Math.ceil(after / 60) > Math.ceil(before / 60)) await minutes.tell(tx, { accountId, sessionId, now })
    }
    await answerCommands(tx, this.runId, kept, this.#ports.clock.now())
    return rows
  }
}

const isSettings = (input: Input): boolean => 'kind' in input && input.kind === 'settings'

const keptKinds: ReadonlySet<RoomCommand['kind']> = new Set(['questions', 'control', 'host', 'votes', 'polls', 'lead', 'tell', 'leave'])

/** Commands whose first answer a repeat must get; the others say the same whenever they are repeated. */
export function isKept(command: RoomCommand): boolean {
  return keptKinds.has(command.kind)
}
