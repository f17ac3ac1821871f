// What every public operation must have, whatever feature it belongs to. The list is walked, so a new operation is held to it
// from its first commit.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { jsonSchemaOf } from '@rostrum/contract/members'
import { inputShape } from '../server/docs/input-shape.ts'
import { docsSite, operationHref } from '../server/docs/site.ts'
import type { HttpView, Operation } from '../server/platform/operation.ts'
import { type Principal, scopes } from '../server/platform/principal.ts'
import type { TestHttp } from './support/http.ts'
import { openHttp } from './support/http.ts'
import { allOperations } from './support/operations.ts'

const onHttp = allOperations.flatMap((operation) => (operation.http === undefined ? [] : [{ operation, view: operation.http }]))
const root = join(import.meta.dirname, '..')

const account = { accountId: 'a', credentialId: 'c', label: 'x' }
const callers: Readonly<Record<string, Principal>> = {
  nobody: { kind: 'nobody' },
  noScopes: { kind: 'api_key', ...account, scopes: [] },
  everyScope: { kind: 'api_key', ...account, scopes },
  attendee: { kind: 'attendee', attendeeId: 'a', runId: 'r', sessionId: 's' },
}

let surface: TestHttp
before(async () => {
  const authenticate = async ({ header }: { header(name: string): string | undefined }) =>
    callers[header('x-caller') ?? 'nobody'] ?? { kind: 'nobody' as const }
  surface = await openHttp({ options: { operations: allOperations, authenticate } })
})
after(() => surface.store.close())

/** Calls with an empty body and made-up identifiers: what guards the operation answers before any of it is read. */
async function call(view: HttpView<unknown>, caller: keyof typeof callers): Promise<{ status: number; problem: Record<string, unknown> }> {
  const path = view.path.replace(/\{\w+\}/g, '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11')
  const response = await surface.request(path, { method: view.method, headers: { 'X-Caller': caller } })
  const text = await response.text()
  const isProblem = response.headers.get('content-type') === 'application/problem+json'
  return { status: response.status, problem: isProblem ? (JSON.parse(text) as Record<string, unknown>) : {} }
}

describe('names and addresses', () => {
  test('names are unique snake_case, and so are addresses', () => {
    const names = allOperations.map(({ name }) => name)
    const addresses = onHttp.map(({ view }) => `${view.method} ${view.path.replace(/\{\w+\}/g, '{}')}`)
    for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)*$/)
    for (const list of [names, addresses])
      assert.deepEqual(
        list.filter((each, at) => list.indexOf(each) !== at),
        [],
      )
  })

  test('every address lies under /api/v1, and its members are in the input', () => {
    for (const { operation, view } of onHttp) {
      assert.match(view.path, /^\/api\/v1\/[a-z]/, operation.name)
      const inPath = [...view.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      const known = inputShape(operation, view).path.map(({ name }) => name)
      assert.deepEqual(new Set(inPath), new Set(known), operation.name)
    }
  })

  test('a body that is large, or a file, is asked for by its head', () => {
    const takesMuch = onHttp.filter(
      ({ view: { bodyMax = 0, bodyTypes = [] } }) => bodyMax > 1_048_576 || bodyTypes.some((type) => !/json|urlencoded/.test(type)),
    )
    assert.ok(takesMuch.length > 8)
    for (const { operation } of takesMuch) assert.ok(operation.before !== undefined, operation.name)
  })

  test('a GET changes nothing', () => {
    for (const { operation, view } of onHttp) assert.ok(view.method !== 'GET' || operation.effects.readOnly, operation.name)
  })
})

describe('who may call', () => {
  const guarded = onHttp.filter(({ operation }) => operation.access.type !== 'open')

  test('without a credential every guarded operation is 401', async () => {
    for (const { operation, view } of guarded) {
      const { status, problem } = await call(view, 'nobody')
      assert.equal(status, 401, operation.name)
      assert.equal(problem['code'], 'invalid_token', operation.name)
    }
  })

  test('without its scopes every scoped operation is 403 and names them all', async () => {
    for (const { operation, view } of guarded.filter(({ operation: { access } }) => access.scopes.length > 0)) {
      const { status, problem } = await call(view, 'noScopes')
      assert.equal(status, 403, operation.name)
      assert.equal(problem['code'], 'insufficient_scope', operation.name)
      assert.deepEqual(problem['scopes_required'], operation.access.scopes, operation.name)
    }
  })

  test('an attendee may call only what is for attendees, an account only what is for accounts, a person alone what is theirs', async () => {
    for (const { operation, view } of guarded) {
      const { type } = operation.access
      if (type === 'credential' || type === 'scopes' || type === 'sign_in')
        assert.equal((await call(view, 'attendee')).status, 403, operation.name)
      if (type === 'attendee') assert.equal((await call(view, 'everyScope')).status, 403, operation.name)
      if (type === 'sign_in') assert.equal((await call(view, 'everyScope')).problem['code'], 'sign_in_required', operation.name)
    }
  })
})

describe('schemas and words', () => {
  test('every input is an object, and every schema can be written as JSON Schema', () => {
    for (const operation of allOperations) {
      const schema = jsonSchemaOf(operation.input, 'input')
      assert.ok(schema.type === 'object' || schema.anyOf || schema.oneOf || schema.allOf, operation.name)
      if (operation.http?.output) jsonSchemaOf(operation.http.output, 'output')
      if (operation.tool) assert.equal(jsonSchemaOf(operation.tool.output, 'output').type, 'object', operation.name)
    }
  })

  test('an operation that answers JSON says of what shape', () => {
    for (const { operation, view } of onHttp) if (view.view !== undefined) assert.ok(view.output, operation.name)
  })

  test('every operation is summed up in one line, and every tool says when to use it', () => {
    for (const { name, summary, tool } of allOperations) {
      assert.match(summary, /^[A-Z][^.\n]{3,80}$/, name)
      if (tool) assert.ok(tool.description.length > 40 && tool.title.length > 3, name)
    }
  })

  test('every operation has a section in the docs', () => {
    const pages = new Map(
      docsSite({ operations: allOperations, baseUrl: 'https://x.example', title: 'x', settings: [] }).map((page) => [
        page.path,
        page.markdown(),
      ]),
    )
    for (const operation of allOperations) {
      const [path = '', anchor = ''] = operationHref(operation).split('#')
      assert.ok(pages.get(path)?.includes(`{#${anchor}}`), operation.name)
    }
  })
})

test('every operation is called by a contract test', () => {
  const files = globSync(['test/**/*.test.ts', '{server,packages}/**/*.test.ts'], { cwd: root }).filter(
    (file) => !file.endsWith('operations.test.ts'),
  )
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const untested = allOperations.filter((operation) => !isCalled(operation, text))
  assert.deepEqual(
    untested.map(({ name }) => name),
    [],
  )
})

/** By its tool name, its declaration, or its address with any identifiers in it. */
function isCalled({ name, http }: Operation, text: string): boolean {
  const declaration = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  if (new RegExp(`['"\`]${name}['"\`]|\\b${declaration}\\b`).test(text)) return true
  if (http === undefined) return false
  const parts = http.path
    .split('/')
    .slice(3)
    .map((part) => (part.startsWith('{') ? '[^/\\s]+' : part.replace(/[.]/g, '\\.')))
  return new RegExp(`/api/v1/${parts.join('/')}['"\`?\\s]`).test(text)
}
