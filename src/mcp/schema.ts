// JSON Schemas of tools, made once at start from the operations' own schemas (draft 2020-12, as hosts expect it).
import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/**
 * Open objects say `additionalProperties: {}` by default, which portability checkers flag; `true` means the same. What
 * says nothing new goes, because a model pays for every list of tools: the pattern that spells a format out, an empty default.
 */
const plain = ({ jsonSchema }: { jsonSchema: JsonSchema }) => {
  const more = jsonSchema['additionalProperties']
  if (typeof more === 'object' && more !== null && Object.keys(more).length === 0) jsonSchema['additionalProperties'] = true
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
  const json: JsonSchema = { ...z.toJSONSchema(schema, { io, target: 'draft-2020-12', override: plain }) }
  if (json['type'] !== 'object') throw new Error('The schema of a tool must be an object.')
  delete json['$schema']
  return json
}
