// The last seven days of an endpoint at a glance: a field a day, with what was delivered, or with what failed, marked by a cross.
import { webClock } from '../../ui/clock.ts'
import { count, onDay, onWeekday, plural } from '../parts/format.ts'
import type { Delivery } from './webhook-wire.ts'

const dayMs = 86_400_000
const days = 7

interface Day {
  at: number
  delivered: number
  failed: number
}

/** Deliveries by the day they were made, oldest day first; those before the week are left out. */
export function byDay(deliveries: readonly Delivery[], now: number): Day[] {
  const first = Math.floor(now / dayMs) - days + 1
  const week: Day[] = Array.from({ length: days }, (_, index) => ({ at: (first + index) * dayMs, delivered: 0, failed: 0 }))
  for (const { created_at, status } of deliveries) {
    const day = week[Math.floor(Date.parse(created_at) / dayMs) - first]
    if (day === undefined) continue
    if (status === 'succeeded') day.delivered += 1
    if (status === 'failed') day.failed += 1
  }
  return week
}

export function DeliveryStrip({ deliveries }: { deliveries: readonly Delivery[] }) {
  const week = byDay(deliveries, webClock.now())
  const sum = (of: (day: Day) => number) => week.reduce((total, day) => total + of(day), 0)
  return (
    <div class="week">
      <p class="small muted">
        In the last seven days {count(sum((day) => day.delivered))} delivered, {count(sum((day) => day.failed))} failed.
      </p>
      <ol class="strip" aria-label="Last seven days">
        {week.map((day) => (
          <li key={day.at} class="strip-day">
            <span class="vh">
              {onDay(day.at)}: {plural(day.delivered, 'delivered', 'delivered')}, {plural(day.failed, 'failed', 'failed')}
            </span>
            <span
              aria-hidden="true"
              class={day.failed > 0 ? 'strip-count strip-bad' : day.delivered > 0 ? 'strip-count strip-good' : 'strip-count'}
            >
              {day.failed > 0 ? `✕ ${day.failed}` : day.delivered > 0 ? day.delivered : ''}
            </span>
            <span aria-hidden="true" class="small muted">
              {onWeekday(day.at)}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}
