// The five views in a real browser, inside a host that frames them as strictly as hosts do: every action works, in both themes,
// with all capabilities and with none, without an error in the console, and no session is ever made twice.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { chromiumPath, launchBrowser } from '../e2e/rig.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import { slides } from './rpc.ts'
import type { ViewHost } from './view-host.ts'
import { callServer, openView } from './view-host.ts'

const skip = chromiumPath() === undefined ? 'no Chromium' : false
const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
const all = { serverTools: {}, openLinks: {}, downloadFile: {}, updateModelContext: {} }
const shots = process.env['ROSTRUM_SHOTS']

let server: TestServer
let browser: Browser
let key: string
let sessionId: string

before(async () => {
  if (skip !== false) return
  server = await startServer({
    env: { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_DISCOVERY: 'off', ROSTRUM_RATE_PAP: 'off', ROSTRUM_RATE_LEAD: 'off' },
  })
  key = await server.command('key', 'create', '--name', 'views')
  browser = await launchBrowser()
  const cta = { ctaText: 'Book a visit', ctaUrl: 'https://example.com/visit' }
  const made = await tool('create_session', {
    title: 'Grid storage',
    description: 'How batteries keep a grid steady',
    isLive: true,
    slides,
    ...cta,
  })
  sessionId = made.structuredContent.id
  for (const [i, name] of ['=cmd()', 'Ada Lovelace', 'Maya Lin'].entries()) {
    await tool('submit_attendee_lead', { sessionId, email: `person${i}@example.com`, name, company: i === 1 ? 'Grid, "Ltd"' : '' })
  }
  for (let i = 0; i < 12; i++) await tool('create_session', { title: `Talk ${i}` })
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const tool = (name: string, args: Record<string, unknown>) => callServer(server.baseUrl, key, 'tools/call', { name, arguments: args })
const count = async () => (await tool('list_sessions', { limit: 100 })).structuredContent.count

interface Opened {
  theme?: 'light' | 'dark'
  capabilities?: Record<string, object>
  width?: number
  variables?: Record<string, string>
}

const open = (view: string, { theme = 'light', capabilities = all, ...more }: Opened = {}) =>
  openView({ browser, baseUrl: server.baseUrl, key, view, theme, capabilities, ...more })

/** The view after a call of its tool, as a host shows it. */
async function shown(view: string, name: string, args: Record<string, unknown>, options: Opened = {}): Promise<ViewHost> {
  const host = await open(view, options)
  await host.notify('ui/notifications/tool-input', { arguments: args })
  await host.notify('ui/notifications/tool-result', await tool(name, args))
  await host.frame.locator('main:not([data-state=loading])').waitFor()
  return host
}

const press = (host: ViewHost, name: string) => host.frame.getByRole('button', { name, exact: true }).click()
const state = (host: ViewHost) => host.frame.locator('main').getAttribute('data-state')

async function looksRight(host: ViewHost, name: string): Promise<void> {
  const found = await host.frame.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html, any }) => html + (any[0]?.message ?? '')).join(' | ')))`)
  if (shots !== undefined) await host.page.screenshot({ path: `${shots}/${name}.png` })
  assert.deepEqual(found, [], name)
  const isWide = await host.frame.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  assert.equal(isWide, false, `${name} scrolls sideways`)
  assert.deepEqual(host.errors, [], name)
}

const views: readonly [string, string, () => Record<string, unknown>][] = [
  ['sessions/create', 'get_session', () => ({ sessionId })],
  ['sessions/list', 'list_sessions', () => ({ limit: 5 })],
  ['sessions/preview', 'get_session', () => ({ sessionId })],
  ['analytics', 'get_session_analytics', () => ({ sessionId })],
  ['leads', 'export_leads', () => ({ sessionId })],
]

describe('views', { skip }, () => {
  for (const [view, name, args] of views) {
    for (const theme of ['light', 'dark'] as const) {
      for (const width of [720, 360]) {
        test(`${view} has no finding of axe and no error, ${theme}, ${width} px wide`, async () => {
          const host = await shown(view, name, args(), { theme, width })
          const scheme = await host.frame.evaluate('getComputedStyle(document.documentElement).colorScheme')
          assert.equal(scheme, theme)
          await looksRight(host, `${view.replace('/', '-')}-${theme}-${width}`)
          const [size] = await host.sent('ui/notifications/size-changed')
          assert.ok(Number(size?.['height']) > 50)
          await host.close()
        })
      }
    }
    test(`${view} shows its result to a host that can do nothing, without controls that call`, async () => {
      const host = await shown(view, name, args(), { capabilities: {} })
      assert.equal(await host.frame.getByRole('button', { name: /Refresh|More|Create|Try again|Open/ }).count(), 0)
      assert.deepEqual(await host.sent('tools/call'), [])
      assert.deepEqual(await host.sent('ui/update-model-context'), [])
      await looksRight(host, `${view.replace('/', '-')}-poor`)
      await host.close()
    })
    test(`${view} shows the words of a refusal`, async () => {
      const host = await open(view)
      await host.notify('ui/notifications/tool-input', { arguments: {} })
      await host.notify('ui/notifications/tool-result', { isError: true, content: [{ type: 'text', text: 'There is no such session.' }] })
      await host.frame.getByText('There is no such session.').waitFor()
      assert.equal(await state(host), 'error')
      await looksRight(host, `${view.replace('/', '-')}-error`)
      await host.close()
    })
  }

  test('the create view shows the session that was made and creates nothing by itself', async () => {
    const before = await count()
    const host = await shown('sessions/create', 'get_session', { sessionId })
    assert.equal(await host.frame.getByRole('heading', { name: 'Grid storage' }).count(), 1)
    assert.equal(await host.frame.locator('form').count(), 0)
    await press(host, 'Open room')
    const [link] = await host.sent('ui/open-link')
    assert.match(String(link?.['url']), /\/join\//)
    assert.equal(await count(), before)
    await press(host, 'Create another')
    await host.frame.getByLabel('Title').fill('From the view')
    await host.frame.getByLabel('Call to action').fill('Go')
    await host.frame.getByLabel('Link').fill('https://example.com')
    await host.frame.getByLabel('Publish now').check()
    await host.frame.getByRole('button', { name: 'Create session' }).dblclick()
    await host.frame.getByRole('heading', { name: 'From the view' }).waitFor()
    assert.equal(await count(), before + 1)
    assert.equal((await host.sent('tools/call')).length, 1)
    const [told] = await host.sent('ui/update-model-context')
    assert.match(JSON.stringify(told), /From the view.*"id":/)
    assert.deepEqual(host.errors, [])
    await host.close()
  })

  test('the form waits while a call is under way, and comes filled after it was cancelled', async () => {
    const host = await open('sessions/create')
    await host.notify('ui/notifications/tool-input', { arguments: { title: 'Planned', description: 'As agreed' } })
    await host.frame.waitForTimeout(1_700)
    assert.equal(await state(host), 'loading')
    await host.notify('ui/notifications/tool-cancelled', { reason: 'user' })
    assert.equal(await host.frame.getByLabel('Title').inputValue(), 'Planned')
    assert.equal(await host.frame.getByLabel('Description').inputValue(), 'As agreed')
    await looksRight(host, 'sessions-create-form')
    await host.close()
  })

  test('the create view opened by hand shows the form', async () => {
    const host = await open('sessions/create', { theme: 'dark', width: 360 })
    await host.frame.getByRole('button', { name: 'Create session' }).waitFor()
    await looksRight(host, 'sessions-create-form-dark')
    await host.close()
  })

  test('the list opens a session in place, goes back, pages and refreshes', async () => {
    const host = await shown('sessions/list', 'list_sessions', { limit: 5 })
    assert.equal(await host.frame.locator('li').count(), 5)
    await press(host, 'More')
    await host.frame.locator('li').nth(9).waitFor()
    const title = (await host.frame.locator('li button').first().textContent()) ?? ''
    await press(host, title)
    await host.frame.getByRole('heading', { name: title }).waitFor()
    await press(host, 'Back')
    await press(host, 'Refresh')
    await host.frame.locator('li:nth-child(6)').waitFor({ state: 'detached' })
    assert.deepEqual(
      (await host.sent('tools/call')).map(({ name }) => name),
      ['list_sessions', 'get_session', 'list_sessions'],
    )
    assert.deepEqual(host.errors, [])
    await host.close()
  })

  test('the preview opens its rooms, copies its link and refreshes', async () => {
    const host = await shown('sessions/preview', 'get_session', { sessionId })
    assert.equal(await host.frame.locator('ol li').count(), 2)
    await press(host, 'Open room')
    await press(host, 'Open rehearsal')
    assert.equal((await host.sent('ui/open-link')).length, 2)
    await press(host, 'Copy link')
    // An opaque frame may not write to the clipboard: the address is there to be taken by hand.
    await host.frame.getByLabel('Link of the room').waitFor()
    await press(host, 'Refresh')
    await host.page.waitForFunction(`host.sent.some((each) => each.method === 'tools/call')`)
    assert.equal(await state(host), 'ready')
    await host.close()
  })

  test('analytics shows four figures and three charts with tables, and advice where there is nothing', async () => {
    const empty = await shown('analytics', 'get_session_analytics', { sessionId })
    assert.equal(await state(empty), 'empty')
    await press(empty, 'Refresh')
    await empty.close()
    const slide = (index: number) => ({ index, views: 3, avgSeconds: 20 - index, leftHere: 1, questions: 0 })
    const figures = {
      sessionId,
      totalAttendees: 12,
      averageEngagementSec: 312.4,
      questionsCount: 7,
      ctaClicks: 3,
      funnel: { opened: 12, started: 11, half: 9, completed: 6, cta: 3, lead: 2 },
      slides: [0, 1, 2, 3, 4].map(slide),
      attendance: [3, 9, 12, 7].map((people, i) => ({ at: `2026-11-20T12:0${i}:00.000Z`, count: people })),
      unanswered: [{ text: 'Is it recyclable?', count: 2 }],
    }
    for (const theme of ['light', 'dark'] as const) {
      const host = await open('analytics', { theme })
      await host.notify('ui/notifications/tool-result', { structuredContent: figures, content: [] })
      await host.frame.getByText('5 min 12 s').waitFor()
      assert.deepEqual([await host.frame.locator('dd').count(), await host.frame.locator('figure svg').count()], [4, 3])
      await host.frame.getByText('Show data: The way to the offer').click()
      assert.equal(await host.frame.getByRole('row').count(), 7)
      await looksRight(host, `analytics-full-${theme}`)
      await host.close()
    }
  })

  test('leads sort, download as CSV that no spreadsheet runs, and copy', async () => {
    const host = await shown('leads', 'export_leads', { sessionId })
    const names = () => host.frame.locator('tbody tr td:first-child').allTextContents()
    await press(host, 'Name')
    assert.deepEqual(await names(), ['=cmd()', 'Ada Lovelace', 'Maya Lin'])
    await press(host, 'Name')
    assert.deepEqual(await names(), ['Maya Lin', 'Ada Lovelace', '=cmd()'])
    assert.equal(await host.frame.locator('th[aria-sort=descending]').count(), 1)
    await press(host, 'Download CSV')
    await host.page.waitForFunction(`host.sent.some((each) => each.method === 'ui/download-file')`)
    const [file] = await host.sent('ui/download-file')
    const text = JSON.stringify(file)
    assert.match(text, /\uFEFF/)
    assert.ok(text.includes(`\\"'=cmd()\\"`) && text.includes('Grid, \\"\\"Ltd\\"\\"'))
    await press(host, 'Copy e-mails')
    assert.match(await host.frame.getByLabel('E-mail addresses').inputValue(), /person0@example\.com/)
    assert.deepEqual(host.errors, [])
    await host.close()
    const poor = await shown('leads', 'export_leads', { sessionId }, { capabilities: { serverTools: {} } })
    await press(poor, 'Download CSV')
    assert.match(await poor.frame.getByLabel('CSV', { exact: true }).inputValue(), /Ada Lovelace/)
    await poor.close()
  })

  test('the look of the host wins, changes apply at once, and the accent gives way where it cannot be read', async () => {
    const variables = { '--color-background-primary': '#0f6b4f', '--color-text-primary': '#ffffff', '--color-text-secondary': '#ffffff' }
    const host = await shown('sessions/preview', 'get_session', { sessionId }, { variables })
    const look = () =>
      host.frame.evaluate(
        '[getComputedStyle(document.body).backgroundColor, document.documentElement.dataset.plain, document.documentElement.dataset.theme]',
      )
    assert.deepEqual(await look(), ['rgb(15, 107, 79)', '', 'light'])
    await host.notify('ui/notifications/host-context-changed', { theme: 'dark' })
    await host.frame.locator(':root[data-theme=dark]').waitFor({ state: 'attached' })
    await host.close()
  })

  test('only the host is heard, and every request of the host is answered', async () => {
    const host = await shown('sessions/preview', 'get_session', { sessionId })
    assert.deepEqual((await host.ask('ping')).result, {})
    assert.deepEqual((await host.ask('ui/resource-teardown')).result, {})
    assert.equal((await host.ask('no/such')).error?.code, -32_601)
    const forged = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: { title: 'Forged' } } }
    await host.frame.evaluate(`window.postMessage(${JSON.stringify(forged)}, '*')`)
    await host.frame.waitForTimeout(50)
    assert.equal(await host.frame.getByText('Forged').count(), 0)
    await host.close()
  })
})
