// Making a key and showing it once. The secret lives in this component alone: closing the dialog is the end of it here.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Copy, Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { FieldsRefused, useForm } from '../../ui/use-form.ts'
import { call } from '../api.ts'
import { useFreshPassword } from '../fresh-password.ts'
import { scopeWords } from '../scope-words.ts'
import { refresh } from '../use-query.ts'

const daySeconds = 86_400
const lives = [
  { value: String(30 * daySeconds), label: '30 days' },
  { value: String(90 * daySeconds), label: '90 days' },
  { value: String(365 * daySeconds), label: '1 year' },
  { value: 'never', label: 'Never: revoke it yourself when it is no longer needed' },
] as const

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const [isCopied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  const close = () => {
    if (secret === undefined || isCopied || isWarned) onClose()
    else setWarned(true)
  }
  return (
    <Dialog
      open
      title={secret === undefined ? 'Create key' : 'Your new key'}
      closeLabel="Close"
      dismissible={secret === undefined}
      wide={secret !== undefined}
      onClose={close}
    >
      {secret === undefined ? (
        <KeyForm onMade={setSecret} />
      ) : (
        <div class="form">
          <Secret
            value={secret}
            label="Copy"
            copiedLabel="Copied"
            failedLabel="Copy it by hand"
            warning="This key is shown once. Copy it now; we keep only its fingerprint."
            onCopied={() => setCopied(true)}
          />
          <Example secret={secret} />
          {isWarned && !isCopied && (
            <p class="note note-amber" role="alert">
              Nothing was copied yet. Close again to leave without the key.
            </p>
          )}
          <div class="actions actions-end">
            <Button kind="primary" onClick={onClose}>
              I have saved it
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}

function Example({ secret }: { secret: string }) {
  const address = `${location.origin}/api/v1/agent/sessions`
  return (
    <div class="secret">
      <p>Try it:</p>
      <code class="well">{`curl ${address} \\\n  -H "Authorization: Bearer ${secret.slice(0, 12)}..."`}</code>
      <div class="actions">
        <Copy
          dense
          value={`curl ${address} -H "Authorization: Bearer ${secret}"`}
          label="Copy curl"
          copiedLabel="Copied"
          failedLabel="Copy it by hand"
        />
      </div>
    </div>
  )
}

function KeyForm({ onMade }: { onMade: (secret: string) => void }) {
  const fresh = useFreshPassword()
  const { errors, failure, busy, onSubmit } = useForm({
    words: (field) => (field.name === 'name' && field.validity.valueMissing ? 'Name the key after what will use it.' : undefined),
    async submit({ name = '', life = '', password = '' }, form) {
      const scopes = scopeWords.map(({ scope }) => scope).filter((scope) => isTicked(form, scope))
      if (scopes.length === 0) throw new FieldsRefused('Choose at least one thing the key may do.')
      const body = { name, scopes, expiresIn: life === 'never' ? null : Number(life), ...(password === '' ? {} : { password }) }
      const { key } = await call<{ key: string }>('POST', '/api/v1/account/keys', { body }).catch(fresh.refuse)
      void refresh('keys')
      onMade(key)
    },
  })
  return (
    <form class="form" noValidate onSubmit={onSubmit}>
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
      {fresh.isNeeded && (
        <TextField
          label="Your password"
          name="password"
          type="password"
          required
          autocomplete="current-password"
          autofocus
          error={errors['password']}
        />
      )}
      {failure !== undefined && (
        <p class="note note-red" role="alert">
          {failure}
        </p>
      )}
      <div class="actions actions-end">
        <Button kind="primary" type="submit" busy={busy}>
          Create key
        </Button>
      </div>
    </form>
  )
}

function isTicked(form: HTMLFormElement, name: string): boolean {
  const box = form.elements.namedItem(name)
  return box instanceof HTMLInputElement && box.checked
}
