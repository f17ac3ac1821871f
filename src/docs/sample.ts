// A sample value for a schema, so that every example in the docs is one that the operation takes.
import type { JsonSchema } from './json-schema.ts'

/** Values that read better than what a type gives, by the name of the member. */
const known: Readonly<Record<string, unknown>> = {
  title: 'How our product saves a day a week',
  description: 'Fifteen minutes, with time for questions.',
  email: 'maya@example.com',
  name: 'Maya Ito',
  company: 'Example Ltd',
  phone: '+1 555 0100',
  url: 'https://example.com/hooks/rostrum',
  event_types: ['lead.captured', 'session.completed'],
  message: 'What does it cost for a team of ten?',
  client_name: 'My agent',
  identity_type: 'anonymous',
  claim_id: 'BDFK-RTWX',
  token: 'rst_agt_...',
  query: 'pricing',
  text: 'We start with the problem.',
  content: 'The starter plan has a trial of thirty days.',
  textContent: 'Problem. Idea. Result.',
  pdfUrl: 'https://example.com/deck.pdf',
  ctaText: 'Book a demo',
  ctaUrl: 'https://example.com/demo',
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11',
  uri: 'https://example.com/',
  email: 'maya@example.com',
  'date-time': '2026-11-20T12:00:00.000Z',
}

/** Only what is required, and where nothing is, the first member: an example to start from. */
export function sampleOf(schema: JsonSchema, name = ''): unknown {
  const first = schema.anyOf?.find((each) => each.type !== 'null') ?? schema.oneOf?.[0] ?? schema.allOf?.[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === 'object' || schema.properties !== undefined) return sampleObject(schema)
  if (schema.type === 'array') return known[name] ?? [sampleOf(schema.items ?? {}, name)]
  if (schema.type === undefined && first !== undefined) return sampleOf(first, name)
  return known[name] ?? sampleScalar(schema)
}

function sampleObject(schema: JsonSchema): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {})
  const required = properties.filter(([name]) => schema.required?.includes(name))
  const shown = required.length > 0 ? required : properties.slice(0, 1)
  return Object.fromEntries(shown.map(([name, property]) => [name, sampleOf(property, name)]))
}

function sampleScalar(schema: JsonSchema): unknown {
  if (schema.format !== undefined && byFormat[schema.format] !== undefined) return byFormat[schema.format]
  if (schema.default !== undefined) return schema.default
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 'text'
  }
}
