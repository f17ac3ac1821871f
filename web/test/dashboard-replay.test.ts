// The replay of a run and the search over transcripts in a real browser, over the fake API: by pointer, by keyboard, by link.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { becomes, chromiumPath, settled } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { runId, sessionId } from './fake-data.ts'

const own = `/dashboard/sessions/${sessionId}`
const captionOf = (page: Page) => page.getByTestId('caption').textContent()
const sceneOf = async (page: Page) => [await captionOf(page), await page.getByTestId('slide').getAttribute('data-index')]

describe('a run after the fact', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser
  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('arrow keys go by sentence, and the slide, the caption and the marked line go along', async () => {
    await dashboard.onPage(`${own}/runs/${runId}`, async (page) => {
      await becomes(() => sceneOf(page), ['Welcome. Grid storage in 12 minutes.', '1'])
      for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
      await becomes(() => sceneOf(page), ['The evening peak.', '2'])
      assert.match((await page.locator('[data-testid=line][aria-current]').textContent()) ?? '', /The evening peak/)
      await page.keyboard.press('ArrowLeft')
      await becomes(() => sceneOf(page), ['What to do next.', '1'])
      await page.keyboard.press('Home')
      await becomes(() => captionOf(page), 'Welcome. Grid storage in 12 minutes.')
    })
  })

  test('play goes on by itself, pause stops it, and a key in the search box does neither', async () => {
    await dashboard.onPage(`${own}/runs/${runId}`, async (page) => {
      // To the sentence before the second slide, and from there so slowly that the end is minutes away.
      for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight')
      await page.keyboard.press('k')
      await page.getByRole('button', { name: 'Pause' }).waitFor()
      await page.waitForFunction(() => Number(document.querySelector('[data-testid=slide]')?.getAttribute('data-index')) >= 2)
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
      await page.getByLabel('Search the transcript').focus()
      await page.keyboard.type(' k')
      assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0)
    })
  })

  test('a line is played from its time, and an answer shows what it answers', async () => {
    await dashboard.onPage(`${own}/runs/${runId}`, async (page) => {
      await page.getByLabel('Search the transcript').fill('690 in 2021')
      await page
        .getByTestId('line')
        .first()
        .getByRole('button', { name: /^Play from/ })
        .click()
      await page.getByText('asked: What does it cost per kWh?').waitFor()
      await becomes(() => captionOf(page), 'Slide 4 says: "EUR 412 per kWh installed in 2026".')
      await page.keyboard.press('ArrowRight')
      await becomes(() => captionOf(page), 'That is down from EUR 690 in 2021.')
    })
  })

  test('a card says who speaks and what they do, and an answer shows the slide that it cites with its line marked, then goes back', async () => {
    await dashboard.onPage(`${own}/runs/${runId}`, async (page) => {
      const card = page.getByTestId('presenter-card')
      await becomes(() => card.innerText().then((words) => words.replace(/\s+/g, ' ')), 'Automated presenter Speaking')
      await page.getByLabel('Search the transcript').fill('690 in 2021')
      const line = page.getByTestId('line').first()
      await line.getByRole('button', { name: /^Play from/ }).click()
      await page.getByTestId('slide').locator('> .light .spot-quote').waitFor()
      assert.equal(await page.getByTestId('cited').count(), 0)
      assert.match(await card.innerText(), /Answering/)
      await page.keyboard.press('ArrowRight')
      await becomes(() => page.getByTestId('cited').getAttribute('data-index'), '2')
      assert.equal(await page.getByTestId('cited').locator('.spot-quote').count(), 1)
      assert.equal(await page.getByTestId('slide').getAttribute('data-index'), '4')
      await page.keyboard.press('ArrowRight')
      await becomes(() => page.getByTestId('cited').count(), 0)
      assert.match(await card.innerText(), /Speaking/)
    })
  })

  test('words are found over all runs, and a found line opens the replay at its moment', async () => {
    await dashboard.onPage(`${own}/transcripts`, async (page) => {
      await page.getByLabel('Words that were said or asked').fill('DEMAND RISES')
      await page.keyboard.press('Enter')
      await page.getByTestId('match').waitFor()
      assert.equal(await page.locator('mark').textContent(), 'Demand rises')
      await page.getByTestId('match').getByRole('link').click()
      await settled(page)
      await page.getByRole('region', { name: 'Player' }).waitFor()
      await becomes(() => sceneOf(page), ['Demand rises 38 % between 17:00 and 20:00.', '2'])
    })
  })

  test('words that nobody said are told so', async () => {
    await dashboard.onPage(`${own}/transcripts?q=unheard`, async (page) => {
      await page.getByText('Nobody said "unheard".').waitFor()
    })
  })
})
