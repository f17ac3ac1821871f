// The call to action below the captions, never over the slide, and the form for contact details with its consent.
import { useState } from 'preact/hooks'
import { Button, buttonClass } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox, TextArea, TextField } from '../ui/field.tsx'
import { useForm } from '../ui/use-form.ts'
import { useRoom, useView } from './use-room.ts'

/** The link, if it is one that may be opened from here. */
export function safeLink(url: string | null): { href: string; host: string } | null {
  if (url === null) return null
  const parsed = URL.parse(url)
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:') ? { href: url, host: parsed.host } : null
}

export function Offer() {
  const { t, controller } = useRoom()
  const { room, offerHidden } = useView()
  const [open, setOpen] = useState(false)
  const link = safeLink(room.cta.url)
  const shown = !offerHidden && (room.cta.state === 'shown' || room.cta.state === 'clicked') && link !== null
  return (
    <>
      {shown && (
        <aside class="offer" data-testid="cta" aria-label={t('cta.offer')}>
          <div class="offer-link">
            <a
              class={buttonClass('primary')}
              href={link.href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => controller?.openOffer()}
            >
              <bdi>{room.cta.text || link.host}</bdi>
            </a>
            <p class="small muted">{t('cta.opens', { host: link.host })}</p>
          </div>
          <div class="actions">
            <Button kind="quiet" onClick={() => setOpen(true)}>
              {t('cta.details')}
            </Button>
            <Button kind="quiet" onClick={() => controller?.hideOffer()}>
              {t('cta.dismiss')}
            </Button>
          </div>
        </aside>
      )}
      <LeadDialog open={open} onClose={() => setOpen(false)} />
    </>
  )
}

export function LeadDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useRoom()
  return (
    <Dialog open={open} title={t('lead.title')} closeLabel={t('close')} onClose={onClose}>
      <LeadForm />
    </Dialog>
  )
}

export function LeadForm() {
  const { boot, t, controller } = useRoom()
  const view = useView()
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
      <TextField label={t('lead.name')} name="name" autocomplete="name" maxLength={200} />
      <TextField
        label={t('lead.email')}
        name="email"
        type="email"
        autocomplete="email"
        required
        maxLength={254}
        error={form.errors.email}
      />
      <TextField label={t('lead.company')} name="company" autocomplete="organization" maxLength={200} />
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

export function LeadSent({ at }: { at: number | null }) {
  const { boot, t } = useRoom()
  const time = at !== null && new Intl.DateTimeFormat(boot.language, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
  return (
    <div class="note note-accent lead-sent" data-testid="lead-status" role="status">
      <p>{t('lead.sent')}</p>
      {time && <p class="small muted">{t('lead.agreed', { time, text: boot.room.consentText })}</p>}
    </div>
  )
}
