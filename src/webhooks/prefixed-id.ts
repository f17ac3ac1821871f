// Identifiers of this area: a prefix and the 32 hex digits of a version 7 UUID, whose order is the order of creation.
import type { Ids } from '../kernel/ids.ts'
import { uuidV7Hex } from '../kernel/ids.ts'

export type Prefix = 'wh' | 'dlv' | 'msg'

export function newId(prefix: Prefix, ids: Ids, now: number): string {
  return `${prefix}_${uuidV7Hex(ids, now)}`
}

/** Every id made at `at` or later is greater, every id made before is smaller. */
export function idBound(prefix: Prefix, at: number): string {
  return `${prefix}_${Math.max(0, Math.floor(at)).toString(16).padStart(12, '0')}`
}
