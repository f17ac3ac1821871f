// The room and the pages in a language that is longer than any (pseudo-locale.ts) and in one that runs from the right: nothing is
// cut or scrolls sideways at either end of width, and no word is without a translation.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, launchBrowser } from '../../test/e2e/rig.ts'
import type { FakeRoom, FakeRoomOptions } from './fake-room.ts'
import { startFakeRoom } from './fake-room.ts'
import { inPseudoLocale } from './pseudo-locale.ts'

const built = existsSync(join(import.meta.dirname, '../dist/server/render.js'))
const skip = chromiumPath() === undefined ? 'no Chromium is installed' : !built && 'not built'

/** Visible words outside brackets, of what is not the talk's own (slides, captions, people's names and questions, keys). */
const unbracketed = `(() => {
  const own = '[lang]:not(html), bdi, [dir=auto], kbd, code, script, style, noscript, option, .wordmark, .slide'
  const bare = (text) => /\\p{L}{2}/u.test(text.replace(/\\[[^\\]]*\\]|\\(\\.\\w+\\)/g, '')) ? [text.trim()] : []
  const textOf = (element) => [...element.childNodes].map((node) => node.nodeType === Node.TEXT_NODE ? node.data : ' ').join('')
  const found = [...document.body.querySelectorAll('*')].flatMap((element) => element.closest(own) ? [] : bare(textOf(element)))
  for (const element of document.querySelectorAll('[aria-label], [placeholder]'))
    for (const name of ['aria-label', 'placeholder']) found.push(...bare(element.getAttribute(name) ?? ''))
  return found
})()`

/** Elements that reach out of the window, but for those in a box that scrolls or clips on purpose. */
const overflowing = `(() => {
  const clipped = (element) => element !== null && (getComputedStyle(element).overflowX !== 'visible' || clipped(element.parentElement))
  const out = [...document.body.querySelectorAll('*')].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect()
    return width > 1 && (right > innerWidth + 1 || left < -1) && !element.closest('.vh, .skip, noscript') && !clipped(element.parentElement)
  })
  const sideways = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []
  return [...sideways, ...out.map((element) => element.outerHTML.slice(0, 120))]
})()`

describe('the room and the pages in every length of words', { skip, concurrency: false }, () => {
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  async function check(page: Page, where: string, words: boolean): Promise<void> {
    assert.deepEqual(await page.evaluate(overflowing), [], where)
    if (words) assert.deepEqual(await page.evaluate(unbracketed), [], `untranslated: ${where}`)
  }

  async function fits(page: Page, where: string, words: boolean): Promise<void> {
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await check(page, `${where} at ${width} px`, words)
    }
  }

  /** From the door to the recap, by places and not by words. */
  async function walk(page: Page, room: FakeRoom, language: string, words: boolean): Promise<void> {
    await page.goto(`${room.url}/join/town-hall-abc123?lang=${language}`)
    await page.waitForSelector('html[data-ready]')
    await fits(page, 'door', words)
    await page.locator('.door-buttons button').last().click()
    await page.waitForSelector('main[data-state=presenting]')
    await page.locator('#ask').fill('What does it cost?')
    await fits(page, 'talk', words)
    await page.locator('#ask').press('Enter')
    await page.waitForSelector('[data-testid=question][data-status=answered]')
    await fits(page, 'answer', words)
    // The menu opens where there is room for it, so it is opened once a width.
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.locator('.tools [aria-haspopup=menu]').click()
      await page.locator('[role=menu]:popover-open').waitFor()
      await check(page, `menu at ${width} px`, words)
      await page.keyboard.press('Escape')
    }
    await page.locator('h1').click()
    await page.keyboard.press('?')
    await page.waitForSelector('dialog[open] .key-list')
    await fits(page, 'keys', words)
    await page.keyboard.press('Escape')
    await page.waitForSelector('[data-testid=cta]')
    await fits(page, 'offer', words)
    await page.locator('[data-testid=cta] .actions button').first().click()
    await page.locator('dialog[open] button[type=submit]').click()
    await fits(page, 'form with its errors', words)
    await page.keyboard.press('Escape')
    await page.waitForSelector('main[data-state=closing]')
    room.run.control('finish', {})
    await page.waitForSelector('.recap')
    await fits(page, 'recap', words)
  }

  async function everywhere(options: FakeRoomOptions, language: string, words: boolean): Promise<void> {
    const room = await startFakeRoom({ pace: 0.2, ...options })
    const page = await browser.newPage()
    try {
      await walk(page, room, language, words)
      for (const path of ['/', '/closed', '/error']) {
        await page.goto(`${room.url}${path}?lang=${language}`)
        await fits(page, path, words)
      }
    } finally {
      await page.close()
      await room.close()
    }
  }

  test('the pseudo-locale fits everywhere, and every word is in it', () => everywhere({ reworded: inPseudoLocale }, 'en', true))
  test('Arabic fits everywhere', () => everywhere({}, 'ar', false))
})
