// What a used-up budget of the day means for the talks, said to the host once a day wherever they are.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { usageQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Meter, Usage } from '../data/wire.ts'

const seenKey = 'rostrum.budget-seen'

export const isOver = ({ limit, used }: Meter): boolean => limit !== null && used >= limit

/** A sentence for each budget of the day that is used up; empty where none is. */
export function reachedWords({ modelCalls, spokenCharacters, recognisedSeconds }: Usage['today']): string {
  return [
    isOver(modelCalls) ? 'Answers quote your slides until midnight UTC.' : '',
    isOver(spokenCharacters) ? 'The browser speaks until midnight UTC.' : '',
    isOver(recognisedSeconds) ? 'The browser listens until midnight UTC.' : '',
  ]
    .filter(Boolean)
    .join(' ')
}

/** What of the month is used, from half of it on. */
export function minutesWords({ limit, used }: Meter): string {
  if (limit === null) return ''
  if (used >= limit) return 'The minutes of this month are used up: no new talk begins.'
  const reached = [80, 50].find((share) => used * 100 >= limit * share)
  return reached === undefined ? '' : `${reached} % of the minutes of this month are used.`
}

export function BudgetNotice() {
  const usage = useQuery(usageQuery)
  const [seen, setSeen] = useState(() => localStorage.getItem(seenKey))
  const today = usage.data?.today
  const ofToday = today === undefined ? '' : reachedWords(today)
  const ofMonth = usage.data === undefined ? '' : minutesWords(usage.data.minutes)
  const words = [ofToday && `A budget of today is used up. ${ofToday}`, ofMonth].filter(Boolean).join(' ')
  // Which of them it was counts too: a second budget may end later in the day.
  const mark = `${(ofToday ? today?.resetsAt : usage.data?.resetsAt) ?? ''} ${words}`
  if (words === '' || mark === seen) return null
  return (
    <p class="note note-amber note-with-act" role="status">
      <span>
        {words} <a href="/dashboard/settings/usage">Usage</a>
      </span>
      <Button
        kind="quiet"
        dense
        onClick={() => {
          localStorage.setItem(seenKey, mark)
          setSeen(mark)
        }}
      >
        Dismiss
      </Button>
    </p>
  )
}
