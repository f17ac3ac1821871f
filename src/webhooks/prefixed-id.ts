// Identifiers of this area: a prefix and the 32 hex digits of a version 7 UUID, whose order is the order of creation. Those of
// deliveries are made of two of them (storage/delivery-id.ts).
import type { Ids } from '../kernel/ids.ts'
import { timeDigits, uuidV7Hex } from '../kernel/ids.ts'

export type Prefix = 'wh' | 'msg'

export function newId(prefix: Prefix, ids: Ids, now: number): string {
  return `${prefix}_${uuidV7Hex(ids, now)}`
}

/** Every id made at `at` or later is greater, every id made before is smaller. */
export function idBound(prefix: Prefix, at: number): string {
  return `${prefix}_${timeDigits(at)}`
}
