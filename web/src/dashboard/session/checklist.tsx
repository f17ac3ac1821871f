// First visit: four steps that tick themselves from what has really happened, and go away when all are done.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { keysQuery, runsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionRecord } from '../data/wire.ts'
import { hasCopiedLink, rehearse } from './session-acts.ts'

const hiddenKey = 'rostrum.checklist-hidden'
/** The session that a new server brings with it. */
const demoSlug = 'welcome'

export function Checklist({ sessions }: { sessions: readonly SessionRecord[] }) {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null)
  const demo = sessions.find((session) => session.slug === demoSlug)
  const own = sessions.filter((session) => session !== demo)
  const isNew = !isHidden && own.length < 4
  const keys = useQuery({ ...keysQuery, enabled: isNew })
  const rehearsals = useQuery({ ...runsQuery(demo?.id ?? '', 'rehearsal'), enabled: isNew && demo !== undefined })
  if (!isNew || keys.data === undefined) return null
  const withSlides = own.some((session) => session.slidesCount > 0)
  const steps = [
    ...(demo === undefined
      ? []
      : [
          {
            done: (rehearsals.data ?? []).length > 0,
            text: 'Rehearse the demo talk',
            act: <LinkButton onClick={() => void rehearse(demo.id)} label="Rehearse" />,
          },
        ]),
    { done: withSlides, text: 'Add slides of your own', act: <a href="/dashboard/sessions/new">New session</a> },
    { done: hasCopiedLink(), text: 'Copy a join link and send it to someone', act: null },
    {
      done: keys.data.length > 0,
      text: 'Create a key for your code, or connect an agent',
      act: <a href="/dashboard/settings">API keys</a>,
    },
  ]
  if (steps.every((step) => step.done)) return null
  return (
    <section class="checklist" aria-labelledby="checklist-title">
      <div class="section-head">
        <h2 id="checklist-title">Getting started</h2>
        <Button
          kind="quiet"
          dense
          onClick={() => {
            localStorage.setItem(hiddenKey, '1')
            setHidden(true)
          }}
        >
          Hide
        </Button>
      </div>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.text} class={step.done ? 'step step-done' : 'step'}>
            <span class="step-mark" aria-hidden="true">
              {step.done ? '✓' : ''}
            </span>
            <span>
              {step.text}
              {step.done && <span class="vh"> (done)</span>}
            </span>
            {!step.done && step.act}
          </li>
        ))}
      </ol>
    </section>
  )
}

function LinkButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" class="btn-link" onClick={onClick}>
      {label}
    </button>
  )
}
