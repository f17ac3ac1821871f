// Spec 2.10, 3.2, 4.2, 5: register, claim and revoke, row by row, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimedView, approve, claim, pagePath, person, principalOf, refused, register } from '../auth/agents.ts'
import { sql } from 'kysely'
import { claimAgent, movedTables } from '../../server/agents/claim.ts'
import { getRegistration, renewRegistration, revokeCredential } from '../../server/agents/register.ts'
import { ensureOwner } from '../../server/accounts/sign-in.ts'
import { mint } from '../../server/accounts/credentials.ts'
import { ServiceError } from '@rostrum/base/errors'
import { systemIds } from '@rostrum/base/clock'
import { scopes } from '../../server/platform/principal.ts'
import { readMigrations } from '../../server/platform/db/migrations.ts'
import { authWorld, baseUrl, owner } from '../auth/support.ts'
import { sessionRow } from '../support/rows.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

eachStore((_name, open) => {
  test('[4.2-1] [5.2-2] [5.4-1] registering answers the members of the contract, literally', async () => {
    const world = authWorld((await open()).store)
    const agent = await register(world)
    assert.deepEqual(agent, {
      status: 'registered',
      token_type: 'Bearer',
      access_token: agent.access_token,
      expires_in: 86_400,
      scope: 'sessions:read sessions:write analytics:read',
      claim_uri: agent.claim_uri,
      revocation_uri: `${baseUrl}/api/v1/auth/revoke`,
      registration_id: agent.registration_id,
      interval: 5,
    })
    assert.match(agent.access_token, /^rst_agt_[0-9A-Za-z]{38}$/)
    assert.match(agent.claim_uri, /^https:\/\/talks\.example\.com\/claim\/[0-9A-Za-z]{22}$/)
    const principal = await principalOf(world, agent.access_token)
    assert.ok(principal.kind === 'agent' && principal.registrationId === agent.registration_id)
    await world.close()
  })

  test('every bad registration is refused with its code and pointer', async () => {
    const world = authWorld((await open()).store)
    const cases: [object, string, string?][] = [
      [{ client_name: undefined }, 'invalid_request', '#/client_name'],
      [{ client_name: 7 }, 'invalid_request', '#/client_name'],
      [{ client_name: 'a\u202eb' }, 'invalid_request', '#/client_name'],
      [{ identity_type: 'person' }, 'invalid_request', '#/identity_type'],
      [{ identity_type: undefined }, 'invalid_request', '#/identity_type'],
      [{ identity_type: 'identity_assertion' }, 'unsupported_assertion_type', '#/assertion_type'],
      [{ identity_type: 'identity_assertion', assertion_type: 'saml' }, 'unsupported_assertion_type', '#/assertion_type'],
      [{ identity_type: 'identity_assertion', assertion_type: 'verified_email' }, 'invalid_request', '#/email'],
      [{ identity_type: 'identity_assertion', assertion_type: 'verified_email', email: 'nobody' }, 'invalid_request', '#/email'],
      [
        { identity_type: 'identity_assertion', assertion_type: 'urn:ietf:params:oauth:token-type:id-jag', assertion: 'a.b.c' },
        'invalid_assertion',
      ],
      [{ scope: 'leads:read' }, 'invalid_request', '#/scope'],
    ]
    for (const [change, code, pointer] of cases) {
      await assert.rejects(register(world, change), (error) => {
        assert.ok(refused(code, 400)(error) && error instanceof ServiceError)
        assert.equal(error.extra.errors?.[0]?.pointer, pointer)
        return true
      })
    }
    assert.equal((await world.store.read.selectFrom('accounts').select('id').execute()).length, 0)
    await world.close()
    const closed = authWorld(world.store, { settings: { ...world.deps.settings, anonymous: false } })
    await assert.rejects(register(closed), refused('anonymous_not_enabled', 400))
    await closed.close()
  })

  test('`scope` narrows, and an email registration answers the same for every address', async () => {
    const world = authWorld((await open()).store)
    await ensureOwner(world.deps, owner, world.clock.now())
    assert.equal((await register(world, { scope: 'sessions:read nonsense leads:read' })).scope, 'sessions:read')
    const shape = async (email: string) =>
      Object.keys(await register(world, { identity_type: 'identity_assertion', assertion_type: 'verified_email', email }))
    assert.deepEqual(await shape(owner.email), await shape('nobody@example.com'))
    await world.close()
  })

  test('[3.2-1] [4.2-2] [5.6-1] the claim binds the agent: sessions move, scopes and life grow, its own account closes', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const before = await principalOf(world, agent.access_token)
    assert.ok(before.kind === 'agent')
    await world.store.write(
      async (tx) =>
        void (await tx
          .insertInto('sessions')
          .values(sessionRow({ account_id: before.accountId }))
          .execute()),
    )
    const code = await approve(browser, agent)
    const claimed = await claim(world, agent.access_token, ` ${code.toLowerCase().replace('-', ' ')} `)
    assert.deepEqual(claimed, {
      status: 'claimed',
      claim_id: claimed.claim_id,
      verified: true,
      bound_at: new Date(world.clock.now()).toISOString(),
      scope: scopes.join(' '),
      expires_in: 90 * 86_400,
    })
    const after = await principalOf(world, agent.access_token)
    const user = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(after.kind === 'agent' && user.kind === 'user')
    assert.deepEqual([after.accountId, after.userId, after.scopes], [user.accountId, user.userId, [...scopes]])
    const session = await world.store.read.selectFrom('sessions').select('account_id').executeTakeFirstOrThrow()
    assert.equal(session.account_id, user.accountId)
    const own = await world.store.read.selectFrom('accounts').selectAll().where('id', '=', before.accountId).executeTakeFirstOrThrow()
    assert.deepEqual([own.merged_into, own.closed_at], [user.accountId, world.clock.now()])
    await world.close()
  })

  test('before, without and against approval the claim says so', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    await assert.rejects(claim(world, agent.access_token, 'BDFK-RTWX'), (error) => {
      assert.ok(refused('authorization_pending', 400)(error) && error instanceof ServiceError)
      assert.deepEqual([error.extra.members?.['interval'], error.extra.headers?.['Retry-After']], [5, '5'])
      return true
    })
    await assert.rejects(claim(world, agent.access_token, pagePath(agent).slice(7)), refused('authorization_pending'))
    for (const bad of [undefined, 7, null, '', ' ', ['x']])
      await assert.rejects(claim(world, agent.access_token, bad), refused('invalid_request', 400))
    await approve(browser, agent)
    assert.equal((await browser.submit(pagePath(agent), { decision: 'deny' })).status, 200)
    await assert.rejects(claim(world, agent.access_token, 'BDFK-RTWX'), refused('access_denied', 400))
    assert.equal((await browser.get(pagePath(agent))).status, 404)
    assert.equal((await principalOf(world, agent.access_token)).kind, 'agent')
    await world.close()
  })

  test('five wrong codes void the approval, also for the right one, and a new approval gives a new code', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const code = await approve(browser, agent)
    const guesses = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => claim(world, agent.access_token, `BBBB-BBB${'BCDFGHJKLMNPQRSTVWXZ'[i]}`)),
    )
    const codes = guesses.map((guess) =>
      guess.status === 'rejected' && guess.reason instanceof ServiceError ? guess.reason.code : 'passed',
    )
    assert.equal(codes.filter((each) => each === 'invalid_claim_id').length, 5)
    assert.equal(codes.filter((each) => each === 'claim_expired').length, 15)
    await assert.rejects(claim(world, agent.access_token, code), refused('claim_expired', 410))
    const fresh = await approve(browser, agent)
    assert.notEqual(fresh, code)
    await assert.rejects(claim(world, agent.access_token, code), refused('claim_expired', 410))
    assert.equal((await claim(world, agent.access_token, fresh)).verified, true)
    await world.close()
  })

  test('a code dies after ten minutes, and belongs to its registration alone', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const [mine, other] = [await register(world), await register(world)]
    const code = await approve(browser, mine)
    await approve(browser, other)
    await assert.rejects(claim(world, other.access_token, code), refused('invalid_claim_id'))
    await world.clock.advance(10 * 60_000)
    await assert.rejects(claim(world, mine.access_token, code), refused('claim_expired', 410))
    await world.close()
  })

  test('30 claims at once give one binding, and a repeat gives the same answer', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const browser = await person(world)
    const agent = await register(world)
    const code = await approve(browser, agent)
    const principal = await principalOf(world, agent.access_token)
    const all = await Promise.all(Array.from({ length: 30 }, () => world.call(claimAgent, principal, { claim_id: code })))
    await world.clock.advance(60_000)
    const again = await claim(world, agent.access_token, code)
    assert.equal(new Set(all.map((each) => JSON.stringify(each))).size, 1)
    assert.equal(again.bound_at, (all[0] as ClaimedView).bound_at)
    const spent = await world.store.read.selectFrom('claim_attempts').select('id').where('spent_at', 'is not', null).execute()
    assert.equal(spent.length, 1)
    await assert.rejects(claim(world, agent.access_token, 'BDFK-RTWX'), refused('previously_claimed', 409))
    await world.close()
  })

  test('the page token claims after the approval, also as the whole address, and `rotate` replaces the token', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    await approve(browser, agent)
    const claimed = await claim(world, agent.access_token, agent.claim_uri, { rotate: true })
    await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token'))
    const principal = await principalOf(world, claimed.access_token ?? '')
    assert.deepEqual(principal.kind === 'agent' && principal.scopes, [...scopes])
    await world.close()
  })

  test('an agent is told who it is, what it may do, until when and where it is claimed; once claimed, for whom, and it may go on', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const ask = async (token: string) => world.call(getRegistration, await principalOf(world, token), {})
    const common = { registration_id: agent.registration_id, client_name: 'Sales Copilot' }
    const before = { ...common, status: 'registered', scopes: agent.scope.split(' '), claim_uri: agent.claim_uri }
    assert.deepEqual(await ask(agent.access_token), { ...before, expires_at: new Date(world.clock.now() + 86_400_000).toISOString() })
    const renew = async () => world.call(renewRegistration, await principalOf(world, agent.access_token), {})
    await assert.rejects(renew(), refused('forbidden', 403))
    const { expires_in } = await claim(world, agent.access_token, await approve(browser, agent))
    const at = world.clock.now()
    const after = (await ask(agent.access_token)) as { account: { name: string }; expires_at: string; claim_uri?: string; scopes: string[] }
    assert.deepEqual(
      [after.claim_uri, after.scopes, after.expires_at],
      [undefined, [...scopes], new Date(at + expires_in * 1_000).toISOString()],
    )
    assert.ok(after.account.name.length > 0)
    // A day before its end it is renewed, and lives beyond it.
    await world.clock.advance(expires_in * 1_000 - 86_400_000)
    await renew()
    await world.clock.advance(2 * 86_400_000)
    assert.equal(
      ((await ask(agent.access_token)) as typeof after).expires_at,
      new Date(at + 2 * expires_in * 1_000 - 86_400_000).toISOString(),
    )
    await world.close()
  })

  test('a revoked agent is not renewed, and no other credential has a registration', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const user = await world.authenticate(undefined, { header: browser.header() })
    for (const operation of [getRegistration, renewRegistration]) {
      await assert.rejects(world.call(operation, user, {}), refused('not_an_agent', 403))
      await assert.rejects(world.call(operation, { kind: 'nobody' }, {}), refused('invalid_token', 401))
    }
    const agent = await register(world)
    const principal = await principalOf(world, agent.access_token)
    await world.call(revokeCredential, { kind: 'nobody' }, { token: agent.access_token })
    await assert.rejects(world.call(renewRegistration, principal, {}), refused('forbidden', 403))
    await world.close()
  })

  test('a credential that is no agent cannot be claimed', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const user = await world.authenticate(undefined, { header: browser.header() })
    await assert.rejects(world.call(claimAgent, user, { claim_id: 'BDFK-RTWX' }), refused('not_an_agent', 403))
    await assert.rejects(world.call(claimAgent, { kind: 'nobody' }, { claim_id: 'BDFK-RTWX' }), refused('invalid_token', 401))
    await world.close()
  })

  test('[4.2-3] whoever holds a token may end it; a repeat keeps the first time, and an unknown one is no error', async () => {
    const world = authWorld((await open()).store)
    const agent = await register(world)
    const revoke = (token: unknown) => world.call(revokeCredential, { kind: 'nobody' }, { token })
    const first = await revoke(agent.access_token)
    assert.deepEqual(first, { status: 'revoked', token_revoked: true, revoked_at: new Date(world.clock.now()).toISOString() })
    await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token', 401))
    await world.clock.advance(2 * agent.expires_in * 1_000)
    assert.deepEqual(await revoke(agent.access_token), first)
    for (const unknown of ['x', mint('agt', systemIds), mint('live', systemIds), mint('att', systemIds)]) {
      assert.deepEqual(await revoke(unknown), {
        status: 'revoked',
        token_revoked: false,
        revoked_at: new Date(world.clock.now()).toISOString(),
      })
    }
    for (const bad of [undefined, 7, null]) await assert.rejects(revoke(bad), refused('invalid_request', 400))
    const row = await world.store.read.selectFrom('registrations').select('state').executeTakeFirstOrThrow()
    assert.equal(row.state, 'revoked')
    await world.close()
  })

  test('no secret of a whole story is in the store', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const code = await approve(browser, agent)
    await claim(world, agent.access_token, code)
    const secrets = [agent.access_token, pagePath(agent).slice(7), code, owner.password, ...browser.cookies.values()]
    const tables = [
      'accounts',
      'users',
      'credentials',
      'registrations',
      'claim_attempts',
      'sign_ins',
      'one_time_links',
      'audit',
      'kept_returns',
    ] as const
    for (const table of tables) {
      const { rows } = await sql`SELECT * FROM ${sql.table(table)}`.execute(world.store.read)
      for (const secret of secrets) assert.ok(!JSON.stringify(rows).includes(secret), table)
    }
    await world.close()
  })
})

/** Why each table stays with the agent's own account: it is about the account itself, or is moved by the claim in another way. */
const keptTables = {
  mail_choices: 'what a member of the account wants to be mailed',
  memberships: 'an agent has no members',
  one_time_links: 'an agent invites nobody',
  sign_ins: 'an agent does not sign in',
  credentials: 'the claim changes the one it was asked with and ends the others',
  registrations: 'the claim sets it',
  delegations: 'they are made by people, for their own accounts',
  oauth_grants: 'people give them, for their own accounts',
  usage: 'moved sessions cost the new account no quota',
  spending: 'an agent that nobody has claimed gets no model and no voice',
  mails_ended: 'talks of an agent that nobody has claimed take no registrations',
  turns: 'what was read for the agent counts for the agent, and is forgotten within two hours',
  audit: 'what was done was done by the agent on its own',
}

test('every table that names an account is moved by a claim, or stays for a stated reason', () => {
  const bodies = readMigrations().flatMap(({ sql }) => [...sql.matchAll(/^CREATE TABLE (\w+) \(([^]*?)^\)[^;]*;/gm)])
  const naming = bodies.filter(([, , body]) => /^ {2}account_id /m.test(body ?? '')).map(([, name]) => name)
  assert.ok(naming.length > 10)
  assert.deepEqual(new Set(naming), new Set([...movedTables, ...Object.keys(keptTables)]))
})
