// Sends the events of a stretch of time again: those that failed, or all of them.
import { webClock } from '../../ui/clock.ts'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { call } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
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
  const submit = async ({ since = '', until = '', everything }: Record<string, string>) => {
    const { queued } = await call('recover_webhook', {
      id: endpoint.id,
      since: moment(since),
      ...(until !== '' && { until: moment(until) }),
      ...(everything === 'on' && { statuses: ['failed', 'skipped', 'canceled', 'succeeded'] }),
    })
    await refresh('webhook', endpoint.id)
    showToast({ text: `${plural(queued, 'event')} queued.` })
  }
  return (
    <FormDialog act="Replay" submit={submit} onClose={onClose}>
      {(errors) => (
        <>
          <p>Sends again, oldest first, what happened in this time and did not arrive: failed, skipped or cancelled.</p>
          <TextField label="From" name="since" type="datetime-local" required defaultValue={yesterday()} error={errors['since']} />
          <TextField label="Until" name="until" type="datetime-local" hint="Empty: until now." error={errors['until']} />
          <Checkbox name="everything" label="Also what was delivered" />
        </>
      )}
    </FormDialog>
  )
}
