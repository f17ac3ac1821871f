// `rostrum config`: what the service would run with. Exit 1 where it would not start.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { entryView } from '../accounts/audit.ts'
import { environment, readConfig, showConfig } from '../config/config.ts'
import { CommandError, type Run } from './command.ts'
import { withTools } from './tools.ts'

/** Longer values push their meaning to the right. */
const valueWidth = 22

export const printConfig: Run = async ({ print }) => {
  const env = environment()
  const shown = showConfig(env)
  const { problems, warnings } = readConfig(env)
  const width = Math.max(...shown.map(({ name }) => name.length))
  const lines = shown.map(
    ({ name, value, isSet, meaning }) => `${isSet ? '*' : ' '} ${name.padEnd(width)}  ${value.padEnd(valueWidth)}  ${meaning}`,
  )
  print.result([...lines, '', '* set by you; the others are defaults'].join('\n'), { variables: shown, problems, warnings })
  for (const warning of warnings) print.note(`warning: ${warning}`)
  for (const problem of problems) print.note(`problem: ${problem}`)
  return problems.length === 0 ? 0 : 1
}

// `rostrum bench`: the measured claims, from the repository.

export const bench: Run = async () => {
  const script = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
  if (!existsSync(script))
    throw new CommandError('The benchmark is part of the repository, not of this installation: clone it and run `npm run bench`.')
  const child = spawn(process.execPath, [script], { stdio: 'inherit' })
  return new Promise((resolve) => void child.once('close', (code) => resolve(code ?? 1)))
}

// `rostrum audit list`: what was done and what was reported, of every account, newest first.

const shownMax = 1_000

export const auditList: Run = async ({ config, text, print }) => {
  const limit = Number(text('limit') ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > shownMax) throw new CommandError(`--limit: send a number from 1 to ${shownMax}.`, 2)
  const action = text('action')
  const rows = await withTools(config(), async ({ store, account }) => {
    let query = store.read.selectFrom('audit').selectAll()
    if (action !== undefined) query = query.where('action', '=', action)
    const named = text('account')
    if (named !== undefined) query = query.where('account_id', '=', await account(named))
    return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  })
  const entries = rows.map((row) => ({ ...entryView(row), account: row.account_id }))
  const lines = entries.map(({ at, action: what, actorKind, targetKind, targetId, network, data }) =>
    [at, what, `by ${actorKind}`, ...(targetId === null ? [] : [`${targetKind} ${targetId}`]), ...(network === null ? [] : [network])]
      // On one line, whatever a stranger wrote.
      .concat(data === null ? [] : [JSON.stringify(data)])
      .join('  '),
  )
  print.result(lines.length === 0 ? 'There are no such entries.' : lines.join('\n'), { entries })
  return 0
}
