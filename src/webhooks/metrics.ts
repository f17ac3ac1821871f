// What operators see of the dispatcher: counters of this process, and the backlog of the store, read now and then.
import type { Clock } from '../platform/clock.ts'
import { counter, type Gauges } from '../platform/http/observe.ts'
import type { Store } from '../platform/db/store.ts'
import type { AttemptRow } from '../platform/db/tables.ts'

export interface WebhookMetrics {
  attempted(outcome: AttemptRow['outcome'], ms: number): void
  expanded(events: number, lagMs: number): void
  /** Reads the backlog, every ten seconds at most. */
  sample(): Promise<void>
  gauges: Gauges
}

const sampleMs = 10_000
const outcomes = ['succeeded', 'failed', 'blocked'] as const

export function createMetrics(store: Store, clock: Clock): WebhookMetrics {
  const counts: Record<AttemptRow['outcome'], number> = { succeeded: 0, failed: 0, blocked: 0, interrupted: 0 }
  let seconds = 0
  let lagSeconds = 0
  let backlog = 0
  let nextSampleAt = 0
  let oldestDueAt: number | null = null
  return {
    attempted(outcome, ms) {
      counts[outcome]++
      seconds += ms / 1000
    },
    expanded(events, lagMs) {
      lagSeconds = events === 0 ? 0 : lagMs / 1000
    },
    async sample() {
      if (clock.elapsed() < nextSampleAt) return
      nextSampleAt = clock.elapsed() + sampleMs
      const row = await store.read
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('due_at').as('due_at')])
        .where('due_at', 'is not', null)
        .executeTakeFirst()
      backlog = row?.count ?? 0
      oldestDueAt = row?.due_at ?? null
    },
    gauges() {
      const count = outcomes.reduce((sum, outcome) => sum + counts[outcome], 0)
      return {
        rostrum_webhook_attempts_total: counter(
          'Webhook attempts of this process by how they ended.',
          'outcome',
          outcomes.map((outcome) => [outcome, counts[outcome]]),
        ),
        rostrum_webhook_attempt_seconds: {
          help: 'Time that webhook attempts of this process took.',
          type: 'summary',
          value: [
            { suffix: '_sum', value: seconds },
            { suffix: '_count', value: count },
          ],
        },
        rostrum_webhook_backlog: { help: 'Deliveries that wait or are on the wire, at the last reading.', value: backlog },
        rostrum_webhook_oldest_due_seconds: {
          help: 'How long the longest due delivery has waited.',
          value: oldestDueAt === null ? 0 : Math.max(0, (clock.now() - oldestDueAt) / 1000),
        },
        rostrum_webhook_expand_lag_seconds: { help: 'Age of the oldest event when it was taken from the outbox.', value: lagSeconds },
      }
    },
  }
}
