// What leads need of the rest of the product; `app.ts` joins them.
import type { Clock } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { Ids } from '../platform/ids.ts'
import type { Store, Tx } from '../platform/db/store.ts'

export interface LeadsDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  baseUrl: string
  /** Takes the name that an attendee gave in a room out of everything that is kept of their run. */
  eraseName(tx: Tx, seat: { runId: string; attendeeId: string }, now: number): Promise<void>
}
