// The rig of the browser suites: the real service on a free port with a data directory of its own, and a headless Chromium.
// Everything it starts ends with `close`, also when a test fails.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { patienceMs } from '../support/patience.ts'
import { freePort } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const places = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

/** The browser to drive, on the PATH or named by `ROSTRUM_TEST_CHROMIUM`; undefined where none is installed: suites then skip. */
export function chromiumPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  return [process.env['ROSTRUM_TEST_CHROMIUM'] ?? '', ...onPath, ...places].find((path) => path !== '' && existsSync(path))
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeRun {
  violations: { id: string; nodes: { target: unknown }[] }[]
}

/** What axe, with all its rules, finds in the page as it stands: a line each, with the elements. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations }: AxeRun = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => JSON.stringify(target)).join(' ')}`)
}

/** Headless, with pages whose acts and waits end after `patienceMs`. */
export async function launchBrowser(extra: readonly string[] = []): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('No Chromium is installed: name one in ROSTRUM_TEST_CHROMIUM.')
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']
  const args = ['--no-sandbox', '--disable-gpu', ...quiet, ...extra]
  const browser = await chromium.launch({ executablePath, args, timeout: patienceMs })
  const open = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await open(options)
    context.setDefaultTimeout(patienceMs)
    return context
  }
  return browser
}

export interface Service {
  /** Base address, without a trailing slash. */
  url: string
  /** The one-time link that makes the owner; null once there is one. */
  setupUrl: string | null
  rooms: readonly { title: string; url: string }[]
  dataDir: string
  /** Ends the process without a word, as a crash would, and starts it again on the same port and data. */
  crashAndRestart(): Promise<void>
  close(): Promise<void>
}

interface Started {
  pid: number
  greeting: { setupUrl: string | null; rooms: readonly { title: string; url: string }[] }
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Starts `rostrum serve`; `env` adds to or overrides its variables. */
export async function startService({
  env = {},
  args = [],
}: { env?: Record<string, string>; args?: readonly string[] } = {}): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-e2e-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const variables = { ROSTRUM_PORT: String(port), ROSTRUM_BASE_URL: url, ROSTRUM_DATA_DIR: dataDir, ROSTRUM_LOG: 'warn', ...env }
  let process = await serve(variables, args)
  return {
    url,
    dataDir,
    ...process.greeting,
    async crashAndRestart() {
      await process.end('SIGKILL')
      process = await serve(variables, args)
    },
    async close() {
      await process.end('SIGTERM')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function serve(env: Record<string, string>, args: readonly string[]): Promise<Started> {
  const child = spawn(join(root, 'bin/rostrum'), ['serve', '--json', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-8_000)))
  const greeting = await new Promise<Started['greeting']>((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`The service did not start in ${patienceMs} ms.\n${said}`))
    }, patienceMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`The service ended at its start with ${code}.\n${said}`))
    })
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      try {
        const told: unknown = JSON.parse(text)
        clearTimeout(timer)
        resolve(told as Started['greeting'])
      } catch {
        // The greeting is not complete yet.
      }
    })
  })
  return {
    pid: child.pid ?? 0,
    greeting,
    async end(signal) {
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await ended
      clearTimeout(timer)
    },
  }
}
