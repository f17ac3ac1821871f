// A new endpoint, then its signing secret: shown once, with a snippet that verifies a delivery (Spec 6.3).
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Copy } from '../../ui/copy.tsx'
import { Checkbox, chosen, Select, TextField } from '../../ui/field.tsx'
import { FieldsRefused } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'
import { isTicked } from '../parts/form-foot.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { type Endpoint, eventTypes, formats, leadEvents } from './webhook-wire.ts'

type Format = Endpoint['format']

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
          <Copy dense value={verifySnippet} label="Copy snippet" />
          <a href="/docs/webhooks#verify">In Python, Go, Ruby, PHP or shell</a>
        </div>
      </details>
    </ShownOnce>
  )
}

/** Where the address of each comes from, and what stands in the empty field. */
const addresses: Record<Format, { hint: string; placeholder: string }> = {
  standard: { hint: 'A public https address that answers 2xx.', placeholder: 'https://' },
  slack: { hint: 'From your Slack app: Incoming Webhooks, Add New Webhook.', placeholder: 'https://hooks.slack.com/services/...' },
  teams: {
    hint: 'From the channel: Workflows, "When a Teams webhook request is received".',
    placeholder: 'https://...powerplatform.com/...',
  },
  discord: { hint: 'From the channel: Integrations, Webhooks, Copy Webhook URL.', placeholder: 'https://discord.com/api/webhooks/...' },
  hubspot: { hint: 'The address of its interface.', placeholder: 'https://' },
}
const hubspotUrl = 'https://api.hubapi.com'

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const [format, setFormat] = useState<Format>('standard')
  const offered = eventTypes.filter(({ name }) => format !== 'hubspot' || leadEvents.includes(name))
  const make = async ({ url = '', token = '' }: Record<string, string>, form: HTMLFormElement) => {
    const event_types = offered.map(({ name }) => name).filter((name) => isTicked(form, name))
    if (event_types.length === 0) throw new FieldsRefused('Choose at least one event.')
    const wish = { url, event_types, format, ...(format === 'hubspot' && { token }) }
    const { id, secret } = await call('create_webhook', wish)
    void refresh('webhooks')
    if (format === 'standard') return secret
    // Whoever reads a chat has no use for the secret: the next step is to try it.
    route(`/dashboard/webhooks/${id}`)
    return null
  }
  const { route } = useLocation()
  return (
    <FormDialog
      act="Add endpoint"
      submit={make}
      shown={(secret) => <SigningSecret title="Signing secret" secret={secret} onClose={onClose} />}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Select
            label="Send as"
            name="format"
            value={format}
            options={formats}
            onChange={({ currentTarget }) => setFormat(chosen(formats, currentTarget.value) ?? 'standard')}
          />
          <TextField
            key={format === 'hubspot' ? 'hubspot' : 'url'}
            label="Endpoint URL"
            name="url"
            type="url"
            required
            autofocus={format === 'standard'}
            placeholder={addresses[format].placeholder}
            {...(format === 'hubspot' && { defaultValue: hubspotUrl })}
            hint={addresses[format].hint}
            error={errors['url']}
          />
          {format === 'hubspot' && (
            <TextField
              label="Access token"
              name="token"
              type="password"
              autocomplete="off"
              required
              hint="Of a private app that may read and write contacts. It is not shown again."
              error={errors['token']}
            />
          )}
          <fieldset class="form scopes">
            <legend>Send when</legend>
            {offered.map(({ name, words, optIn }) => (
              <Checkbox
                key={`${format} ${name}`}
                name={name}
                defaultChecked={format === 'standard' ? optIn !== true : suggested[format].includes(name)}
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
    </FormDialog>
  )
}

/** What is worth a message. */
const worthTelling: readonly string[] = ['session.completed', 'lead.captured', 'question.unanswered', 'deck.failed']
const suggested: Record<Exclude<Format, 'standard'>, readonly string[]> = {
  slack: worthTelling,
  teams: worthTelling,
  discord: worthTelling,
  hubspot: leadEvents,
}
