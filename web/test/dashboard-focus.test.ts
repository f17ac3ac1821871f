// Where the focus is after an act that takes away what had it, in a real browser over the fake API: never nowhere.
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomes, chromiumPath } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { sessionId } from './fake-data.ts'

const own = `/dashboard/sessions/${sessionId}`
/** Waits until what has the focus begins with these words. */
const focused = (page: Page, words: string) =>
  page.waitForFunction((wanted) => {
    const { activeElement: element, body } = document
    return element !== body && (element?.getAttribute('aria-label') ?? element?.textContent ?? '').startsWith(wanted)
  }, words)

describe('the focus after an act', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser
  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('saving leaves it on its button, which has nothing more to do', () =>
    dashboard.onPage(`${own}/settings`, async (page) => {
      await page.getByLabel('Title', { exact: true }).fill('Grid storage')
      const save = page.getByRole('button', { name: 'Save changes' })
      await save.press('Enter')
      await page.getByText('Changes saved.').waitFor()
      await focused(page, 'Save changes')
      await becomes(() => save.getAttribute('aria-disabled'), 'true')
    }))

  test('a script that was saved keeps it on its button, and an undone sentence takes it to its text', () =>
    dashboard.onPage(`${own}/script?slide=2`, async (page) => {
      const area = page.getByLabel('What is said on slide 2', { exact: true })
      await area.press('Control+End')
      await page.keyboard.type(' So it is.')
      await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
      await becomes(() => area.evaluate((element) => element === document.activeElement), true)
      await page.keyboard.type(' Yes.')
      await page.getByRole('button', { name: 'Save script' }).press('Enter')
      await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
      await focused(page, 'Save script')
    }))

  test('the end of a talk takes it to what can be done next', () =>
    dashboard.onPage(`${own}/live`, async (page) => {
      for (let press = 0; press < 2; press++) {
        await page.getByRole('button', { name: 'End', exact: true }).press('Enter')
        await page.getByRole('dialog').getByRole('button', { name: 'End' }).press('Enter')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
        if (press === 0) await page.getByText('Last questions').first().waitFor()
      }
      await focused(page, 'The talk is over.')
      await page.keyboard.press('Tab')
      await focused(page, 'Open replay')
    }))
})
