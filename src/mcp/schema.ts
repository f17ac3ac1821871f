// JSON Schemas of tools, made once at start from the operations' own schemas (draft 2020-12, as hosts expect it).
import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/**
 * What says nothing goes, because a model pays for every list of tools: whether there may be other members (there may: a later version
 * sends more, and what is sent unasked is passed over), the pattern that spells a format out, an empty default, that
 * names are strings.
 */
const plain = ({ jsonSchema }: { jsonSchema: JsonSchema }, io: 'input' | 'output') => {
  // What a member of a result means stands in the documents; its name says enough to who reads the result.
  if (io === 'output') delete jsonSchema['description']
  const more = jsonSchema['additionalProperties']
  if (more === false || (typeof more === 'object' && more !== null && Object.keys(more).length === 0))
    delete jsonSchema['additionalProperties']
  delete jsonSchema['propertyNames']
  if ('format' in jsonSchema) delete jsonSchema['pattern']
  if (Array.isArray(jsonSchema['default']) && jsonSchema['default'].length === 0) delete jsonSchema['default']
}

export function inputSchema(schema: z.ZodType): JsonSchema {
  return objectSchema(schema, 'input')
}

export function outputSchema(schema: z.ZodType): JsonSchema {
  return objectSchema(schema, 'output')
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json: JsonSchema = { ...z.toJSONSchema(schema, { io, target: 'draft-2020-12', override: (context) => plain(context, io) }) }
  if (json['type'] !== 'object') throw new Error('The schema of a tool must be an object.')
  delete json['$schema']
  return json
}
