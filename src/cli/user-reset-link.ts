// `rostrum user reset-link`: the link alone on standard output.
import { email as emailField, findUserByEmail } from '../accounts/people.ts'
import { createLink, voidLinks } from '../accounts/links.ts'
import { resetLinkLifeMs } from '../accounts/password.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config: read, text, print }) => {
  const config = read()
  const email = emailField.safeParse(text('email') ?? '')
  if (!email.success) throw new CommandError('--email: send an e-mail address.', 2)
  const { token, expiresAt } = await withTools(config, async ({ store, ids, clock }) => {
    const now = clock.now()
    const user = await findUserByEmail(store.read, email.data)
    if (user === undefined) throw new CommandError(`Nobody has the address ${email.data}.`)
    return store.write(async (tx) => {
      await voidLinks(tx, 'reset', user.id, now)
      return createLink(tx, ids, { kind: 'reset', userId: user.id, ttlMs: resetLinkLifeMs, now })
    })
  })
  const url = `${config.baseUrl}/reset/${token}`
  print.result(url, { url, expiresAt: new Date(expiresAt).toISOString() })
  return 0
}
