// One run that this process presents: a mailbox of inputs, decided in order, written in batches under the lease, and only then acted
// upon. Nothing is told to anybody before it is durable; a lost lease drops everything that is not.
import type { Clock } from '../../platform/clock.ts'
import type { Store, Tx } from '../../platform/db/store.ts'
import type { RunEventRow } from '../tables.ts'
import { minutesLeft } from '../../sessions/usage.ts'
import type { RoomCommand } from '../../contract/commands.ts'
import { answerCommands, appendRunEvents, type CommandAnswer } from '../log/run-log.ts'
import { answerOf } from '../decide/commands.ts'
import { decide, nextDue } from '../decide/machine.ts'
import type { Input, Setting, Task } from '../decide/draft.ts'
import type { RunState } from '../log/run-state.ts'
import type { ContentPort, RunSettings } from '../talks.ts'
import { startedMinutes, type Step, writeFacts } from './facts.ts'
import { openRunSettings } from '../../contract/session.ts'

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
  /** After the commit, with the rows as stored. */
  onAppended(runId: string, rows: readonly RunEventRow[]): void
  onTask(run: LeasedRun, task: Task): void
  /** When the run wants to be woken next. */
  onDue(runId: string, at: number | null): void
  onLost(run: LeasedRun): void
  /** Whether the attendee of this isolated run can hear. */
  streamOpen(runId: string): boolean
  /** A decision threw: a bug, told to the log with no content of the talk. */
  onFault(runId: string, error: unknown): void
}

interface Letter {
  inputs: readonly Input[]
  command?: RoomCommand
  /** The command waits in its table: its answer is written there. */
  isStored?: boolean
  resolve?: (answer: CommandAnswer) => void
  reject?: (error: unknown) => void
}

/** The outcome of a batch, not yet durable. */
interface Batch {
  steps: Step[]
  tasks: Task[]
  answers: { letter: Letter; answer: CommandAnswer }[]
  state: RunState
  /** Where a minute has begun. */
  isOutOfMinutes?: boolean
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
  #minutesWritten = 0
  /** When it last had work, for letting go of runs that are over. */
  touchedAt: number
  readonly #ports: LeasedRunPorts

  constructor(setting: Setting, epoch: number, state: RunState, ports: LeasedRunPorts) {
    this.setting = setting
    this.epoch = epoch
    this.state = state
    this.#ports = ports
    this.touchedAt = ports.clock.now()
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

  put(...inputs: Input[]): void {
    this.#post({ inputs })
  }

  /** Resolves once what follows from the command is durable; rejects with `LostLease` when another process took the run. */
  submit(command: RoomCommand, isStored = false): Promise<CommandAnswer> {
    return new Promise((resolve, reject) => this.#post({ inputs: [], command, isStored, resolve, reject }))
  }

  stop(): void {
    // Its wake may be a successor's by now.
    if (this.#isStopped) return
    this.#isStopped = true
    this.#ports.onDue(this.runId, null)
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
    if (!this.#isStopped) this.#ports.onDue(this.runId, nextDue(this.state, this.setting, this.#streamOpen)?.at ?? null)
  }

  async #turn(letters: readonly Letter[]): Promise<void> {
    this.touchedAt = this.#ports.clock.now()
    let batch: Batch
    let rows: readonly RunEventRow[]
    try {
      // Between two batches, so that what was read last is what counts.
      const isChanged = letters.some(({ command }) => command?.kind === 'settings')
      const session = isChanged ? await this.#ports.content.getSession(this.setting.session.sessionId) : null
      batch = this.#decideAll(letters, session && openRunSettings(session))
      rows = await this.#write(batch)
    } catch (error) {
      for (const { reject } of letters) reject?.(error)
      this.stop()
      return this.#ports.onLost(this)
    }
    this.state = batch.state
    const last = batch.steps.at(-1)
    if (last !== undefined) this.#minutesWritten = startedMinutes(last.state, last.event.at)
    if (batch.isOutOfMinutes !== undefined) this.setting.isOutOfMinutes = batch.isOutOfMinutes
    if (rows.length > 0) this.#ports.onAppended(this.runId, rows)
    for (const { letter, answer } of batch.answers) letter.resolve?.(answer)
    for (const task of batch.tasks) this.#ports.onTask(this, task)
  }

  #decideAll(letters: readonly Letter[], settings: RunSettings | null): Batch {
    const batch: Batch = { steps: [], tasks: [], answers: [], state: this.state }
    for (const letter of letters) {
      // What was due before comes before, whichever of timer and letter was quicker.
      this.#play(batch, { type: 'tick' })
      if (letter.command?.kind === 'settings' && settings !== null) this.#playSettings(batch, settings)
      const answer = this.#playLetter(batch, letter)
      if (answer !== null) batch.answers.push({ letter, answer })
    }
    return batch
  }

  #playSettings(batch: Batch, settings: RunSettings): void {
    this.#play(batch, { type: 'settings', settings })
    this.setting.session = { ...this.setting.session, ...settings }
  }

  #playLetter(batch: Batch, { inputs, command }: Letter): CommandAnswer | null {
    if (command === undefined) {
      for (const input of inputs) this.#play(batch, input)
      return null
    }
    const refusal = this.#play(batch, command)
    return refusal === null ? answerOf(command, batch.state, this.setting) : { ok: false, ...refusal }
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

  /** Writes the batch; a store that fails is tried again, three times, before the run is given up. */
  async #write(batch: Batch): Promise<readonly RunEventRow[]> {
    const { store } = this.#ports
    const kept = batch.answers.filter(({ letter }) => letter.command !== undefined && (letter.isStored === true || isKept(letter.command)))
    if (batch.steps.length === 0 && kept.length === 0) return []
    for (let attempt = 0; ; attempt++) {
      try {
        return await store.write((tx) => this.#commit(tx, batch, kept))
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
    await writeFacts(tx, this.state, batch.steps, this.setting, this.#minutesWritten)
    const last = batch.steps.at(-1)
    if (this.setting.kind === 'live' && last !== undefined && startedMinutes(last.state, last.event.at) > this.#minutesWritten)
      batch.isOutOfMinutes = ((await minutesLeft(tx, this.setting.session.sessionId)) ?? 0) < 0
    const at = this.#ports.clock.now()
    const { runId } = this
    for (const [answer, ids] of storedIds(kept)) await answerCommands(tx, { runId, ids, answer, at })
    for (const { letter, answer } of kept) if (letter.isStored !== true) await this.#keepAnswer(tx, letter, answer, at)
    return rows
  }

  async #keepAnswer(tx: Tx, { command }: Letter, answer: CommandAnswer, at: number): Promise<void> {
    if (command === undefined) return
    const { id, kind, attendeeId } = command
    const row = { run_id: this.runId, id, attendee_id: attendeeId, kind, body: '{}', at, handled_at: at, answer: JSON.stringify(answer) }
    const kept = await tx
      .insertInto('run_commands')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    // A repeat has come by way of another process meanwhile and waits there: it gets this answer, or the next owner would obey it again.
    if (kept === undefined) await answerCommands(tx, { runId: this.runId, ids: [id], answer: JSON.stringify(answer), at })
  }
}

/** Commands that wait in their table, by the answer they get: those of a crowd get the same. */
function storedIds(kept: Batch['answers']): Map<string, string[]> {
  const byAnswer = new Map<string, string[]>()
  for (const { letter, answer } of kept) {
    if (letter.isStored !== true || letter.command === undefined) continue
    const text = JSON.stringify(answer)
    byAnswer.set(text, [...(byAnswer.get(text) ?? []), letter.command.id])
  }
  return byAnswer
}

const keptKinds: ReadonlySet<RoomCommand['kind']> = new Set(['questions', 'control', 'host', 'votes', 'polls', 'lead', 'tell', 'leave'])

/** Commands whose first answer a repeat must get; the others say the same whenever they are repeated. */
export function isKept(command: RoomCommand): boolean {
  return keptKinds.has(command.kind)
}
