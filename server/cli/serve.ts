// `rostrum serve`: runs until it is told to stop, and says where everything is.
import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { RunningApp } from '../app.ts'
import { CommandError, type Run } from './command.ts'
import { createLog } from './tools.ts'

export const run: Run = async ({ config: read, positionals, text, flag, print }) => {
  const config = read({ ROSTRUM_ROLE: text('role') })
  const [deckPath] = positionals
  if (deckPath !== undefined && !existsSync(deckPath)) throw new CommandError(`There is no file ${deckPath}.`)
  const [{ startApp }, log] = await Promise.all([import('../app.ts'), createLog(config.log)])
  const stopping = untilTold()
  const app = await startApp(config, { log, demo: flag('demo'), ...(deckPath === undefined ? {} : { deckPath }) }).catch(
    (error: unknown) => {
      throw explained(error, config)
    },
  )
  print.result(greeting(config, app), { url: config.baseUrl, port: app.port, rooms: app.rooms, setupUrl: app.setupUrl ?? null })
  await stopping
  print.note('Stopping: streams resume elsewhere, running calls finish.')
  await app.close()
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    let told = false
    const tell = () => {
      if (told) process.exit(1)
      told = true
      resolve()
    }
    process.on('SIGINT', tell).on('SIGTERM', tell)
  })
}

function explained(error: unknown, config: Config): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return error
  const { code, syscall } = error
  if (syscall === 'getaddrinfo') return new CommandError(`ROSTRUM_HOST: the name ${config.host} does not resolve on this machine.`)
  if (syscall !== 'listen') return error
  if (code === 'EADDRNOTAVAIL') return new CommandError(`ROSTRUM_HOST: ${config.host} is no address of this machine.`)
  if (code === 'EADDRINUSE') return new CommandError(`Port ${config.port} is in use: stop what runs there, or set ROSTRUM_PORT.`)
  if (code === 'EACCES') return new CommandError(`This user may not listen on port ${config.port}: set ROSTRUM_PORT above 1023.`)
  return error
}

function greeting(config: Config, app: RunningApp): string {
  const command = existsSync('bin/rostrum') ? './bin/rostrum' : 'npx rostrum'
  const rows: [string, string][] = [
    ...app.rooms.map(({ title, url }): [string, string] => ['Room', `${url}  (${title})`]),
    ...(app.setupUrl === undefined ? [] : [['Set-up', `${app.setupUrl}  (one time: makes you the owner)`] as [string, string]]),
    ['Dashboard', `${config.baseUrl}/dashboard`],
    ['MCP', `${config.baseUrl}/mcp`],
    ['API key', `${command} key create --name "my agent"`],
    ['Docs', `${config.baseUrl}/docs`],
  ]
  return [
    '',
    `${config.title} is ready at ${config.baseUrl}`,
    '',
    ...rows.map(([label, text]) => `  ${label.padEnd(10)} ${text}`),
    '',
  ].join('\n')
}

// `rostrum mcp`: the tool protocol on standard input and output; everything else goes to standard error.

export const speakMcp: Run = async ({ config: read, text }) => {
  const config = read()
  const [{ serveStdio }, log] = await Promise.all([import('../serve-stdio.ts'), createLog(config.log)])
  return serveStdio(config, { log, url: text('url') ?? config.url ?? undefined })
}
