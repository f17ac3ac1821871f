// The body of each event as a schema and by examples: of its shape, as every other example of the documents. Shown in the docs and the type
// picker, sent as tests, and the fixtures of the contract tests.
import type { z } from 'zod'
import { eventBodies, type WebhookType } from './events.ts'
import { type JsonSchema, jsonSchemaOf, sampleOf } from './members.ts'

type Body<Type extends WebhookType> = z.output<(typeof eventBodies)[Type]>

/** A body as JSON Schema 2020-12. */
export const eventSchema = (type: WebhookType): JsonSchema => jsonSchemaOf(eventBodies[type], 'output', type)

export function eventExample<Type extends WebhookType>(type: Type): Body<Type> {
  return eventBodies[type].parse(sampleOf(eventSchema(type), true)) as Body<Type>
}

/** Every example of an event, what is special about each in a line; the first is that of `eventExample`. */
export function examplesOf(type: WebhookType): readonly { name: string; summary: string; body: Body<WebhookType> }[] {
  if (type !== 'lead.captured') return [{ name: 'example', summary: 'An example.', body: eventExample(type) }]
  const body = eventExample(type)
  const interested = { ...body, data: { ...body.data, trigger: 'high_intent' as const, source: 'intent' as const } }
  return [
    { name: 'contact_info', summary: 'Contact details, given with consent.', body },
    {
      name: 'high_intent',
      summary: 'High intent of somebody who has left no contact details: `lead` and `consent` are null.',
      body: { ...interested, data: { ...interested.data, lead: null, consent: null } },
    },
    {
      name: 'high_intent_with_details',
      summary: 'High intent of somebody who has left contact details before: `lead` is theirs.',
      body: interested,
    },
  ]
}
