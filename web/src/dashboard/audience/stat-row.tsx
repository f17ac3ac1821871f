// The four figures of a session, each with how it compares to the account's median, in words, and what people gave it.
import type { Analytics } from '../data/wire.ts'
import { count, duration, plural } from '../parts/format.ts'
import { difference, type StatName, statNames, type Stats } from './figures.ts'

const words: Record<StatName, string> = {
  totalAttendees: 'Attendees',
  averageEngagementSec: 'Average time',
  questionsCount: 'Questions',
  ctaClicks: 'Offer clicks',
}

const say: Record<StatName, (value: number) => string> = {
  totalAttendees: (value) => count(Math.round(value)),
  // From ten minutes on the seconds say nothing, and do not fit a phone.
  averageEngagementSec: (value) => duration(value < 600 ? value : Math.round(value / 60) * 60),
  questionsCount: (value) => count(Math.round(value)),
  ctaClicks: (value) => count(Math.round(value)),
}

export function StatRow({ stats, middle }: { stats: Stats & Pick<Analytics, 'rating'>; middle?: Stats | undefined }) {
  return (
    <dl class="stats">
      {statNames.map((name) => (
        <div key={name} class="stat" data-testid="stat" data-name={name}>
          <dt>{words[name]}</dt>
          <dd class="stat-value">{say[name](stats[name])}</dd>
          {middle !== undefined && <dd class="small muted">{difference(stats[name], middle[name], say[name])}</dd>}
        </div>
      ))}
      {stats.rating && (
        <div class="stat" data-testid="stat" data-name="rating">
          <dt>Rating</dt>
          <dd class="stat-value">{stats.rating.mean}</dd>
          <dd class="small muted">of 5, by {plural(stats.rating.count, 'person', 'people')}</dd>
        </div>
      )}
    </dl>
  )
}
