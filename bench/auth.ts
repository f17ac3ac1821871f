// What a credential costs: its check among 100,000 others, and an operation with that lookup against the same without.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createAuth } from '../server/agents/compose.ts'
import { hashSecret, mint } from '../server/accounts/credentials.ts'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { anyCredential, invoke, operation, reads } from '../server/platform/operation.ts'
import { scopes } from '../server/platform/principal.ts'
import { openSqlite } from '../server/platform/db/sqlite.ts'
import type { Store } from '../server/platform/db/store.ts'
import { testOutbox } from '../test/support/stores.ts'
import { wideRates } from '../test/auth/support.ts'
import { benchFlows } from './auth-flows.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'

const stored = 100_000
const perInsert = 1_000
const checks = 20_000
const rounds = 5
const perRound = 10_000
const warmUp = 2_000
const owed = { p99Ms: 1, perSecond: 10_000, lookupMicros: 60 }

export async function benchAuth(): Promise<Report> {
  const flows = await benchFlows()
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-bench-'))
  const store = await openSqlite(folder, { outbox: testOutbox })
  const auth = createAuth({
    store,
    clock: systemClock,
    ids: systemIds,
    settings: {
      baseUrl: testOutbox.baseUrl,
      title: 'Rostrum',
      secrets: ['a secret of the bench, at least 32 characters'],
      planSessions: 1_000,
      anonymous: true,
      agentTtlMs: 86_400_000,
      agentClaimedTtlMs: 90 * 86_400_000,
    },
    rates: wideRates,
    findAttendee: async () => undefined,
    onFailure: (error) => {
      throw error
    },
  })
  try {
    const tokens = await fill(store)
    const now = systemClock.now()
    const header = () => undefined
    const check = (token: string) =>
      auth.authenticator.authenticate({ method: 'GET', authorization: [`Bearer ${token}`], header, address: '203.0.113.7', now })
    const tokenAt = (n: number) => tokens[(n * 7_919) % tokens.length] ?? ''
    for (let n = 0; n < warmUp; n++) await check(tokenAt(n))

    const times: number[] = []
    const began = performance.now()
    for (let n = 0; n < checks; n++) {
      const from = performance.now()
      await check(tokenAt(n))
      times.push(performance.now() - from)
    }
    const perSecond = (checks / (performance.now() - began)) * 1_000
    const p99Ms = percentile(times, 0.99)

    const target = operation({
      name: 'bench',
      summary: 'Do nothing',
      access: anyCredential,
      effects: reads,
      limit: 'api',
      errors: [],
      input: z.object({}),
      run: async () => null,
    }).bind({})
    const limiter = { consume: async () => ({ allowed: true, headers: {} }) }
    const known = await check(tokenAt(0))
    const call = { now, requestId: 'bench', address: '203.0.113.7', signal: new AbortController().signal }
    const run = async (isLookedUp: boolean) => {
      const from = process.cpuUsage()
      for (let n = 0; n < perRound; n++) {
        const principal = isLookedUp ? await check(tokenAt(n)) : known
        await invoke(target, { call: { ...call, principal }, read: () => ({}), limiter })
      }
      const { user, system } = process.cpuUsage(from)
      return (user + system) / perRound
    }
    const [without, withLookup]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      without.push(await run(false))
      withLookup.push(await run(true))
    }
    const bareMicros = median(without)
    const lookupMicros = median(withLookup) - bareMicros
    const ratio = median(withLookup) / bareMicros
    const among = `among ${stored.toLocaleString('en')} credentials`
    return {
      suite: 'Credentials',
      rows: [
        { claim: `token check ${among}, p99`, measured: `${p99Ms.toFixed(3)} ms`, owed: `< ${owed.p99Ms} ms`, holds: p99Ms < owed.p99Ms },
        {
          claim: 'token checks, one core',
          measured: `${Math.round(perSecond)}/s`,
          owed: `>= ${owed.perSecond}/s`,
          holds: perSecond >= owed.perSecond,
        },
        {
          claim: `CPU that the lookup adds to an operation (${ratio.toFixed(1)} times an empty one)`,
          measured: `${lookupMicros.toFixed(1)} us`,
          owed: `<= ${owed.lookupMicros} us`,
          holds: lookupMicros <= owed.lookupMicros,
        },
        ...flows.rows,
      ],
      figures: { ...flows.figures, p99Ms, perSecond, lookupMicros, bareMicros, ratio },
    }
  } finally {
    await auth.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Keys in an account; gives their secrets. */
async function fill(store: Store): Promise<string[]> {
  const accountId = systemIds.uuid()
  const account = { name: 'Bench', kind: 'organization', is_owner: null, plan: null, merged_into: null, closed_at: null } as const
  await store.write((tx) =>
    tx
      .insertInto('accounts')
      .values({ ...account, id: accountId, created_at: 1 })
      .execute(),
  )
  const tokens = Array.from({ length: stored }, () => mint('live', systemIds))
  const ended = { expires_at: null, last_used_at: null, revoked_at: null, revoke_reason: null, replaced_by: null }
  const owner = { account_id: accountId, user_id: null, registration_id: null, grant_id: null, client_id: null }
  for (let from = 0; from < stored; from += perInsert) {
    const rows = tokens.slice(from, from + perInsert).map((token) => ({
      ...owner,
      ...ended,
      id: systemIds.uuid(),
      hash: hashSecret(token),
      kind: 'live' as const,
      last4: token.slice(-4),
      name: 'bench',
      scopes: scopes.join(' '),
      created_at: 1,
    }))
    await store.write((tx) => tx.insertInto('credentials').values(rows).execute())
  }
  return tokens
}
