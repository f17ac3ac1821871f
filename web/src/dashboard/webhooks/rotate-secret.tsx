// A new signing secret: the old one also signs for a while, so that the receiver can change over without losing an event.
import { Select, TextField } from '../../ui/field.tsx'
import { call } from '../data/api.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { SigningSecret } from './add-endpoint.tsx'
import { changeEndpoint, refreshEndpoint } from './webhook-queries.ts'
import type { Endpoint } from './webhook-wire.ts'

const graces = [
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: 'Not at all: it leaked' },
] as const

export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const make = async ({ grace = '86400' }: Record<string, string>) => {
    const wish = { id: endpoint.id, grace_seconds: Number(grace) }
    const { secret } = await call('rotate_webhook_secret', wish)
    void refreshEndpoint(endpoint.id)
    return secret
  }
  return (
    <FormDialog
      act="Rotate secret"
      submit={make}
      shown={(secret) => <SigningSecret title="New signing secret" secret={secret} onClose={onClose} />}
      onClose={onClose}
    >
      {() => (
        <>
          <p>A new secret signs from now on. Give your server both until the old one stops.</p>
          <Select label="The old secret signs for" name="grace" value="86400" options={graces} />
        </>
      )}
    </FormDialog>
  )
}

/** Of a CRM: the one in use goes with the next attempt. */
export function NewToken({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  return (
    <FormDialog act="Save token" title="New token" submit={({ token = '' }) => changeEndpoint(endpoint.id, { token })} onClose={onClose}>
      {(errors) => (
        <TextField
          label="Access token"
          name="token"
          type="password"
          autocomplete="off"
          required
          autofocus
          hint="Of a private app that may read and write contacts. It is not shown again."
          error={errors['token']}
        />
      )}
    </FormDialog>
  )
}
