// A new endpoint, then its signing secret: shown once, with a snippet that verifies a delivery (Spec 6.3).
import { Copy } from '../../ui/copy.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { FieldsRefused } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { isTicked } from '../parts/form-foot.tsx'
import { MakeSecret } from '../parts/make-secret.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { webhooksPath } from './webhook-queries.ts'
import { eventTypes } from './webhook-wire.ts'

const verifySnippet = `import { createHmac, timingSafeEqual } from 'node:crypto'

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
export function SigningSecret(props: { title: string; secret: string; onClose: () => void }) {
  return (
    <ShownOnce {...props} warning="This secret is shown once. Copy it now: your server needs it to verify what we send.">
      <details class="fold">
        <summary>How to verify a delivery</summary>
        <code class="well">{verifySnippet}</code>
        <div class="actions">
          <Copy dense value={verifySnippet} label="Copy snippet" copiedLabel="Copied" failedLabel="Copy it by hand" />
          <a href="/docs/webhooks#verify">In Python, Go, Ruby, PHP or shell</a>
        </div>
      </details>
    </ShownOnce>
  )
}

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const make = async ({ url = '' }: Record<string, string>, form: HTMLFormElement) => {
    const event_types = eventTypes.map(({ name }) => name).filter((name) => isTicked(form, name))
    if (event_types.length === 0) throw new FieldsRefused('Choose at least one event.')
    const { secret } = await call<{ secret: string }>('POST', webhooksPath, { body: { url, event_types } }).catch(refusedForm)
    void refresh('webhooks')
    return secret
  }
  return (
    <MakeSecret
      act="Add endpoint"
      make={make}
      shown={(secret) => <SigningSecret title="Signing secret" secret={secret} onClose={onClose} />}
      onClose={onClose}
    >
      {(errors) => (
        <>
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
            {eventTypes.map(({ name, words, optIn }) => (
              <Checkbox
                key={name}
                name={name}
                defaultChecked={optIn !== true}
                label={
                  <>
                    {words} <code class="muted">{name}</code>
                  </>
                }
              />
            ))}
          </fieldset>
        </>
      )}
    </MakeSecret>
  )
}
