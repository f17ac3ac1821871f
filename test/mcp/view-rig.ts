// What the suites of the MCP-App views share: a server with a session, its leads and a dozen others, a browser, and the hand of a
// person in a view.
import assert from 'node:assert/strict'
import { axeViolations, launchBrowser } from '../e2e/rig.ts'
import { startServer } from '../support/server.ts'
import { slides } from './rpc.ts'
import type { ViewHost, ViewHostOptions } from './view-host.ts'
import { callServer, openView } from './view-host.ts'

const shots = process.env['ROSTRUM_SHOTS']

/** Everything a host may offer. */
export const allCapabilities = { serverTools: {}, openLinks: {}, downloadFile: {}, updateModelContext: {} }

export type Opened = Partial<Omit<ViewHostOptions, 'browser' | 'baseUrl' | 'key' | 'view'>>

export interface ViewRig {
  baseUrl: string
  /** A published session with two slides, a call to action and three leads. */
  sessionId: string
  // Tests read members of results whose shape they assert.
  // oxlint-disable-next-line typescript/no-explicit-any
  tool(name: string, args: Record<string, unknown>): Promise<any>
  /** How many sessions there are. */
  count(): Promise<number>
  open(view: string, options?: Opened): Promise<ViewHost>
  /** The view after a call of its tool, as a host shows it. */
  shown(view: string, name: string, args: Record<string, unknown>, options?: Opened): Promise<ViewHost>
  close(): Promise<void>
}

export async function openViewRig(): Promise<ViewRig> {
  const off = { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_DISCOVERY: 'off', ROSTRUM_RATE_PAP: 'off', ROSTRUM_RATE_LEAD: 'off' }
  const server = await startServer({ env: off })
  const { baseUrl } = server
  const key = await server.command('key', 'create', '--name', 'views')
  const browser = await launchBrowser()
  const tool: ViewRig['tool'] = (name, args) => callServer(baseUrl, key, 'tools/call', { name, arguments: args })
  const open: ViewRig['open'] = (view, options = {}) =>
    openView({ browser, baseUrl, key, view, theme: 'light', capabilities: allCapabilities, ...options })
  const made = await tool('create_session', {
    title: 'Grid storage',
    description: 'How batteries keep a grid steady',
    isLive: true,
    slides,
    ctaText: 'Book a visit',
    ctaUrl: 'https://example.com/visit',
  })
  const sessionId: string = made.structuredContent.id
  for (const [i, name] of ['=cmd()', 'Ada Lovelace', 'Maya Lin'].entries()) {
    await tool('submit_attendee_lead', { sessionId, email: `person${i}@example.com`, name, company: i === 1 ? 'Grid, "Ltd"' : '' })
  }
  for (let i = 0; i < 12; i++) await tool('create_session', { title: `Talk ${i}` })
  return {
    baseUrl,
    sessionId,
    tool,
    count: async () => (await tool('list_sessions', { limit: 100 })).structuredContent.count,
    open,
    async shown(view, name, args, options) {
      const host = await open(view, options)
      await host.notify('ui/notifications/tool-input', { arguments: args })
      await host.notify('ui/notifications/tool-result', await tool(name, args))
      await host.frame.locator('main:not([data-state=loading])').waitFor()
      return host
    },
    async close() {
      await browser.close()
      await server.stop()
    },
  }
}

export const press = (host: ViewHost, name: string) => host.frame.getByRole('button', { name, exact: true }).click()
export const state = (host: ViewHost) => host.frame.locator('main').getAttribute('data-state')

/** No finding of axe, with all its rules or with these, no scrolling sideways, no error in the console; a picture where ROSTRUM_SHOTS names a folder. */
export async function looksRight(host: ViewHost, name: string, rules?: readonly string[]): Promise<void> {
  const found = await axeViolations(host.frame, rules)
  if (shots !== undefined) await host.page.screenshot({ path: `${shots}/${name}.png` })
  assert.deepEqual(found, [], name)
  const isWide = await host.frame.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  assert.equal(isWide, false, `${name} scrolls sideways`)
  assert.deepEqual(host.errors, [], name)
}
