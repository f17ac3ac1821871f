// Contact details with their consent: the box is never ticked beforehand, and nothing is sent without it. Loaded when it is opened.
import { Button } from '../ui/button.tsx'
import { Checkbox, TextArea, TextField } from '../ui/field.tsx'
import { useForm } from '../ui/use-form.ts'
import { LeadSent } from './lead-dialog.tsx'
import { useRoom, useView } from './use-room.ts'

export function LeadForm() {
  const { boot, t, controller } = useRoom()
  const view = useView()
  const draft = view.leadDraft ?? {}
  const waiting = view.entries.find((entry) => entry.kind === 'lead')
  const form = useForm({
    words: (field) => (field.name === 'consent' ? t('lead.consent_needed') : field.name === 'email' ? t('lead.email_needed') : undefined),
    async submit(values) {
      const { consent: _ticked, ...details } = values
      const filled = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== ''))
      if (waiting !== undefined) controller?.discard(waiting.id)
      controller?.sendLead(filled)
    },
  })
  if (view.leadSentAt !== null || view.room.hasLead) return <LeadSent at={view.leadSentAt} />
  const sending = waiting?.status === 'sending'
  return (
    <form class="form" noValidate onSubmit={form.onSubmit}>
      <TextField label={t('lead.name')} name="name" defaultValue={draft.name} autocomplete="name" maxLength={200} />
      <TextField
        label={t('lead.email')}
        name="email"
        defaultValue={draft.email}
        type="email"
        autocomplete="email"
        required
        maxLength={254}
        error={form.errors.email}
      />
      <TextField label={t('lead.company')} name="company" defaultValue={draft.company} autocomplete="organization" maxLength={200} />
      <TextField label={t('lead.phone')} name="phone" type="tel" autocomplete="tel" maxLength={40} />
      <TextArea label={t('lead.notes')} name="notes" maxLength={4000} rows={2} />
      <Checkbox label={<bdi>{boot.room.consentText}</bdi>} name="consent" required error={form.errors.consent} testId="consent" />
      <div class="actions">
        <Button type="submit" kind="primary" busy={sending}>
          {sending ? t('lead.sending') : t('lead.send')}
        </Button>
      </div>
      <p class="field-error" role="alert" data-testid="lead-status">
        {waiting?.status === 'refused' ? waiting.detail : waiting?.status === 'stuck' ? t('question.stuck') : form.failure}
      </p>
    </form>
  )
}
