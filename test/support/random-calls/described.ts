// The operations as /openapi.json describes them, and whether an answer is one that it describes.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from '@rostrum/contract/members'
import type { Answer } from '../service.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
}

type Content = Readonly<Record<string, { schema: JsonSchema }>>

interface OperationObject {
  operationId: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Readonly<Record<string, { content?: Content }>>
}

export interface Described {
  name: string
  method: string
  path: string
  /** Who may call: `bearer`, `attendee`, `cookie`; empty: everybody. */
  callers: ReadonlySet<string>
  parameters: readonly Parameter[]
  bodies: Content
  /** In which types it answers when it succeeds; a stream is not among them. */
  answers: readonly string[]
  /** What the document does not say of this answer, in words; undefined where it is as described. */
  fault(answer: Answer): string | undefined
}

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

/** With what is named by `$ref` in its place. */
function resolved<T>(part: T, schemas: Readonly<Record<string, JsonSchema>>): T {
  if (Array.isArray(part)) return part.map((each: unknown) => resolved(each, schemas)) as T
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as { $ref?: string }
  const named = $ref === undefined ? {} : resolved(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  return Object.fromEntries(Object.entries({ ...named, ...rest }).map(([name, each]) => [name, resolved(each, schemas)])) as T
}

export function describedIn(document: Document): readonly Described[] {
  const { schemas } = document.components
  // What belongs to OAuth speaks by its own rules.
  const api = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/'))
  const paths = resolved(Object.fromEntries(api), schemas)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const isProblem = ajv.compile(resolved(schemas['Problem'] ?? {}, schemas))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Described => {
      const { operationId, security, parameters = [], requestBody, responses } = operation
      const succeeds = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
      const json = succeeds['application/json']?.schema
      const isAnswer = json === undefined ? undefined : ajv.compile(json)
      return {
        name: operationId,
        method: method.toUpperCase(),
        path,
        callers: new Set(security.flatMap((each) => Object.keys(each))),
        parameters,
        bodies: requestBody?.content ?? {},
        answers: Object.keys(succeeds).filter((type) => type !== 'text/event-stream'),
        fault: (answer) => faultOf(answer, Object.keys(responses), isAnswer, isProblem),
      }
    }),
  )
}

function faultOf(
  { status, headers, body, text }: Answer,
  statuses: readonly string[],
  isAnswer: ValidateFunction | undefined,
  isProblem: ValidateFunction,
): string | undefined {
  // Whatever is asked, the service may be too busy for it, and says when to come back.
  if (status >= 500 && !(status === 503 && headers.has('retry-after'))) return 'is a fault of the service'
  if (status < 500 && !statuses.includes(String(status))) return `has a status that is not among ${statuses.join(', ')}`
  const type = headers.get('content-type')
  if (status >= 400) {
    if (type !== 'application/problem+json') return `is no problem document but ${type}`
    if (JSON.parse(text).status !== status) return 'names another status in its body'
    return isProblem(body) ? undefined : `is no whole problem document: ${words(isProblem)}`
  }
  if (type?.startsWith('application/json') !== true) return undefined
  if (isAnswer === undefined) return text === '' ? undefined : 'has a body that the document does not describe'
  return isAnswer(body) ? undefined : `is not of the shape described: ${words(isAnswer)}`
}

const words = ({ errors }: ValidateFunction): string =>
  (errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`).join('; ')
