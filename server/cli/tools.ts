// What one-shot commands work with: the store beside a running server, and the parts of auth that they call.
import { type Logger, pino } from 'pino'
import { keptMs } from '../accounts/credentials.ts'
import { ensureOwnerAccount } from '../accounts/people.ts'
import { createAuth } from '../agents/compose.ts'
import type { AuthDeps } from '../agents/deps.ts'
import type { Config } from '../config/config.ts'
import { secretSource, signingSecrets } from '../installation.ts'
import { systemClock, systemIds } from '@rostrum/base/clock'
import { checkSecret } from '../sealed.ts'
import { openStore } from '../platform/db/sqlite.ts'
import { CommandError } from './command.ts'

export interface Tools extends AuthDeps {
  /** The account that is named, or the owner's. Throws `CommandError` where there is none of that id. */
  account(named: string | undefined): Promise<string>
  /** Resolves when no server beside this command can remember a credential that was ended before: what is printed then is true. */
  untilForgotten(): Promise<void>
}

/** Opens the store, hands the tools to `work`, and closes it whatever happens. */
export async function withTools<T>(config: Config, work: (tools: Tools) => Promise<T>, { isSecretChecked = true } = {}): Promise<T> {
  const { baseUrl, title } = config
  const clock = systemClock
  const ids = systemIds
  const secrets = signingSecrets(config, ids)
  const store = await openStore({ ...config, outbox: { baseUrl, consumers: ['webhooks'] } })
  const auth = createAuth({
    store,
    clock,
    ids,
    settings: { ...config, secrets },
    rates: config.rates,
    findAttendee: async () => undefined,
  })
  try {
    if (isSecretChecked) await checkSecret(store, { secrets, source: secretSource(config), ids })
    const account = async (named: string | undefined) => {
      if (named === undefined) return ensureOwnerAccount(store, ids, title, clock.now())
      const found = await store.read.selectFrom('accounts').select('id').where('id', '=', named).executeTakeFirst()
      if (found === undefined) throw new CommandError(`--account: there is no account ${named}.`)
      return found.id
    }
    const untilForgotten = () => new Promise<void>((resolve) => void clock.after(keptMs, resolve))
    return await work({ ...auth.deps, account, untilForgotten })
  } finally {
    await auth.close()
    await store.close()
  }
}

// Logs are JSON lines on standard error, words with colours on a terminal. Secrets never get there: credentials are redacted
// wherever an object carries them.

const secrets = ['authorization', 'cookie', 'set-cookie', 'password', 'token', 'access_token', 'secret', 'key']

export async function createLog(level: string): Promise<Logger> {
  const paths = [...secrets, ...secrets.map((name) => `*["${name}"]`)].map((path) =>
    path.includes('-') && !path.startsWith('*') ? `["${path}"]` : path,
  )
  const options = { level, base: null, redact: { paths, censor: '[redacted]' } }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ fd: 2, sync: true }))
  const { default: pretty } = await import('pino-pretty')
  return pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }))
}
