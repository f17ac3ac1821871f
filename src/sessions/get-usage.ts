// What the account has used of its quotas this month.
import { z } from 'zod'
import { iso } from '../platform/clock.ts'
import { operation, reads, scoped } from '../platform/operation.ts'
import { dayEnd, spentToday } from './budgets.ts'
import type { SessionsDeps } from './ports.ts'
import { periodEnd, periodOf } from './quota.ts'

const meter = z.object({ limit: z.number().nullable(), used: z.number() })

export const getUsage = operation({
  name: 'get_usage',
  area: 'sessions',
  summary: 'Show usage and quotas',
  description:
    'Sessions created and presenter minutes of this calendar month (UTC); under `today` what the models and the speech of the server were asked since midnight: at a limit answers quote and the browser speaks. `limit` null: unlimited.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: [],
  input: z.object({}),
  run: async (_, call, deps: SessionsDeps) => {
    const { accountId } = call.principal
    const plan = await deps.planOf(deps.store.read, accountId)
    const period = periodOf(call.now)
    const row = await deps.store.read
      .selectFrom('usage')
      .select('sessions')
      .where('account_id', '=', accountId)
      .where('period', '=', plan.perLife ? 'life' : period)
      .executeTakeFirst()
    const spent = await spentToday(deps.store.read, accountId, call.now)
    return {
      period,
      resetsAt: iso(periodEnd(call.now)),
      sessions: { limit: plan.sessions, used: row?.sessions ?? 0 },
      minutes: { limit: deps.minutesLimit, used: await deps.minutesUsed(deps.store.read, accountId, period) },
      storedBytes: { limit: deps.storageLimit, used: await deps.storedBytes(deps.store.read, accountId) },
      today: {
        resetsAt: iso(dayEnd(call.now)),
        modelCalls: { limit: deps.budgets.llm, used: spent.llm },
        spokenCharacters: { limit: deps.budgets.tts, used: spent.tts },
        recognisedSeconds: { limit: deps.budgets.stt, used: spent.stt },
      },
    }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/usage',
    output: z.object({
      period: z.string(),
      resetsAt: z.string(),
      sessions: meter,
      minutes: meter,
      storedBytes: meter.describe('Uploads, pictures and sound of all decks, each counted once: beyond it nothing more is stored.'),
      today: z.object({ resetsAt: z.string(), modelCalls: meter, spokenCharacters: meter, recognisedSeconds: meter }),
    }),
    view: (result) => result,
  },
})
