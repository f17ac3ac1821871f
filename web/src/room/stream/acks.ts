// What was heard, told to the server in batches: the acknowledgements that drive an isolated run. Cuts must arrive before the act
// that caused them, so controls and questions wait for `settled` (one second at most).
import type { WebClock } from '../../ui/clock.ts'
import { createPauses } from '../voice/pauses.ts'

export interface Ack {
  beatId: string
  phase: 'started' | 'ended' | 'cut'
  chars?: number
  ms?: number | undefined
}

export interface Acks {
  add(ack: Ack): void
  settled(): Promise<void>
  /** The outbox holds no acknowledgement any more. */
  delivered(): void
}

export function createAcks(options: { clock: WebClock; isWanted: () => boolean; send: (body: { acks: readonly Ack[] }) => void }): Acks {
  let open = false
  const { pause, wake } = createPauses(options.clock)
  return {
    add(ack) {
      if (!options.isWanted()) return
      open = true
      options.send({ acks: [ack] })
    },
    settled: () => (open ? pause(1_000) : Promise.resolve()),
    delivered() {
      open = false
      wake()
    },
  }
}
