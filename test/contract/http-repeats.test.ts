// `Idempotency-Key`: a repeat of a POST is harmless.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Presented } from '../../server/platform/http/ports.ts'
import type { Principal } from '../../server/platform/principal.ts'
import { keptAnswers } from '../../server/platform/http/idempotency.ts'
import type { TestHttp } from '../support/http.ts'
import { openHttp, post, problem } from '../support/http.ts'
import { openTestStore } from '../support/stores.ts'

let surface: TestHttp
beforeEach(async () => {
  surface = await openHttp()
})
afterEach(async () => {
  await surface.store.close()
})

describe('Idempotency-Key', () => {
  const key = { 'Idempotency-Key': 'k1' }

  test('a repeat gets the same answer and runs nothing', async () => {
    const first = await surface.request('/api/v1/things', post({ title: 'a' }, key))
    const again = await surface.request('/api/v1/things', post({ title: 'a' }, key))
    assert.equal(await again.text(), await first.text())
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(surface.samples.created, 1)
  })

  test('the same key with another body is 409', async () => {
    await surface.request('/api/v1/things', post({ title: 'a' }, key))
    await problem(await surface.request('/api/v1/things', post({ title: 'b' }, key)), 409, 'idempotency_conflict')
  })

  test('of ten at once one runs and all get its answer', async () => {
    const calls = Array.from({ length: 10 }, () => surface.request('/api/v1/things', post({ title: 'a' }, key)))
    const done = Promise.all(calls)
    for (let turn = 0; turn < 20; turn++) await surface.clock.advance(50)
    const bodies = await Promise.all((await done).map((response) => response.text()))
    assert.equal(surface.samples.created, 1)
    assert.deepEqual(new Set(bodies), new Set(['{"id":1,"title":"a"}']))
  })

  test('a failure is not kept', async () => {
    await problem(await surface.request('/api/v1/things', post({ title: 'taken' }, key)), 409, 'conflict')
    const response = await surface.request('/api/v1/things', post({ title: 'free' }, key))
    assert.equal(response.status, 200)
  })

  test('a call whose answer could not be kept is answered, and its repeat runs nothing: it once made a second thing', async () => {
    const store = await openTestStore()
    const keep = () => Promise.reject(new Error('The store is away.'))
    const forgetful = await openHttp({ options: { idempotency: { ...keptAnswers(store), keep } } })
    const send = () => forgetful.request('/api/v1/things', post({ title: 'a' }, key))
    const first = await send()
    assert.deepEqual([first.status, await first.json()], [200, { id: 1, title: 'a' }])
    const again = send()
    for (let turn = 0; turn < 210; turn++) await forgetful.clock.advance(50)
    await problem(await again, 409, 'conflict')
    assert.equal(forgetful.samples.created, 1)
    assert.ok(forgetful.logged.some(({ level, message }) => level === 'error' && message.includes('was not kept')))
    await Promise.all([store.close(), forgetful.store.close()])
  })

  test('an agent may repeat with a renewed token, and no other agent has its keys', async () => {
    const agent = { kind: 'agent', accountId: 'account', scopes: ['sessions:write'], label: 'Copilot' } as const
    const tokens: Readonly<Record<string, Principal>> = {
      'Bearer first': { ...agent, credentialId: 'first', registrationId: 'one' },
      'Bearer renewed': { ...agent, credentialId: 'renewed', registrationId: 'one' },
      'Bearer other': { ...agent, credentialId: 'other', registrationId: 'two' },
    }
    const authenticate = async ({ authorization: [sent = ''] }: Presented) => tokens[sent] ?? ({ kind: 'nobody' } as const)
    const agents = await openHttp({ options: { authenticate } })
    const send = async (token: string) =>
      (await agents.request('/api/v1/things', post({ title: 'a' }, { ...key, Authorization: `Bearer ${token}` }))).text()
    const first = await send('first')
    assert.equal(await send('renewed'), first)
    assert.notEqual(await send('other'), first)
    assert.equal(agents.samples.created, 2)
    await agents.store.close()
  })

  test('a person who works in two accounts has the keys of each apart: a repeat in the other told of the first', async () => {
    const person = { kind: 'user', userId: 'maya', signInId: 's', role: 'owner', scopes: ['sessions:write'], label: 'Maya' } as const
    const authenticate = async ({ authorization: [accountId = ''] }: Presented): Promise<Principal> => ({ ...person, accountId })
    const accounts = await openHttp({ options: { authenticate } })
    const send = async (account: string) =>
      (await accounts.request('/api/v1/things', post({ title: 'a' }, { ...key, Authorization: account }))).text()
    const first = await send('acme')
    assert.notEqual(await send('other'), first)
    assert.equal(await send('acme'), first)
    assert.equal(accounts.samples.created, 2)
    await accounts.store.close()
  })

  test('keys belong to their credential, and end after a day', async () => {
    await surface.request('/api/v1/things', post({ title: 'a' }, key))
    await surface.clock.advance(86_400_001)
    const response = await surface.request('/api/v1/things', post({ title: 'b' }, key))
    assert.equal(response.status, 200)
  })

  test('an answer with a secret is never kept', async () => {
    const secrets = [await surface.request('/api/v1/secrets', post({}, key)), await surface.request('/api/v1/secrets', post({}, key))]
    assert.deepEqual(await Promise.all(secrets.map((response) => response.text())), ['{"secret":"s1"}', '{"secret":"s2"}'])
    const kept = await surface.store.read.selectFrom('idempotency').selectAll().execute()
    assert.deepEqual(kept, [])
  })

  test('a key that is not visible ASCII is refused', async () => {
    await problem(
      await surface.request('/api/v1/things', post({ title: 'a' }, { 'Idempotency-Key': 'k'.repeat(256) })),
      400,
      'invalid_request',
    )
  })
})
