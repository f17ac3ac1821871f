// Builds the clients from the description of the HTTP API: `@rostrum/client` (client/dist: ESM and types, all written out, no import out
// of the folder) and the client for Python (client/dist/rostrum_client.py, one file).
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonSchema } from '@rostrum/contract/members'
import { openApi } from '../server/docs/openapi.ts'
import { areaWords } from '../server/docs/site.ts'
import { allOperations } from '../test/support/operations.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'client/dist')

interface Operation {
  operationId: string
  summary: string
  parameters?: readonly { name: string; in: string; required: boolean; description: string; schema: JsonSchema }[]
  requestBody?: { content: Readonly<Record<string, { schema: JsonSchema }>> }
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: JsonSchema; 'x-itemSchema'?: JsonSchema }>> }>>
}
const description = openApi({ operations: allOperations, baseUrl: 'https://talks.example.com', title: 'Rostrum', areas: areaWords })
const { paths, components } = JSON.parse(JSON.stringify(description)) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}
const operations = Object.entries(paths)
  .filter(([path]) => path.startsWith('/api/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  )

/** What the client sends as members: those of a header stand apart. */
const membersSent = ({ parameters = [] }: Operation) => parameters.filter((each) => each.in !== 'header')
const answerOf = ({ responses }: Operation): JsonSchema | undefined =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.['application/json']?.schema
const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ''

// TypeScript

function tsOf(schema: JsonSchema): string {
  const either = (list: readonly JsonSchema[]) => list.map((each) => `(${tsOf(each)})`).join(' | ')
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map((each) => `(${tsOf(each)})`).join(' & ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined && schema.properties === undefined) return either(choices)
  if (typeof schema.type === 'object') return either(schema.type.map((type) => ({ ...schema, type })))
  if (schema.properties !== undefined) return objectOf(schema.properties, schema.required ?? [])
  switch (schema.type) {
    case 'array':
      return schema.prefixItems === undefined ? `(${tsOf(schema.items ?? {})})[]` : `[${schema.prefixItems.map(tsOf).join(', ')}]`
    case 'object':
      return `Record<string, ${typeof schema.additionalProperties === 'object' ? tsOf(schema.additionalProperties) : 'unknown'}>`
    case 'integer':
      return 'number'
    default:
      return schema.type ?? 'unknown'
  }
}

const objectOf = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): string =>
  `{\n${Object.entries(properties)
    .map(([name, member]) => {
      const words = member.description === undefined ? '' : `  /** ${member.description.replaceAll('*/', '*\\/')} */\n`
      return `${words}  ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${tsOf(member)}${required.includes(name) ? '' : ' | undefined'}`
    })
    .join('\n')}\n}`

function tsInput(operation: Operation): string {
  const own = membersSent(operation)
  const properties = Object.fromEntries(own.map(({ name, description: words, schema }) => [name, { ...schema, description: words }]))
  const body = operation.requestBody?.content['application/json']?.schema
  const required = own.filter((each) => each.required).map(({ name }) => name)
  return [objectOf(properties, required), ...(body === undefined ? [] : [tsOf(body)])].join(' & ')
}

function tsOperations(): string {
  const shapes = Object.entries(components.schemas).map(([name, schema]) => `export type ${name} = ${tsOf(schema)}`)
  const rows = operations.map((operation) => {
    const answer = answerOf(operation)
    return `  /** ${operation.summary}. */\n  ${operation.operationId}: { input: ${tsInput(operation)}; output: ${answer === undefined ? 'unknown' : tsOf(answer)} }`
  })
  const message = paths['/api/v1/runs/{runId}/stream']?.['get']?.responses['200']?.content?.['text/event-stream']?.['x-itemSchema']
  return [
    '// The types of every operation over HTTP, as /openapi.json describes them; nothing here exists at run time.',
    "import type { routes, uploads } from './routes.ts'",
    ...shapes,
    `export interface Operations {\n${rows.join('\n')}\n}`,
    'export type OperationName = keyof Operations & keyof typeof routes',
    'export type UploadName = keyof Operations & keyof typeof uploads',
    "export type PagedName = { [Name in OperationName]: 'nextCursor' extends keyof Operations[Name]['output'] ? Name : never }[OperationName]",
    "export type InputOf<Name extends keyof Operations> = Operations[Name]['input']",
    "export type OutputOf<Name extends keyof Operations> = Operations[Name]['output']",
    `/** What the stream of a run carries. */\nexport type RunMessage = ${tsOf(message ?? {})}`,
    '',
  ].join('\n')
}

function buildTypeScript(): void {
  const work = mkdtempSync(join(tmpdir(), 'rostrum-client-'))
  try {
    for (const file of readdirSync(join(root, 'client')))
      if (file.endsWith('.ts') && !file.endsWith('.test.ts')) cpSync(join(root, 'client', file), join(work, file))
    writeFileSync(join(work, 'operations.ts'), tsOperations())
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2025', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: 'nodenext',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      outDir: out,
      rootDir: '.',
    }
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(work, 'package.json'), '{"type":"module"}')
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', work], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The client cannot be built:\n${stdout}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

// Python

/** Words of the language that a member may be called. */
const reserved = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False self'.split(
    ' ',
  ),
)
const pyName = (name: string): string => (reserved.has(name) ? `${name}_` : name)

function pyOf(schema: JsonSchema): string {
  const either = (list: readonly string[]) => (list.length === 1 ? (list[0] ?? 'Any') : `Union[${[...new Set(list)].join(', ')}]`)
  if (schema.$ref !== undefined) return `"${nameOf(schema.$ref)}"`
  const literals = schema.const === undefined ? schema.enum : [schema.const]
  if (literals?.every((value) => ['string', 'boolean'].includes(typeof value)) === true)
    return `Literal[${literals.map((value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value))).join(', ')}]`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return either(choices.map(pyOf))
  if (schema.allOf !== undefined) return pyOf(schema.allOf[0] ?? {})
  if (typeof schema.type === 'object') return either(schema.type.map((type) => pyOf({ ...schema, type })))
  switch (schema.type) {
    case 'array':
      return `List[${pyOf(schema.items ?? {})}]`
    case 'object':
      return 'Dict[str, Any]'
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    default:
      return 'Any'
  }
}

function pyShape([name, { properties, ...schema }]: [string, JsonSchema]): string {
  if (properties === undefined) return `${name} = ${pyOf(schema)}`
  const members = Object.entries(properties).map(([member, each]) => `${JSON.stringify(member)}: ${pyOf(each)}`)
  return `${name} = TypedDict("${name}", {${members.join(', ')}}, total=False)`
}

function pyMethod(operation: Operation & { path: string; method: string }): string {
  const { operationId, summary, path, method, requestBody } = operation
  const own = membersSent(operation)
  const isForm = requestBody?.content['multipart/form-data'] !== undefined
  const bodySchema = isForm ? undefined : requestBody?.content['application/json']?.schema
  const shape = bodySchema?.$ref === undefined ? bodySchema : components.schemas[nameOf(bodySchema.$ref)]
  const members = [
    ...own.map(({ name, required, schema }) => ({ name, required, schema })),
    ...Object.entries(shape?.properties ?? {}).map(([name, schema]) => ({
      name,
      required: shape?.required?.includes(name) === true,
      schema,
    })),
  ]
  const args = members
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .map(({ name, required, schema }) => `${pyName(name)}: ${pyOf(schema)}${required ? '' : ' = _unset'}`)
  const takesKey = method === 'POST' && !isForm
  const all = [
    ...(isForm ? ['files: Sequence[Tuple[str, bytes]]'] : []),
    ...args,
    ...(takesKey ? ['idempotency_key: Optional[str] = None'] : []),
  ]
  const answer = answerOf(operation)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `{_part(${pyName(name)})}`)
  const pairs = (names: readonly string[]) => `{${names.map((name) => `${JSON.stringify(name)}: ${pyName(name)}`).join(', ')}}`
  const query = own.filter((each) => each.in === 'query').map(({ name }) => name)
  const sent = [
    `"${method}"`,
    `f"${filled}"`,
    ...(isForm ? ['files'] : []),
    ...(query.length > 0 && !isForm ? [`query=${pairs(query)}`] : []),
    ...(bodySchema === undefined
      ? method === 'POST' && !isForm
        ? ['body={}']
        : []
      : [`body=${pairs(Object.keys(shape?.properties ?? {}))}`]),
    ...(takesKey ? ['idempotency_key=idempotency_key'] : []),
  ]
  return [
    `    def ${operationId}(self${all.length > 0 ? `, *, ${all.join(', ')}` : ''}) -> ${answer === undefined ? 'Any' : pyOf(answer)}:`,
    `        """${summary}."""`,
    `        return self.${isForm ? '_upload' : '_call'}(${sent.join(', ')})`,
  ].join('\n')
}

function buildPython(): void {
  const base = readFileSync(join(root, 'client/python/base.py'), 'utf8')
  const callable = operations.filter(({ responses, requestBody }) => {
    const kinds = Object.keys(requestBody?.content ?? {})
    const isStream = responses['200']?.content?.['text/event-stream'] !== undefined
    return (
      (!isStream || kinds.length > 0 || responses['200']?.content?.['application/json'] !== undefined) &&
      (kinds.length === 0 || kinds.some((kind) => kind === 'application/json' || kind === 'multipart/form-data'))
    )
  })
  const text = [
    base,
    ...Object.entries(components.schemas).map(pyShape),
    '',
    '',
    'class Rostrum(_Base):',
    '    """Every operation."""',
    '',
    callable.map(pyMethod).join('\n\n'),
    '',
  ]
  writeFileSync(join(out, 'rostrum_client.py'), text.join('\n'))
}

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
buildTypeScript()
buildPython()
