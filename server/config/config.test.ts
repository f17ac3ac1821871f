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

test('the sender of mails is one mailbox, and of the own host where none is named', () => {
  assert.equal(accepted({ ROSTRUM_BASE_URL: 'https://talks.example.com' }).smtpFrom, 'rostrum@talks.example.com')
  for (const from of ['talks@example.com', 'Acme talks <talks@example.com>']) {
    assert.equal(accepted({ ROSTRUM_SMTP_FROM: from }).smtpFrom, from)
  }
  for (const from of [
    'talks',
    'a@example.com, b@example.com',
    'Acme <a@example.com',
    'a@example.com>',
    'A\r\nBcc: <b@example.com>',
    '"A" <a@b>',
  ]) {
    assert.equal(readConfig({ ROSTRUM_SMTP_FROM: from }).problems.length, 1, from)
  }
  const shown = showConfig({ ROSTRUM_SMTP_URL: 'smtps://talks:hunter2@mail.example.com' })
  assert.equal(shown.find(({ name }) => name === 'ROSTRUM_SMTP_URL')?.value, 'smtps://********@mail.example.com')
})

test('the server that measures meaning has its address with it, and the key of OpenAI is for OpenAI', () => {
  const problem = (env: Record<string, string>) => readConfig(env).problems.join('\n')
  const local = accepted({ ROSTRUM_EMBED: 'compatible:bge-m3@http://127.0.0.1:11434/v1', OPENAI_API_KEY: 'sk-1' }).embedder
  assert.deepEqual(local, { provider: 'compatible', model: 'bge-m3', baseUrl: 'http://127.0.0.1:11434/v1', apiKey: null })
  const hosted = accepted({ ROSTRUM_EMBED: 'openai:text-embedding-3-small', OPENAI_API_KEY: 'sk-1' }).embedder
  const model = 'text-embedding-3-small'
  assert.deepEqual(hosted, { provider: 'openai', model, baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-1' })
  assert.deepEqual(accepted({ ROSTRUM_EMBED: 'llama:bge-m3', ROSTRUM_DATA_DIR: '/d' }).embedder, {
    provider: 'llama',
    model: '/d/models/bge-m3/model.gguf',
    engine: '/d/engines/llama',
  })
  assert.match(problem({ ROSTRUM_EMBED: 'compatible:bge-m3' }), /^ROSTRUM_EMBED: write the address of the server too/)
  assert.match(problem({ ROSTRUM_EMBED: 'openai:text-embedding-3-small' }), /^ROSTRUM_EMBED: .* needs a key: set OPENAI_API_KEY/)
  assert.match(problem({ ROSTRUM_EMBED: 'bge-m3' }), /^ROSTRUM_EMBED: write <provider>:<model>/)
})

test('a chain of models is read in order, each with its address and the key of its provider', () => {
  const ROSTRUM_LLM = 'openai:gpt-5,compatible:llama3:8b@http://127.0.0.1:11434/v1/'
  const { models } = accepted({ ROSTRUM_LLM, OPENAI_API_KEY: 'sk-1', ROSTRUM_LLM_PRICES: '1.25/10,-' })
  assert.deepEqual(models, [
    { provider: 'openai', model: 'gpt-5', baseUrl: null, apiKey: 'sk-1', price: { input: 1.25, output: 10 } },
    { provider: 'compatible', model: 'llama3:8b', baseUrl: 'http://127.0.0.1:11434/v1', apiKey: null, price: null },
  ])
  const listed = accepted({
    ROSTRUM_LLM: 'google:a,compatible:b',
    ROSTRUM_LLM_BASE_URL: '-,http://b.test/v1',
    ROSTRUM_LLM_API_KEY: 'one,-',
  })
  assert.deepEqual(
    listed.models.map(({ baseUrl, apiKey }) => [baseUrl, apiKey]),
    [
      [null, 'one'],
      ['http://b.test/v1', null],
    ],
  )
  const shared = accepted({ ROSTRUM_LLM: 'compatible:a,compatible:b', ROSTRUM_LLM_BASE_URL: 'http://b.test/v1', ROSTRUM_LLM_API_KEY: 'k' })
  assert.ok(shared.models.every(({ baseUrl, apiKey }) => baseUrl === 'http://b.test/v1' && apiKey === 'k'))
})

test('a chain that could not work, or would show a key to a second provider, stops the start with words', () => {
  const problem = (env: Record<string, string>) => readConfig(env).problems.join('\n')
  assert.match(problem({ ROSTRUM_LLM: 'gpt-5' }), /^ROSTRUM_LLM: write <provider>:<model>/)
  assert.match(problem({ ROSTRUM_LLM: 'openai:gpt-5' }), /^ROSTRUM_LLM: openai:gpt-5 needs a key: set OPENAI_API_KEY/)
  assert.match(problem({ ROSTRUM_LLM: 'compatible:llama3' }), /needs the address of its server/)
  assert.match(problem({ ROSTRUM_LLM: 'compatible:a@http://u:secret@b.test' }), /^ROSTRUM_LLM: leave out user name/)
  assert.ok(!problem({ ROSTRUM_LLM: 'compatible:a@http://u:secret@b.test' }).includes('secret'))
  const two = { ROSTRUM_LLM: 'openai:a,anthropic:b', ROSTRUM_LLM_API_KEY: 'k' }
  assert.match(problem(two), /^ROSTRUM_LLM_API_KEY: write one for each of the 2 models/)
  assert.match(problem({ ROSTRUM_LLM: 'openai:a', OPENAI_API_KEY: 'k', ROSTRUM_LLM_PRICES: 'cheap' }), /^ROSTRUM_LLM_PRICES: write/)
})

test('the printed configuration masks secrets and passwords in addresses', () => {
  const shown = showConfig({
    ROSTRUM_SECRET: 's'.repeat(40),
    DATABASE_URL: 'postgres://u:hunter2@db/rostrum?password=hunter2',
    OPENAI_API_KEY: 'hunter2',
  })
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

test('what is set and has no effect is said at the start', () => {
  const { warnings, problems } = readConfig({ NATS_URL: '', ROSTRUM_STT_API_KEY: 'k' })
  assert.deepEqual(problems, [])
  assert.deepEqual(warnings, ['ROSTRUM_STT_API_KEY: has no effect without ROSTRUM_STT.'])
})

test('a voice and ears of the server are taken with their address and key, or what is missing is said', () => {
  const { config, problems } = readConfig({
    ROSTRUM_TTS: 'compatible:kokoro@http://127.0.0.1:8880/v1',
    ROSTRUM_TTS_VOICE: 'af_heart',
    ROSTRUM_STT: 'openai:whisper-1',
    OPENAI_API_KEY: 'sk-test',
  })
  assert.deepEqual(problems, [])
  const voice = { provider: 'compatible', model: 'kokoro', baseUrl: 'http://127.0.0.1:8880/v1', apiKey: null }
  assert.deepEqual([config?.voice, config?.ttsVoice], [voice, 'af_heart'])
  assert.deepEqual(config?.ears, { provider: 'openai', model: 'whisper-1', baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-test' })
  const espeak = readConfig({ ROSTRUM_TTS: 'espeak:en-us' }).config?.voice
  assert.deepEqual(espeak, { provider: 'espeak', model: 'en-us', baseUrl: null, apiKey: null })
  const local = readConfig({ ROSTRUM_TTS: 'sherpa:kokoro-en', ROSTRUM_STT: 'sherpa:/srv/ears', ROSTRUM_DATA_DIR: '/data' }).config
  assert.deepEqual([local?.voice?.model, local?.ears?.model], ['/data/voices/kokoro-en', '/srv/ears'])
  for (const [env, missing] of [
    [{ ROSTRUM_TTS: 'openai:tts-1' }, /ROSTRUM_TTS: openai:tts-1 needs a key/],
    [{ ROSTRUM_STT: 'compatible:base' }, /ROSTRUM_STT: compatible:base needs the address/],
    [{ ROSTRUM_STT: 'espeak:en' }, /ROSTRUM_STT: write <provider>:<model>/],
  ] as const)
    assert.match(readConfig(env).problems.join(), missing)
})

test("a key of the provider never goes to a server of one's own", () => {
  const { config } = readConfig({ ROSTRUM_TTS: 'compatible:kokoro@http://127.0.0.1:8880/v1', OPENAI_API_KEY: 'sk-test' })
  assert.equal(config?.voice?.apiKey, null)
})

test('a bucket for files needs PostgreSQL, its keys and an address that is one', () => {
  const cluster = { DATABASE_URL: 'postgres://u@h/d', ROSTRUM_SECRET: 'x'.repeat(32), ROSTRUM_BLOBS: 's3:https://s3.example.com/talks/' }
  const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'hidden' }
  const expected = { address: 'https://s3.example.com/talks', region: 'auto', keyId: 'key', secret: 'hidden' }
  assert.deepEqual(readConfig({ ...cluster, ...keys }).config?.bucket, expected)
  assert.equal(readConfig({}).config?.bucket, null)
  assert.match(readConfig(cluster).problems.join(), /^ROSTRUM_BLOBS: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY too/)
  assert.match(readConfig({ ...keys, ROSTRUM_BLOBS: cluster.ROSTRUM_BLOBS }).problems.join(), /^ROSTRUM_BLOBS: .*DATABASE_URL/)
  for (const wrong of [
    'https://s3.example.com/talks',
    's3:https://s3.example.com',
    's3:https://u:p@s3.example.com/talks',
    's3:ftp://h/talks',
    's3:https://h/a/b',
  ])
    assert.match(
      readConfig({ ...cluster, ...keys, ROSTRUM_BLOBS: wrong }).problems.join(),
      /^ROSTRUM_BLOBS: write s3: and the address/,
      wrong,
    )
  assert.ok(!JSON.stringify(showConfig({ ...cluster, ...keys })).includes('hidden'))
})
