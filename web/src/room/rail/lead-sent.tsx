// That the host has the details, what was agreed and when; or, in a rehearsal, that nobody has them.
import { Check } from 'lucide'
import { Icon } from '../../ui/icon.tsx'
import { timeWords, useRoom } from '../use-room.ts'

export function LeadSent({ at }: { at: number | null }) {
  const { boot, t } = useRoom()
  const time = at !== null && timeWords(boot, at)
  return (
    <div class="note lead-sent" data-testid="lead-status" role="status">
      <p class="lead-done">
        <Icon of={Check} />
        {t(boot.room.kind === 'rehearsal' ? 'lead.rehearsed' : 'lead.sent')}
      </p>
      {time && <p class="small muted">{t('lead.agreed', { time, text: boot.room.consentText })}</p>}
    </div>
  )
}
