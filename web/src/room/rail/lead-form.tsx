// Contact details with their consent: the box is never ticked beforehand, and nothing is sent without it.
// The checks are the browser's own; only their words are ours.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { useRoom } from '../use-room.ts'
import { LeadSent } from './lead-sent.tsx'

const fields = [
  { name: 'name', autocomplete: 'name', maxLength: 200 },
  { name: 'email', autocomplete: 'email', maxLength: 254, type: 'email', required: true },
  { name: 'company', autocomplete: 'organization', maxLength: 200 },
  { name: 'phone', autocomplete: 'tel', maxLength: 40, type: 'tel' },
] as const

/** Brief: a name and an address, for what is sent after the talk. */
export function LeadForm({ isBrief }: { isBrief?: boolean }) {
  const { boot, t, view, controller } = useRoom()
  const [wrong, setWrong] = useState<readonly string[]>([])
  const waiting = view.entries.find((entry) => entry.kind === 'lead')
  if (view.leadSentAt !== null || view.room.hasLead) return <LeadSent at={view.leadSentAt} />
  const sending = waiting?.status === 'sending'
  const known: Readonly<Record<string, string | null | undefined>> = { name: view.room.name, ...view.leadDraft }
  const asked = isBrief ? fields.slice(0, 2) : fields
  const first = asked.find(({ name }) => !known[name])?.name
  const host = boot.room.brand?.name
  const checked = (name: string) =>
    wrong.includes(name) ? { id: `lead-${name}`, 'aria-invalid': true, 'aria-describedby': `lead-${name}-error` } : { id: `lead-${name}` }
  const error = (name: 'email' | 'consent') =>
    wrong.includes(name) && (
      <p id={`lead-${name}-error`} class="field-error">
        {t(`lead.${name}_needed`)}
      </p>
    )
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget
    if (!(form instanceof HTMLFormElement)) return
    const invalid = Array.from(form.querySelectorAll<HTMLInputElement>(':invalid'))
    setWrong(invalid.map((field) => field.name))
    if (invalid[0] !== undefined) return invalid[0].focus()
    const values = Array.from(new FormData(form), ([name, value]) => [name, typeof value === 'string' ? value.trim() : ''] as const)
    if (waiting !== undefined) controller?.discard(waiting.id)
    const notes = isBrief ? { notes: [t('send.title'), view.room.recapUrl].join(': ') } : {}
    controller?.sendLead({ ...notes, ...Object.fromEntries(values.filter(([name, value]) => name !== 'consent' && value !== '')) })
  }
  return (
    <form class="form lead-form" noValidate onSubmit={send}>
      {!isBrief && view.room.cta.text && <p class="muted">{t('lead.for', { offer: view.room.cta.text })}</p>}
      {(isBrief || host || !view.room.cta.text) && (
        <p class="muted">{isBrief ? t('send.why') : host ? t('lead.why_brand', { host }) : t('lead.why')}</p>
      )}
      {asked.map((field) => (
        <div key={field.name} class="field">
          <label for={`lead-${field.name}`}>{t(`lead.${field.name}`)}</label>
          <input
            class="input"
            type="text"
            {...field}
            {...checked(field.name)}
            autofocus={field.name === first}
            defaultValue={known[field.name] ?? undefined}
          />
          {field.name === 'email' && error('email')}
        </div>
      ))}
      {!isBrief && (
        <div class="field">
          <label for="lead-notes">{t('lead.notes')}</label>
          <textarea class="input" id="lead-notes" name="notes" maxLength={4000} rows={2} />
        </div>
      )}
      <div class="check">
        <input type="checkbox" name="consent" required data-testid="consent" {...checked('consent')} />
        <label for="lead-consent">
          <bdi>{boot.room.consentText}</bdi>
        </label>
        {error('consent')}
      </div>
      <div class="actions">
        <Button type="submit" kind="primary" busy={sending}>
          {t(sending ? 'lead.sending' : 'lead.send')}
        </Button>
      </div>
      <p class="field-error" role="alert" data-testid="lead-status">
        {waiting?.status === 'refused' ? waiting.detail : waiting?.status === 'stuck' && t('question.stuck')}
      </p>
    </form>
  )
}
