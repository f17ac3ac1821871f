// From slides to a published talk, and the sheet that publishes, in a real browser over the fake API.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, becomes, chromiumPath, settled } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { draftId, sessionId } from './fake-data.ts'

const own = `/dashboard/sessions/${sessionId}`

describe('from slides to a published talk', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser
  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  /** Slides for the draft, which has none: a talk without them is not published. */
  const giveSlides = async (page: Page) => {
    await page.evaluate((id) => fetch(`/api/v1/agent/sessions/${id}/deck`, { method: 'PUT' }), draftId)
    await page.reload()
    await settled(page)
  }

  test('a talk without slides is not published by accident: its sheet says what is missing', async () => {
    await dashboard.onPage(`/dashboard/sessions/${draftId}`, async (page) => {
      const sent: string[] = []
      page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
      await page.getByRole('button', { name: 'Publish' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('[data-testid=publish-check][data-name=deck][data-ok=false]').waitFor()
      await dialog.getByText('There is nothing to show yet.').waitFor()
      const publish = dialog.getByRole('button', { name: 'Publish' })
      assert.equal(await publish.getAttribute('aria-disabled'), 'true')
      await publish.press('Enter')
      assert.deepEqual(sent, [])
    })
  })

  test('the publish sheet tells deck, script, questions, link and sound as they were found', async () => {
    await dashboard.onPage(own, async (page) => {
      await page.getByRole('button', { name: 'Unpublish' }).click()
      await page.getByRole('button', { name: 'Publish' }).click()
      const checks = page.getByRole('dialog').getByTestId('publish-check')
      await becomes(
        () => checks.evaluateAll((all) => all.map(({ dataset }) => `${dataset['name']} ${dataset['ok']}`).join(', ')),
        'deck true, script false, questions false, link false, sound true',
      )
    })
  })

  test('publishing asks who should find the talk, and only what was chosen is done', async () => {
    await dashboard.onPage(`/dashboard/sessions/${draftId}`, async (page) => {
      await giveSlides(page)
      const sent: unknown[] = []
      page.on('request', (request) => {
        if (request.method() === 'PATCH') sent.push(request.postDataJSON())
      })
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Publish' }).click()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.locator('[data-testid=session-status][data-status=draft]').waitFor()
      assert.deepEqual(sent, [])
      await page.getByRole('button', { name: 'Publish' }).click()
      await dialog.getByLabel('Link only').check()
      await dialog.getByRole('button', { name: 'Publish' }).click()
      await page.locator('[data-testid=session-status][data-status=published]').waitFor()
      await page.getByText('Link only: it works for anyone who has the link.').waitFor()
      assert.deepEqual(sent, [{ status: 'published', discoverable: false }])
    })
  })

  test('a talk for people who are named is sent with them, and its page of links has one for each', async () => {
    await dashboard.onPage(`/dashboard/sessions/${draftId}`, async (page) => {
      await giveSlides(page)
      await page.getByRole('button', { name: 'Publish' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('People I name').check()
      await dialog.getByLabel('People', { exact: true }).fill('Maya Okafor <maya@acme.example>\n\nnobody at all')
      await dialog.getByRole('button', { name: 'Publish' }).click()
      await dialog.getByText('Line 3 has no email address.').waitFor()
      await dialog.getByLabel('People', { exact: true }).fill('Maya Okafor <maya@acme.example>\ntom@acme.example')
      const sent = page.waitForRequest((request) => request.method() === 'PATCH')
      await dialog.getByRole('button', { name: 'Publish' }).click()
      assert.deepEqual((await sent).postDataJSON(), {
        guests: [{ email: 'maya@acme.example', name: 'Maya Okafor' }, { email: 'tom@acme.example' }],
        registration: null,
        entry: 'anyone',
        discoverable: false,
        status: 'published',
      })
      await page.getByText('Only 2 people whom you named can come.').waitFor()
      await page.getByRole('link', { name: 'Their links' }).click()
      await page.getByRole('button', { name: 'Copy link of Maya Okafor' }).waitFor()
      const mail = await page.getByRole('link', { name: 'Write a mail to tom@acme.example' }).getAttribute('href')
      assert.match(mail ?? '', /^mailto:tom@acme\.example\?.*Onboarding.*join%2F/)
      assert.equal(await page.getByTestId('join-link').count(), 0)
      await assertAccessible(page, 'links of the people named')
      await page.keyboard.press('Control+k')
      await page.getByRole('option', { name: /^Copy link/ }).click()
      await page.getByText('Only 2 people can come, each by a link of their own.').waitFor()
    })
  })

  test('from the list of sessions to a published talk by keyboard alone', async () => {
    await dashboard.onPage('/dashboard', async (page) => {
      const focused = () =>
        page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.getAttribute('aria-label'))
      /** As far as a person would look for it. */
      const tabTo = async (name: RegExp) => {
        for (let presses = 0; presses < 60; presses++) {
          if (name.test((await focused()) ?? '')) return
          await page.keyboard.press('Tab')
        }
        assert.fail(`the focus never came to ${String(name)}`)
      }
      await tabTo(/^New session$/)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/new/)
      // The link had the focus under the same words; the heading has it next.
      await page.locator('h1:focus').waitFor()
      const chooser = page.waitForEvent('filechooser')
      await tabTo(/^(Slides|Drop your slides here)/)
      await page.keyboard.press('Enter')
      await (await chooser).setFiles({ name: 'Quiet pumps.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
      await page.waitForURL(/set-up/)
      await page.locator('[data-testid=deck-state][data-state=ready]').waitFor()
      await tabTo(/^Continue$/)
      await page.keyboard.press('Enter')
      await page.waitForURL(/step=2/)
      // A fold opens and closes under its key, and what is in it comes next.
      await tabTo(/^Presenter/)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name')), 'presenterName')
      await tabTo(/^Continue$/)
      await page.keyboard.press('Enter')
      await page.waitForURL(/step=3/)
      await page.locator('[data-testid=publish-check][data-name=deck][data-ok=true]').waitFor()
      await tabTo(/^Publish$/)
      await page.keyboard.press('Enter')
      await page.getByText('People can come').waitFor()
    })
  })

  test('a new session is for whoever has its link, and goes on to its set-up', async () => {
    await dashboard.onPage('/dashboard/sessions/new', async (page) => {
      const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/agent/sessions'))
      await page.getByRole('button', { name: 'Paste text instead' }).click()
      await page.getByLabel('Text of the talk').fill('# For a few\nOne line\n---\nSecond')
      await page.getByRole('button', { name: 'Create session' }).click()
      const { title, discoverable, slides } = (await asked).postDataJSON() as Record<string, unknown>
      assert.deepEqual([title, discoverable, (slides as unknown[]).length], ['For a few', false, 2])
      await page.waitForURL(/\/set-up/)
    })
  })

  test('publishing happens at once and can be taken back', async () => {
    await dashboard.onPage(`/dashboard/sessions/${draftId}`, async (page) => {
      await giveSlides(page)
      const status = page.getByTestId('session-status')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.locator('[data-testid=session-status][data-status=published]').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('[data-testid=session-status][data-status=draft]').waitFor()
      assert.match((await status.textContent()) ?? '', /Draft/)
    })
  })

  test('a new session without anything is refused beside the field; a used-up quota is told in words', async () => {
    await dashboard
      .onPage('/dashboard/sessions/new', async (page) => {
        await page.getByRole('button', { name: 'Create session' }).click()
        await page.getByText('Give a link that starts with https://').waitFor()
        await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name')), 'pdfUrl')
        await page.getByLabel('Or a link').fill('https://example.com/Over%20quota.pdf')
        await page.getByRole('button', { name: 'Create session' }).click()
        await page.getByText('You have used 1,000 of 1,000 sessions this month. It resets on 1 December.').waitFor()
      })
      .catch((error: unknown) => {
        // The browser itself reports every refused request on its console; that one is what the test is about.
        if (!String(error).includes('402')) throw error
      })
  })

  test('a file makes a session at once, called as the file; its pages are shown with what to look at, tried and published', async () => {
    await dashboard.onPage('/dashboard/sessions/new', async (page) => {
      const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/agent/sessions'))
      const file = { name: 'Quiet_pumps in well-kept gardens.v2.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }
      await page.getByLabel('Slides').setInputFiles(file)
      assert.equal(((await asked).postDataJSON() as { title: string }).title, 'Quiet pumps in well-kept gardens.v2')
      await page.getByRole('heading', { name: 'Quiet pumps in well-kept gardens.v2' }).waitFor()
      await becomes(() => page.getByTestId('slide-thumb').count(), 7)
      await page.locator('.page-warning').first().waitFor()
      await page.getByRole('link', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Listen, 20 seconds' }).waitFor()
      await page.getByRole('heading', { name: 'Background and answers' }).click()
      await page.getByLabel('Ask it something').fill('Who insures this?')
      await page.getByRole('button', { name: 'Ask', exact: true }).click()
      await page.locator('.tried').getByText('Who insures this?').waitFor()
      assert.equal(await page.getByLabel('How words are said').isVisible(), false)
      await page.getByText('Without a name').click()
      await page.getByLabel('How words are said').waitFor()
      await page.getByRole('radiogroup', { name: 'How it is given' }).getByLabel('Broadcast').check()
      await page.getByRole('link', { name: 'Continue' }).click()
      await page.getByLabel('Start', { exact: true }).selectOption('scheduled')
      await page.getByLabel('Starts at').fill('2027-01-20T18:00')
      const sent = page.waitForRequest((request) => request.method() === 'PATCH')
      await page.getByRole('button', { name: 'Publish' }).click()
      assert.deepEqual((await sent).postDataJSON(), {
        startPolicy: 'scheduled',
        startsAt: '2027-01-20T18:00:00.000Z',
        timeZone: 'UTC',
        discoverable: false,
        status: 'published',
      })
      await page.getByText('People can come').waitFor()
    })
  })
})
