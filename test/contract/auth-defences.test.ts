// What every page of people is held to, from the list of pages itself: strict headers, no script, no framing, and nothing done for
// a form of another site. A new page is held to it from its first commit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createInvitation } from '../../server/accounts/invitations.ts'
import { changeEmail } from '../../server/accounts/change-email.ts'
import { createLink } from '../../server/accounts/links.ts'
import { safeReturn } from '../../server/accounts/cookies.ts'
import { createSetupLink } from '../../server/accounts/sign-in.ts'
import { systemIds } from '@rostrum/base/clock'
import { person, register } from '../auth/agents.ts'
import type { AuthWorld, Shown } from '../auth/support.ts'
import { authWorld, owner } from '../auth/support.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const outbox: { to: string; text: string }[] = []
/** Takes mails and keeps them, without a network. */
const mail = {
  async send(message: { to: string; text: string }) {
    outbox.push(message)
    return 'sent' as const
  },
  queue: async (_tx: object, message: { to: string; text: string }) => void outbox.push(message),
}
const mailedPath = () => new URL(/https?:\S+/.exec(outbox.pop()?.text ?? '')?.[0] ?? '').pathname

/** A living example of every page, by the pattern of its route; the consent page has its own suite. */
async function livingPages(world: AuthWorld) {
  const setup = new URL((await createSetupLink(world.deps, world.clock.now())) ?? '').pathname
  const stranger = world.browser()
  const shown = new Map<string, { path: string; browser: typeof stranger }>([['/setup/:token', { path: setup, browser: stranger }]])
  return {
    shown,
    async afterSetup() {
      const maya = await person(world)
      const principal = await world.authenticate(undefined, { header: maya.header() })
      assert.ok(principal.kind === 'user')
      await world.call(createInvitation, principal, { email: 'ben@example.com' })
      shown.set('/invite/:token', { path: mailedPath(), browser: stranger })
      await world.call(changeEmail, principal, { email: 'okafor@example.com' })
      shown.set('/verify/:token', { path: mailedPath(), browser: maya })
      const now = world.clock.now()
      const made = await world.store.write((tx) =>
        createLink(tx, systemIds, { kind: 'reset', userId: principal.userId, ttlMs: 60_000, now }),
      )
      shown.set('/reset/:token', { path: `/reset/${made.token}`, browser: stranger })
      const agent = await register(world)
      shown.set('/claim/:token', { path: new URL(agent.claim_uri).pathname, browser: maya })
      for (const path of ['/dashboard/sign-in', '/dashboard/recover']) shown.set(path, { path, browser: stranger })
    },
  }
}

function assertStrict({ headers, text }: Shown, where: string): void {
  const policy = headers.get('content-security-policy') ?? ''
  for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    assert.ok(policy.split('; ').includes(part), `${where}: ${policy}`)
  }
  assert.doesNotMatch(policy, /unsafe|script-src|\*/, where)
  const expected = {
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value, `${where}: ${name}`)
  assert.doesNotMatch(text, /<script|<iframe| style=| on\w+=|javascript:/i, where)
}

eachStore((_, open) => {
  test('every page has the strict headers and runs no script, alive, used up or unknown', async () => {
    const world = authWorld((await open()).store, { mail })
    const { shown, afterSetup } = await livingPages(world)
    const check = async (pattern: string) => {
      const { path, browser } = shown.get(pattern) ?? assert.fail(`${pattern} has no example here`)
      const page = await browser.get(path)
      assert.equal(page.status, 200, pattern)
      assertStrict(page, pattern)
    }
    await check('/setup/:token')
    await afterSetup()
    const patterns = world.routes.filter(
      ({ kind, method, path }) => kind === 'page' && method === 'GET' && !/consent|^\/oauth2\//.test(path),
    )
    assert.ok(patterns.length >= 7)
    for (const { path } of patterns) {
      if (path !== '/setup/:token') await check(path)
      if (path.includes(':token')) assertStrict(await world.browser().get(path.replace(':token', 'unknown')), `${path}, unknown`)
    }
    await world.close()
  })

  test('a form of another site, without a token, or with a token of another browser changes nothing on any page', async () => {
    const world = authWorld((await open()).store, { mail })
    const { shown, afterSetup } = await livingPages(world)
    await afterSetup()
    const count = async () => {
      const counts = await Promise.all(
        (['users', 'audit', 'sign_ins', 'claim_attempts', 'memberships'] as const).map((table) =>
          world.store.read
            .selectFrom(table)
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirstOrThrow(),
        ),
      )
      const used = await world.store.read.selectFrom('one_time_links').select('id').where('used_at', 'is not', null).execute()
      return JSON.stringify([counts.map(({ n }) => Number(n)), used.length])
    }
    const before = await count()
    const fields = {
      email: owner.email,
      name: 'Eve',
      password: 'a quiet lake at dusk',
      accountName: 'Eve',
      decision: 'approve',
      account: '',
    }
    for (const { path: pattern } of world.routes.filter(
      ({ kind, method, path }) => kind === 'page' && method === 'POST' && !path.includes('consent'),
    )) {
      if (pattern === '/dashboard/sign-out') continue
      const { path, browser } = shown.get(pattern) ?? assert.fail(`${pattern} has no example here`)
      const { csrf = '' } = await browser.get(path)
      const foreign = (await world.browser().get('/dashboard/sign-in')).csrf ?? ''
      const tries: [Record<string, string>, Record<string, string>][] = [
        [{ ...fields, csrf }, { origin: 'https://evil.example' }],
        [
          { ...fields, csrf },
          { origin: 'null', 'sec-fetch-site': 'cross-site' },
        ],
        [fields, {}],
        [{ ...fields, csrf: foreign }, {}],
      ]
      for (const [sent, headers] of tries)
        assert.equal((await browser.post(path, sent, headers)).status, 403, `${pattern} ${JSON.stringify(headers)}`)
    }
    assert.equal(await count(), before)
    await world.close()
  })

  test('no Host, Forwarded or X-Forwarded header reaches an address in a mail or an answer', () =>
    withService(open, async (app) => {
      const evil = { Host: 'evil.example', Forwarded: 'host=evil.example;proto=https', 'X-Forwarded-Host': 'evil.example' }
      for (const path of ['/dashboard', '/dashboard/sign-in', '/dashboard/recover', '/claim/unknown', '/oauth2/consent/x', '/auth.md']) {
        const answer = await app.request(path, { headers: { ...evil, Accept: 'text/html' }, redirect: 'manual' })
        assert.doesNotMatch(answer.text + JSON.stringify([...answer.headers]), /evil/, path)
      }
      const body = JSON.stringify({ client_name: 'X', identity_type: 'anonymous' })
      const headers = { ...evil, 'Content-Type': 'application/json' }
      const agent = await app.request('/api/v1/auth/register', { method: 'POST', headers, body })
      assert.ok(String(agent.body.claim_uri).startsWith(`${app.baseUrl}/claim/`))
    }))
})

test('a browser is sent to a path of this service after signing in, in every spelling of another place', () => {
  const places = [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https:evil.example',
    '/%5Cevil.example/..//evil.example',
    '\u0000/x',
    '/ //evil',
  ]
  for (const place of places) assert.equal(new URL(safeReturn(place), 'https://own.example').origin, 'https://own.example', place)
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('', '/', '//', '/\\', 'https://', 'javascript:'), (text, start) => {
      assert.equal(new URL(safeReturn(start + text), 'https://own.example').origin, 'https://own.example')
    }),
  )
})
