// What a host does while something else is under way: words that are typed, slides that leave in a moment, changes made elsewhere,
// answers that are lost. In a real browser, over the fake API.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomes, chromiumPath } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { runId, sessionId } from './fake-data.ts'
import type { Deck, Passage, Run } from '../src/dashboard/data/wire.ts'

const own = `/dashboard/sessions/${sessionId}`
const api = `/api/v1/agent/sessions/${sessionId}`

const served = async <T>(page: Page, path: string): Promise<T> =>
  // The fake API answers in the documented shape.
  (await (await page.request.get(new URL(api + path, page.url()).href)).json()) as T
const titlesServed = async (page: Page) => (await served<Deck>(page, '/deck')).slides.map(({ title }) => title ?? '')
const passagesServed = async (page: Page) => (await served<{ passages: Passage[] }>(page, '/knowledge')).passages
const elsewhere = (page: Page, path: string, method: string, data: object) =>
  page.request.fetch(new URL(api + path, page.url()).href, { method, data })

const thumbs = async (page: Page) => (await page.getByTestId('slide-thumb').all()).length
const refusal = (code: string) => JSON.stringify({ code, detail: 'No.' })

/** The browser itself tells each request that failed on its console; here that is what the test is about. */
const failing = (run: Promise<void>): Promise<void> =>
  run.catch((error: unknown) => {
    if (!String(error).includes('Failed to load resource')) throw error
  })

describe('the dashboard meanwhile', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser

  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('words typed for a slide stay when the deck changes, and what changed beside them is shown', async () => {
    await dashboard.onPage(`${own}/slides?slide=2`, async (page) => {
      await page.getByLabel('Text', { exact: true }).fill('Not saved by anybody.')
      const slide = (await served<Deck>(page, '/deck')).slides[1]
      await elsewhere(page, `/deck/slides/${slide?.id}`, 'PATCH', { title: 'Named elsewhere' })
      await page.getByRole('button', { name: 'Move later' }).click()
      await page.getByRole('heading', { name: 'Slide 3 of 7' }).waitFor()
      await becomes(() => page.getByLabel('Title of the slide').inputValue(), 'Named elsewhere')
      assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Not saved by anybody.')
      await page.getByText('Not saved yet').waitFor()
    })
  })

  test('a slide moves to the place shown while a deleted one still waits', async () => {
    await dashboard.onPage(`${own}/slides?slide=1`, async (page) => {
      const [, ...rest] = await titlesServed(page)
      await page.getByRole('button', { name: 'Delete slide' }).click()
      await becomes(() => thumbs(page), 6)
      await page.getByTestId('slide-thumb').last().click()
      await page.getByRole('heading', { name: 'Slide 6 of 6' }).waitFor()
      await page.getByRole('button', { name: 'Move earlier' }).click()
      await page.getByRole('heading', { name: 'Slide 5 of 6' }).waitFor()
      const moved = rest.at(-1) ?? ''
      await becomes(() => titlesServed(page), rest.slice(0, -1).toSpliced(4, 0, moved))
      await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    })
  })

  test('taking back one of two deletes brings back that slide alone', async () => {
    await dashboard.onPage(`${own}/slides?slide=2`, async (page) => {
      const third = (await titlesServed(page))[2] ?? ''
      await page.getByRole('button', { name: 'Delete slide' }).click()
      await becomes(() => thumbs(page), 6)
      await page.getByTestId('slide-thumb').nth(1).click()
      await page.getByRole('heading', { name: 'Slide 2 of 6' }).waitFor()
      await page.getByRole('button', { name: 'Delete slide' }).click()
      await becomes(() => thumbs(page), 5)
      await page.getByRole('button', { name: 'Undo' }).first().click()
      await becomes(() => thumbs(page), 6)
      assert.equal(await page.getByTestId('slide-thumb').filter({ hasText: third }).count(), 0)
    })
  })

  test('a delete that waits is sent so that it outlives the page', async () => {
    const watch = `{ const { fetch } = window; window.fetch = (path, init) => {
      if (init?.method === 'DELETE') document.documentElement.dataset.sent = String(init.keepalive)
      return fetch(path, init) } }`
    const run = async (page: Page) => {
      await page.getByRole('button', { name: 'Delete slide' }).click()
      await becomes(() => thumbs(page), 6)
      await page.evaluate(() => dispatchEvent(new Event('pagehide')))
      await becomes(() => page.evaluate(() => document.documentElement.dataset['sent']), 'true')
    }
    await dashboard.onPage(`${own}/slides`, run, {}, watch)
  })

  test('Undo of a deleted passage keeps the one that was added since', async () => {
    await dashboard.onPage(`${own}/knowledge`, async (page) => {
      const before = await passagesServed(page)
      await page
        .getByRole('button', { name: /^Delete: / })
        .first()
        .click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      await elsewhere(page, '/knowledge', 'PUT', { passages: [...before.slice(1), { title: 'Since', content: 'Added since.' }] })
      await page.getByRole('button', { name: 'Undo' }).click()
      await becomes(
        async () => (await passagesServed(page)).map(({ content }) => content),
        [...before.map(({ content }) => content), 'Added since.'],
      )
    })
  })

  test('a passage that was deleted elsewhere is not told as saved, and its words stay', async () => {
    await dashboard.onPage(`${own}/knowledge`, async (page) => {
      const before = await passagesServed(page)
      await page
        .getByRole('button', { name: /^Edit: / })
        .first()
        .click()
      await page.getByRole('textbox', { name: 'Passage' }).fill('Words of an hour.')
      await elsewhere(page, '/knowledge', 'PUT', { passages: before.slice(1) })
      await page.getByRole('button', { name: 'Save passage' }).click()
      await page.getByText('This passage is gone').waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'Passage' }).inputValue(), 'Words of an hour.')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await becomes(() => page.getByRole('button', { name: /^Edit: / }).count(), before.length - 1)
    })
  })

  test('the talk that a host follows stays in view when newer ones push it out of the list', async () => {
    await dashboard.onPage(own, async (page) => {
      let isPushedOut = false
      await page.route(/\/runs\?/, async (route) => {
        const response = await route.fetch()
        const { runs } = (await response.json()) as { runs: Run[] }
        const others = runs.map((run) => ({ ...run, runId: run.runId === runId ? 'somebody-else' : run.runId }))
        await route.fulfill({ response, json: { runs: isPushedOut ? others : runs } })
      })
      await page.getByRole('link', { name: 'Live', exact: true }).click()
      await page.locator('[data-testid=slide][data-index="4"]').waitFor()
      isPushedOut = true
      const talks = page.getByRole('navigation', { name: /^Talks running/ })
      await talks.getByRole('link', { name: /No question yet/ }).waitFor()
      assert.equal(await page.getByTestId('slide').getAttribute('data-index'), '4')
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.url().endsWith('/host')),
        page.getByRole('button', { name: 'Pause' }).click(),
      ])
      assert.match(sent.url(), new RegExp(runId))
    })
  })

  test('a role whose change got no answer is shown as it was, and the words do not say that nothing was changed', async () => {
    const run = async (page: Page) => {
      await page.route('**/api/v1/account/members/*', (route) => route.abort())
      const select = page.getByLabel(/^Role of /).first()
      const role = await select.inputValue()
      await select.selectOption(role === 'admin' ? 'member' : 'admin')
      await page.getByText('It may have been done: look before you try again.').waitFor()
      assert.equal(await select.inputValue(), role)
    }
    await failing(dashboard.onPage('/dashboard/settings/members', run))
  })

  test('files are sent again with the token of a new sign-in, and an answer that cannot be read is told', async () => {
    const run = async (page: Page) => {
      const tokens: (string | undefined)[] = []
      await page.route('**/api/v1/account', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...((await response.json()) as object), csrf: 'renewed' } })
      })
      await page.route('**/knowledge/files', async (route) => {
        const token = route.request().headers()['x-csrf-token']
        tokens.push(token)
        await route.fulfill(token === 'renewed' ? { status: 200, body: 'half an ans' } : { status: 403, body: refusal('csrf_failed') })
      })
      await page.getByRole('button', { name: 'Add from files' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Documents').setInputFiles({ name: 'sheet.txt', mimeType: 'text/plain', buffer: Buffer.from('48 dB') })
      await dialog.getByRole('button', { name: 'Add from files' }).click()
      await dialog.getByText('It may have been done: look before you try again.').waitFor()
      assert.deepEqual(tokens, ['token', 'renewed'])
    }
    await failing(dashboard.onPage(`${own}/knowledge`, run))
  })

  test('the live tab said "Published" of a room that had filled since the session was read', async () => {
    await dashboard.onPage(own, async (page) => {
      const { attendeesOnline, ...empty } = await served<{ attendeesOnline?: number }>(page, '')
      assert.ok(attendeesOnline)
      let asked = 0
      await page.route(`**${api}`, (route) => (asked++ === 0 ? route.fulfill({ json: empty }) : route.continue()))
      await page.goto(new URL(`${own}/live`, page.url()).href)
      await page.getByText('12 people here').waitFor()
      await becomes(() => page.getByTestId('session-status').innerText(), 'Live')
    })
  })

  test('a screen whose file is gone, since the service is newer than the page, stayed empty for ever', async () => {
    await failing(
      dashboard.onPage(own, async (page) => {
        await page.route('**/assets/share-*.js', (route) => route.fulfill({ status: 404 }))
        await page.getByRole('link', { name: 'Share' }).click()
        await page.getByRole('heading', { name: 'This page did not arrive' }).waitFor()
        await page.unroute('**/assets/share-*.js')
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByRole('heading', { name: 'Join link' }).waitFor()
      }),
    )
  })
})
