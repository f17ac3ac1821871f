import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readConfig, showConfig } from './config.ts'

function accepted(env: Record<string, string> = {}) {
  const { config, problems } = readConfig(env)
  assert.deepEqual(problems, [])
  assert.ok(config)
  return config
}

test('an empty environment gives the documented defaults', () => {
  const config = accepted()
  assert.equal(config.port, 4400)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.baseUrl, 'http://localhost:4400')
  assert.equal(config.role, 'all')
  assert.deepEqual(config.webhookRetryMs, [120_000, 1_800_000])
  assert.deepEqual(config.egressPorts, [443, 8443])
  assert.deepEqual(config.rates.register, { count: 10, windowMs: 3_600_000 })
  assert.equal(config.planSessions, 1000)
  assert.equal(config.planMinutes, null)
  assert.equal(config.agentClaimedTtlMs, 90 * 86_400_000)
})

test('the default base URL follows the port', () => {
  assert.equal(accepted({ ROSTRUM_PORT: '8080' }).baseUrl, 'http://localhost:8080')
})

test('every bad value is listed at once, by name', () => {
  const { config, problems } = readConfig({ ROSTRUM_PORT: 'http', ROSTRUM_ROLE: 'boss', ROSTRUM_AGENT_TTL: '24' })
  assert.equal(config, undefined)
  assert.deepEqual(
    problems.map((line) => line.split(':')[0]),
    ['ROSTRUM_PORT', 'ROSTRUM_ROLE', 'ROSTRUM_AGENT_TTL'],
  )
})

test('a problem never repeats the value', () => {
  const { problems } = readConfig({ ROSTRUM_SECRET: 'hunter2', DATABASE_URL: 'mysql://admin:hunter2@db/x' })
  assert.equal(problems.length, 2)
  assert.ok(!problems.join().includes('hunter2'))
})

test('a base URL with a path is refused, and a trailing slash is dropped', () => {
  assert.match(readConfig({ ROSTRUM_BASE_URL: 'https://example.com/talks' }).problems.join(), /a path is not supported/)
  assert.equal(accepted({ ROSTRUM_BASE_URL: 'https://example.com/' }).baseUrl, 'https://example.com')
})

test('PostgreSQL needs a shared secret', () => {
  const DATABASE_URL = 'postgres://u:p@db/rostrum'
  assert.match(readConfig({ DATABASE_URL }).problems.join(), /^ROSTRUM_SECRET: is needed/)
  accepted({ DATABASE_URL, ROSTRUM_SECRET: 'x'.repeat(32) })
})

test('an unknown name is warned about and an empty one counts as absent', () => {
  const { config, warnings } = readConfig({ ROSTRUM_PROT: '1', ROSTRUM_PORT: ' ' })
  assert.equal(config?.port, 4400)
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^ROSTRUM_PROT: /)
})

test('a rate takes a window, a bare count keeps it, and off removes it', () => {
  assert.deepEqual(accepted({ ROSTRUM_RATE_API: '5/1s' }).rates.api, { count: 5, windowMs: 1000 })
  assert.deepEqual(accepted({ ROSTRUM_RATE_API: '7' }).rates.api, { count: 7, windowMs: 60_000 })
  assert.equal(accepted({ ROSTRUM_RATE_API: 'off' }).rates.api, 'off')
  assert.equal(readConfig({ ROSTRUM_RATE_API: '0/1m' }).problems.length, 1)
})

test('ranges that would switch the egress guard off are refused', () => {
  for (const range of ['0.0.0.0/0', '::/0', '10.0.0.0/33', '10/8']) {
    assert.equal(readConfig({ ROSTRUM_EGRESS_ALLOW: range }).problems.length, 1, range)
  }
  assert.deepEqual(accepted({ ROSTRUM_EGRESS_ALLOW: '10.0.0.0/8, fd00::1' }).egressAllow, ['10.0.0.0/8', 'fd00::1/128'])
})

test('a chain of models is read in order', () => {
  assert.deepEqual(accepted({ ROSTRUM_LLM: 'openai:gpt-5,compatible:llama3:8b' }).llm, [
    { provider: 'openai', model: 'gpt-5' },
    { provider: 'compatible', model: 'llama3:8b' },
  ])
})

test('the printed configuration masks secrets and passwords in addresses', () => {
  const shown = showConfig({ ROSTRUM_SECRET: 's'.repeat(40), DATABASE_URL: 'postgres://u:hunter2@db/rostrum?password=hunter2' })
  assert.ok(!JSON.stringify(shown).includes('hunter2') && !JSON.stringify(shown).includes('ssss'))
  assert.equal(shown.find(({ name }) => name === 'DATABASE_URL')?.value, 'postgres://********@db/rostrum?password=********')
})

test('no text makes the reader throw', () => {
  const names = showConfig({}).map(({ name }) => name)
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.string(), (name, text) => {
      readConfig({ [name]: text })
    }),
  )
})

test('what is set and has no effect yet is said at the start', () => {
  const { warnings, problems } = readConfig({ ROSTRUM_LLM: 'openai:gpt-5', NATS_URL: '' })
  assert.deepEqual(problems, [])
  assert.deepEqual(warnings, ['ROSTRUM_LLM: has no effect in this version.'])
})
