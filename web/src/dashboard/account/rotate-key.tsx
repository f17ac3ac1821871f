// A key in the place of another: the old one works on for a while, so that code can change over without a refused call.
import { Select } from '../../ui/field.tsx'
import { call } from '../data/api.ts'
import type { ApiKey } from '../data/wire.ts'
import { FreshPasswordField, passwordOf, useFreshPassword } from '../parts/fresh-password.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { NewKey } from './create-key.tsx'

const graces = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '0', label: 'Not at all: it leaked' },
] as const

export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const fresh = useFreshPassword()
  const make = async ({ grace = '86400', password }: Record<string, string>) => {
    const wish = { keyId: apiKey.id, graceSeconds: Number(grace), ...passwordOf(password) }
    return (await call('rotate_key', wish).catch(fresh.refuse)).key
  }
  return (
    <FormDialog
      act="Rotate key"
      title={`Rotate ${apiKey.name}`}
      submit={make}
      shown={(secret) => <NewKey title={`New key for ${apiKey.name}`} secret={secret} onClose={onClose} />}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <p>A new key with the same rights takes its place. Webhooks it made go on.</p>
          <Select label="The old key works on for" name="grace" value="86400" options={graces} error={errors['graceSeconds']} />
          <FreshPasswordField isNeeded={fresh.isNeeded} error={errors['password']} />
        </>
      )}
    </FormDialog>
  )
}
