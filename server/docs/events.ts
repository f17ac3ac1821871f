// What travels in a room, from the shapes that the log is written in and that commands are checked by: the messages of a stream and what
// an attendee sends, each with its JSON Schema and an example. As a page, and as one document of schemas.
import { hostEvents, roomEvents, streamMessages } from '@rostrum/contract/room'
import { type JsonSchema, jsonSchemaOf, sampleOf } from '@rostrum/contract/members'
import type { Operation } from '../platform/operation.ts'
import { inputShape } from './input-shape.ts'
import { memberTable } from './operation-section.ts'

interface Described {
  name: string
  words: string
  schema: JsonSchema
  example: unknown
}

const messagesOf = (): Described[] =>
  Object.entries(streamMessages).map(([event, shape]) => {
    const { description = '' } = { ...streamMessages, ...roomEvents, ...hostEvents }[event as keyof typeof streamMessages]
    const schema = jsonSchemaOf(shape, 'output', event)
    return {
      name: event,
      words: `${description}${event in hostEvents ? ' Seen by the host alone.' : ''}`,
      schema,
      example: sampleOf(schema, true),
    }
  })

/** What the attendee of a run posts. */
const actsOf = (operations: readonly Operation[]): Described[] =>
  operations.flatMap((operation) => {
    const { name, summary, http, access } = operation
    const body = http === undefined ? undefined : inputShape(operation, http).body
    if (access.type !== 'attendee' || http === undefined || body === undefined) return []
    const words = `${summary}: \`${http.method} ${http.path}\`.`
    return [{ name, words, schema: body, example: sampleOf(body) }]
  })

export function eventsPage(operations: readonly Operation[]): string {
  const section =
    (place: string) =>
    ({ name, words, schema, example }: Described) =>
      [`### \`${name}\` {#${place}-${name}}`, words, memberTable(schema), `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``].join(
        '\n\n',
      )
  const intro =
    'Each message has the name of its event, and its data as JSON. What has a `seq` is of the log, and its `id` is the cursor to resume from. Members and messages may be added: ignore those that you do not know. The example below each has every member that it may have. [The JSON Schemas of all](/docs/api/events.json) are one document. How they belong together: [build your own room](/docs/room).'
  return [
    '# Events',
    intro,
    '## Messages of a stream {#messages}',
    ...messagesOf().map(section('stream')),
    '## What an attendee sends {#acts}',
    'An `id` is made by the caller: a repeat with the same one counts once.',
    ...actsOf(operations).map(section('act')),
    '## Webhooks {#webhooks}',
    'What leaves for other systems is told in [webhooks](/docs/webhooks), with a body of each event.',
  ].join('\n\n')
}

/** JSON Schema 2020-12 of everything on the page, by name. */
export function eventSchemas(operations: readonly Operation[]): string {
  const shown = (list: readonly Described[]) =>
    Object.fromEntries(list.map(({ name, words, schema, example }) => [name, { ...schema, description: words, examples: [example] }]))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return JSON.stringify({ $schema, $defs: { messages: shown(messagesOf()), acts: shown(actsOf(operations)) } })
}
