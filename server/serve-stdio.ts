// `rostrum mcp`: the tool protocol on standard input and output, by a service of its own, or as a bridge to the one that holds the
// data directory.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { openParts, type OpenParts, withParts } from './app.ts'
import { operator } from './accounts/audit.ts'
import { issueKey } from './accounts/keys.ts'
import type { Config } from './config/config.ts'
import { systemClock as clock, systemIds as ids } from '@rostrum/base/clock'
import type { Principal } from './platform/principal.ts'
import { bridgeStdio, speakOnStdio } from './mcp/stdio.ts'
import type { McpCall } from './mcp/server.ts'
import { addressFile } from './platform/db/sqlite.ts'
import { StartupError } from './platform/db/store.ts'
import { commandLine } from './owner-sessions.ts'
import { createToolProtocol } from './tool-protocol.ts'

const keyFile = 'mcp-key'

export interface StdioOptions {
  log: Logger
  /** Of a running service to forward to. */
  url: string | undefined
}

/** Speaks until standard input ends; gives the exit code. */
export async function serveStdio(config: Config, { log, url }: StdioOptions): Promise<number> {
  if (url !== undefined) {
    await bridge(url, undefined, config.apiKey)
    return 0
  }
  const address = join(config.dataDir, addressFile)
  // Who holds a data directory is its service; on PostgreSQL others are at work.
  const alone = await openParts(config, log, { lock: true, migrates: config.databaseUrl === null }).catch(unlessHeld)
  if (alone === undefined && existsSync(address)) {
    await bridge(readFileSync(address, 'utf8').trim(), new URL(config.baseUrl).host, config.apiKey ?? (await machineKey(config, log)))
    return 0
  }
  // The holder may also be another `rostrum mcp`, which answers nowhere: both then work on the store side by side.
  rmSync(address, { force: true })
  const parts = alone ?? (await openParts(config, log))
  const { store, areas } = parts
  try {
    const call = await callOf(config, parts)
    const build = await createToolProtocol(config, { areas, store, log }).builder()
    await areas.start()
    await speakOnStdio({ build: () => build(call), onError: (error) => log.warn({ err: error }, 'A line of the tool protocol failed') })
    await areas.drain()
  } finally {
    await areas.close()
    await store.close()
  }
  return 0
}

/** Another process holds the data directory. */
function unlessHeld(error: unknown): undefined {
  if (error instanceof StartupError && error.message.startsWith('Another')) return undefined
  throw error
}

function bridge(url: string, host: string | undefined, key: string | null): Promise<void> {
  const write = (line: string) => void process.stdout.write(`${line}\n`)
  return bridgeStdio({ url, ...(host !== undefined && { host }), key, input: process.stdin, write })
}

/** One for the whole connection: the time and the id of each call are read when it comes. */
async function callOf(config: Config, parts: OpenParts): Promise<McpCall> {
  return {
    // The key's, or the owner's account with every scope: who can read the data directory can do everything anyway.
    principal: config.apiKey === null ? commandLine(parts.accountId) : await authenticate(config.apiKey, parts),
    get now() {
      return clock.now()
    },
    get requestId() {
      return ids.uuid()
    },
    address: '127.0.0.1',
    methods: [],
  }
}

async function authenticate(key: string, { areas }: OpenParts): Promise<Principal> {
  const principal = await areas.auth.authenticator.authenticateToken(key, clock.now())
  if (principal === undefined) throw new StartupError('The API key is not valid any more: set ROSTRUM_API_KEY to a live one.')
  return principal
}

/** The key of this machine for the bridge: made once, readable by the owner of the data directory alone, revocable as any key. */
async function machineKey(config: Config, log: Logger): Promise<string> {
  const file = join(config.dataDir, keyFile)
  return withParts(config, log, async (parts) => {
    if (!existsSync(file)) {
      const wanted = { accountId: parts.accountId, name: 'rostrum mcp on this machine', lifeMs: null }
      const made = await issueKey(parts, operator(clock.now()), wanted)
      writeFileSync(file, made.key, { mode: 0o600 })
      chmodSync(file, 0o600)
    }
    const key = readFileSync(file, 'utf8').trim()
    await authenticate(key, parts).catch((error: unknown) => {
      throw new StartupError(`The key in ${file} was revoked. Delete the file to make another, or set ROSTRUM_API_KEY.`, { cause: error })
    })
    return key
  })
}
