// A browser and a built dashboard for the suites that drive its screens.
import assert from 'node:assert/strict'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { heldTimers, launchBrowser, settled } from '../../test/e2e/rig.ts'
import type { BuiltDashboard } from './dashboard-rig.ts'
import { buildDashboard, serveDashboard } from './dashboard-rig.ts'

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
    },
  }
}
