// `rostrum key list`.
import { readKeys } from '../accounts/keys.ts'
import type { Run } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config, text, print }) => {
  const keys = await withTools(config(), async ({ store, clock, account }) =>
    readKeys(store.read, { accountId: await account(text('account')) }, clock.now()),
  )
  const iso = (at: number | null) => (at === null ? 'never' : new Date(at).toISOString().slice(0, 10))
  const lines = keys.map(({ id, name, last4, scopes, lastUsedAt, expiresAt, replacedBy }) =>
    [
      id,
      `...${last4}`,
      name,
      scopes.join(' '),
      `used ${iso(lastUsedAt)}`,
      `expires ${iso(expiresAt)}`,
      ...(replacedBy === null ? [] : [`replaced by ${replacedBy}`]),
    ].join('  '),
  )
  print.result(lines.length === 0 ? 'There are no keys. Make one: rostrum key create --name "my agent"' : lines.join('\n'), { keys })
  return 0
}
