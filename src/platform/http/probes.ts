// What operators and balancers ask: is the process alive, may it get traffic, what has it measured.
import { timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ServiceError } from '../errors.ts'
import { sha256 } from './idempotency.ts'
import type { Gauges, RequestMetrics } from './observe.ts'
import type { HttpOptions, Route } from './ports.ts'

/** The loop is woken for each look: more of them would be most of what a process at rest does. */
const lookEveryMs = 100

export function probeRoutes(options: Pick<HttpOptions, 'config' | 'ready'>, metrics: RequestMetrics, gauges: Gauges): readonly Route[] {
  const { metricsToken } = options.config
  const delay = monitorEventLoopDelay({ resolution: lookEveryMs })
  delay.enable()
  const processGauges: Gauges = () => ({
    rostrum_resident_bytes: { help: 'Resident memory of this process.', value: process.memoryUsage.rss() },
    rostrum_event_loop_delay_p99_seconds: {
      help: 'Delay of the event loop, 99th percentile since the start.',
      // From one look to the next; the delay is what is over.
      value: Math.max(0, delay.percentile(99) / 1e9 - lookEveryMs / 1e3),
    },
    rostrum_uptime_seconds: { help: 'Seconds since this process started.', value: Math.round(process.uptime()) },
    ...gauges(),
  })
  return [
    { method: 'GET', path: '/healthz', kind: 'document', handle: () => probe(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      kind: 'document',
      async handle() {
        const ready = await options.ready().catch(() => 'The store cannot be reached.')
        return ready === true ? probe(200, { status: 'ready' }) : probe(503, { status: 'not ready', reason: ready })
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      kind: 'document',
      handle({ request, address }) {
        const allowed =
          metricsToken === null ? isFromHere(address, request.headers) : holds(request.headers.get('authorization'), metricsToken)
        // Where it is off, it does not exist.
        if (!allowed) throw new ServiceError('not_found', 'Nothing answers at this address.')
        const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' }
        return new Response(metrics.text(processGauges), { headers })
      },
    },
  ]
}

function probe(status: number, body: object): Response {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return new Response(JSON.stringify(body), { status, headers })
}

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const

/**
 * Asked on this machine for this machine. A proxy beside the service has a loopback address too, and asks for strangers: it names the
 * public host, or says for whom it asks; and a page whose name was made to lead here names its own host.
 */
function isFromHere(address: string, headers: Headers): boolean {
  if (address !== '::1' && !address.startsWith('127.')) return false
  const isOwnHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(headers.get('host') ?? '')
  return isOwnHost && forwarding.every((name) => !headers.has(name))
}

function holds(authorization: string | null, token: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(authorization ?? '')), Buffer.from(sha256(`Bearer ${token}`)))
}
