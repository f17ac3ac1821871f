// A new endpoint, then its signing secret: shown once, with a snippet that verifies a delivery (Spec 6.3).
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Copy, Secret } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { FieldsRefused, useForm } from '../../ui/use-form.ts'
import { call } from '../api.ts'
import { refusedForm } from '../form-errors.ts'
import { refresh } from '../use-query.ts'
import { webhooksPath } from '../webhook-queries.ts'
import { eventTypes } from '../webhook-wire.ts'

export const verifySnippet = `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the raw request body, byte for byte; secret: what follows "whsec_", decoded from base64
export function isAuthentic(headers, body, secret) {
  const signed = \`\${headers['webhook-id']}.\${headers['webhook-timestamp']}.\${body}\`
  const expected = createHmac('sha256', secret).update(signed).digest()
  return headers['webhook-signature'].split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
`

/** The signing secret, once; used after creating an endpoint and after rotating its secret. */
export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false)
  const [isWarned, setWarned] = useState(false)
  return (
    <Dialog
      open
      wide
      title={title}
      closeLabel="Close"
      dismissible={false}
      onClose={() => (isCopied || isWarned ? onClose() : setWarned(true))}
    >
      <div class="form">
        <Secret
          value={secret}
          label="Copy"
          copiedLabel="Copied"
          failedLabel="Copy it by hand"
          warning="This secret is shown once. Copy it now: your server needs it to verify what we send."
          onCopied={() => setCopied(true)}
        />
        <details class="fold">
          <summary>How to verify a delivery</summary>
          <code class="well">{verifySnippet}</code>
          <div class="actions">
            <Copy dense value={verifySnippet} label="Copy snippet" copiedLabel="Copied" failedLabel="Copy it by hand" />
          </div>
        </details>
        {isWarned && !isCopied && (
          <p class="note note-amber" role="alert">
            Nothing was copied yet. Close again to leave without the secret.
          </p>
        )}
        <div class="actions actions-end">
          <Button kind="primary" onClick={onClose}>
            I have saved it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const { errors, failure, busy, onSubmit } = useForm({
    async submit({ url = '' }, form) {
      const event_types = eventTypes.map(({ name }) => name).filter((name) => isTicked(form, name))
      if (event_types.length === 0) throw new FieldsRefused('Choose at least one event.')
      const made = await call<{ secret: string }>('POST', webhooksPath, { body: { url, event_types } }).catch((error: unknown) =>
        refusedForm(error),
      )
      void refresh('webhooks')
      setSecret(made.secret)
    },
  })
  if (secret !== undefined) return <SecretDialog title="Signing secret" secret={secret} onClose={onClose} />
  return (
    <Dialog open title="Add endpoint" closeLabel="Cancel" onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit}>
        <TextField
          label="Endpoint URL"
          name="url"
          type="url"
          required
          autofocus
          placeholder="https://"
          hint="A public https address that answers 2xx."
          error={errors['url']}
        />
        <fieldset class="form scopes">
          <legend>Send when</legend>
          {eventTypes.map(({ name, words }) => (
            <Checkbox
              key={name}
              name={name}
              defaultChecked
              label={
                <>
                  {words} <code class="muted">{name}</code>
                </>
              }
            />
          ))}
        </fieldset>
        {failure !== undefined && (
          <p class="note note-red" role="alert">
            {failure}
          </p>
        )}
        <div class="actions actions-end">
          <Button kind="primary" type="submit" busy={busy}>
            Add endpoint
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function isTicked(form: HTMLFormElement, name: string): boolean {
  const box = form.elements.namedItem(name)
  return box instanceof HTMLInputElement && box.checked
}
