// Two hundred requests that are wrong in a way of their own. None may be a 500, and each answer says what to send instead.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { isServiceError } from '@rostrum/base/errors'
import { type Principal, scopes } from '../../server/platform/principal.ts'
import type { TestHttp } from '../support/http.ts'
import { openHttp } from '../support/http.ts'
import { allOperations } from '../support/operations.ts'

const wanted = 200

const everybody: Principal = { kind: 'api_key', accountId: 'a', credentialId: 'c', scopes, label: 'x' }
const attendee: Principal = { kind: 'attendee', attendeeId: 'a', runId: 'r', sessionId: 's' }

const person: Principal = { kind: 'user', accountId: 'a', userId: 'u', signInId: 's', role: 'owner', scopes, label: 'x' }
const callers: Readonly<Record<string, Principal>> = { attendee, sign_in: person }

let surface: TestHttp
/** Handlers that a request reached: it was not malformed after all. Unbound, they fail by themselves. */
let reached = 0
before(async () => {
  const operations = allOperations.map((operation) => ({
    ...operation,
    before: async () => undefined,
    async handle() {
      reached++
      return {}
    },
    ...(operation.http && { http: { ...operation.http, view: () => ({}), headers: () => ({}), status: 200, formats: {} } }),
  }))
  const authenticate = async ({ header }: { header(name: string): string | undefined }) => callers[header('x-caller') ?? ''] ?? everybody
  surface = await openHttp({ options: { operations, authenticate } })
})
after(() => surface.store.close())

interface Wrong {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

const id = '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11'
const json = { 'Content-Type': 'application/json' }
/** Each with whoever may call it, so that the mistake is what is answered. */
const views = allOperations.flatMap(({ http, access }) => (http === undefined ? [] : [{ ...http, caller: { 'X-Caller': access.type } }]))
const address = (path: string, value = id) => path.replace(/\{\w+\}/g, value)

/** One kind of mistake each, for every operation it can be made on. */
function mistakes(): Wrong[] {
  const bodies = views.filter(({ method, readBody }) => method !== 'GET' && method !== 'DELETE' && readBody === undefined)
  const withIds = views.filter(({ path }) => path.includes('{'))
  const badBodies = [
    '{',
    '[]',
    '"text"',
    'null',
    '1',
    '{"a":1,"a":2}',
    '{"title":"\\u0000"}',
    `${'['.repeat(80)}${']'.repeat(80)}`,
    'title=1',
    '{"title":"\\ud800"}',
    '﻿',
    '{}{}',
  ]
  return [
    ...bodies.flatMap(({ method, path, caller }) =>
      badBodies.map((body) => ({ method, path: address(path), headers: { ...caller, ...json }, body })),
    ),
    ...bodies.flatMap(({ method, path, caller }) => [
      { method, path: address(path), headers: { ...caller, 'Content-Type': 'text/plain' }, body: '{}' },
      { method, path: address(path), headers: { ...caller, 'Content-Type': 'application/json; charset=utf-16' }, body: '{}' },
      { method, path: address(path), headers: { ...caller, ...json, 'Content-Encoding': 'br' }, body: '{}' },
      { method, path: address(path), headers: { ...caller, ...json }, body: Uint8Array.of(0x7b, 0xff, 0x7d) },
    ]),
    ...withIds.flatMap(({ method, path, caller }) =>
      ['%00', '%ff', '..%2f..', 'x'.repeat(5_000)].map((value) => ({ method, path: address(path, value), headers: caller })),
    ),
    ...views.map(({ path }) => ({ method: 'PROPFIND', path: address(path), headers: {} })),
    ...views
      .filter(({ method }) => method === 'GET')
      .flatMap(({ path, caller }) =>
        ['limit=ten', 'limit=-1', 'limit=1&limit=2', 'limit=1e9', 'cursor=%ff', 'access_token=x'].map((query) => ({
          method: 'GET',
          path: `${address(path)}?${query}`,
          headers: caller,
        })),
      ),
    ...[
      '/api',
      '/api/v1',
      '/api/v1/',
      '/api/v2/things',
      '/api/v1/agent/sessions/',
      '//api/v1/agent/sessions',
      '/%',
      '/%zz',
      '/api/v1/%2e%2e/x',
    ].map((path) => ({ method: 'GET', path, headers: {} })),
  ]
}

async function send({ method, path, headers, body }: Wrong): Promise<{ status: number; text: string; type: string | null }> {
  const response = await surface.request(path, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

test('[7-1] [7-2] [7-4] two hundred malformed requests are each answered with a problem that says what to send', async () => {
  let malformed = 0
  for (const wrong of mistakes()) {
    const before = reached
    const { status, text, type } = await send(wrong)
    const label = `${wrong.method} ${wrong.path.slice(0, 120)} ${String(wrong.body).slice(0, 40)} -> ${status} ${text.slice(0, 200)}`
    assert.ok(status < 500, label)
    // A mistake that this operation does not mind: `?limit=` where there is no limit, an odd value where text is taken.
    if (reached > before || status < 400) continue
    malformed++
    assert.equal(type, 'application/problem+json', label)
    const { detail, code, errors } = JSON.parse(text) as { detail: string; code: string; errors?: { pointer: string; detail: string }[] }
    assert.match(detail, /\b(send|use|must|see|leave|check|there is no|needs|is required|is nested)\b/i, label)
    for (const error of errors ?? []) assert.match(error.pointer, /^#/, label)
    assert.ok(!text.includes('x'.repeat(100)), 'the input is not echoed')
    assert.notEqual(code, 'internal_error', label)
  }
  assert.ok(malformed >= wanted, `${malformed} were malformed`)
})

test('no body of any shape is ever a 500', async () => {
  const targets = views.filter(({ method }) => method !== 'GET')
  const target = fc.constantFrom(...targets)
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(target, body, async ({ method, path, caller }, sent) => {
      const { status } = await send({ method, path: address(path), headers: { ...caller, ...json }, body: sent })
      assert.ok(status < 500)
    }),
    { numRuns: 300 },
  )
})

test('no input makes a schema throw anything but an invalid_request', () => {
  const inputs = fc.constantFrom(...allOperations)
  fc.assert(
    fc.property(inputs, fc.anything(), ({ input }, value) => {
      try {
        input.safeParse(value)
      } catch (error) {
        assert.ok(isServiceError(error), String(error))
      }
    }),
    { numRuns: 1_000 },
  )
})
