// Publishing: the checks with their results, who should find the talk, and for a broadcast when it starts. It begins from what the session
// says; a talk without slides to show cannot be sent from here.
import { ownZone } from '../parts/format.ts'
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { sessionQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionChange, SessionRecord } from '../data/wire.ts'
import { GuestsField, guestsIn } from './guest-list.tsx'
import { PublishChecks, useChecks } from './publish-checks.tsx'
import { publish, save, startPolicies } from './session-acts.ts'

const reaches = [
  { value: 'link', label: 'Link only', words: 'Whoever has the link can open it. It is in no list, and search engines do not keep it.' },
  {
    value: 'guests',
    label: 'People I name',
    words: 'Each by a link of their own. Everybody else is told that they need an invitation.',
  },
  {
    value: 'listed',
    label: 'Listed',
    words: 'Also on the front page of this service, and for personal agents and search engines to find.',
  },
] as const

interface PublishFormProps {
  session: SessionRecord
  /** In a page of its own instead of a sheet. */
  isPage?: boolean
  onPublished: () => void
}

export function PublishForm({ session: { id }, isPage = false, onPublished }: PublishFormProps) {
  const { data: session } = useQuery(sessionQuery(id))
  const { checks, canShow } = useChecks({ id })
  const [start, setStart] = useState<string>()
  const [chosen, setReach] = useState<string>()
  const [error, setError] = useState<string>()
  const [isChanged, setChanged] = useState(false)
  if (session === undefined) return null
  const startPolicy = startPolicies.find(({ value }) => value === (start ?? session.startPolicy))?.value ?? 'first_attendee'
  const isOpen = session.status === 'published'
  const reach = chosen ?? (session.guests !== undefined ? 'guests' : session.discoverable ? 'listed' : 'link')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement) || canShow !== true) return
    if (!event.currentTarget.reportValidity()) return
    const data = new FormData(event.currentTarget)
    const startsAt = data.get('startsAt')
    const when: SessionChange =
      session.mode === 'broadcast'
        ? {
            startPolicy,
            ...(typeof startsAt === 'string' && startsAt !== '' ? { startsAt: new Date(startsAt).toISOString(), timeZone: ownZone() } : {}),
          }
        : {}
    const typed = data.get('guests')
    const named = typeof typed === 'string' ? guestsIn(typed) : session.guests === undefined ? {} : { guests: null }
    if ('error' in named) return setError(named.error)
    const isNamed = 'guests' in named && named.guests !== null
    const closed: SessionChange = isNamed ? { registration: null, entry: 'anyone' } : {}
    const change = { ...when, ...named, ...closed, discoverable: reach === 'listed' }
    setError(undefined)
    if (isOpen) {
      setChanged(false)
      return void save(session, change).then(() => showToast({ text: 'Changes saved.' }))
    }
    void publish(session, change)
    onPublished()
  }
  return (
    <form class="form" noValidate onSubmit={submit} onInput={() => setChanged(true)}>
      {isOpen && <p class="note note-accent">This talk is published. What you change here counts for who comes from now on.</p>}
      <PublishChecks id={id} checks={checks} />
      <fieldset class="form">
        <legend>Who can come</legend>
        {reaches.map(({ value, label, words }) => (
          <Fragment key={value}>
            <div class="check">
              <input
                type="radio"
                id={`reach-${value}`}
                name="reach"
                value={value}
                checked={value === reach}
                onChange={() => setReach(value)}
              />
              <label for={`reach-${value}`}>
                {label}
                <span class="field-hint reach-words">{words}</span>
              </label>
            </div>
            {value === 'guests' && reach === value && <GuestsField guests={session.guests} error={error} />}
          </Fragment>
        ))}
      </fieldset>
      {session.mode === 'broadcast' && (
        <div class="pair">
          <Select
            label="Start"
            name="startPolicy"
            value={startPolicy}
            options={startPolicies}
            onChange={({ currentTarget: { value } }) => setStart(value)}
          />
          {startPolicy === 'scheduled' && <TextField label="Starts at" name="startsAt" type="datetime-local" required />}
        </div>
      )}
      {canShow === false && (
        <p class="note note-amber">
          There is nothing to show yet. <a href={`/dashboard/sessions/${id}/slides`}>Add slides</a>, then publish.
        </p>
      )}
      {canShow === undefined && <p class="muted">The rest is looked at, and the talk can be published, once its slides are read.</p>}
      <div class={isPage ? 'actions set-up-foot' : 'actions actions-end'}>
        <Button kind="primary" type="submit" idle={canShow !== true || (isOpen && !isChanged)}>
          {isOpen ? 'Save changes' : 'Publish'}
        </Button>
        {isOpen && <a href={`/dashboard/sessions/${id}`}>To the talk</a>}
      </div>
    </form>
  )
}
