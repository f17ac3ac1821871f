// What the account has used of its quotas this month.
import { z } from 'zod'
import { iso } from '../kernel/iso.ts'
import type { Call } from '../kernel/operation.ts'
import { operation, reads, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { SessionsDeps } from './ports.ts'
import { periodEnd, periodOf } from './quota.ts'

const input = z.object({})

async function usage(_: z.output<typeof input>, call: Call<AccountPrincipal>, deps: SessionsDeps) {
  const { accountId } = call.principal
  const plan = await deps.planOf(deps.store.read, accountId)
  const period = periodOf(call.now)
  const row = await deps.store.read
    .selectFrom('usage')
    .select('sessions')
    .where('account_id', '=', accountId)
    .where('period', '=', plan.perLife ? 'life' : period)
    .executeTakeFirst()
  return {
    period,
    resetsAt: iso(periodEnd(call.now)),
    sessions: { limit: plan.sessions, used: row?.sessions ?? 0 },
    minutes: { limit: deps.minutesLimit, used: await deps.minutesUsed(deps.store.read, accountId, period) },
  }
}

const meter = z.object({ limit: z.number().nullable(), used: z.number() })

export const getUsage = operation({
  name: 'get_usage',
  area: 'sessions',
  summary: 'Show usage and quotas',
  description: 'Sessions created and presenter minutes of this calendar month (UTC). `limit` null: unlimited.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: [],
  input,
  run: usage,
  http: {
    method: 'GET',
    path: '/api/v1/agent/usage',
    output: z.object({ period: z.string(), resetsAt: z.string(), sessions: meter, minutes: meter }),
    view: (result) => result,
  },
})
