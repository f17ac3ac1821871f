// The manual clock of the server's tests as the browser's door to time.
import { manualClock } from '../../test/support/clock.ts'
import type { WebClock } from '../src/ui/clock.ts'

export type ManualWebClock = WebClock & { advance(ms: number): Promise<void> }

export function manualWebClock(chance = 0.5): ManualWebClock {
  const clock = manualClock()
  let made = 0
  return { ...clock, advance: (ms) => clock.advance(ms), chance: () => chance, uuid: () => `id-${++made}` }
}
