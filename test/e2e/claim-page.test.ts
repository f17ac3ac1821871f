// The claim page in a real browser whose sign-in is older than ten minutes: its forms go to the pages of a test store.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser as Chromium, Page } from 'playwright-core'
import { pagePath, person, register } from '../auth/agents.ts'
import { authWorld, baseUrl, owner } from '../auth/support.ts'
import { openTestStore } from '../support/stores.ts'
import { chromiumPath, launchBrowser } from './rig.ts'

describe('the claim page that asks for the password', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let chromium: Chromium

  before(async () => {
    chromium = await launchBrowser()
  })
  after(() => chromium?.close())

  async function onClaimPage(run: (page: Page) => Promise<void>): Promise<void> {
    const world = authWorld(await openTestStore())
    const signedIn = await person(world)
    const path = pagePath(await register(world))
    await world.clock.advance(11 * 60_000)
    const page = await chromium.newPage()
    try {
      await page.route('**/*', async (route) => {
        const request = route.request()
        if (new URL(request.url()).pathname !== path) return route.fulfill({ status: 204 })
        const fields = Object.fromEntries(new URLSearchParams(request.postData() ?? ''))
        const { status, text } = await (request.method() === 'POST' ? signedIn.post(path, fields) : signedIn.get(path))
        await route.fulfill({ status, body: text, contentType: 'text/html; charset=utf-8' })
      })
      await page.goto(baseUrl + path)
      await run(page)
    } finally {
      await page.close()
      await world.close()
      await world.store.close()
    }
  }

  test('Enter after the password claims the agent', async () => {
    await onClaimPage(async (page) => {
      await page.getByLabel('Password').fill(owner.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading').waitFor()
      assert.match(await page.locator('#claim-code').innerText(), /^[B-Z]{4}-[B-Z]{4}$/)
    })
  })

  test('refusing asks for no password', async () => {
    await onClaimPage(async (page) => {
      await page.getByRole('button', { name: 'Not mine, refuse' }).click()
      await page.getByRole('heading', { name: 'Refused' }).waitFor()
    })
  })
})
