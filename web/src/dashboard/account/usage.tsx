// What the account has used of its quotas this month, and of its budgets today.
import { usageQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Meter } from '../data/wire.ts'
import { count, onDay } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page.tsx'
import { isOver, minutesWords, reachedWords } from './budget-notice.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

export function Usage() {
  const usage = useQuery(usageQuery)
  return (
    <>
      <PageHead title="Settings" tab="Usage" />
      <SettingsTabs current="Usage" />
      <div class="tab-body">
        <Loaded query={usage} rows={9} shape="figures">
          {(found) => (
            <div class="meters">
              <MeterRow name="Sessions created" meter={found.sessions} />
              <MeterRow name="Minutes presented" meter={found.minutes} />
              <p class="muted small">
                {minutesWords(found.minutes)} This month, counted in UTC
                {found.resetsAt === undefined || found.resetsAt === null ? '' : `; starts again on ${onDay(found.resetsAt)}`}. Rehearsals
                cost nothing.
              </p>
              <MeterRow name="Stored, in MiB" meter={inMebibytes(found.storedBytes)} />
              <p class="muted small">
                {isOver(found.storedBytes)
                  ? 'Nothing more is stored: uploads are refused until you delete sessions that you no longer need. What is in service stays.'
                  : 'Uploads, pictures and voice of your decks, each counted once.'}
              </p>
              <MeterRow name="Model calls" meter={found.today.modelCalls} />
              <MeterRow name="Characters spoken" meter={found.today.spokenCharacters} />
              <MeterRow name="Seconds recognised" meter={found.today.recognisedSeconds} />
              <p class="muted small">
                {reachedWords(found.today) ||
                  'Today, counted in UTC. At a limit answers quote your slides, and the browser speaks and listens.'}
              </p>
            </div>
          )}
        </Loaded>
      </div>
    </>
  )
}

const mebibyte = 1_048_576
const inMebibytes = ({ limit, used }: Meter): Meter => ({
  limit: limit === null ? null : Math.floor(limit / mebibyte),
  used: Math.ceil(used / mebibyte),
})

function MeterRow({ name, meter }: { name: string; meter: Meter }) {
  return (
    <section class="meter" aria-label={name}>
      <h2>{name}</h2>
      <p class="stat-value">{count(meter.used)}</p>
      <p class="muted">{meter.limit === null ? 'No limit' : `of ${count(meter.limit)}`}</p>
      {meter.limit !== null && <meter aria-label={name} min={0} max={meter.limit} value={meter.used} />}
    </section>
  )
}
