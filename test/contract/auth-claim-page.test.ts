// Spec 5.6: the page on which a person approves or refuses an agent, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureOwner } from '../../src/auth/setup.ts'
import { approve, claim, pagePath, person, register } from '../auth/agents.ts'
import { authWorld, membersOf, owner } from '../auth/support.ts'
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
    assert.match(page.text, /read the names and e-mail addresses of your leads/)
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

  test('[5.2-3] an e-mail registration can be approved by that person alone', async () => {
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
})
