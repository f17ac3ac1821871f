// The dialog **Contact details**; its form is fetched when it opens.
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.tsx'
import { useRoom } from './use-room.ts'

export function LeadDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useRoom()
  const [Form, setForm] = useState<FunctionComponent>()
  useEffect(() => {
    if (open) void import('./lead-form.tsx').then(({ LeadForm }) => setForm(() => LeadForm))
  }, [open])
  return (
    <Dialog open={open} title={t('lead.title')} closeLabel={t('close')} onClose={onClose}>
      {Form && <Form />}
    </Dialog>
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
