// Every screen of the dashboard in a real browser, over the fake API: accessible in both themes and at both ends of width,
// within its budgets, under the content policy of the service, and every act doing what it says.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, launchBrowser } from '../../test/e2e/rig.ts'
import type { BuiltDashboard } from './dashboard-rig.ts'
import { buildDashboard, serveDashboard } from './dashboard-rig.ts'
import type { FakeApi } from './fake-api.ts'
import { draftId, runId, sessionId } from './fake-data.ts'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const own = `/dashboard/sessions/${sessionId}`

const screens = [
  '/dashboard',
  '/dashboard?show=draft&q=nothing',
  '/dashboard/sessions/new',
  own,
  `/dashboard/sessions/${draftId}`,
  `${own}/slides?slide=4`,
  `/dashboard/sessions/${draftId}/slides`,
  `${own}/knowledge`,
  `${own}/live`,
  `/dashboard/sessions/${draftId}/live`,
  `${own}/questions`,
  `${own}/runs/${runId}`,
  `${own}/analytics`,
  `/dashboard/sessions/${draftId}/analytics`,
  `${own}/leads`,
  `${own}/share`,
  '/dashboard/leads',
  '/dashboard/analytics',
  '/dashboard/webhooks',
  '/dashboard/webhooks/wh_1',
  '/dashboard/settings',
  '/dashboard/agents',
  '/dashboard/settings/account',
  '/dashboard/settings/members',
  '/dashboard/settings/usage',
  '/dashboard/nowhere',
]

describe('dashboard', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let browser: Browser
  let built: BuiltDashboard
  let api: FakeApi

  before(async () => {
    built = await buildDashboard()
    ;[browser, api] = await Promise.all([launchBrowser(), serveDashboard(built)])
  })
  after(async () => {
    await browser?.close()
    await api?.close()
    await built?.remove()
  })

  /** A page that fails the test for any error of the page's own or any break of the content policy. */
  async function openPage(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: string[]; close: () => Promise<void> }> {
    const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC', ...options })
    if (options.bypassCSP === true) await context.addInitScript(axe)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await page.goto(api.url + path)
    await settled(page)
    return { page, faults, close: () => context.close() }
  }

  const settled = (page: Page) =>
    page.waitForFunction(() => document.querySelector('h1') !== null && document.querySelector('.skeleton') === null)

  /** Tests that change things get a server, and so a state, of their own. */
  async function onFreshApi(path: string, run: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    const shared = api
    api = await serveDashboard(built)
    const { page, faults, close } = await openPage(path, options).finally(() => undefined)
    try {
      await run(page)
      assert.deepEqual(faults, [])
    } finally {
      await close()
      await api.close()
      api = shared
    }
  }

  /** Both themes at both ends of width, on the page as it stands. */
  async function assertAccessible(page: Page, where: string): Promise<void> {
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        // `axe` is put into the page by openPage.
        const found = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            axe: { run(root: Document): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
          }
          return (await axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
        })
        assert.deepEqual(found, [], `${where}, ${colorScheme} at ${width} px`)
      }
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
        `${where} scrolls sideways at ${width} px`,
      )
    }
  }

  test('every screen is accessible in both themes and never scrolls sideways, from 320 to 1280 px', async () => {
    for (const path of screens) {
      const { page, faults, close } = await openPage(path, { bypassCSP: true })
      await assertAccessible(page, path)
      assert.equal(await page.locator('h1').count(), 1, `${path} has one h1`)
      assert.deepEqual(faults, [], path)
      await close()
    }
  })

  test('every dialog and menu is accessible in both themes, and gives the focus back', async () => {
    const dialogs: [path: string, opener: string][] = [
      ['/dashboard', 'Go to'],
      ['/dashboard', 'Account'],
      ['/dashboard', 'More for Onboarding for partners'],
      [own, 'Delete session'],
      [`${own}/slides`, 'Replace deck'],
      [`${own}/knowledge`, 'Add passage'],
      [`${own}/live`, 'End'],
      [`${own}/leads`, 'Erase maya@acme.example'],
      ['/dashboard/webhooks', 'Add endpoint'],
      ['/dashboard/webhooks/wh_1', 'Rotate secret'],
      ['/dashboard/webhooks/wh_1', 'Replay'],
      ['/dashboard/settings', 'Create key'],
      ['/dashboard/agents', 'Revoke Sales Copilot'],
      ['/dashboard/settings/members', 'Invite'],
    ]
    for (const [path, name] of dialogs) {
      const { page, close } = await openPage(path, { bypassCSP: true })
      const opener = page.getByRole('button', { name, exact: name !== 'Go to' }).first()
      await opener.focus()
      await page.keyboard.press('Enter')
      await page.locator('dialog[open], [popover]:popover-open').waitFor()
      await assertAccessible(page, `${path}, ${name}`)
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.querySelector('dialog[open], [popover]:popover-open') === null)
      assert.equal(await opener.evaluate((button) => button === document.activeElement), true, `${name} has the focus again`)
      await opener.press('Enter')
      const leave = page
        .locator('dialog[open]')
        .getByRole('button', { name: /^(?:Close|Cancel)$/ })
        .first()
      if ((await leave.count()) > 0) {
        await leave.click()
        await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
        assert.equal(
          await opener.evaluate((button) => button === document.activeElement),
          true,
          `${name} has the focus after its button too`,
        )
      }
      await close()
    }
  })

  test('the first load is at most 60 KB and no lazy chunk is larger', () => {
    assert.ok(built.firstLoad <= 60 * 1024, `first load is ${built.firstLoad} bytes`)
    for (const [name, bytes] of built.lazy) assert.ok(bytes <= 60 * 1024, `${name} is ${bytes} bytes`)
  })

  test('a change of route moves the focus to the heading and names the window', async () => {
    await onFreshApi('/dashboard', async (page) => {
      await page.getByRole('link', { name: 'Grid storage in 12 minutes' }).click()
      await page.getByRole('link', { name: 'Knowledge' }).click()
      await page.getByRole('heading', { name: 'Passages' }).waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
      assert.equal(await page.title(), 'Knowledge · Grid storage in 12 minutes · Rostrum')
    })
  })

  test('publishing happens at once and can be taken back', async () => {
    await onFreshApi(`/dashboard/sessions/${draftId}`, async (page) => {
      const status = page.getByTestId('session-status')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.locator('[data-testid=session-status][data-status=published]').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('[data-testid=session-status][data-status=draft]').waitFor()
      assert.match((await status.textContent()) ?? '', /Draft/)
    })
  })

  test('a session is deleted only after its title was typed', async () => {
    await onFreshApi(`/dashboard/sessions/${draftId}`, async (page) => {
      await page.getByRole('button', { name: 'Delete session' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Delete session' }).click()
      await dialog.getByText('Type "Onboarding for partners" to go on.').waitFor()
      await dialog.getByLabel('Type its title').fill('Onboarding for partners')
      await dialog.getByRole('button', { name: 'Delete session' }).click()
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
      await settled(page)
      assert.equal(await page.getByRole('link', { name: 'Onboarding for partners' }).count(), 0)
    })
  })

  test('a trial before a synthetic audience says what to mend', async () => {
    await onFreshApi(own, async (page) => {
      await page.getByRole('button', { name: 'Test with an audience' }).click()
      await page.getByText('82 of 100').waitFor()
      await page.getByText('Slide 5 has no text').waitFor()
      await page.getByRole('button', { name: 'Add to knowledge' }).waitFor()
    })
  })

  test('a new session without a title is refused beside the field; a used-up quota is told in words', async () => {
    await onFreshApi('/dashboard/sessions/new', async (page) => {
      await page.getByRole('button', { name: 'Create session' }).click()
      await page.getByText('Give the talk a title.').waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'title')
      await page.getByLabel('Title').fill('Over quota')
      await page.route('**/api/v1/agent/sessions', (route) =>
        route.fulfill({
          status: 402,
          contentType: 'application/problem+json',
          json: { code: 'quota_exceeded', quota: { limit: 1000, used: 1000, resetsAt: '2026-12-01T00:00:00Z' } },
        }),
      )
      await page.route('**/nothing', (route) => route.abort())
      await page.getByRole('button', { name: 'Create session' }).click()
      await page.getByText('You have used 1,000 of 1,000 sessions this month. It resets on 1 December.').waitFor()
    }).catch((error: unknown) => {
      // The browser itself reports every refused request on its console; that one is what the test is about.
      if (!String(error).includes('402')) throw error
    })
  })

  test('a new session is created, its file is sent, and its page opens', async () => {
    await onFreshApi('/dashboard/sessions/new', async (page) => {
      await page.getByLabel('Title').fill('Heat pumps')
      await page.getByLabel('Slides').setInputFiles({ name: 'deck.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
      await page.getByRole('button', { name: 'Create session' }).click()
      await page.getByRole('heading', { name: 'Heat pumps' }).waitFor()
      assert.match((await page.getByTestId('join-link').textContent()) ?? '', /^http:.*\/join\//)
    })
  })

  test('a spoken sentence is rewritten in place', async () => {
    await onFreshApi(`${own}/slides?slide=4`, async (page) => {
      assert.equal(await page.getByTestId('slide-thumb').count(), 7)
      await page.getByText('Private to the presenter').waitFor()
      await page.getByRole('button', { name: 'Edit: Down from EUR 690 in 2021.' }).click()
      await page.getByLabel('Sentence').fill('It was EUR 690 five years ago.')
      await page.getByRole('button', { name: 'Save sentence' }).click()
      await page.getByText('written by you').waitFor()
      await page.getByText('It was EUR 690 five years ago.').waitFor()
    })
  })

  test('a slide moves by button, and a deleted one comes back by Undo', async () => {
    await onFreshApi(`${own}/slides?slide=2`, async (page) => {
      await page.getByRole('button', { name: 'Move later' }).click()
      await page.getByRole('heading', { name: 'Slide 3 of 7' }).waitFor()
      assert.match((await page.getByTestId('slide-thumb').nth(2).getAttribute('aria-label')) ?? '', /The evening peak/)
      await page.getByRole('button', { name: 'Delete slide' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=slide-thumb]').length === 6)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=slide-thumb]').length === 7)
    })
  })

  test('what is typed stays while the page redraws', async () => {
    await onFreshApi(own, async (page) => {
      await page.getByLabel('Consent text').pressSequentially(' Twice.')
      await page.getByText('Not saved yet').waitFor()
      assert.match(await page.getByLabel('Consent text').inputValue(), /Twice\./)
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Changes saved.').waitFor()
      await page.reload()
      await settled(page)
      assert.match(await page.getByLabel('Consent text').inputValue(), /Twice\./)
    })
  })

  test('an unanswered question becomes a passage of knowledge', async () => {
    await onFreshApi(`${own}/knowledge`, async (page) => {
      await page.getByRole('button', { name: 'Add to knowledge' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Passage').fill('The lids are heated: ice slides off.')
      await dialog.getByRole('button', { name: 'Add to knowledge' }).click()
      await page.getByRole('heading', { name: 'What about ice on the containers?' }).waitFor()
      await page.getByRole('button', { name: 'Delete: What about ice on the containers?' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('heading', { name: 'What about ice on the containers?' }).waitFor()
    })
  })

  test('the host steers the talk and the queue from the live tab', async () => {
    await onFreshApi(`${own}/live`, async (page) => {
      await page.locator('[data-testid=slide][data-index="4"]').waitFor()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.locator('[data-testid=slide][data-index="5"]').waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByLabel('Go to').selectOption('0')
      await page.locator('[data-testid=slide][data-index="1"]').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.waitForFunction(() => document.querySelector('[data-testid=question][data-status=pending]') === null)
      await page.getByRole('button', { name: 'Take over' }).click()
      await page.getByRole('button', { name: 'Hand back' }).click()
      await page.getByRole('button', { name: 'End' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
      await page.getByText('Last questions').waitFor()
    })
  })

  test('an exported file holds what the search shows', async () => {
    await onFreshApi(`${own}/leads`, async (page) => {
      await page.getByLabel('Search leads').fill('maya')
      await page.getByText('1 of 2').waitFor()
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()])
      const text = readFileSync(await file.path(), 'utf8')
      assert.match(text, /maya@acme\.example/)
      assert.doesNotMatch(text, /tom\.lindqvist/)
      await page.getByLabel('Search leads').fill('nobody')
      await page.getByText('No lead matches.').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Export CSV' }).isDisabled(), true)
    })
  })

  test('a lead is erased after its address was typed', async () => {
    await onFreshApi('/dashboard/leads', async (page) => {
      await page.getByRole('button', { name: 'Erase maya@acme.example' }).click()
      await page.getByLabel('Type the e-mail address').fill('maya@acme.example')
      await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click()
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    })
  })

  test('a key is shown once: gone after closing, in no address, no storage', async () => {
    await onFreshApi('/dashboard/settings', async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('CI')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      assert.match(secret, /^rst_live_/)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByText('Nothing was copied yet.').waitFor()
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.getByRole('rowheader', { name: 'CI' }).waitFor()
      const kept = await page.evaluate(() =>
        [document.documentElement.outerHTML, location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join(' '),
      )
      assert.equal(kept.includes(secret), false)
      await page.getByRole('button', { name: 'Revoke CI' }).click()
      await page.getByLabel('Type its name').fill('CI')
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    })
  })

  test('an endpoint is added with its secret shown once, tested, rotated and switched off and on', async () => {
    await onFreshApi('/dashboard/webhooks', async (page) => {
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByLabel('Endpoint URL').fill('https://new.acme.example/hook')
      await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
      assert.match((await page.getByTestId('secret').textContent()) ?? '', /^whsec_/)
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=endpoint]').length === 3)
      await page.getByRole('link', { name: 'https://hooks.acme.example/rostrum' }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('Test event sent.').waitFor()
      await page.locator('[data-testid=delivery][data-status=retry_scheduled]').getByRole('link').click()
      await page.locator('[data-testid=attempt][data-outcome=failed]').first().waitFor()
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('Sent again.').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Endpoint disabled.').waitFor({ state: 'detached' })
    })
  })

  test('figures carry their wire names, their data as a table, and no percentages for few people', async () => {
    await onFreshApi(`${own}/analytics`, async (page) => {
      assert.match((await page.locator('[data-testid=stat][data-name=totalAttendees]').textContent()) ?? '', /40/)
      assert.match((await page.locator('[data-testid=stat][data-name=averageEngagementSec]').textContent()) ?? '', /7 min 12 s/)
      await page.getByText('Show data').first().click()
      await page.getByRole('columnheader', { name: 'People' }).first().waitFor()
    })
  })

  test('the palette opens by key, finds a session and goes there', async () => {
    await onFreshApi('/dashboard', async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find a screen or a session' }).fill('onboarding')
      await page.getByRole('option', { name: /Onboarding/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Onboarding for partners' }).waitFor()
    })
  })

  test('rows are walked with j and k, and the search is reached with a slash', async () => {
    await onFreshApi('/dashboard', async (page) => {
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Onboarding for partners')
      await page.keyboard.press('k')
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Grid storage in 12 minutes')
      await page.keyboard.press('/')
      await page.keyboard.type('board')
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
      assert.match(page.url(), /q=board/)
    })
  })

  test('the chosen theme holds and is kept in a cookie', async () => {
    await onFreshApi('/dashboard', async (page) => {
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Dark theme' }).click()
      assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark')
      assert.match(await page.evaluate(() => document.cookie), /theme=dark/)
    })
  })
})
