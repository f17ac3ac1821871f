// Whether the address of a call to action answers: a rehearsal asks, so that the host hears of a dead link before the attendees.
import type { Outbound } from './outbound.ts'

const timeoutMs = 10_000

/** The status of a guarded HEAD, after redirects; null where it cannot be reached. */
export async function reachTarget(outbound: Pick<Outbound, 'request'>, url: string): Promise<number | null> {
  const answer = await outbound.request({ method: 'HEAD', url, maxBytes: 0, timeoutMs, redirects: 3, overflow: 'truncate' })
  return answer.ok ? answer.status : null
}
