import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../test/support/clock.ts'
import { startModelServer } from '../../test/support/model-server.ts'
import type { ModelPart } from './language-model.ts'
import { type HostedSettings, openModel } from './open-model.ts'

const prompt = { rules: 'RULES', material: 'MATERIAL', ask: 'ASK', outputTokensMax: 300 }
const providers = [
  { provider: 'openai', path: '/v1', calls: '/v1/responses', key: 'authorization' },
  { provider: 'compatible', path: '/v1', calls: '/v1/chat/completions', key: 'authorization' },
  { provider: 'anthropic', path: '/v1', calls: '/v1/messages', key: 'x-api-key' },
  { provider: 'google', path: '/v1beta', calls: '/v1beta/models/stub:streamGenerateContent?alt=sse', key: 'x-goog-api-key' },
] as const

const opened = (provider: HostedSettings['provider'], baseUrl: string) =>
  openModel({ provider, model: 'stub', baseUrl, apiKey: 'key-1', price: null })

async function all(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const found: ModelPart[] = []
  for await (const part of parts) found.push(part)
  return found
}

for (const { provider, path, calls, key } of providers) {
  test(`${provider}: text streams in pieces and tokens are counted, in one call with rules, material and question in this order`, async () => {
    const server = await startModelServer(() => ({ pieces: ['{"text":', '"Hello."}'] }))
    try {
      const parts = await all(opened(provider, `${server.origin}${path}`).stream(prompt, new AbortController().signal))
      assert.deepEqual(
        parts.filter(({ type }) => type === 'text'),
        [
          { type: 'text', text: '{"text":' },
          { type: 'text', text: '"Hello."}' },
        ],
      )
      const count = parts.find((part) => part.type === 'tokens')
      assert.equal(count?.tokens.input, 1_200)
      assert.equal(count?.tokens.output, 60)
      const [request] = server.requests
      assert.equal(server.requests.length, 1)
      assert.equal(request?.path, calls)
      assert.match(String(request?.headers[key]), /key-1$/)
      const places = ['RULES', 'MATERIAL', 'ASK'].map((word) => request?.body.indexOf(word) ?? -1)
      // Google and Anthropic write their rules in a member of their own, wherever it stands.
      assert.ok(places.every((place) => place > 0) && (places[1] ?? 0) < (places[2] ?? 0))
      assert.match(request?.body ?? '', /300/)
    } finally {
      await server.close()
    }
  })

  test(`${provider}: a refusal and a cut stream throw, and are not tried again; an abort closes the connection`, async () => {
    const server = await startModelServer(() => ({ pieces: ['a'], ends: 'refuse' }))
    try {
      const model = opened(provider, `${server.origin}${path}`)
      await assert.rejects(all(model.stream(prompt, new AbortController().signal)))
      assert.equal(server.requests.length, 1)
      server.act = () => ({ pieces: ['a'], ends: 'cut' })
      await assert.rejects(all(model.stream(prompt, new AbortController().signal)))
      server.act = () => ({ pieces: ['a'], ends: 'stall' })
      const abort = new AbortController()
      const before = server.aborted
      for await (const part of model.stream(prompt, abort.signal)) if (part.type === 'text') abort.abort()
      await eventually(async () => server.aborted === before + 1)
    } finally {
      await server.close()
    }
  })
}

test('the SDK and the providers are imported in one file alone, and only when a model is called', () => {
  const root = join(import.meta.dirname, '../..')
  const importing = globSync('{server,packages}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] }).filter((file) => {
    const code = file.endsWith('.test.ts') ? '' : readFileSync(join(root, file), 'utf8').replace(/^import type .*$/gm, '')
    return /['"](?:ai|@ai-sdk\/[a-z-]+)['"]/.test(code)
  })
  assert.deepEqual(importing, [join('server', 'models', 'open-model.ts')])
  const code = readFileSync(join(root, 'server/models/open-model.ts'), 'utf8')
  assert.doesNotMatch(code, /^import (?!type)[^\n]*['"](?:ai|@ai-sdk)/m)
})
