// `rostrum key rotate <id>`: the new key alone on standard output; the old one works on for a grace.
import { operator } from '../accounts/audit.ts'
import { replaceKey } from '../accounts/keys.ts'
import { BadValue, durationMs } from '../config-values.ts'
import type { Run } from './command.ts'
import { CommandError } from './command.ts'
import { withTools } from './tools.ts'

const dayMs = 86_400_000
const graceMaxMs = 30 * dayMs

export const run: Run = async ({ config, text, positionals, print }) => {
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
  try {
    const graceMs = durationMs(written)
    if (graceMs <= graceMaxMs) return graceMs
    throw new BadValue('write at most 30d')
  } catch (error) {
    if (error instanceof BadValue) throw new CommandError(`--grace: ${error.message}, or none.`, 2)
    throw error
  }
}
