// Spec 5.6: the page on which a person approves or refuses an agent, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureOwner } from '../../server/accounts/sign-in.ts'
import { scopes } from '../../server/platform/principal.ts'
import { approve, claim, pagePath, person, principalOf, register } from '../auth/agents.ts'
import type { Browser } from '../auth/support.ts'
import { authWorld, membersOf, owner } from '../auth/support.ts'
import { sessionRow } from '../support/rows.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_name, open) => {
  test('a POST with the token to the claim page is a claim', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    await approve(browser, agent)
    const program = world.browser()
    const done = await program.json(pagePath(agent), {}, { authorization: `Bearer ${agent.access_token}` })
    assert.equal(done.status, 200)
    assert.equal(membersOf(done)['status'], 'claimed')
    assert.equal((await program.json(pagePath(agent), {}, { authorization: 'Bearer x' })).status, 401)
    await world.close()
  })

  test('reading the claim page changes nothing, shows no code and escapes what the agent calls itself', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world, { client_name: '<script>alert(1)</script>' })
    const dump = async () => JSON.stringify(await world.store.read.selectFrom('registrations').selectAll().execute())
    const before = await dump()
    const page = await browser.get(pagePath(agent))
    assert.equal(await dump(), before)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /<script|claim-code/)
    assert.match(page.text, /Claim an agent/)
    assert.match(page.text, /read the names and email addresses of your leads/)
    assert.match(page.text, /value="deny"[^]*value="approve"/)
    await world.close()
  })

  test('the claim page cannot be used by a forged form, a stranger or after its end', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const path = pagePath(agent)
    const page = await browser.get(path)
    const form = { decision: 'approve', csrf: page.csrf ?? '' }
    assert.equal((await browser.post(path, { decision: 'approve' })).status, 403)
    assert.equal((await browser.post(path, form, { origin: 'https://evil.example' })).status, 403)
    const stranger = world.browser()
    const sent = await stranger.get(path)
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/dashboard/sign-in'])
    assert.equal((await browser.get('/claim/0000000000000000000000')).status, 404)
    assert.equal((await browser.get('/claim/x')).status, 404)
    const unknown = await browser.get('/claim/0000000000000000000000')
    await world.clock.advance(86_400_000)
    assert.equal((await browser.get(path)).text, unknown.text)
    await world.close()
  })

  test('after the sign-in the browser returns to the claim page, once', async () => {
    const world = authWorld((await open()).store)
    await ensureOwner(world.deps, owner, world.clock.now())
    const agent = await register(world)
    const browser = world.browser()
    await browser.get(pagePath(agent))
    const signedIn = await browser.submit('/dashboard/sign-in', { email: owner.email, password: owner.password })
    assert.equal(signedIn.headers.get('location'), pagePath(agent))
    assert.equal((await browser.get('/dashboard/sign-in')).headers.get('location'), '/dashboard')
    await world.close()
  })

  test('approving asks for the password when the sign-in is older than ten minutes', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    await world.clock.advance(11 * 60_000)
    const page = await browser.get(pagePath(agent))
    assert.match(page.text, /name="password"/)
    assert.equal((await browser.submit(pagePath(agent), { decision: 'approve' })).status, 401)
    const wrong = await browser.submit(pagePath(agent), { decision: 'approve', password: 'a wrong password' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /The password is not right/)
    assert.match(await approve(browser, agent, { password: owner.password }), /^[B-Z]{4}-[B-Z]{4}$/)
    await world.close()
  })

  test('[5.2-3] an email registration can be approved by that person alone', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const email = { identity_type: 'identity_assertion', assertion_type: 'verified_email' }
    const foreign = await register(world, { ...email, assertion: 'somebody@example.com' })
    assert.equal((await browser.get(pagePath(foreign))).status, 403)
    const page = await browser.get(pagePath(await register(world)))
    assert.equal((await browser.post(pagePath(foreign), { decision: 'approve', csrf: page.csrf ?? '' })).status, 403)
    const own = await register(world, { ...email, email: 'Maya@Example.com' })
    assert.equal((await claim(world, own.access_token, await approve(browser, own))).verified, true)
    await world.close()
  })

  test('an already claimed agent has no page to approve', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    await claim(world, agent.access_token, await approve(browser, agent))
    assert.equal((await browser.get(pagePath(agent))).status, 409)
    await world.close()
  })

  /** The form as a browser sends it: every box that is ticked is a field of its own. */
  async function sent(browser: Browser, path: string, ticked: readonly string[]) {
    const page = await browser.get(path)
    const fields = [['decision', 'approve'], ['csrf', page.csrf ?? ''], ['narrows', '1'], ...ticked.map((scope) => ['scope', scope])]
    return browser.raw(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString())
  }

  test('a person claims an agent for less than it could have, and it has no more', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const path = pagePath(agent)
    const boxes = [...(await browser.get(path)).text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope)
    assert.deepEqual(boxes, scopes)
    const none = await sent(browser, path, [])
    assert.equal(none.status, 400)
    assert.match(none.text, /Tick what the agent may do/)
    assert.doesNotMatch(none.text, /claim-code/)
    const some = await sent(browser, path, ['sessions:read', 'analytics:read', 'admin:all'])
    const code = /id="claim-code">([^<]+)</.exec(some.text)?.[1] ?? ''
    const claimed = await claim(world, agent.access_token, code)
    assert.equal(claimed.scope, 'sessions:read analytics:read')
    const principal = await principalOf(world, agent.access_token)
    assert.deepEqual(principal.kind === 'agent' && principal.scopes, ['sessions:read', 'analytics:read'])
    // The same code again is told the same.
    assert.equal((await claim(world, agent.access_token, code)).scope, 'sessions:read analytics:read')
    await world.close()
  })

  test('the claim page names every session that moves, and the host of every webhook without what its address may hold', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const { accountId } = (await principalOf(world, agent.access_token)) as { accountId: string }
    const at = { created_at: 1, updated_at: 1, account_id: accountId }
    await world.store.write(async (tx) => {
      const row = sessionRow({ account_id: accountId })
      await tx
        .insertInto('sessions')
        .values([
          { ...row, id: 's1', slug: 'a-1', title: 'Quarterly <b>figures</b>', status: 'published' },
          { ...row, id: 's2', slug: 'a-2', title: 'Onboarding', status: 'draft' },
        ])
        .execute()
      const hook = { ...at, ...silent }
      await tx
        .insertInto('webhook_subscriptions')
        .values([
          { ...hook, id: 'wh_1', url: 'https://hooks.evil.example:8443/in?key=canary', session_id: null },
          { ...hook, id: 'wh_2', url: 'https://one.example/x', session_id: 's2' },
          { ...hook, id: 'wh_3', url: 'https://gone.example/x', session_id: null, deleted_at: 2 },
        ])
        .execute()
    })
    const { text } = await browser.get(pagePath(agent))
    assert.match(text, /Quarterly &lt;b>figures&lt;\/b><\/bdi> <span class="muted">published/)
    assert.match(text, /Onboarding<\/bdi> <span class="muted">draft/)
    assert.match(
      text,
      /hooks\.evil\.example:8443<\/bdi> <span class="muted">cta\.clicked, session\.completed; of every session of your account/,
    )
    assert.match(text, /one\.example<\/bdi> <span class="muted">cta\.clicked, session\.completed; of <bdi>“Onboarding”/)
    assert.doesNotMatch(text, /canary|gone\.example/)
    await world.close()
  })
})

const silent = {
  event_types: '["cta.clicked","session.completed"]',
  description: null,
  disabled_reason: null,
  owner_credential_id: null,
  secret: new Uint8Array(1),
  secret_hint: 'abcd',
  format: 'standard' as const,
  token: null,
  previous_secret: null,
  previous_secret_until: null,
  ed25519_seed: null,
  public_key: null,
  dead_letters: 0,
  failing_since: null,
  deleted_at: null,
}
