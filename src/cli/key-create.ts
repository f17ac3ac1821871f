// `rostrum key create`: the key alone on standard output, so that a script can keep it.
import { operator } from '../accounts/audit.ts'
import { issueKey } from '../accounts/keys.ts'
import { BadValue, durationMs } from '../config-values.ts'
import { isScope, scopes as allScopes } from '../kernel/principal.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { withTools } from './tools.ts'

export const run: Run = async ({ config, text, print }) => {
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
  try {
    return durationMs(written)
  } catch (error) {
    if (error instanceof BadValue) throw new CommandError(`--expires: ${error.message}, or never.`, 2)
    throw error
  }
}
