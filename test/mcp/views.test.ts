// The five views in a real browser, inside a host that frames them as strictly as hosts do: every action works, in both themes,
// with all capabilities and with none, without an error in the console, and no session is ever made twice.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chromiumPath, rulesOfColour } from '../e2e/rig.ts'
import type { ViewRig } from './view-rig.ts'
import { looksRight, openViewRig, press, state } from './view-rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium' : false

let rig: ViewRig
let sessionId: string
before(async () => {
  if (skip !== false) return
  rig = await openViewRig()
  ;({ sessionId } = rig)
})
after(() => rig?.close())

const open: ViewRig['open'] = (...args) => rig.open(...args)
const shown: ViewRig['shown'] = (...args) => rig.shown(...args)
const count = () => rig.count()

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
      test(`${view} has no finding of axe and no error, ${theme}, 720 and 360 px wide`, async () => {
        const host = await shown(view, name, args(), { theme, width: 720 })
        const scheme = await host.frame.evaluate('getComputedStyle(document.documentElement).colorScheme')
        assert.equal(scheme, theme)
        for (const width of [720, 360]) {
          await host.page.setViewportSize({ width, height: 900 })
          await looksRight(host, `${view.replace('/', '-')}-${theme}-${width}`, theme === 'dark' ? rulesOfColour : undefined)
        }
        const [size] = await host.sent('ui/notifications/size-changed')
        assert.ok(Number(size?.['height']) > 50)
        await host.close()
      })
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
    await press(host, 'Copy emails')
    assert.match(await host.frame.getByLabel('Email addresses').inputValue(), /person0@example\.com/)
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
