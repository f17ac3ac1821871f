// An agent that nobody vouches for speaks for nobody: what an anonymous stranger makes is shown to those alone who were given its
// address, and a claim opens everything at once, without a restart. On both stores.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { claimStranger, registerStranger } from '../support/agents-of-nobody.ts'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides = [{ textContent: 'Grid storage\n- A battery shifts the evening peak by four hours' }]
const lure = { title: 'Claim your refund', description: 'From the operator', isLive: true, discoverable: true, slides }

eachStore((_, open) => {
  const guarantee = (name: string, fn: (app: TestService) => Promise<void>) => test(name, () => withService(open, fn))

  const made = async (app: TestService, token: string, members: object = lure) => {
    const answer = await app.api('POST', '/api/v1/agent/sessions', members, token)
    assert.equal(answer.status, 200, answer.text)
    return answer.body as { sessionId: string; slug: string }
  }

  /** Everything in which a stranger's talk could be shown to somebody who was not given its address. */
  const shownIn = async ({ api, request }: TestService, { sessionId, slug }: { sessionId: string; slug: string }) => {
    const tool = async (name: string, args: object) =>
      (await api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })).text
    const prompt = { name: 'pap_presenter_briefing', arguments: { sessionId } }
    const places: Record<string, string> = {
      home: (await request('/')).text,
      discover: (await api('GET', '/api/v1/discover?limit=50', undefined, null)).text,
      found: (await api('GET', '/api/v1/discover?query=refund', undefined, null)).text,
      discover_sessions: await tool('discover_sessions', { query: 'refund' }),
      pap: (await api('POST', '/api/v1/pap/query', { message: 'How do I claim my refund?' })).text,
      pap_query_presenter: await tool('pap_query_presenter', { message: 'Where is my refund?' }),
      briefing: (await api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: prompt })).text,
      'llms.txt': (await request('/llms.txt')).text,
      'ai-catalog': (await request('/.well-known/ai-catalog.json')).text,
      'mcp.json': (await request('/.well-known/mcp.json')).text,
    }
    return Object.keys(places).filter((name) => [slug, 'Claim your refund'].some((word) => places[name]?.includes(word)))
  }

  guarantee('a stranger’s talk is in no list and in no answer until a person claims the agent; then it is in all at once', async (app) => {
    const agent = await registerStranger(app)
    const session = await made(app, agent.token)
    const total = async () => (await app.api('GET', '/api/v1/discover', undefined, null)).body.total
    assert.deepEqual(await shownIn(app, session), [])
    assert.equal(await total(), 0)
    await claimStranger(app, agent)
    assert.deepEqual(await shownIn(app, session), [
      'home',
      'discover',
      'found',
      'discover_sessions',
      'pap',
      'pap_query_presenter',
      'briefing',
    ])
    assert.equal(await total(), 1)
  })

  guarantee('the presenter of a stranger’s talk answers nobody’s personal agent, in the words of an unknown talk', async (app) => {
    const agent = await registerStranger(app)
    const other = await registerStranger(app, 'Another')
    const { sessionId } = await made(app, agent.token)
    const ask = (id: string, token: string) =>
      app.api('POST', '/api/v1/pap/query', { message: 'What shifts the peak?', sessionId: id }, token)
    const unknown = await ask(crypto.randomUUID(), app.key)
    for (const token of [app.key, other.token]) {
      const refused = await ask(sessionId, token)
      assert.equal(refused.status, 404)
      assert.equal(refused.body.detail, unknown.body.detail)
    }
    // The agent that made it tries it out, as in a rehearsal.
    assert.equal((await ask(sessionId, agent.token)).status, 200)
    await claimStranger(app, agent)
    assert.equal((await ask(sessionId, other.token)).status, 200)
  })

  guarantee('no search engine keeps the room of a stranger’s talk', async (app) => {
    const agent = await registerStranger(app)
    const { slug } = await made(app, agent.token)
    const robots = async () => (await app.request(`/join/${slug}`)).headers.get('x-robots-tag')
    assert.equal(await robots(), 'noindex')
    await claimStranger(app, agent)
    assert.equal(await robots(), null)
  })

  guarantee('the room of a stranger’s talk says that nobody has confirmed who made it, until the claim', async (app) => {
    const agent = await registerStranger(app)
    const { slug } = await made(app, agent.token)
    const seen = async () => (await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body
    const before = await seen()
    assert.equal(before.unverified, true)
    assert.match(before.disclosure, /An unverified agent made it/)
    await claimStranger(app, agent)
    const after = await seen()
    assert.equal('unverified' in after, false)
    assert.doesNotMatch(after.disclosure, /unverified/)
  })

  const offer = { ...lure, ctaText: 'Sign in again', ctaUrl: 'https://login.evil.example/a?b=c' }

  guarantee('the call to action of a stranger’s talk opens through a page that names the foreign host; its click counts', async (app) => {
    const agent = await registerStranger(app)
    const { slug, sessionId } = await made(app, agent.token, { ...offer, ctaRules: ['seconds:1'] })
    const through = `${app.baseUrl}/leaving/${sessionId}`
    const cta = { text: 'Sign in again', url: through, kind: 'link', host: 'login.evil.example' }
    assert.deepEqual((await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body.cta, cta)
    const ada = await joinTalk(app, slug)
    await ada.act('control', { action: 'start' })
    const clicked = await ada.act('cta', { action: 'click' })
    assert.equal(clicked.body.url, through)
    const asked = await ada.act('questions', { text: 'I want to sign up, where do I buy?' })
    assert.equal(asked.status, 200)
    await app.clock.advance(20_000)
    await ada.read()
    // Nothing that a room is told holds the address itself.
    assert.ok(ada.messages.some(({ event }) => event === 'cta'))
    assert.doesNotMatch(JSON.stringify(ada.messages), /a\?b=c/)
    const { cta_clicks, events } = {
      cta_clicks: await app.store.read.selectFrom('cta_clicks').selectAll().execute(),
      events: await app.store.read.selectFrom('domain_events').select('body').where('type', '=', 'cta.clicked').execute(),
    }
    assert.equal(cta_clicks.length, 1)
    assert.equal(JSON.parse(events[0]?.body ?? '').data.cta.url, offer.ctaUrl)
    const page = await app.request(`/leaving/${sessionId}`)
    assert.equal(page.status, 200)
    assert.match(page.text, /login\.evil\.example/)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /script-src|connect-src/)
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('x-robots-tag'), 'noindex')
    await claimStranger(app, agent)
    assert.equal((await app.api('GET', `/api/v1/rooms/${slug}`, undefined, null)).body.cta.url, offer.ctaUrl)
    // Who came before the claim still has the address of the page.
    const after = await app.request(`/leaving/${sessionId}`)
    assert.deepEqual([after.status, after.headers.get('location')], [303, offer.ctaUrl])
    await ada.close()
  })

  guarantee('the page on the way out leads nowhere but where a session says', async (app) => {
    const agent = await registerStranger(app)
    const { sessionId } = await made(app, agent.token)
    for (const path of [
      sessionId,
      crypto.randomUUID(),
      'https:%2F%2Fevil.example',
      '%2F%2Fevil.example',
      `${sessionId}?url=https://evil.example`,
    ]) {
      const { status, headers, text } = await app.request(`/leaving/${path}`)
      assert.deepEqual([status, headers.get('location')], [404, null], path)
      assert.doesNotMatch(text, /evil/)
    }
  })

  test('an unclaimed agent’s webhook hears of its own sessions alone; after the claim of the whole account’s', async () => {
    const heard: { type: string; title: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => void (body += chunk.toString()))
      request.on('end', () => {
        const { type, data } = JSON.parse(body)
        heard.push({ type, title: data.session.title })
        response.end()
      })
    })
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      await withService(
        open,
        async (app) => {
          const agent = await registerStranger(app)
          const others = await made(app, app.key, { ...lure, title: 'Of the owner' })
          const hook = { url: `http://127.0.0.1:${port}/in`, event_types: ['session.created'] }
          assert.equal((await app.api('POST', '/api/v1/webhooks', { ...hook, session_id: others.sessionId }, agent.token)).status, 404)
          const subscribed = await app.api('POST', '/api/v1/webhooks', hook, agent.token)
          assert.equal(subscribed.status, 201, subscribed.text)
          const leads = { ...hook, event_types: ['lead.captured'] }
          assert.equal((await app.api('POST', '/api/v1/webhooks', leads, agent.token)).status, 403)
          await app.clock.advance(1_000)
          await made(app, app.key, { ...lure, title: 'Of the owner too' })
          await made(app, agent.token, { ...lure, title: 'Of the agent' })
          const until = (count: number) =>
            eventually(async () => {
              await app.clock.advance(500)
              return heard.length >= count
            })
          await until(1)
          assert.deepEqual(heard, [{ type: 'session.created', title: 'Of the agent' }])
          await claimStranger(app, agent)
          await app.clock.advance(1_000)
          await made(app, app.key, { ...lure, title: 'Of the owner, later' })
          await until(2)
          assert.equal(heard[1]?.title, 'Of the owner, later')
        },
        { ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8', ROSTRUM_EGRESS_PORTS: String(port), ROSTRUM_INSECURE_HTTP: '1' },
      )
    } finally {
      receiver.close()
    }
  })
})
