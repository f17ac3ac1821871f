// W3C Trace Context: the caller's trace goes on, else one starts here; our span is the parent of what we call.
import type { Ids } from '../kernel/ids.ts'

export interface Trace {
  traceId: string
  spanId: string
  /** The caller's span. */
  parentId?: string
  sampled: boolean
}

const shape = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined where the header is absent or not valid, which the recommendation says to ignore. */
export function continueTrace(traceparent: string | undefined, ids: Ids): Trace | undefined {
  const match = traceparent === undefined ? null : shape.exec(traceparent)
  if (match === null || traceparent?.startsWith('ff')) return undefined
  const [, traceId = '', parentId = '', flags = '', rest] = match
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId) || (rest !== undefined && traceparent?.startsWith('00'))) return undefined
  return { traceId, parentId, spanId: hex(ids, 8), sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function startTrace(ids: Ids): Trace {
  return { traceId: hex(ids, 16), spanId: hex(ids, 8), sampled: true }
}

export function traceparentOf(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
}

/** Drawn and written together: one by one they cost more than all else of a span. No secrets, so they may lie about. */
const pools = new WeakMap<Ids, { text: string; at: number }>()
const poolBytes = 4_096

/** `length` random bytes. */
function hex(ids: Ids, length: number): string {
  let pool = pools.get(ids)
  if (pool === undefined || pool.at + length * 2 > pool.text.length) {
    pool = { text: Buffer.from(ids.bytes(poolBytes)).toString('hex'), at: 0 }
    pools.set(ids, pool)
  }
  const from = pool.at
  pool.at += length * 2
  return pool.text.slice(from, pool.at)
}
