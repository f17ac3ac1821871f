// What was heard, told to the server in batches: the acknowledgements that drive an isolated run. Cuts must arrive before the act
// that caused them, so controls and questions wait for `settled` (one second at most).
import type { WebClock } from '../ui/clock.ts'

export interface Ack {
  beatId: string
  phase: 'ended' | 'cut'
  chars: number
}

export interface Acks {
  add(ack: Ack): void
  settled(): Promise<void>
  /** The outbox holds no acknowledgement any more. */
  delivered(): void
}

export function createAcks(options: { clock: WebClock; isWanted: () => boolean; send: (body: { acks: readonly Ack[] }) => void }): Acks {
  let open = false
  let waiters: (() => void)[] = []
  const release = () => {
    const all = waiters
    waiters = []
    for (const done of all) done()
  }
  return {
    add(ack) {
      if (!options.isWanted()) return
      open = true
      options.send({ acks: [ack] })
    },
    settled() {
      if (!open) return Promise.resolve()
      return new Promise((resolve) => {
        const cancel = options.clock.after(1_000, resolve)
        waiters.push(() => {
          cancel()
          resolve()
        })
      })
    },
    delivered() {
      open = false
      release()
    },
  }
}
