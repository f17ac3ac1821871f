// What `rostrum session unpublish` and `rostrum session delete` share: the session is the owner's account's unless all accounts are meant.
import type { Invocation } from './command.ts'
import { CommandError } from './command.ts'
import { createLog } from './log.ts'

export async function actOnSession({ config: read, flag, positionals }: Invocation, act: 'unpublish' | 'delete'): Promise<string> {
  const config = read()
  const [id = ''] = positionals
  const [{ openApp }, log] = await Promise.all([import('../app.ts'), createLog(config.log)])
  const app = await openApp(config, { log })
  try {
    const outcome = await app.actOnSession(id.toLowerCase(), act, { anyAccount: flag('all-accounts') })
    if (outcome === 'unknown') throw new CommandError(`There is no session ${id}: rostrum session list --all-accounts`)
    if (outcome === 'foreign') throw new CommandError(`Session ${id} belongs to another account: add --all-accounts.`)
    return id
  } finally {
    await app.close()
  }
}
