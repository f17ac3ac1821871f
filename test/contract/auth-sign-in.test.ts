// Spec 5: set-up, sign-in, the cookie and its CSRF proof, through the pages, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { hasUsers } from '../../server/accounts/people.ts'
import { createKey } from '../../server/accounts/keys.ts'
import { createLimiter } from '../../server/accounts/limits.ts'
import { createLink } from '../../server/accounts/links.ts'
import { createSetupLink, ensureOwner } from '../../server/accounts/sign-in.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { AuthWorld } from '../auth/support.ts'
import { authWorld, baseUrl, membersOf, owner, wideRates } from '../auth/support.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

const { accountName: _, name: __, ...credentials } = owner
const signedInBody = z.strictObject({
  user: z.strictObject({ id: z.uuid(), email: z.string(), name: z.string() }),
  account: z.strictObject({ id: z.uuid(), name: z.string(), role: z.string() }),
  csrf: z.string().min(20),
})
const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code
const setupPath = async (world: AuthWorld) => new URL((await createSetupLink(world.deps, world.clock.now())) ?? '').pathname

async function signedIn(world: AuthWorld) {
  const browser = world.browser()
  if (await hasUsers(world.store.read)) await browser.submit('/dashboard/sign-in', credentials)
  else await browser.submit(await setupPath(world), owner)
  return browser
}

eachStore((_name, open) => {
  test('the set-up link makes the owner, signs them in, and is then dead', async () => {
    const world = authWorld((await open()).store)
    const path = await setupPath(world)
    const browser = world.browser()
    const page = await browser.get(path)
    assert.match(page.text, /<h1>Set up Rostrum<\/h1>/)
    const done = await browser.submit(path, owner)
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/dashboard'])
    const principal = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(principal.kind === 'user' && principal.role === 'owner' && principal.scopes.length === 5)
    assert.equal((await world.browser().get(path)).status, 410)
    assert.equal(await createSetupLink(world.deps, world.clock.now()), undefined)
    await world.close()
  })

  test('of 50 who send the set-up form at once, one becomes the owner', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const path = await setupPath(world)
    const browsers = Array.from({ length: 50 }, () => world.browser())
    const pages = await Promise.all(browsers.map((browser) => browser.get(path)))
    const sent = await Promise.all(
      browsers.map((browser, i) => browser.post(path, { csrf: pages[i]?.csrf ?? '', ...owner, email: `maya${i}@example.com` })),
    )
    assert.equal(sent.filter(({ status }) => status === 303).length, 1)
    assert.equal((await world.store.read.selectFrom('users').select('id').execute()).length, 1)
    await world.close()
  })

  test('a newer set-up link kills the older one, and a bad form says what is wrong and keeps what was typed', async () => {
    const world = authWorld((await open()).store)
    const older = await setupPath(world)
    const path = await setupPath(world)
    assert.equal((await world.browser().get(older)).status, 410)
    const shown = await world.browser().submit(path, { ...owner, password: 'short', name: '"><b>' })
    assert.equal(shown.status, 400)
    assert.match(shown.text, /Use at least 12 characters/)
    assert.match(shown.text, /value="&quot;>&lt;b>"/)
    assert.ok(!shown.text.includes('short"'))
    await world.close()
  })

  test('the owner of the configuration is made once, and a bad password stops the start', async () => {
    const world = authWorld((await open()).store)
    await assert.rejects(ensureOwner(world.deps, { email: owner.email, password: 'short' }, 1), /ROSTRUM_OWNER_PASSWORD/)
    assert.equal(await ensureOwner(world.deps, owner, world.clock.now()), true)
    assert.equal(await ensureOwner(world.deps, { ...owner, email: 'other@example.com' }, 1), false)
    assert.equal((await world.browser().submit('/dashboard/sign-in', { ...credentials, email: ' MAYA@example.com ' })).status, 303)
    await world.close()
  })

  test('a wrong password and an address nobody has answer alike', async () => {
    const world = authWorld((await open()).store)
    await ensureOwner(world.deps, owner, world.clock.now())
    let computed = 0
    const { verify } = world.deps.passwords
    world.deps.passwords.verify = (...given) => {
      computed++
      return verify(...given)
    }
    const wrong = await world.browser().submit('/dashboard/sign-in', { ...credentials, password: 'not the password' })
    const nobody = await world.browser().submit('/dashboard/sign-in', { email: 'maya@example.net', password: 'not the password' })
    assert.equal(wrong.status, 401)
    assert.equal(nobody.status, 401)
    assert.equal(computed, 2)
    const plain = ({ text, csrf }: { text: string; csrf: string | undefined }) =>
      text.replace(csrf ?? '', '').replace(/maya@example\.\w+/, '')
    assert.equal(plain(wrong), plain(nobody))
    assert.equal(wrong.headers.get('www-authenticate'), null)
    const json = await world.browser().json('/dashboard/sign-in', { email: 'x', password: 'y' })
    assert.equal(json.status, 401)
    assert.equal(membersOf(json)['code'], 'sign_in_failed')
    await world.close()
  })

  test('JSON signs in and gives user, account and csrf; the new id is never one that was brought along', async () => {
    const world = authWorld((await open()).store)
    await ensureOwner(world.deps, owner, world.clock.now())
    const browser = world.browser()
    browser.cookies.set('__Host-rostrum', 'x'.repeat(43))
    const done = await browser.json('/dashboard/sign-in', credentials)
    assert.equal(done.status, 200)
    const body = signedInBody.parse(JSON.parse(done.text))
    assert.deepEqual([body.user.email, body.account.role], ['maya@example.com', 'owner'])
    assert.notEqual(browser.cookies.get('__Host-rostrum'), 'x'.repeat(43))
    const cookie = done.headers.getSetCookie()[0] ?? ''
    assert.match(cookie, /^__Host-rostrum=[0-9A-Za-z]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=7776000$/)
    assert.equal((await world.browser().json('/dashboard/sign-in', credentials, { origin: 'https://evil.example' })).status, 403)
    await world.close()
  })

  test('a form of another site, without a token, or with a token of another browser does nothing', async () => {
    const world = authWorld((await open()).store)
    await ensureOwner(world.deps, owner, world.clock.now())
    const other = await world.browser().get('/dashboard/sign-in')
    const browser = world.browser()
    const page = await browser.get('/dashboard/sign-in')
    const csrf = page.csrf ?? ''
    const forged = [
      await browser.post('/dashboard/sign-in', credentials),
      await browser.post('/dashboard/sign-in', { ...credentials, csrf: other.csrf ?? '' }),
      await browser.post('/dashboard/sign-in', { ...credentials, csrf }, { origin: 'https://evil.example' }),
      await browser.post('/dashboard/sign-in', { ...credentials, csrf }, { origin: 'null', 'sec-fetch-site': 'cross-site' }),
    ]
    assert.deepEqual(
      forged.map(({ status }) => status),
      [403, 403, 403, 403],
    )
    assert.equal((await browser.post('/dashboard/sign-in', { ...credentials, csrf })).status, 303)
    await world.close()
  })

  test('the cookie acts only with proof of its page, and never beside an Authorization header', async () => {
    const world = authWorld((await open()).store)
    const browser = await signedIn(world)
    const at = (method: string, extra: Record<string, string> = {}, more = {}) =>
      world.authenticate(undefined, { method, header: browser.header(extra), ...more })
    const principal = await at('GET')
    assert.ok(principal.kind === 'user')
    const token = world.deps.csrf.forSignIn(principal.signInId)
    assert.equal((await at('POST', { 'x-csrf-token': token, origin: baseUrl })).kind, 'user')
    await assert.rejects(at('POST'), refused('csrf_failed'))
    await assert.rejects(at('DELETE', { 'x-csrf-token': token, origin: 'https://evil.example' }), refused('csrf_failed'))
    await assert.rejects(at('POST', { 'x-csrf-token': token, 'sec-fetch-site': 'cross-site' }), refused('csrf_failed'))
    await assert.rejects(at('POST', { 'x-csrf-token': `${token}x`, origin: baseUrl }), refused('csrf_failed'))
    assert.equal((await at('POST', {}, { isOpen: true })).kind, 'nobody')
    assert.equal((await at('GET', {}, { path: '/mcp' })).kind, 'nobody')
    await assert.rejects(world.authenticate('Bearer x', { header: browser.header() }), refused('invalid_token'))
    await world.close()
  })

  test('signing out ends the sign-in on the server', async () => {
    const world = authWorld((await open()).store)
    const browser = await signedIn(world)
    const header = browser.header()
    const stolen = header('cookie')
    const principal = await world.authenticate(undefined, { header })
    assert.ok(principal.kind === 'user')
    assert.equal((await browser.post('/dashboard/sign-out', {})).status, 403)
    const out = await browser.post('/dashboard/sign-out', { csrf: world.deps.csrf.forSignIn(principal.signInId) })
    assert.deepEqual([out.status, out.headers.get('location')], [303, '/dashboard/sign-in'])
    assert.equal(browser.cookies.has('__Host-rostrum'), false)
    assert.equal((await world.authenticate(undefined, { header: (name) => (name === 'cookie' ? stolen : undefined) })).kind, 'nobody')
    await world.close()
  })

  test('a sign-in ends after 14 days without use and after 90 days at most', async () => {
    const world = authWorld((await open()).store)
    const browser = await signedIn(world)
    const day = 86_400_000
    const kind = async () => (await world.authenticate(undefined, { header: browser.header() })).kind
    for (let used = 0; used < 6; used++) {
      await world.clock.advance(13 * day)
      assert.equal(await kind(), 'user')
      await world.deps.store.write(async (tx) => void (await tx.updateTable('sign_ins').set({ seen_at: world.clock.now() }).execute()))
    }
    await world.clock.advance(12 * day)
    assert.equal(await kind(), 'nobody')
    const idle = world.browser()
    await idle.submit('/dashboard/sign-in', credentials)
    await world.clock.advance(14 * day)
    assert.equal((await world.authenticate(undefined, { header: idle.header() })).kind, 'nobody')
    await world.close()
  })

  test('failures are throttled by person and by address, right passwords cost nothing', async () => {
    const { store } = await open()
    const world = authWorld(store, { rates: { ...wideRates, signin: { count: 3, windowMs: 900_000 } } })
    await ensureOwner(world.deps, owner, world.clock.now())
    const attempt = (password: string, email = owner.email) => world.browser().json('/dashboard/sign-in', { email, password })
    for (let i = 0; i < 6; i++) assert.equal((await attempt(owner.password)).status, 200)
    const guesses = await Promise.all(Array.from({ length: 10 }, () => attempt('a wrong password')))
    assert.equal(guesses.filter(({ status }) => status === 401).length, 3)
    const limited = await attempt(owner.password)
    assert.equal(limited.status, 429)
    assert.ok(Number(limited.headers.get('retry-after')) >= 1)
    assert.equal((await attempt('a wrong password', 'other@example.com')).status, 401)
    await world.clock.advance(300_000)
    assert.equal((await attempt(owner.password)).status, 200)
    await world.close()
  })

  test('wrong tries of others never lock a person out: not from another network, nor of a device that has signed in before', async () => {
    const { store } = await open()
    const world = authWorld(store, { rates: { ...wideRates, signin: { count: 3, windowMs: 900_000 } } })
    await ensureOwner(world.deps, owner, world.clock.now())
    const known = world.browser('Known', '198.51.100.20')
    assert.equal((await known.json('/dashboard/sign-in', credentials)).status, 200)
    known.cookies.delete('__Host-rostrum')
    const guess = async (from: string) =>
      (await world.browser('Stranger', from).json('/dashboard/sign-in', { email: owner.email, password: 'a wrong password' })).status
    const guesses = async (from: string) => [await guess(from), await guess(from), await guess(from), await guess(from)]

    // The networks of strangers wait, each by itself; that of the person does not.
    assert.deepEqual(await guesses('203.0.113.1'), [401, 401, 401, 429])
    assert.equal((await world.browser('New', '198.51.100.21').json('/dashboard/sign-in', credentials)).status, 200)
    // Many networks together reach the wide limit, which holds new devices only, also in the network of a known one.
    for (let i = 2; i < 12; i++) await guesses(`203.0.113.${i}`)
    await guesses('198.51.100.20')
    assert.equal((await world.browser('New', '198.51.100.21').json('/dashboard/sign-in', credentials)).status, 429)
    assert.equal((await known.json('/dashboard/sign-in', credentials)).status, 200)
    // Its own wrong tries count, and for nobody else.
    known.cookies.delete('__Host-rostrum')
    const own = async () => (await known.json('/dashboard/sign-in', { email: owner.email, password: 'a wrong password' })).status
    assert.deepEqual([await own(), await own(), await own(), await own()], [401, 401, 401, 429])
    await world.close()
  })

  test('the mark of a device is good for its person alone, and a made-up one for nobody', async () => {
    const { store } = await open()
    const world = authWorld(store, { rates: { ...wideRates, signin: { count: 2, windowMs: 900_000 } } })
    await ensureOwner(world.deps, owner, world.clock.now())
    const tries = async (mark: string) => {
      const browser = world.browser()
      browser.cookies.set('__Host-rostrum_device', mark)
      return (await browser.json('/dashboard/sign-in', { email: owner.email, password: 'a wrong password' })).status
    }
    assert.deepEqual([await tries('x'), await tries('y')], [401, 401])
    const { devices } = world.deps
    const mark = devices.mark(owner.email)
    const forged = [devices.mark('noor@example.com'), `${'A'.repeat(22)}${mark.slice(22)}`, `${mark}.x`, mark.slice(0, -2), '.', '']
    for (const each of forged) assert.equal(await tries(each), 429, each)
    assert.equal(await tries(mark), 401)
    await world.close()
  })

  test('a reset by the mailed link lets the person in where the tries of strangers keep new devices waiting', async () => {
    const { store } = await open()
    const world = authWorld(store, { rates: { ...wideRates, signin: { count: 2, windowMs: 900_000 } } })
    await ensureOwner(world.deps, owner, world.clock.now())
    const browser = world.browser()
    const sign = async (password: string) => (await browser.json('/dashboard/sign-in', { email: owner.email, password })).status
    for (let i = 0; i < 3; i++) await sign('a wrong password')
    assert.equal(await sign(owner.password), 429)
    const user = await store.read.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const { token } = await store.write((tx) =>
      createLink(tx, world.deps.ids, { kind: 'reset', userId: user.id, ttlMs: 60_000, now: world.clock.now() }),
    )
    assert.equal((await browser.submit(`/reset/${token}`, { password: 'a second quiet lake' })).status, 200)
    assert.equal(await sign('a second quiet lake'), 200)
    await world.close()
  })

  test('strangers cannot use up the tries of a person who enters the password again', async () => {
    const { store } = await open()
    const world = authWorld(store, { rates: { ...wideRates, signin: { count: 2, windowMs: 900_000 } } })
    await ensureOwner(world.deps, owner, world.clock.now())
    const maya = world.browser()
    await maya.json('/dashboard/sign-in', credentials)
    const principal = await world.authenticate(undefined, { header: maya.header() })
    await world.clock.advance(11 * 60_000)
    for (let i = 0; i < 5; i++) await world.browser().json('/dashboard/sign-in', { ...credentials, password: 'a wrong password' })
    const made = await world.call(createKey, principal, { name: 'Key', password: owner.password })
    assert.ok(made)
    await assert.rejects(world.call(createKey, principal, { name: 'Key', password: 'wrong' }), refused('sign_in_failed'))
    await world.close()
  })

  test('every page has the strict headers, and none runs a script', async () => {
    const world = authWorld((await open()).store)
    const page = await world.browser().get(await setupPath(world))
    assert.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    const expected = {
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    }
    for (const [name, value] of Object.entries(expected)) assert.equal(page.headers.get(name), value)
    assert.doesNotMatch(page.text, /<script| style=| on\w+=/)
    await world.close()
  })

  test('counts of the limiter are exact when calls come at once', async () => {
    const { store } = await open()
    const world = authWorld(store, { rates: { ...wideRates, api: { count: 60, windowMs: 60_000 } } })
    const now = world.clock.now()
    const calls = Array.from({ length: 100 }, () =>
      world.deps.limiter.consume('api', { principal: { kind: 'nobody' }, address: '203.0.113.9', now }),
    )
    assert.equal((await Promise.all(calls)).filter(({ allowed }) => allowed).length, 60)
    const again = await world.deps.limiter.consume('api', { principal: { kind: 'nobody' }, address: '203.0.113.9', now: now + 1_000 })
    assert.deepEqual([again.allowed, again.headers['RateLimit']], [true, '"api";r=0;t=1'])
    await world.close()
  })
})

test('a limiter without calls sets no timer', () => {
  const due: number[] = []
  const clock = { now: () => 0, elapsed: () => 0, after: (ms: number) => (due.push(ms), () => undefined) }
  const counters = { take: () => Promise.reject(new Error()), refund: () => Promise.resolve(), sweep: () => Promise.resolve() }
  createLimiter({ rates: wideRates, counters, clock })
  assert.deepEqual(due, [])
})
