// `rostrum config`: what the service would run with. Exit 1 where it would not start.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entryView } from '../accounts/audit.ts'
import { environment, readConfig, showConfig } from '../config/config.ts'
import { packageVersion } from '../installation.ts'
import { openStore } from '../platform/db/sqlite.ts'
import { backUp, restore } from '../platform/db/backup.ts'
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
  const lines = entries.map(({ at, action: what, actorKind, targetKind, targetId, network, data }) => [
    at,
    what,
    `by ${actorKind}`,
    targetId && `${targetKind} ${targetId}`,
    network,
    // On one line, whatever a stranger wrote.
    data && JSON.stringify(data),
  ])
  print.list(lines, 'There are no such entries.', { entries })
}

export const printVersion: Run = async ({ print }) => {
  const version = packageVersion()
  print.result(`rostrum ${version} (Node.js ${process.version})`, { version, node: process.version })
}

// `rostrum backup <file>`: a consistent copy of the embedded store, while a server may use it.

export const makeBackup: Run = async ({ config, positionals, print }) => {
  const target = resolve(positionals[0] ?? '')
  const { dataDir, databaseUrl } = config()
  // To exit clears what is half done; a signal by itself would leave it.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))
  const made = await backUp({ dataDir, databaseUrl, target })
  print.result(
    `${target}: ${made.files} files, ${(made.sizeBytes / 1_048_576).toFixed(1)} MiB. It holds secrets: keep it as you keep keys.`,
    { target, ...made },
  )
}

// `rostrum restore <file>`: a backup becomes the embedded store of an empty data directory.

export const restoreBackup: Run = async ({ config, positionals, print }) => {
  const source = resolve(positionals[0] ?? '')
  const { dataDir, databaseUrl } = config()
  const made = await restore({ dataDir, databaseUrl, source })
  print.result(`${made.files} files are in ${dataDir}. Start the service as usual.`, { dataDir, ...made })
}

// `rostrum migrate`: brings the store to this version, which otherwise `serve` alone does.

export const migrate: Run = async ({ config: read, print }) => {
  const config = read()
  const store = await openStore({ ...config, migrates: true, outbox: { baseUrl: config.baseUrl, consumers: ['webhooks'] } })
  const { dialect } = store
  await store.close()
  print.result(`The ${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} store is at this version.`, { store: dialect, migrated: true })
}
