// `rostrum key create`: the key alone on standard output, so that a script can keep it.
import { operator } from '../accounts/audit.ts'
import { endKey, issueKey, readKeys, replaceKey } from '../accounts/keys.ts'
import { durationMs } from '../config/values.ts'
import { isScope, scopes as allScopes } from '../platform/principal.ts'
import { CommandError, type Run } from './command.ts'
import { withTools } from './tools.ts'

export const create: Run = async ({ config, text, print }) => {
  const scopes = readScopes(text('scopes'))
  const lifeMs = readLife(text('expires'))
  const made = await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    return issueKey(tools, operator(tools.clock.now()), { accountId, name: text('name') ?? '', scopes, lifeMs })
  })
  if (lifeMs === null) print.note('warning: this key never expires. Revoke it when it is no longer needed.')
  const { key, id, name, expiresAt } = made
  print.result(key, { key, id, name, scopes: made.scopes, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() })
  return 0
}

function readScopes(written: string | undefined) {
  if (written === undefined) return undefined
  const named = written.split(/[\s,]+/).filter(Boolean)
  const unknown = named.find((scope) => !isScope(scope))
  if (unknown !== undefined || named.length === 0) throw new CommandError(`--scopes: write some of ${allScopes.join(' ')}.`, 2)
  return named.filter(isScope)
}

/** null: never. Undefined where the default holds. */
function readLife(written: string | undefined): number | null | undefined {
  if (written === undefined) return undefined
  if (written === 'never') return null
  const { data, error } = durationMs.safeParse(written)
  if (error !== undefined) throw new CommandError(`--expires: ${error.issues[0]?.message}, or never.`, 2)
  return data
}

// `rostrum key list`.

export const list: Run = async ({ config, text, print }) => {
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

// `rostrum key rotate <id>`: the new key alone on standard output; the old one works on for a grace.

const dayMs = 86_400_000
const graceMaxMs = 30 * dayMs

export const rotate: Run = async ({ config, text, positionals, print }) => {
  const [id = ''] = positionals
  const graceMs = readGrace(text('grace'))
  const made = await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    const rotated = await replaceKey(tools, operator(tools.clock.now()), { accountId }, { id, graceMs })
    if (graceMs === 0) await tools.untilForgotten()
    return rotated
  })
  const endsAt = new Date(made.previous.endsAt).toISOString()
  print.note(graceMs === 0 ? `${id} is refused from now on.` : `${id} works until ${endsAt}.`)
  print.result(made.key, { key: made.key, id: made.id, name: made.name, scopes: made.scopes, previous: { id, endsAt } })
  return 0
}

function readGrace(written = '1d'): number {
  if (written === 'none') return 0
  const { data, error } = durationMs.refine((ms) => ms <= graceMaxMs, 'write at most 30d').safeParse(written)
  if (error !== undefined) throw new CommandError(`--grace: ${error.issues[0]?.message}, or none.`, 2)
  return data
}

// `rostrum key revoke <id>`.

export const revoke: Run = async ({ config, text, positionals, print }) => {
  const [id = ''] = positionals
  await withTools(config(), async (tools) => {
    const accountId = await tools.account(text('account'))
    await endKey(tools, operator(tools.clock.now()), { accountId }, id)
    await tools.untilForgotten()
  })
  print.result(`Revoked ${id}. It is refused from now on.`, { revoked: id })
  return 0
}
