// Sends the events of a stretch of time again: those that failed, or all of them.
import { webClock } from '../../ui/clock.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { plural } from '../parts/format.ts'
import type { Endpoint } from './webhook-wire.ts'

const moment = (text: string) => new Date(text).toISOString()

const dayMs = 86_400_000

/** As the field wants it: in the time of this device, without a zone. */
function yesterday(): string {
  const at = webClock.now() - dayMs
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function ReplayRange({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ since = '', until = '', everything }) {
      const { queued } = await call('recover_webhook', {
        id: endpoint.id,
        since: moment(since),
        ...(until !== '' && { until: moment(until) }),
        ...(everything === 'on' && { statuses: ['failed', 'skipped', 'canceled', 'succeeded'] }),
      }).catch((error: unknown) => refusedForm(error))
      await refresh('webhook', endpoint.id)
      showToast({ text: `${plural(queued, 'event')} queued.` })
      onClose()
    },
  })
  return (
    <Dialog open title="Replay" closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit}>
        <p>Sends again, oldest first, what happened in this time and did not arrive: failed, skipped or cancelled.</p>
        <TextField label="From" name="since" type="datetime-local" required defaultValue={yesterday()} error={errors['since']} />
        <TextField label="Until" name="until" type="datetime-local" hint="Empty: until now." error={errors['until']} />
        <Checkbox name="everything" label="Also what was delivered" />
        <FormFoot failure={failure} busy={busy} act="Replay" />
      </form>
    </Dialog>
  )
}
