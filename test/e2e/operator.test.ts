// The operator acts at the command line, beside a server that runs: sessions and agents of anybody, and what was reported.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const post = async (path: string, body: unknown, token?: string) => {
  const headers = { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
  const response = await fetch(`${server.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  // Tests read members of answers whose shape they assert.
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (await response.json()) as any }
}
const roomStatus = async (slug: string) => (await fetch(`${server.baseUrl}/api/v1/rooms/${slug}`)).status
const json = async (...args: string[]) => JSON.parse(await server.command(...args, '--json'))
const refused = (...args: string[]) => server.command(...args).then(() => assert.fail(`${args.join(' ')} was done`), String)

const talk = { isLive: true, slides: [{ textContent: 'Refunds\n- Send your password' }] }

async function stranger() {
  const { body } = await post('/api/v1/auth/register', { client_name: 'Sales Copilot', identity_type: 'anonymous' })
  const made = await post('/api/v1/agent/sessions', { ...talk, title: 'Claim your refund' }, body.access_token)
  return { token: body.access_token as string, id: body.registration_id as string, ...(made.body as { sessionId: string; slug: string }) }
}

test('a stranger’s talk is found, closed, and removed with the talks that run in it', async () => {
  const { sessionId, slug, token } = await stranger()
  assert.deepEqual((await json('session', 'list')).sessions, [])
  const { sessions } = await json('session', 'list', '--all-accounts')
  const found = sessions.find(({ id }: { id: string }) => id === sessionId)
  assert.deepEqual([found.title, found.status, found.isListed, found.isUnclaimed], ['Claim your refund', 'published', false, true])

  assert.match(await refused('session', 'unpublish', sessionId), /belongs to another account: add --all-accounts/)
  assert.equal(await roomStatus(slug), 200)
  assert.deepEqual(await json('session', 'unpublish', sessionId, '--all-accounts'), { unpublished: sessionId })
  assert.equal(await roomStatus(slug), 404)

  await post(`/api/v1/agent/sessions/${sessionId}/publish`, {}, token)
  const seat = (await post(`/api/v1/rooms/${slug}/attendees`, {})).body
  const stream = await fetch(seat.stream, { headers: { Authorization: `Bearer ${seat.attendeeToken}` } })
  await post(`/api/v1/runs/${seat.runId}/control`, { id: crypto.randomUUID(), action: 'start' }, seat.attendeeToken)
  assert.match(await server.command('session', 'delete', sessionId, '--all-accounts'), /^Deleted /)
  // The room is told, and its stream ends.
  assert.match(await stream.text(), /"reason":"deleted"/)
  assert.match(await refused('session', 'delete', sessionId, '--all-accounts'), /There is no session/)
})

test('an agent is found and revoked: its token is dead, and what it has open is named', async () => {
  const { sessionId, id, token } = await stranger()
  const { agents } = await json('agent', 'list', '--unclaimed')
  const found = agents.find((agent: { id: string }) => agent.id === id)
  assert.deepEqual([found.clientName, found.state, found.sessions], ['Sales Copilot', 'registered', 1])
  assert.deepEqual(await json('agent', 'revoke', id), { revoked: id, published: [sessionId] })
  assert.equal((await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { headers: { Authorization: `Bearer ${token}` } })).status, 401)
  assert.equal(
    (await json('agent', 'list')).agents.some((agent: { id: string }) => agent.id === id),
    false,
  )
  assert.match(await refused('agent', 'revoke', crypto.randomUUID()), /There is no agent/)
})

test('reports are read at the command line, each on one line whatever a stranger wrote', async () => {
  const { sessionId, slug } = await stranger()
  const words = 'They asked for my password.\n\u001B[31mDeleted everything'
  assert.equal((await post(`/api/v1/rooms/${slug}/reports`, { reason: 'fraud', words })).status, 200)
  const { entries } = await json('audit', 'list', '--action', 'session.reported')
  assert.equal(entries[0].targetId, sessionId)
  assert.equal(entries[0].data.reason, 'fraud')
  const printed = await server.command('audit', 'list', '--action', 'session.reported')
  assert.equal(printed.trim().split('\n').length, entries.length)
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(printed, /\u001B/)
  assert.match(await refused('audit', 'list', '--limit', '0'), /--limit/)
})
