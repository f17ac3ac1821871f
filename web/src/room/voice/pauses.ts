// Waits that can be cut short: what was awaited came, the device is online again, somebody pressed **Retry now**.
import type { WebClock } from '../../ui/clock.ts'

export interface Pauses {
  pause(ms: number): Promise<void>
  /** Ends every pause that is running. */
  wake(): void
}

export function createPauses(clock: WebClock): Pauses {
  const running = new Set<() => void>()
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        const done = () => {
          cancel()
          running.delete(done)
          resolve()
        }
        const cancel = clock.after(ms, done)
        running.add(done)
      }),
    wake() {
      for (const done of running) done()
    },
  }
}
