// Whose object a body is for, whether there is room, and what it is, are asked on its head: the answer comes before a byte of it does. On
// both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimStranger, registerStranger } from '../support/agents-of-nobody.ts'
import { type Answer, type TestService, withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const mebibyte = 1_048_576

eachStore((_, open) => {
  /** A body of which only the head comes: whoever reads it waits for ever. */
  const head = async (app: TestService, method: string, path: string, token: string, type: string, sizeBytes: number): Promise<Answer> => {
    let isRead = false
    const body = new ReadableStream({ type: 'bytes', pull: () => new Promise(() => (isRead = true)) }, { highWaterMark: 0 })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type, 'Content-Length': String(sizeBytes) }
    const answer = await app.request(path, { method, headers, body, duplex: 'half' })
    assert.equal(isRead, false, `${method} ${path} reads the body first`)
    return answer
  }
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>, env: Record<string, string> = {}) =>
    test(name, () => withService(open, fn, env))
  const newSession = async (app: TestService, token = app.key) =>
    (await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid' }, token)).body.sessionId as string
  const id = '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11'

  guarantee('a body for what is not there, or is another account’s, is refused unread', async (app) => {
    const others = await newSession(app, await app.newKey())
    for (const session of [id, others, 'no-id']) {
      const of = `/api/v1/agent/sessions/${session}`
      for (const [method, path, type] of [
        ['PUT', `${of}/deck`, 'application/pdf'],
        ['PUT', `${of}/deck`, 'application/json'],
        ['PUT', `${of}/portrait`, 'image/png'],
        ['PUT', `${of}/knowledge`, 'application/json'],
        ['POST', `${of}/knowledge/files`, 'text/markdown'],
        ['PUT', `${of}/recordings/${id}/file`, 'video/webm'],
        ['PUT', `${of}/script`, 'application/json'],
        ['POST', `${of}/script/lint`, 'application/json'],
      ] as const) {
        const { status, body } = await head(app, method, path, app.key, type, 900_000)
        assert.deepEqual([status, body.code], [404, 'not_found'], `${method} ${path}`)
      }
    }
    const speech = await head(app, 'POST', `/api/v1/runs/${id}/host/speech`, app.key, 'audio/wav', 900_000)
    assert.deepEqual([speech.status, speech.body.code], [404, 'not_found'])
  })

  guarantee(
    'so is one that is too large, of another type, or more than the account may store',
    async (app) => {
      const of = `/api/v1/agent/sessions/${await newSession(app)}`
      const codeOf = async (...[method, path, type, size]: [string, string, string, number]) =>
        (await head(app, method, `${of}${path}`, app.key, type, size)).body.code
      assert.equal(await codeOf('PUT', '/deck', 'application/pdf', 51 * mebibyte), 'limit_reached')
      assert.equal(await codeOf('PUT', '/deck', 'video/mp4', mebibyte), 'unsupported_media_type')
      assert.equal(await codeOf('PUT', '/knowledge', 'text/plain', mebibyte), 'unsupported_media_type')
      assert.equal(await codeOf('PUT', '/knowledge', 'application/json', 17 * mebibyte), 'payload_too_large')
      const refused = await head(app, 'PUT', `${of}/deck`, app.key, 'application/pdf', 12 * mebibyte)
      assert.deepEqual([refused.status, refused.body.code], [409, 'limit_reached'])
      assert.match(refused.body.detail, /^Your decks store 0 MiB of 10 MiB, and this needs 12 MiB more\. Delete sessions/)
    },
    { ROSTRUM_PLAN_STORAGE: '10MiB' },
  )

  guarantee(
    'a large body of a session is not read where the quota of sessions is used up',
    async (app) => {
      await newSession(app)
      const { status, body } = await head(app, 'POST', '/api/v1/agent/sessions', app.key, 'application/json', 15 * mebibyte)
      assert.deepEqual([status, body.code], [402, 'quota_exceeded'])
    },
    { ROSTRUM_PLAN_SESSIONS: '1' },
  )

  guarantee('an unclaimed agent gets a tenth, in words with the claim link; with the claim it has what all have', async (app) => {
    const agent = await registerStranger(app)
    const of = `/api/v1/agent/sessions/${await newSession(app, agent.token)}`
    const claim_uri = `${app.baseUrl}${agent.claimPath}`
    const told = ({ status, body }: Answer) => {
      assert.equal(body.claim_uri, claim_uri, JSON.stringify(body))
      assert.ok(body.detail.endsWith(`Ask a person to claim this agent at ${claim_uri}, or use an API key.`), body.detail)
      return [status, body.code]
    }
    const usage = async () => (await app.api('GET', '/api/v1/agent/usage', undefined, agent.token)).body.storedBytes.limit
    assert.equal(await usage(), 50 * mebibyte)
    assert.deepEqual(told(await head(app, 'PUT', `${of}/deck`, agent.token, 'application/pdf', 50.1 * mebibyte)), [409, 'limit_reached'])
    const knowledge = () => head(app, 'POST', `${of}/knowledge/files`, agent.token, 'application/pdf', 6 * mebibyte)
    const refused = await knowledge()
    assert.deepEqual(told(refused), [413, 'payload_too_large'])
    assert.match(refused.body.detail, /^The knowledge files of an unclaimed agent are at most 5 MiB in one call\./)
    for (const format of ['mp4', 'webm'])
      assert.deepEqual(told(await app.api('POST', `${of}/recordings`, { format }, agent.token)), [403, 'forbidden'])
    assert.equal((await app.api('POST', `${of}/recordings`, { format: 'srt' }, agent.token)).status, 202)
    // Slides as JSON are no files; five files an hour are.
    for (let nth = 0; nth < 6; nth++)
      assert.equal((await app.api('PUT', `${of}/deck`, { slides: [{ textContent: `Slide ${nth}` }] }, agent.token)).status, 200)
    for (let nth = 2; nth < 5; nth++) assert.equal((await knowledge()).status, 413)
    const sixth = await knowledge()
    assert.deepEqual(told(sixth), [429, 'rate_limited'])
    assert.match(sixth.body.detail, /^An unclaimed agent may send 5 files in 60 minutes: try again in \d+ s\./)
    assert.ok(Number(sixth.headers.get('retry-after')) > 0)
    await claimStranger(app, agent)
    assert.equal(await usage(), 5 * 1_024 * mebibyte)
    assert.equal((await app.api('POST', `${of}/recordings`, { format: 'webm' }, agent.token)).status, 202)
  })

  guarantee('a repeat with its key is answered as the first time, whatever has become of what it was for', async (app) => {
    const of = `/api/v1/agent/sessions/${await newSession(app)}`
    const headers = { Authorization: `Bearer ${app.key}`, 'Content-Type': 'text/markdown', 'Idempotency-Key': 'once' }
    const add = (body: string) => app.request(`${of}/knowledge/files`, { method: 'POST', headers, body })
    const first = await add('# Grid\n\nA battery shifts the evening peak.')
    assert.equal(first.status, 200, first.text)
    await app.api('DELETE', of)
    const again = await add('# Grid\n\nA battery shifts the evening peak.')
    assert.deepEqual([again.status, again.text, again.headers.get('idempotency-replayed')], [200, first.text, 'true'])
    assert.equal((await add('# Another')).body.code, 'idempotency_conflict')
  })
})
