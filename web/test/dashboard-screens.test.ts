// Every screen and dialog of the dashboard in a real browser, over the fake API: accessible in both themes and at both ends of
// width, within its budgets, under the content policy of the service, and all of it by keyboard.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, becomes, chromiumPath } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { draftId, runId, sessionId } from './fake-data.ts'

const own = `/dashboard/sessions/${sessionId}`

const screens = [
  '/dashboard',
  '/dashboard?show=draft&q=nothing',
  '/dashboard/sessions/new',
  own,
  `${own}?rehearsal=r1`,
  `/dashboard/sessions/${draftId}`,
  `${own}/slides?slide=4`,
  `/dashboard/sessions/${draftId}/slides`,
  `${own}/script?slide=4`,
  `/dashboard/sessions/${draftId}/script`,
  `${own}/knowledge`,
  `${own}/live`,
  `/dashboard/sessions/${draftId}/live`,
  `${own}/questions`,
  `${own}/runs/${runId}`,
  `${own}/transcripts`,
  `${own}/transcripts?q=EUR`,
  `${own}/analytics`,
  `/dashboard/sessions/${draftId}/analytics`,
  `${own}/people`,
  `${own}/people?show=all&status=new`,
  `${own}/people?person=maya%40acme.example`,
  `${own}/share`,
  `${own}/settings`,
  `${own}/set-up`,
  `${own}/set-up?step=2`,
  `${own}/set-up?step=3`,
  `/dashboard/sessions/${draftId}/set-up`,
  '/dashboard/people',
  '/dashboard/analytics',
  '/dashboard/webhooks',
  '/dashboard/webhooks/wh_1',
  '/dashboard/settings',
  '/dashboard/agents',
  '/dashboard/settings/account',
  '/dashboard/settings/apps',
  '/dashboard/settings/members',
  '/dashboard/settings/audit',
  '/dashboard/settings/usage',
  '/dashboard/nowhere',
]

/** What a screen shows only after an act: where, what it is called, and how it comes about; in their order where they share a screen. */
const states: [path: string, name: string, act: (page: Page) => Promise<void>][] = [
  [
    `${own}/people?person=maya%40acme.example`,
    'the question before a person is erased',
    async (page) => {
      await page.getByRole('button', { name: 'Erase maya@acme.example' }).click()
      await page.getByLabel('Type the email address').waitFor()
    },
  ],
  [
    own,
    'the report of a test run',
    async (page) => {
      await page.getByRole('button', { name: 'Test with an audience' }).click()
      await page.getByText(/\d+ of 100/).waitFor()
    },
  ],
  [
    `${own}/script?slide=4`,
    'the script being written, with its versions',
    async (page) => {
      await page.getByLabel('What is said on slide 4', { exact: true }).fill('Something else.')
      await page.getByRole('button', { name: 'Versions' }).click()
      await page.getByRole('button', { name: 'Bring back version 1' }).waitFor()
    },
  ],
  [
    `${own}/live`,
    'a question being answered',
    async (page) => {
      await page
        .getByRole('button', { name: /^Answer: / })
        .first()
        .click()
      await page.getByLabel('Your answer').waitFor()
    },
  ],
  [
    `${own}/live`,
    'a talk taken over',
    async (page) => {
      await page.getByRole('button', { name: 'Take over' }).click()
      await page.getByRole('button', { name: 'Hand back' }).waitFor()
    },
  ],
  [
    `${own}/live`,
    'a talk that is over',
    async (page) => {
      for (let press = 0; press < 2; press++) {
        await page.getByRole('button', { name: 'End', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
        if (press === 0) await page.getByText('Last questions').first().waitFor()
      }
      await page.getByRole('link', { name: 'Open replay' }).waitFor()
    },
  ],
  [
    `${own}/questions`,
    'how an answer came about',
    async (page) => {
      await page.getByText('How this answer came about').first().click()
      await page.getByText('Found in the content').waitFor()
    },
  ],
  [
    `${own}/runs/${runId}`,
    'a replay at a sentence, with lines found',
    async (page) => {
      await page.keyboard.press('ArrowRight')
      await page.getByLabel('Search the transcript').fill('EUR')
      await page.locator('mark').first().waitFor()
    },
  ],
  ['/dashboard/webhooks/wh_2', 'an endpoint that was switched off', (page) => page.getByText('Nothing is sent to it').waitFor()],
  [
    '/dashboard/webhooks/wh_1?delivery=msg_1',
    'a delivery with its attempts and an answer',
    async (page) => {
      await page.getByText('Response').first().click()
      await page.getByText('upstream is restarting').waitFor()
    },
  ],
  [
    '/dashboard/webhooks/wh_1',
    'a new signing secret',
    async (page) => {
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByText('How to verify a delivery').click()
      await page.getByRole('button', { name: 'Copy snippet' }).waitFor()
    },
  ],
  [
    '/dashboard/settings',
    'a new key',
    async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('CI')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      await page.getByTestId('secret').waitFor()
    },
  ],
]

const dialogs: [path: string, opener: string][] = [
  ['/dashboard', 'Go to'],
  ['/dashboard', 'Account'],
  ['/dashboard', 'More for Onboarding for partners'],
  [`${own}/settings`, 'Delete session'],
  [`${own}/slides?slide=4`, 'Replace deck'],
  [`${own}/knowledge`, 'Add passage'],
  [`${own}/knowledge`, 'Add from files'],
  [`${own}/live`, 'End'],
  ['/dashboard/webhooks', 'Add endpoint'],
  ['/dashboard/webhooks/wh_1', 'Rotate secret'],
  ['/dashboard/webhooks/wh_1', 'Replay'],
  ['/dashboard/settings', 'Create key'],
  ['/dashboard/settings', 'Rotate Production'],
  ['/dashboard/settings/apps', 'Remove Deck connector'],
  ['/dashboard/agents', 'Revoke Sales Copilot'],
  ['/dashboard/settings/members', 'Invite'],
]

async function assertDialog(page: Page, path: string, name: string): Promise<void> {
  const opener = page.getByRole('button', { name, exact: name !== 'Go to' }).first()
  const isFocused = () => opener.evaluate((button) => button === document.activeElement)
  const closed = () => page.waitForFunction(() => document.querySelector('dialog[open], [popover]:popover-open') === null)
  const open = () => page.locator('dialog[open], [popover]:popover-open').waitFor()
  await opener.press('Enter')
  await open()
  await assertAccessible(page, `${path}, ${name}`)
  await page.keyboard.press('Escape')
  await closed()
  await becomes(isFocused, true)
  await opener.press('Enter')
  await open()
  const leave = page
    .locator('dialog[open]')
    .getByRole('button', { name: /^(?:Close|Cancel)$/ })
    .first()
  if ((await leave.count()) > 0) await leave.click()
  else await page.keyboard.press('Escape')
  await closed()
  await becomes(isFocused, true)
}

describe('the screens of the dashboard', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser

  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  // A load costs more than what is looked at in it.
  for (const path of new Set([...screens, ...states.map(([at]) => at)]))
    test(path, (t) =>
      dashboard.onPage(
        path,
        async (page) => {
          const part = async (name: string, look: () => Promise<void>) => {
            let isGood = false
            await t.test(name, async () => {
              await look()
              isGood = true
            })
            // A page on which something failed says nothing of what would follow.
            if (!isGood) throw new Error(`${path} was left at: ${name}`)
          }
          await part('is accessible in both themes and never scrolls sideways, from 320 to 1280 px', async () => {
            await assertAccessible(page, path)
            assert.equal(await page.locator('h1').count(), 1, `${path} has one h1`)
          })
          for (const [at, name] of dialogs)
            if (at === path)
              await part(`${name}: what it opens is accessible in both themes, and gives the focus back`, () =>
                assertDialog(page, path, name),
              )
          for (const [at, name, act] of states)
            if (at === path)
              await part(`what comes about by an act is accessible too: ${name}`, async () => {
                await act(page)
                await assertAccessible(page, name)
              })
        },
        { bypassCSP: true },
      ),
    )

  test('the first load is at most 90 KB and no lazy chunk more than 60', () => {
    assert.ok(dashboard.built.firstLoad <= 90 * 1024, `first load is ${dashboard.built.firstLoad} bytes`)
    for (const [name, bytes] of dashboard.built.lazy) assert.ok(bytes <= 60 * 1024, `${name} is ${bytes} bytes`)
  })

  test('a change of route moves the focus to the heading and names the window', async () => {
    await dashboard.onPage('/dashboard', async (page) => {
      await page.getByRole('link', { name: 'Grid storage in 12 minutes' }).click()
      await page.getByRole('link', { name: 'Background' }).click()
      await page.getByRole('heading', { name: 'Passages' }).waitFor()
      await becomes(() => page.evaluate(() => document.activeElement?.tagName), 'H1')
      await becomes(() => page.title(), 'Background · Grid storage in 12 minutes · Rostrum')
    })
  })

  test('the palette opens by key, finds a session and goes there', async () => {
    await dashboard.onPage('/dashboard', async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Find a screen/ }).fill('onboarding')
      await page.getByRole('option', { name: /Onboarding/ }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Onboarding for partners' }).waitFor()
    })
  })

  test('the palette acts on the talk that is open', async () => {
    await dashboard.onPage(`${own}/analytics`, async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Find a screen/ }).fill('unpublish')
      await page.getByRole('option', { name: 'Unpublish This talk' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Unpublished. The link no longer works.').waitFor()
      await page.locator('[data-testid=session-status][data-status=draft]').waitFor()
    })
  })

  test('rows are walked with j and k, and the search is reached with a slash', async () => {
    await dashboard.onPage('/dashboard', async (page) => {
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Onboarding for partners')
      await page.keyboard.press('k')
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Grid storage in 12 minutes')
      await page.keyboard.press('/')
      await page.keyboard.type('board')
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
      await page.waitForURL(/q=board/)
    })
  })

  test('a sign-in that ended is told without losing the page, and its return is noticed', async () => {
    await dashboard.onPage('/dashboard/settings', async (page) => {
      await page.evaluate(() => {
        const real = globalThis.fetch
        const refuse = () => Promise.resolve(new Response(JSON.stringify({ status: 401, code: 'invalid_token' }), { status: 401 }))
        Object.assign(globalThis, { fetch: refuse, signIn: () => Object.assign(globalThis, { fetch: real }) })
      })
      // Of the usage a notice has asked already.
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByText('You are signed out. What you typed').waitFor()
      await page.evaluate(() => (globalThis as unknown as { signIn: () => void }).signIn())
      await page.evaluate(() => dispatchEvent(new Event('focus')))
      await page.getByText('tom@acme.example').first().waitFor()
      await page.getByText('You are signed out. What you typed').waitFor({ state: 'detached' })
    })
  })

  test('the chosen theme holds and is kept in a cookie', async () => {
    await dashboard.onPage('/dashboard', async (page) => {
      await page.getByRole('button', { name: 'Account' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Dark theme' }).click()
      await becomes(() => page.evaluate(() => document.documentElement.dataset['theme']), 'dark')
      await becomes(() => page.evaluate(() => document.cookie.includes('theme=dark')), true)
    })
  })
})
