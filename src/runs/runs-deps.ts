// What the owner's views of runs need: records of what was held, read from the logs.
import type { Clock } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { Store } from '../platform/db/store.ts'

export interface RunsDeps {
  store: Store
  clock: Clock
  cursors: Cursors
}
