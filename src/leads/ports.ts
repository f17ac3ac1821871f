// What leads need of the rest of the product; `app.ts` joins them.
import type { Clock } from '../kernel/clock.ts'
import type { Cursors } from '../kernel/cursor.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Store, Tx } from '../storage/store.ts'

export interface LeadsDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  baseUrl: string
  /** Takes the name that an attendee gave in a room out of everything that is kept of their run. */
  eraseName(tx: Tx, seat: { runId: string; attendeeId: string }, now: number): Promise<void>
}
