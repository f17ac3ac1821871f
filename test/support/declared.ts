// What is sent is what is declared: every answer and every message of a stream in tests passes its own schema, and a member that the
// schema does not name fails. Clients and documents are made from the schemas, so what is missing there nobody can rely on.
import type { z } from 'zod'
import { type RunEvent, runEvents, streamMessages } from '@rostrum/contract/room'
import type { Operation } from '../../server/platform/operation.ts'

/** The operation, which complains of an answer that is not as declared. */
export function onlyDeclared(operation: Operation, complain: (words: string) => void): Operation {
  const { http, tool, name } = operation
  const { view, output } = http ?? {}
  const check = (who: string, schema: z.ZodType, sent: unknown) => {
    const problems = undeclared(schema, sent)
    if (problems.length > 0) complain(`${who} sends what it does not declare: ${problems.join(', ')}`)
    return sent
  }
  return {
    ...operation,
    ...(http && output && !http.feed && { http: { ...http, view: (result) => check(name, output, view ? view(result) : result) } }),
    ...(http?.feed && view && output && { http: { ...http, view: (result) => check(name, output, view(result)) } }),
    ...(tool && { tool: { ...tool, view: async (result) => check(`the tool ${name}`, tool.output, await tool.view(result)) } }),
  }
}

/** What of `sent` its schema does not name, or names otherwise. */
function undeclared(schema: z.ZodType, sent: unknown): string[] {
  const wire: unknown = JSON.parse(JSON.stringify(sent))
  const { success, data, error } = schema.safeParse(wire)
  return success ? unnamed(wire, data, '') : error.issues.map(({ path, message }) => `/${path.join('/')} (${message})`)
}

/** Members of `wire` that the schema left out of `data`. */
function unnamed(wire: unknown, data: unknown, at: string): string[] {
  if (Array.isArray(wire) && Array.isArray(data)) return wire.flatMap((each, index) => unnamed(each, data[index], `${at}/${index}`))
  if (!isRecord(wire) || !isRecord(data)) return []
  return Object.entries(wire).flatMap(([key, value]) => (key in data ? unnamed(value, data[key], `${at}/${key}`) : [`${at}/${key}`]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function undeclaredAs(schemas: Readonly<Record<string, z.ZodType>>, name: string, data: unknown): string[] {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
  return schema === undefined ? [`no event ${name} is declared`] : undeclared(schema, data).map((words) => `${name}: ${words}`)
}

/** The same of a message of a stream, and of what the log holds of one. */
export const undeclaredIn = (event: string, data: unknown): string[] => undeclaredAs(streamMessages, event, data)
export const undeclaredOf = ({ type, data }: RunEvent): string[] => undeclaredAs(runEvents, type, data)
