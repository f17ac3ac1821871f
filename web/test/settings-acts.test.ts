// The acts of the settings in a real browser, over the fake API, most of them by keyboard alone.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumPath, settled } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'

/** What an act sends, as method, path and body. */
function sentBy(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname} ${request.postData() ?? ''}`.trim())
  })
  return sent
}

describe('the acts of the settings', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser

  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('a key is rotated by keyboard: the new one is shown once, the old one says until when it works', async () => {
    await dashboard.onPage('/dashboard/settings', async (page) => {
      const sent = sentBy(page)
      await page.getByRole('button', { name: 'Rotate Production' }).press('Enter')
      await page.getByLabel('The old key works on for').selectOption('604800')
      await page.getByLabel('The old key works on for').press('Tab')
      await page.keyboard.press('Enter')
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      assert.match(secret, /^rst_live_/)
      await page.getByRole('button', { name: 'I have saved it' }).press('Enter')
      await page.getByText('Replaced', { exact: true }).nth(1).waitFor()
      assert.match(sent[0] ?? '', /\/rotate \{"graceSeconds":604800\}$/)
      assert.equal(await page.getByRole('button', { name: 'Rotate Production' }).count(), 1)
      assert.equal((await page.content()).includes(secret), false)
      await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
    })
  })

  test('a secret that was not copied is asked about once, by Escape too', async () => {
    await dashboard.onPage('/dashboard/settings', async (page) => {
      await page.getByRole('button', { name: 'Rotate Production' }).press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).press('Enter')
      await page.getByTestId('secret').waitFor()
      await page.keyboard.press('Escape')
      await page.getByTestId('secret').waitFor()
      await page.getByRole('button', { name: 'Close' }).press('Enter')
      await page.getByText('Nothing was copied yet.').waitFor()
      await page.getByRole('button', { name: 'Close' }).press('Enter')
      await page.getByTestId('secret').waitFor({ state: 'detached' })
    })
  })

  test('a used-up budget of the day is said once, on every screen, until it is dismissed', async () => {
    await dashboard.onPage('/dashboard/settings/usage', async (page) => {
      await page.route('**/api/v1/agent/usage', async (route) => {
        const answer = await route.fetch()
        const usage = (await answer.json()) as { today: Record<string, unknown> }
        usage.today['modelCalls'] = { limit: 2000, used: 2000 }
        await route.fulfill({ json: usage })
      })
      await page.goto(new URL('/dashboard', page.url()).href)
      const notice = page.getByText('A budget of today is used up. Answers quote your slides until midnight UTC.')
      await notice.waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).press('Enter')
      await notice.waitFor({ state: 'detached' })
      await page.goto(new URL('/dashboard/settings/usage', page.url()).href)
      await page.getByText('Answers quote your slides until midnight UTC.').waitFor()
      assert.equal(await notice.count(), 0)
    })
  })

  test('an app is removed after its name was typed', async () => {
    await dashboard.onPage('/dashboard/settings/apps', async (page) => {
      const sent = sentBy(page)
      await page.getByText('connector.example').waitFor()
      await page.getByRole('button', { name: 'Remove Deck connector' }).press('Enter')
      await page.getByLabel('Type its name').fill('Deck connector')
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
      assert.deepEqual(sent, ['DELETE /api/v1/account/apps/g1'])
    })
  })

  test('signing out everywhere else, a new address and another account each send what they say', async () => {
    await dashboard.onPage('/dashboard/settings/account', async (page) => {
      const sent = sentBy(page)
      await page.getByRole('button', { name: 'Sign out everywhere else' }).press('Enter')
      await page.getByLabel('New email address').fill('okafor@acme.example')
      await page.keyboard.press('Enter')
      await page.getByText('A link is on its way to okafor@acme.example.').waitFor()
      await page.getByRole('button', { name: 'Account' }).press('Enter')
      await page.getByRole('menuitemcheckbox', { name: 'Work in Berg Consulting' }).waitFor()
      assert.equal(await page.getByRole('menuitemcheckbox', { name: 'Work in Acme Grid' }).getAttribute('aria-checked'), 'true')
      assert.deepEqual(sent, ['DELETE /api/v1/account/sign-ins', 'POST /api/v1/account/email {"email":"okafor@acme.example"}'])
    })
  })

  test('a password is asked for only when the server wants it again', async () => {
    await dashboard.onPage('/dashboard/settings', async (page) => {
      await page.getByRole('button', { name: 'Rotate Production' }).click()
      // In the page, because the browser reports a refusal that came over the network on the console.
      await page.evaluate(() => {
        const real = globalThis.fetch
        const refuse = () => Promise.resolve(new Response(JSON.stringify({ status: 401, code: 'login_required' }), { status: 401 }))
        Object.assign(globalThis, { fetch: refuse, relent: () => Object.assign(globalThis, { fetch: real }) })
      })
      assert.equal(await page.getByLabel('Your current password').count(), 0)
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
      await page.getByText('It has been a while since you signed in').waitFor()
      await page.evaluate(() => (globalThis as unknown as { relent: () => void }).relent())
      const sent = sentBy(page)
      await page.getByLabel('Your current password').fill('a quiet lake at dusk')
      await page.keyboard.press('Enter')
      await page.getByTestId('secret').waitFor()
      assert.match(sent[0] ?? '', /"password":"a quiet lake at dusk"/)
    })
  })

  test('a brand is seen and judged while it is chosen, and sent as it stands', async () => {
    await dashboard.onPage('/dashboard/settings/account', async (page) => {
      const sent = sentBy(page)
      const notes = page.getByTestId('brand-preview').getByRole('status')
      await notes.getByText('Text can be read everywhere, in these colours as they are.').waitFor()
      await page.getByLabel('Name of the host').fill('Sunbeam')
      await page.getByLabel('Accent', { exact: true }).fill('#ffd4')
      await page.getByText('Write it as #rrggbb, such as #0f6b4f.').waitFor()
      await page.getByLabel('Accent', { exact: true }).fill('#ffd400')
      await notes.getByText(/On light pages links and lines are #[0-9a-f]{6}: #ffd400 has 1\.\d:1 there/).waitFor()
      assert.equal(await page.getByLabel('Pick: accent').inputValue(), '#ffd400')
      const file = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }
      await page.getByLabel('Logo', { exact: true }).setInputFiles(file)
      await page.getByRole('button', { name: 'Remove the logo' }).waitFor()
      await page.getByLabel('Line that names this service').selectOption('Left out')
      await page.getByRole('button', { name: 'Save brand' }).press('Enter')
      await page.getByText('Brand saved.').waitFor()
      const brand = { hideFooter: true, name: 'Sunbeam', logoUrl: '/favicon.svg', accent: '#ffd400' }
      assert.equal(sent.at(-1), `PUT /api/v1/agent/brand ${JSON.stringify(brand)}`)
    })
  })

  test('the audit log says who did what, and older entries follow', async () => {
    await dashboard.onPage('/dashboard/settings/audit', async (page) => {
      await page.getByRole('row', { name: /Maya Okafor Rotated an API key Key “Nightly import”, the old one works on for 24 h/ }).waitFor()
      await page.getByRole('row', { name: /The operator, at the command line A person was added/ }).waitFor()
      const before = await page.getByRole('row').count()
      await page.getByRole('button', { name: 'Show older' }).press('Enter')
      await page.waitForFunction((count) => document.querySelectorAll('tr').length > count, before)
    })
  })

  test('an agent finds its address and steps, and a tool is called from the page', async () => {
    await dashboard.onPage('/dashboard/agents', async (page) => {
      const tools = [{ name: 'discover_sessions', title: 'Find talks', description: 'Finds public talks.' }]
      await page.route('**/mcp', (route) => {
        const { method } = route.request().postDataJSON() as { method: string }
        return route.fulfill({ json: { result: method === 'tools/list' ? { tools } : { structuredContent: { sessions: [], total: 0 } } } })
      })
      await page.reload()
      await page.getByRole('button', { name: 'Copy address' }).waitFor()
      await page.getByRole('tab', { name: 'Cursor' }).click()
      await page.getByText('"mcpServers"').waitFor()
      await page.getByText('Finds public talks.').waitFor()
      await page.getByRole('button', { name: 'Call the tool' }).click()
      await page.getByText('"total": 0').waitFor()
    })
  })

  test('every part of the settings is reached with Tab and Enter alone', async () => {
    await dashboard.onPage('/dashboard/settings', async (page) => {
      for (const part of ['Account', 'Connected apps', 'Members', 'Audit log', 'Usage', 'API keys']) {
        const link = page.getByRole('navigation', { name: 'Parts of the settings' }).getByRole('link', { name: part })
        for (let step = 0; step < 60; step++) {
          if (await link.evaluate((element) => element === document.activeElement)) break
          await page.keyboard.press('Tab')
        }
        assert.equal(await link.evaluate((element) => element === document.activeElement), true, `Tab reaches ${part}`)
        await page.keyboard.press('Enter')
        await page.waitForFunction((title) => document.title.startsWith(title), part)
        await settled(page)
      }
    })
  })
})
