// What hosts bring is not what a screen was drawn for: words without an end, and languages that run the other way.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { joinRoom } from './attendee.ts'
import type { Service } from './rig.ts'
import { chromiumPath, launchBrowser, settled, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'

const endless = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle'

interface Created {
  sessionId: string
  slug: string
}

describe('content of any length and direction', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser
  let page: Page
  let long: Created
  let arabic: Created

  const create = async (session: object): Promise<Created> => {
    return page.evaluate(async (input) => {
      const { csrf } = (await (await fetch('/api/v1/account')).json()) as { csrf: string }
      const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf }
      const answer = await fetch('/api/v1/agent/sessions', { method: 'POST', headers, body: JSON.stringify({ isLive: true, ...input }) })
      return (await answer.json()) as Created
    }, session)
  }

  before(async () => {
    ;[service, browser] = await Promise.all([startService(), launchBrowser()])
    page = await browser.newPage({ locale: 'en-GB', reducedMotion: 'reduce' })
    await page.goto(service.setupUrl ?? '')
    await page.getByLabel('Name', { exact: true }).fill('Maya Okafor')
    await page.getByLabel('Email').fill('maya@acme.example')
    await page.getByLabel('Password').fill('ladder canoe violet 29')
    await page.getByLabel('Account name').fill('Acme')
    await page.getByRole('button', { name: 'Create owner' }).click()
    await page.waitForURL(/\/dashboard/)
    await settled(page)
    const slides = [{ title: endless, textContent: 'It pays a pension' }]
    long = await create({ title: `An introduction to the ${endless} and what it pays`, slides })
    const title = 'المضخات الحرارية'
    arabic = await create({ title, language: 'ar', slides: [{ title: 'ما هي التكلفة؟', textContent: 'التكلفة 24600 يورو.' }] })
    const attendee = await joinRoom(service.url, long.slug)
    const email = 'a.long.address.of.somebody@departments.of.an.even.longer.company.example'
    const company = 'Gesellschaft für Wärmetechnik und Altbausanierung mbH & Co. KG'
    assert.equal((await attendee.post('lead', { email, name: 'Maya', company, consent: true })).status, 200)
    attendee.leave()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const widthBeyond = (selector: string): Promise<number> =>
    page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(${JSON.stringify(selector)}))`)

  async function open(path: string, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${service.url}${path}`)
    if (path !== '/') await settled(page)
  }

  test('a word longer than the window breaks: no page scrolls sideways on a phone', async () => {
    for (const path of ['/', '/dashboard', ...['', '/slides', '/leads'].map((part) => `/dashboard/sessions/${long.sessionId}${part}`)]) {
      await open(path, 360)
      assert.ok((await widthBeyond('html')) <= 0, path)
    }
  })

  test('a word or an address without an end does not push the acts of its row out of sight', async () => {
    for (const [path, width] of [
      ['/dashboard', 1280],
      ['/dashboard', 360],
      ['/dashboard/leads', 1280],
    ] as const) {
      await open(path, width)
      await page.locator('.table').waitFor()
      assert.ok((await widthBeyond('.table-scroll')) <= 0, `${path} at ${width} px`)
    }
  })

  test('a session without slides asks for them first, and a draft can be published where people are awaited', async () => {
    const { sessionId } = await create({ title: 'Nothing yet', isLive: false })
    await open(`/dashboard/sessions/${sessionId}`, 1280)
    await page.getByRole('link', { name: 'Next Add slides' }).waitFor()
    assert.equal(await page.locator('.page-head .btn-primary').count(), 0)
    const draft = await create({ title: 'Awaited', isLive: false, slides: [{ textContent: 'One\nTwo' }] })
    await open(`/dashboard/sessions/${draft.sessionId}/live`, 1280)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('link', { name: 'Open room' }).waitFor()
  })

  test('Arabic slides and sentences run from the right while the dashboard runs from the left', async () => {
    const parts = {
      slides: ['.text-slide-title', '.thumb-picture .text-slide-title', 'input[name=title]', 'textarea[name=textContent]'],
      script: ['.script-side .text-slide-title', '.doc-slide h2 bdi', '.doc-slide > .grow > textarea', '.doc-slide > .grow > .grow-mirror'],
    }
    for (const [tab, selectors] of Object.entries(parts)) {
      await open(`/dashboard/sessions/${arabic.sessionId}/${tab}`, 1280)
      for (const part of selectors) {
        await page.locator(part).first().waitFor()
        assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('${part}')).direction`), 'rtl', part)
      }
    }
    assert.equal(await page.evaluate('getComputedStyle(document.body).direction'), 'ltr')
  })
})
