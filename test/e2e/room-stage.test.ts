// The stage of a room in a real browser over the real service: how much of the window the slide has, what recedes and returns, and
// what a telephone on its side shows.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { assertAccessible, becomes, chromiumPath, heldTimers, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false
const onItsSide = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true }

describe('the stage of a room', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser

  before(async () => {
    const started = startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '60', ROSTRUM_RATE_JOIN: '1000/1m' } })
    ;[service, browser] = await Promise.all([started, launchBrowser()])
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  async function attend(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options })
    const page = await context.newPage()
    await page.addInitScript(heldTimers)
    await page.goto(`${service.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await page.waitForSelector('main[data-state=presenting]')
    await page.locator('.caption-words').waitFor()
    return page
  }

  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox()
    assert.ok(box, selector)
    return box
  }
  const seen = (page: Page, selector: string): Promise<boolean> =>
    page.evaluate(`(() => {
      document.getAnimations().forEach((each) => each.finish())
      for (let at = document.querySelector('${selector}'); at !== null; at = at.parentElement) {
        const { opacity, display, visibility } = getComputedStyle(at)
        if (opacity === '0' || display === 'none' || visibility === 'hidden') return false
      }
      return true
    })()`)
  /** Three seconds pass. */
  const wait = (page: Page) => page.evaluate('window.ring()')

  test('the slide has four fifths of the width of a desktop, the caption lies on its lower edge, and nothing scrolls', async () => {
    const page = await attend()
    const slide = await boxOf(page, '[data-testid=slide]')
    assert.ok(slide.width >= 0.79 * 1440 && slide.width <= 0.82 * 1440 + 1, `${slide.width}`)
    const words = await boxOf(page, '.caption-words')
    assert.ok(words.y > slide.y + slide.height / 2 && words.y + words.height <= slide.y + slide.height)
    assert.equal(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'), true)
    await page.getByLabel('Ask a question', { exact: true }).fill('What does an answer quote?')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.room[data-rail=open]')
    assert.ok((await boxOf(page, '[data-testid=slide]')).width < slide.width, 'the questions stand beside it')
    await page.getByRole('button', { name: 'Hide questions' }).click()
    await becomes(async () => Math.round((await boxOf(page, '[data-testid=slide]')).width), Math.round(slide.width))
    await page.context().close()
  })

  test('the door says how long it takes; until one asks, questions stand ready, and the time that is left is told', async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
    const door = await context.newPage()
    await door.goto(`${service.url}/join/welcome?lang=en`)
    await door.getByText(/^\d+ slides, about [1-9]\d* min$/).waitFor()
    await context.close()
    const page = await attend()
    await page.getByText(/about [1-9]\d* min left/).waitFor()
    await page.locator('#ask').focus()
    const ready = page.getByRole('group', { name: 'Questions to begin with' }).getByRole('button')
    assert.equal(await ready.count(), 3)
    const text = await ready.first().innerText()
    await ready.first().click()
    assert.match(await page.getByTestId('question').first().innerText(), new RegExp(RegExp.escape(text)))
    await becomes(() => ready.count(), 0)
    await page.context().close()
  })

  test('the front page shows the slides of the demo talk, once, and can be stopped', async () => {
    const context = await browser.newContext({ bypassCSP: true, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(`${service.url}/?lang=en`)
    const running = (): Promise<string[]> =>
      page.evaluate('[...new Set(document.getAnimations().map(({ playState, effect }) => playState + effect.getTiming().iterations))]')
    assert.ok((await page.locator('.film-slide').count()) >= 3)
    assert.deepEqual(await running(), ['running1'])
    await page.getByLabel('Pause').check()
    await becomes(running, ['paused1'])
    await assertAccessible(page, 'the front page')
    await context.close()
  })

  test('controls recede after three seconds and return at a move; under the focus of a keyboard they stay', async () => {
    const page = await attend()
    for (const selector of ['.room-header', '.controls']) {
      await page.mouse.move(300, 300)
      await becomes(() => seen(page, selector), true)
      await wait(page)
      await becomes(() => seen(page, selector), false)
    }
    for (const selector of ['.caption-words', '[data-testid=presenter-card]', '#ask']) assert.equal(await seen(page, selector), true)
    await page.mouse.move(320, 320)
    await becomes(() => seen(page, '.controls'), true)
    await page.getByRole('button', { name: 'Repeat' }).focus()
    await page.keyboard.press('Shift')
    await wait(page)
    await holds(page, "document.querySelector('.room').hasAttribute('data-quiet')")
    assert.equal(await seen(page, '.controls'), true)
    await page.context().close()
  })

  test('in the theatre there are slide and caption alone, questions are one key away, and full screen is left as it was entered', async () => {
    const page = await attend()
    await page.keyboard.press('f')
    await page.waitForSelector('.room[data-theatre]')
    await wait(page)
    for (const selector of ['.room-header', '.controls', '[data-testid=presenter-card]', '#ask']) {
      await becomes(() => seen(page, selector), false)
    }
    assert.equal(await seen(page, '.caption-words'), true)
    const { width, height } = await boxOf(page, '[data-testid=slide]')
    assert.ok(width > 1439 || height > 899, `${width} x ${height}`)
    await page.keyboard.press('q')
    await page.getByLabel('Ask a question', { exact: true }).fill('What does an answer quote?')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-testid=question]')
    const [slide, rail] = [await boxOf(page, '[data-testid=slide]'), await boxOf(page, '#rail')]
    assert.ok(slide.x + slide.width <= rail.x, 'the slide makes room')
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.keyboard.press('Escape')
    await page.waitForSelector('.room:not([data-theatre])')
    await page.getByRole('button', { name: 'More' }).click()
    const fullScreen = page.getByRole('menuitemcheckbox', { name: 'Full screen' })
    await fullScreen.click()
    await holds(page, 'document.fullscreenElement !== null')
    await page.getByRole('button', { name: 'More' }).click()
    await fullScreen.click()
    await page.waitForSelector('.room:not([data-theatre])')
    await page.context().close()
  })

  test('in the theatre of an upright phone slide and caption stand in the middle, and questions are a sheet over the lower half', async () => {
    const page = await attend({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, bypassCSP: true })
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitemcheckbox', { name: 'Theatre' }).tap()
    await page.waitForSelector('.room[data-theatre]')
    const middle = async () => {
      const [slide, caption] = [await boxOf(page, '[data-testid=slide]'), await boxOf(page, '[data-testid=caption]')]
      return (slide.y + caption.y + caption.height) / 2
    }
    await becomes(async () => Math.abs((await middle()) - 400) < 60, true)
    for (const selector of ['[data-testid=presenter-card]', '.thread', '[role=tablist]', '#ask'])
      assert.equal(await seen(page, selector), false)
    await page.getByRole('button', { name: 'Questions', exact: true }).tap()
    await page.locator('#ask').waitFor()
    const [caption, rail] = [await boxOf(page, '[data-testid=caption]'), await boxOf(page, '#rail')]
    assert.ok(caption.y + caption.height <= rail.y && rail.y > 844 / 3, `${caption.y + caption.height} ${rail.y}`)
    await assertAccessible(page, 'the theatre of a phone, with its questions')
    await page.context().close()
  })

  test('on a phone on its side the slide has the height, the rest is behind one button, and a double tap or two fingers enlarge', async () => {
    const page = await attend({ ...onItsSide, bypassCSP: true })
    await wait(page)
    await becomes(() => seen(page, '.controls'), false)
    assert.ok((await boxOf(page, '[data-testid=slide]')).height >= 389)
    assert.equal(await seen(page, '#ask'), false)
    await page.touchscreen.tap(300, 100)
    await becomes(() => seen(page, '.controls'), true)
    await page.locator('.slide-place').dispatchEvent('dblclick', { clientX: 300, clientY: 100 })
    await becomes(async () => (await boxOf(page, '[data-testid=slide]')).height >= 2 * 389, true)
    await page.locator('.slide-place').dispatchEvent('dblclick', { clientX: 300, clientY: 100 })
    await becomes(async () => (await boxOf(page, '[data-testid=slide]')).height < 400, true)
    // Two fingers part to twice as far, and come together again: the slide follows, the page itself is not zoomed.
    const cdp = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...apart: number[]) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: apart.flatMap((wide) => [-1, 1].map((side, id) => ({ x: 400 + (side * wide) / 2, y: 180, id }))),
      })
    for (const [from, to, least, most] of [
      [100, 200, 1.9 * 389, 2.1 * 391],
      [200, 60, 389, 391],
    ] as const) {
      await touch('touchStart', from)
      for (const step of [1, 2, 3, 4]) await touch('touchMove', from + ((to - from) * step) / 4)
      await touch('touchEnd')
      await becomes(async () => {
        const { height } = await boxOf(page, '[data-testid=slide]')
        return height >= least && height <= most
      }, true)
    }
    assert.equal(await page.evaluate('visualViewport.scale'), 1)
    await page.getByRole('button', { name: 'Questions' }).click()
    await page.getByLabel('Ask a question', { exact: true }).fill('What does an answer quote?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.waitForSelector('[data-testid=question]')
    const [slide, rail] = [await boxOf(page, '[data-testid=slide]'), await boxOf(page, '#rail')]
    assert.ok(slide.x + slide.width <= rail.x, 'the slide makes room')
    await assertAccessible(page, 'questions beside the stage')
    await page.context().close()
  })

  test('at the end the talk is rated, a name and an address are sent, the link is shown where nobody may copy it, and Watch again is a new talk', async () => {
    const fast = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '60000' } })
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
      const page = await context.newPage()
      // As on an address without TLS, where a browser has no clipboard.
      await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
      await page.goto(`${fast.url}/join/welcome?lang=en`)
      await page.getByRole('button', { name: 'Start with captions only' }).click()
      await page.getByRole('button', { name: 'Finish' }).click()
      const recap = page.getByTestId('recap')
      await becomes(() => recap.locator('.kept img').count(), 3)
      // Its style comes with its script: once nothing of it was loaded.
      assert.equal(await page.evaluate("getComputedStyle(document.querySelector('.recap')).display"), 'grid')
      await recap.getByRole('button', { name: '2 of 5' }).click()
      await recap.getByRole('button', { name: '4 of 5' }).click()
      await recap.getByText('Thank you. The host sees the average.').waitFor()
      const pressed = recap.getByRole('group', { name: 'How was this talk?' }).locator('[aria-pressed=true]')
      assert.deepEqual(await pressed.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label'))), ['4 of 5'])
      await recap.getByRole('button', { name: 'Share' }).click()
      await recap.getByText(`${fast.url}/join/welcome`, { exact: true }).waitFor()
      await recap.getByRole('button', { name: 'Send me this' }).click()
      const form = page.getByRole('dialog', { name: 'Send me this' })
      assert.equal(await form.getByRole('textbox').count(), 2)
      await form.getByLabel('Name').fill('Maya')
      await form.getByLabel('Email').fill('maya@example.com')
      await form.getByTestId('consent').check()
      await form.getByRole('button', { name: 'Send details' }).click()
      await form.getByText('Sent. The host has your details.').waitFor()
      await form.getByRole('button', { name: 'Close' }).click()
      await becomes(() => recap.getByRole('button', { name: 'Send me this' }).count(), 0)
      await recap.getByRole('button', { name: 'Watch again' }).click()
      await page.getByRole('button', { name: 'Finish' }).waitFor()
      await becomes(() => recap.count(), 0)
      await page.context().close()
    } finally {
      await fast.close()
    }
  })

  test('after the end a question is answered in place, the talk stays over, and a reload finds the answer', async () => {
    const fast = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '60000' } })
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
      const page = await context.newPage()
      await page.goto(`${fast.url}/join/welcome?lang=en`)
      await page.getByRole('button', { name: 'Start with captions only' }).click()
      await page.getByRole('button', { name: 'Finish' }).click()
      const recap = page.getByTestId('recap')
      const field = recap.getByLabel('Ask a question', { exact: true })
      for (const question of ['What does an answer quote?', 'Who sees the questions?']) {
        await field.fill(question)
        await field.press('Enter')
        await recap.locator('[data-testid=question][data-status=answered]', { hasText: question }).getByTestId('answer').waitFor()
      }
      assert.equal(await page.locator('main').getAttribute('data-state'), 'completed')
      assert.match(await recap.getByTestId('answer').first().innerText(), /For you, at once/)
      await assertAccessible(page, 'questions after the end')
      await page.setViewportSize({ width: 390, height: 844 })
      await becomes(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await page.reload()
      await becomes(() => recap.locator('[data-testid=question][data-status=answered]').count(), 2)
      await recap.getByRole('button', { name: 'Watch again' }).click()
      await page.getByRole('button', { name: 'Finish' }).waitFor()
      await context.close()
    } finally {
      await fast.close()
    }
  })

  test('the open text of a slide has no signs of headings and bullets, and the menu of a phone on its side stays in the window', async () => {
    const page = await attend(onItsSide)
    await page.touchscreen.tap(300, 100)
    await page.getByRole('button', { name: 'More' }).tap()
    await becomes(async () => {
      const { y, height } = await boxOf(page, '.menu-list:popover-open')
      return y >= 0 && y + height <= 390
    }, true)
    await page.keyboard.press('Escape')
    const words = page.locator('.stage .slide-words p')
    const shown: string[] = []
    for (let at = 0; at < 3; at++) {
      shown.push((await words.textContent()) ?? '')
      await page.getByRole('button', { name: 'Next' }).click()
      await becomes(() => page.locator('.stage > .screen > .slide-frame [data-testid=slide]').getAttribute('data-index'), String(at + 2))
    }
    assert.match(shown.join('\n'), /^• /m)
    assert.doesNotMatch(shown.join('\n'), /^(#| *[-*] )/m)
    await page.context().close()
  })
})
