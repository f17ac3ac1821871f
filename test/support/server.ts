// A real server process on a free port with a data directory of its own, for end-to-end suites, examples and benches.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { patienceMs } from './patience.ts'

/** As people start it: the bundle, or the sources where these are younger. */
const rostrum = fileURLToPath(new URL('../../bin/rostrum', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

export interface ServerOptions {
  env?: Readonly<Record<string, string>>
  /** After `serve`; `--demo` publishes the welcome talk. */
  args?: readonly string[]
  /** Kept when given; else a new one that goes away on `stop`. */
  dataDir?: string
}

export interface TestServer {
  baseUrl: string
  dataDir: string
  /** Everything the process has printed. */
  printed(): string
  /** Milliseconds from the start of the process to its first 200. */
  healthyMs: number
  /** The same until it is ready: runs taken up, welcome talk published. */
  readyMs: number
  pid: number
  /** `rostrum <args>` beside the server, on the same data; gives what it prints on stdout. */
  command(...args: string[]): Promise<string>
  /** SIGTERM, and the data directory goes away unless it was given. */
  stop(): Promise<void>
  /** SIGKILL; the data stays. */
  kill(): Promise<void>
  /** A new process on the same data and address, after `kill`, or `stop` with a directory of one's own. */
  restart(): Promise<void>
}

/** A port that was free a moment ago, from below those that systems give away by themselves: nothing takes it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

export async function startServer({ env = {}, args = [], dataDir }: ServerOptions = {}): Promise<TestServer> {
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), 'rostrum-server-'))
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const path = process.env['PATH'] ?? ''
  const environment = { PATH: path, HOME: directory, ROSTRUM_DATA_DIR: directory, ROSTRUM_PORT: String(port), ROSTRUM_LOG: 'warn', ...env }
  let output = ''
  let child: ChildProcess

  const start = async (): Promise<{ healthyMs: number; readyMs: number }> => {
    const began = performance.now()
    child = spawn(rostrum, ['serve', ...args], { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await answering(`${baseUrl}/healthz`, child, () => output)
    const healthyMs = performance.now() - began
    await answering(`${baseUrl}/readyz`, child, () => output)
    return { healthyMs, readyMs: performance.now() - began }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  const { healthyMs, readyMs } = await start()
  return {
    baseUrl,
    dataDir: directory,
    printed: () => output,
    healthyMs,
    readyMs,
    get pid() {
      return child.pid ?? 0
    },
    command: (...words) => runCommand(words, environment),
    async stop() {
      await end('SIGTERM')
      if (dataDir === undefined) rmSync(directory, { recursive: true, force: true })
    },
    kill: () => end('SIGKILL'),
    async restart() {
      await start()
    },
  }
}

/** Polls an address, because a process has no other way to say that it is ready to everybody. */
async function answering(address: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}:\n${output()}`)
    const response = await fetch(address).catch(() => undefined)
    if (response?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  child.kill('SIGKILL')
  throw new Error(`The server did not answer within ${patienceMs} ms:\n${output()}`)
}

function runCommand(words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(rostrum, [...words], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.once('exit', (code) =>
      code === 0 ? resolve(stdout.trim()) : reject(new Error(`rostrum ${words.join(' ')} ended with ${code}:\n${stderr}`)),
    )
  })
}
