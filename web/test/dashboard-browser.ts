// A browser and a built dashboard for the suites that drive its screens.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { finishAnimations, heldTimers, launchBrowser, settled } from '../../test/e2e/rig.ts'
import type { BuiltDashboard } from './dashboard-rig.ts'
import { buildDashboard, serveDashboard } from './dashboard-rig.ts'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export interface DashboardBrowser {
  built: BuiltDashboard
  /** Opens `path` over a fake API of its own and fails on any error of the page or break of the content policy; `script` runs before its own. */
  onPage(path: string, run: (page: Page) => Promise<void>, options?: BrowserContextOptions, script?: string): Promise<void>
  close(): Promise<void>
}

export async function openDashboard(): Promise<DashboardBrowser> {
  const built = await buildDashboard()
  const browser = await launchBrowser()
  return {
    built,
    async onPage(path, run, options = {}, script) {
      const api = await serveDashboard(built)
      const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC', ...options })
      // With the policy in force nothing could be put into the page.
      if (options.bypassCSP === true) await context.addInitScript(axe)
      await context.addInitScript(heldTimers)
      if (script !== undefined) await context.addInitScript(script)
      const page = await context.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      try {
        await page.goto(api.url + path)
        await settled(page)
        await run(page)
        assert.deepEqual(faults, [], path)
      } finally {
        await context.close()
        await api.close()
      }
    },
    async close() {
      await browser.close()
      await built.remove()
    },
  }
}

interface Axe {
  run(root: Document): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
}

/** Both themes at both ends of width, on the page as it stands; the page was opened with `bypassCSP`. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await finishAnimations(page)
      const found = await page.evaluate(async () => {
        // Put into the page before its own scripts.
        const { axe } = globalThis as unknown as { axe: Axe }
        return (await axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
      })
      assert.deepEqual(found, [], `${where}, ${colorScheme} at ${width} px`)
    }
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    assert.equal(isWide, false, `${where} scrolls sideways at ${width} px`)
  }
}
