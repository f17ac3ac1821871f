// Making a key and showing it once.
import { Copy } from '../../ui/copy.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { FieldsRefused } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'
import { isTicked } from '../parts/form-foot.tsx'
import { FreshPasswordField, passwordOf, useFreshPassword } from '../parts/fresh-password.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { scopeWords } from './scope-words.ts'

const daySeconds = 86_400
const lives = [
  { value: String(30 * daySeconds), label: '30 days' },
  { value: String(90 * daySeconds), label: '90 days' },
  { value: String(365 * daySeconds), label: '1 year' },
  { value: 'never', label: 'Never: revoke it yourself when it is no longer needed' },
] as const

export function CreateKey({ onClose }: { onClose: () => void }) {
  const fresh = useFreshPassword()
  const make = async ({ name = '', life = '', password }: Record<string, string>, form: HTMLFormElement) => {
    const scopes = scopeWords.map(({ scope }) => scope).filter((scope) => isTicked(form, scope))
    if (scopes.length === 0) throw new FieldsRefused('Choose at least one thing the key may do.')
    const wish = { name, scopes, expiresIn: life === 'never' ? null : Number(life), ...passwordOf(password) }
    return (await call('create_key', wish).catch(fresh.refuse)).key
  }
  return (
    <FormDialog
      act="Create key"
      words={(field) => (field.name === 'name' && field.validity.valueMissing ? 'Name the key after what will use it.' : undefined)}
      submit={make}
      shown={(secret) => <NewKey title="Your new key" secret={secret} onClose={onClose} />}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={100}
            autofocus
            autocomplete="off"
            placeholder="Production"
            error={errors['name']}
          />
          <fieldset class="form scopes">
            <legend>It may</legend>
            {scopeWords.map(({ scope, words }) => (
              <Checkbox key={scope} name={scope} defaultChecked label={words} />
            ))}
          </fieldset>
          <Select label="Expires" name="life" value={lives[2].value} options={lives} error={errors['expiresIn']} />
          <FreshPasswordField isNeeded={fresh.isNeeded} error={errors['password']} />
        </>
      )}
    </FormDialog>
  )
}

/** A key, once; used after making one and after replacing one. The list is read again once it was seen: what goes would take this along. */
export function NewKey({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const seen = () => {
    onClose()
    void refresh('keys')
  }
  return (
    <ShownOnce title={title} secret={secret} warning="This key is shown once. Copy it now; we keep only its fingerprint." onClose={seen}>
      <Example secret={secret} />
    </ShownOnce>
  )
}

function Example({ secret }: { secret: string }) {
  const address = `${location.origin}/api/v1/agent/sessions`
  return (
    <div class="secret">
      <p>Try it:</p>
      <code class="well">{`curl ${address} \\\n  -H "Authorization: Bearer ${secret.slice(0, 12)}..."`}</code>
      <div class="actions">
        <Copy dense value={`curl ${address} -H "Authorization: Bearer ${secret}"`} label="Copy curl" />
      </div>
    </div>
  )
}
