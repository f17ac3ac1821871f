// What the owner's views of runs need: records of what was held, read from the logs.
import type { Clock } from '../kernel/clock.ts'
import type { Cursors } from '../kernel/cursor.ts'
import type { Store } from '../storage/store.ts'

export interface RunsDeps {
  store: Store
  clock: Clock
  cursors: Cursors
}
