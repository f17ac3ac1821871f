// Attendees of one room in a process of their own, who note when they hear a new owner of the run for the first time and in the end
// hold what they got against the log: neither the work of another crowd nor the limit of open files of one process is in their way.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Account, accountOf, follow } from './crowd.ts'

const placed = z.object({ ports: z.array(z.number()), runId: z.string(), tokens: z.array(z.string()) })
const asked = z.object({ roomSeqs: z.array(z.number()) })
const account = z.object({ lost: z.number(), repeated: z.number(), unordered: z.number(), resets: z.number() })
const told = z.union([
  z.object({ isReady: z.boolean() }),
  z.object({ seq: z.number() }),
  z.object({ witness: z.number(), epoch: z.number(), at: z.number() }),
  z.object({ account }),
])
type Told = z.infer<typeof told>

/** Unix milliseconds, the same in every process. */
export const moment = (): number => performance.timeOrigin + performance.now()

export interface Listening {
  onOwner?(heard: { witness: number; epoch: number; at: number }): void
  /** The latest event that anybody of them has. */
  onSeq?(seq: number): void
}

export interface Witnesses {
  /** When everybody has heard the end; ends the process. */
  account(roomSeqs: readonly number[]): Promise<Account>
  close(): void
}

/** One for each token, the first at the first process, and so on; resolves when all are in the room. */
export async function placeWitnesses(place: z.infer<typeof placed>, { onOwner, onSeq }: Listening): Promise<Witnesses> {
  const child = fork(fileURLToPath(import.meta.url), [], { execArgv: [] })
  let onAccount: (account: Account) => void = () => undefined
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`A crowd ended with ${code}.`)))
    child.on('message', (message) => {
      const words = told.parse(message)
      if ('isReady' in words) resolve()
      else if ('seq' in words) onSeq?.(words.seq)
      else if ('account' in words) onAccount(words.account)
      else onOwner?.(words)
    })
    child.send(place)
  })
  return {
    async account(roomSeqs) {
      const answer = new Promise<Account>((resolve) => (onAccount = resolve))
      child.send({ roomSeqs })
      const result = await answer
      child.kill('SIGKILL')
      return result
    },
    close: () => void child.kill('SIGKILL'),
  }
}

/** The body of the process. */
function serveCrowd(say: (words: Told) => unknown): void {
  process.once('message', (message) => {
    const { ports, runId, tokens } = placed.parse(message)
    let lastSeq = 0
    const members = tokens.map((token, index) => {
      let last = 0
      const onEvent = ({ epoch, seq }: { epoch: number; seq: number }) => {
        if (seq > lastSeq) say({ seq: (lastSeq = seq) })
        if (epoch <= last) return
        last = epoch
        if (index < witnessMost) say({ witness: index, epoch, at: moment() })
      }
      return follow(token, index, { ports, runId, onEvent })
    })
    void when(() => members.every((member) => member.from !== -1)).then(() => say({ isReady: true }))
    process.once('message', (end) => {
      const { roomSeqs } = asked.parse(end)
      void when(() => members.every((member) => member.isClosed)).then(() => say({ account: accountOf(members, roomSeqs) }))
    })
  })
}

const witnessMost = 2

async function when(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => void setTimeout(resolve, 20))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveCrowd((words) => process.send?.(words))
