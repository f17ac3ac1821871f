// Faults that the real service rarely shows, from a scripted server with the same wire: a server that is down for a while, a late
// joiner, votes, a link that no longer works. Needs a browser and a build; skips without.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, launchBrowser } from '../../test/e2e/rig.ts'
import { eventually } from '../../test/support/clock.ts'
import type { FakeRoom } from './fake-room.ts'
import { startFakeRoom } from './fake-room.ts'
import { openPacedPage } from './paced-page.ts'

const built = existsSync(join(import.meta.dirname, '../dist/server/render.js'))
const skip = chromiumPath() === undefined ? 'no Chromium is installed' : built ? false : 'not built'

describe('the room under faults', { skip, concurrency: false }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  async function enter(room: FakeRoom): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${room.url}/join/town-hall-abc123?lang=en`)
    await page.waitForSelector('html[data-ready]')
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    return page
  }

  /** The first request for this script gets no answer; waits until it was made. */
  async function loseOnce(page: Page, name: string): Promise<() => Promise<unknown>> {
    await page.route(new RegExp(`/assets/${name}-`), (route) => route.abort(), { times: 1 })
    const failed = page.waitForEvent('requestfailed')
    return () => failed
  }

  test('while the server is down a question waits, and it arrives once when the server is back', async () => {
    const room = await startFakeRoom()
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    const { page, pass, until } = await openPacedPage(context, room)
    const isThere = (selector: string) => async () => (await page.locator(selector).count()) > 0
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await until(isThere('[data-testid=connection][data-state=live]'))
    room.fault('down')
    await until(isThere('text=Connection lost. Reconnecting. Your question is kept.'))
    const field = page.getByLabel('Ask a question', { exact: true })
    await field.fill('Does it survive a winter?')
    await field.press('Enter')
    await pass(20_000)
    await page.waitForSelector('[data-testid=question][data-status=sending]')
    room.fault('up')
    await until(isThere('[data-testid=connection][data-state=live]'))
    await until(isThere('[data-testid=question][data-status=answered]'))
    const ids = room.posts.filter((post) => post.kind === 'questions').map((post) => post.body.id)
    assert.equal(new Set(ids).size, 1, 'every try carries the same id')
    assert.equal(await page.getByTestId('question').count(), 1)
    await context.close()
    await room.close()
  })

  test('who comes late reads what was said, without audio, and votes for a question of another', async () => {
    const room = await startFakeRoom({ mode: 'broadcast' })
    const early = await enter(room)
    while (room.run.slideIndex() < 2) room.run.goOn()
    await early.waitForSelector('[data-testid=slide][data-index="3"]')
    const late = await enter(room)
    await late.getByRole('button', { name: 'Catch up' }).click()
    assert.match(await late.getByTestId('recap').innerText(), /The evening peak is the problem/)
    room.run.state('handed_over')
    room.run.hold('q1', 'Who pays for the grid connection?', { attendeeId: 'other', name: 'Tomás' })
    const vote = late.getByRole('button', { name: 'Vote' })
    await vote.click()
    await late.getByRole('button', { name: 'Take back vote' }).waitFor()
    await late.getByText('The host is speaking').first().waitFor()
    // The button turns at once; the server hears of it a moment later.
    const posted = () => room.posts.filter((post) => post.kind === 'votes').map((post) => post.body.value)
    await eventually(async () => posted().length > 0)
    assert.deepEqual(posted(), [1])
    await early.context().close()
    await late.context().close()
    await room.close()
  })

  test('while the host speaks nothing offers to pause the talk, and nothing moves', async () => {
    const room = await startFakeRoom()
    const page = await enter(room)
    const pause = page.getByRole('button', { name: 'Pause' })
    await pause.waitFor()
    const [before, told] = [await page.locator('.controls').boundingBox(), page.getByText('The host is speaking').first()]
    room.run.state('handed_over')
    await told.waitFor()
    assert.equal(await pause.count(), 0)
    assert.deepEqual(await page.locator('.controls').boundingBox(), before)
    await page.context().close()
    await room.close()
  })

  test('the menu opens with the next press where its script was lost with the first', async () => {
    const room = await startFakeRoom()
    const page = await enter(room)
    const lost = await loseOnce(page, 'room-menu')
    const more = page.getByRole('button', { name: 'More' })
    await more.click()
    await lost()
    assert.equal(await page.getByRole('menu').count(), 0)
    await more.click()
    await page.getByRole('menu').waitFor()
    await page.context().close()
    await room.close()
  })

  test('Space that could not pause the talk lets it go on, and the next one pauses', async () => {
    const room = await startFakeRoom()
    const page = await enter(room)
    await page.waitForSelector('main[data-state=presenting]')
    await page.getByTestId('caption').filter({ hasText: /./ }).waitFor()
    await page.evaluate('document.activeElement.blur()')
    const lost = await loseOnce(page, 'press-key')
    await page.keyboard.press('Space')
    await lost()
    const acks = () => room.posts.filter((post) => post.kind === 'acks').flatMap((post) => post.body.acks as { phase: string }[])
    await eventually(async () => acks().length > 1)
    assert.deepEqual(
      acks().map((ack) => ack.phase),
      ['cut', 'started'],
    )
    await page.keyboard.press('Space')
    await page.waitForSelector('main[data-state=paused]')
    await page.context().close()
    await room.close()
  })

  test('dimming darkens the room alone and is remembered', async () => {
    const room = await startFakeRoom()
    const page = await enter(room)
    const ground = (): Promise<string> => page.evaluate("getComputedStyle(document.querySelector('.room')).backgroundColor")
    const light = await ground()
    await page.locator('h1').click()
    await page.keyboard.press('d')
    await page.waitForSelector('.room[data-dim]')
    assert.notEqual(await ground(), light)
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    assert.notEqual(await ground(), light)
    await page.context().close()
    await room.close()
  })
})
