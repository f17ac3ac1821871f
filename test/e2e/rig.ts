// The rig of the browser suites: the real service on a free port with a data directory of its own, and a headless Chromium.
// Everything it starts ends with `close`, also when a test fails.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { eventually } from '../support/clock.ts'
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

/** What is fading in has no contrast of its own yet. */
const finishAnimations = (page: Page | Frame): Promise<void> =>
  page.evaluate('document.getAnimations().forEach((each) => each.effect.getComputedTiming().endTime < Infinity && each.finish())')

/** The rules of axe that a theme can break: in dark only colours differ. */
export const rulesOfColour: readonly string[] = ['color-contrast', 'link-in-text-block']

/** What axe finds in the page as it stands, with all its rules or with these: a line each, with the elements. */
export async function axeViolations(page: Page | Frame, rules?: readonly string[]): Promise<string[]> {
  // It takes a while to load, in which something may begin to fade in.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  await finishAnimations(page)
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.map(({ html, any }) => html + (any[0]?.message ?? '')).join(' | ')))`)
}

/** The page as it stands, opened with `bypassCSP`, is accessible in both themes and never scrolls sideways, at both ends of width. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const found = await axeViolations(page, colorScheme === 'dark' ? rulesOfColour : undefined)
      assert.deepEqual(found, [], `${where}, ${colorScheme} at ${width} px`)
    }
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    assert.equal(isWide, false, `${where} scrolls sideways at ${width} px`)
  }
}

/**
 * The list of Playwright again, as the last list is the one that counts, and before it the pages that the address bar of each window
 * keeps ready: each is a process of its own, and together they cost more than the page of a test.
 */
const withoutFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

interface Shared {
  browser: Promise<Browser>
  users: number
}

const running = new Map<string, Shared>()
/** For the next file of the same process; whoever runs alone ends so much later. */
const keptMs = 1_000

/**
 * Headless, with pages whose acts and waits end after `patienceMs`. A process has one for all who ask for it alike, as to start one costs
 * as much as many a test; `close` ends the windows of who asked.
 */
export async function launchBrowser(extra: readonly string[] = []): Promise<Browser> {
  const name = extra.join(' ')
  const shared = running.get(name) ?? { browser: startBrowser(extra), users: 0 }
  running.set(name, shared)
  shared.users++
  const browser = await shared.browser
  const contexts: BrowserContext[] = []
  return Object.assign(Object.create(browser) as Browser, {
    async newContext(options?: BrowserContextOptions) {
      const context = await browser.newContext(options)
      contexts.push(context)
      context.setDefaultTimeout(patienceMs)
      return context
    },
    async close() {
      await Promise.all(contexts.splice(0).map((context) => context.close()))
      shared.users--
      setTimeout(() => {
        if (shared.users > 0 || running.get(name) !== shared) return
        running.delete(name)
        void browser.close()
      }, keptMs)
    },
  })
}

async function startBrowser(extra: readonly string[]): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('No Chromium is installed: name one in ROSTRUM_TEST_CHROMIUM.')
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${withoutFeatures.join(',')}`, ...quiet, ...extra]
  return chromium.launch({ executablePath, args, timeout: patienceMs })
}

/**
 * Runs in a page before its script: a timer of two seconds or more rings with `window.ring()` alone, so that no notice has gone, and no
 * patience is over, before a busy machine has come to look.
 */
export const heldTimers = `{
  const { setTimeout, clearTimeout } = window
  const held = new Map()
  let last = 0
  window.setTimeout = (run, ms, ...rest) => {
    if (!(ms >= 2000)) return setTimeout(run, ms, ...rest)
    held.set(--last, () => run(...rest))
    return last
  }
  window.clearTimeout = (id) => { if (!held.delete(id)) clearTimeout(id) }
  window.ring = () => {
    const due = [...held.values()]
    held.clear()
    for (const run of due) run()
  }
}`

/** Waits until it reads so: what a page shows follows an act in its own time. */
export async function becomes<T>(read: () => Promise<T>, wanted: T): Promise<void> {
  const until = performance.now() + patienceMs
  await eventually(async () => isDeepStrictEqual(await read(), wanted) || performance.now() > until)
  assert.deepEqual(await read(), wanted)
}

/** Waits until an expression of the page is true, whatever the content policy of the page says of expressions. */
export const holds = (page: Page, expression: string): Promise<void> => becomes(() => page.evaluate(expression), true)

/** Everything that the screen of a dashboard reads has been read, and it listens to its keys. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('body:has(h1):not(:has(.skeleton))')
  await page.evaluate(effects)
}

/** Preact runs effects in a task of its own after the next frame; an effect may draw again. */
const effects = `new Promise((resolve) => {
  const frames = (left) => left === 0 ? resolve() : requestAnimationFrame(() => setTimeout(() => setTimeout(() => frames(left - 1))))
  frames(3)
})`

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
  // A talk that has come to its end waits for its test.
  const window = { ROSTRUM_QA_WINDOW_MS: '3600000' }
  const place = { ROSTRUM_PORT: String(port), ROSTRUM_BASE_URL: url, ROSTRUM_DATA_DIR: dataDir }
  const variables = { ...place, ...window, ROSTRUM_LOG: 'warn', ...env }
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
