// A new signing secret: the old one also signs for a while, so that the receiver can change over without losing an event.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call } from '../api.ts'
import { refusedForm } from '../form-errors.ts'
import { refreshEndpoint, webhookPath } from '../webhook-queries.ts'
import type { Endpoint } from '../webhook-wire.ts'
import { SecretDialog } from './add-endpoint.tsx'

const graces = [
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: 'Not at all: it leaked' },
] as const

export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const { failure, busy, onSubmit } = useForm({
    async submit({ grace = '86400' }) {
      const made = await call<{ secret: string }>('POST', webhookPath(endpoint.id, '/rotate'), {
        body: { grace_seconds: Number(grace) },
      }).catch((error: unknown) => refusedForm(error))
      void refreshEndpoint(endpoint.id)
      setSecret(made.secret)
    },
  })
  if (secret !== undefined) return <SecretDialog title="New signing secret" secret={secret} onClose={onClose} />
  return (
    <Dialog open title="Rotate secret" closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit}>
        <Select label="The old secret signs for" name="grace" value="86400" options={graces} />
        {failure !== undefined && (
          <p class="note note-red" role="alert">
            {failure}
          </p>
        )}
        <div class="actions actions-end">
          <Button kind="primary" type="submit" busy={busy}>
            Rotate secret
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
