// Spec 5 and the room: an attendee's token is a credential too; `?token=` takes that kind alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret, mint } from '../../server/accounts/credentials.ts'
import { systemIds } from '@rostrum/base/clock'
import { refused, register } from '../auth/agents.ts'
import { authWorld } from '../auth/support.ts'
import { openTestStore } from '../support/stores.ts'

const attendee = { kind: 'attendee', attendeeId: 'a', runId: 'r', sessionId: 's' } as const

test('an attendee token is looked up in the room by its hash, in the header and in the query', async () => {
  const token = mint('att', systemIds)
  const store = await openTestStore()
  const world = authWorld(store, { findAttendee: async (hash) => (hash === hashSecret(token) ? attendee : undefined) })
  assert.deepEqual(await world.authenticate(`Bearer ${token}`), attendee)
  assert.deepEqual(await world.authenticate(undefined, { queryToken: token }), attendee)
  await assert.rejects(world.authenticate(undefined, { queryToken: mint('att', systemIds) }), refused('invalid_token', 401))
  await assert.rejects(world.authenticate(undefined, { queryToken: '' }), refused('invalid_token', 401))
  const agent = await register(world)
  await assert.rejects(world.authenticate(undefined, { queryToken: agent.access_token }), refused('invalid_token', 401))
  await world.close()
  await store.close()
})

test('a dead token beside a registration or a revocation does not matter', async () => {
  const store = await openTestStore()
  const world = authWorld(store)
  for (const path of ['/api/v1/auth/register', '/api/v1/auth/revoke']) {
    assert.equal((await world.authenticate('Bearer dead', { path, method: 'POST' })).kind, 'nobody')
  }
  await assert.rejects(world.authenticate('Bearer dead', { path: '/api/v1/auth/claim', method: 'POST' }), refused('invalid_token'))
  await world.close()
  await store.close()
})
