// Attendees in a thread of their own, who note when they hear a new owner of the run for the first time: what they measure is not held
// up by the work of a crowd in the thread that plays it.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { follow } from './crowd.ts'

const placed = z.object({ ports: z.array(z.number()), runId: z.string(), tokens: z.array(z.string()) })
/** To the thread that placed them; the rule means windows. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const say = (words: unknown): void => parentPort?.postMessage(words)

const heardOwner = z.object({ witness: z.number(), epoch: z.number(), at: z.number() })
type HeardOwner = z.infer<typeof heardOwner>

/** Unix milliseconds, the same in every thread. */
export const moment = (): number => performance.timeOrigin + performance.now()

export interface Witnesses {
  close(): Promise<void>
}

/** One for each token, the first at the first process, and so on; ready when all are in the room. */
export async function placeWitnesses(place: z.infer<typeof placed>, onOwner: (heard: HeardOwner) => void): Promise<Witnesses> {
  const worker = new Worker(new URL(import.meta.url), { workerData: place })
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (message: unknown) => (message === 'ready' ? resolve() : onOwner(heardOwner.parse(message))))
  })
  return { close: async () => void (await worker.terminate()) }
}

async function witness(): Promise<void> {
  const { ports, runId, tokens } = placed.parse(workerData)
  const members = tokens.map((token, index) => {
    let last = 0
    const onEvent = ({ epoch }: { epoch: number }) => {
      if (epoch <= last) return
      last = epoch
      say({ witness: index, epoch, at: moment() } satisfies HeardOwner)
    }
    return follow(token, index, { ports, runId, onEvent })
  })
  while (members.some((member) => member.from === -1)) await new Promise((resolve) => setTimeout(resolve, 20))
  say('ready')
}

if (!isMainThread) await witness()
