// What the parts of a simulated room share: chance, time, the processes that live, who is there, and every act with its answers.
import type { Principal } from '../../../server/platform/principal.ts'
import type { ManualClock } from '../clock.ts'
import type { LiveRoom } from '../live.ts'
import type { SimProcess } from './mortal-process.ts'
import { StoreFault } from './mortal-process.ts'
import type { Random } from './random.ts'
import { oneOf, uuidOf } from './random.ts'
import type { SimClient } from './sim-client.ts'

/** One POST, however often it was sent. */
export interface Act {
  id: string
  runId: string
  /** The attendee who sent it, or null for the host. */
  by: string | null
  /** How many prompts for contact details their page had shown them when it was first sent. */
  prompts: number
  name: string
  body: Readonly<Record<string, unknown>>
  sentAt: number
  /** When its first answer came. */
  answeredAt: number | null
  /** Every answer that came: JSON, or `refused: <code>`. */
  answers: string[]
}

export interface SimWorld {
  readonly random: Random
  readonly clock: ManualClock
  readonly mode: 'isolated' | 'broadcast'
  /** Somebody may choose another place of the talk. */
  readonly hasMoves: boolean
  readonly hasPolls: boolean
  readonly processes: SimProcess[]
  readonly clients: SimClient[]
  readonly acts: Act[]
  host: Principal
  isOver: boolean
  readonly runIds: ReadonlySet<string>
  pick(): LiveRoom
  /** Sends until it was answered, under one id, at any process that lives; sometimes twice. */
  post(principal: Principal, runId: string, name: string, body: Record<string, unknown>): Act
}

const retryMs = 4_000
const repeatedShare = 0.2
const overtakenMs = 900

export function openWorld(given: Pick<SimWorld, 'random' | 'clock' | 'mode' | 'hasMoves' | 'hasPolls' | 'host'>): SimWorld {
  const { random, clock } = given
  const world: SimWorld = {
    ...given,
    processes: [],
    clients: [],
    acts: [],
    isOver: false,
    get runIds() {
      return new Set(world.clients.map((client) => client.attendee.runId))
    },
    pick: () => oneOf(random, world.processes).room,
    post(principal, runId, name, body) {
      const by = principal.kind === 'attendee' ? principal.attendeeId : null
      const prompts = world.clients.find((client) => client.attendee.attendeeId === by)?.prompts.size ?? 0
      const act: Act = { id: uuidOf(random), runId, by, prompts, name, body, sentAt: clock.now(), answeredAt: null, answers: [] }
      world.acts.push(act)
      const answered = (answer: string) => {
        act.answeredAt ??= clock.now()
        act.answers.push(answer)
      }
      const send = (): void => {
        if (world.isOver) return
        world
          .pick()
          .call(name, principal, { runId, id: act.id, ...body })
          .then(
            (answer) => answered(JSON.stringify(answer)),
            (error: { code?: string; message?: string }) => {
              if (error.code !== 'temporarily_unavailable' && !(error instanceof StoreFault))
                answered(`refused: ${error.code ?? error.message ?? ''}`)
            },
          )
        clock.after(retryMs, () => {
          if (act.answeredAt === null) send()
        })
      }
      send()
      if (random() < repeatedShare) clock.after(Math.floor(random() * overtakenMs), send)
      return act
    },
  }
  return world
}
