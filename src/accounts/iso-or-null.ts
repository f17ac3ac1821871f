// Times on the wire that may be absent.
import { iso } from '../kernel/iso.ts'

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at)
}
