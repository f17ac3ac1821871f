// What leads need of the rest of the product; `app.ts` joins them.
import type { Ids } from '@rostrum/base/clock'
import type { Cursors } from '../platform/db/cursor.ts'
import type { Store, Tx } from '../platform/db/store.ts'

export interface AddressesFound {
  addresses: { sessionId: string; emailKey: string }[]
  seats: { runId: string; attendeeId: string }[]
}

export interface LeadsDeps {
  store: Store
  ids: Ids
  cursors: Cursors
  /** Takes the name that an attendee gave in a room out of everything that is kept of their run. */
  eraseName(tx: Tx, seat: { runId: string; attendeeId: string }, now: number): Promise<void>
  /** Leads of a talk in an hour, beyond which they are marked as unproven; null: no limit. */
  leadsMax: number | null
  /** In the transaction that marks the leads of an hour: its host is told. */
  burstCame(tx: Tx, sessionId: string, now: number): Promise<void>
  /** In the transaction that writes a new lead: its host is told. */
  leadCame(tx: Tx, sessionId: string, now: number): Promise<void>
  /** Where else the account keeps something under an address, and who came by a link of theirs. */
  addressesOf(tx: Tx, accountId: string, email: string): Promise<AddressesFound>
  /** Takes what else a session keeps under the address of a lead that is erased. */
  eraseAddress(tx: Tx, of: { sessionId: string; emailKey: string }, now: number): Promise<void>
}
