// The host takes over in a real browser: what they say into their microphone is heard by who is in the room, and what they type is read.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { startSpeechServer, type SpeechServer } from '../support/speech-server.ts'
import { instruments } from './microphone.ts'
import type { Service } from './rig.ts'
import { assertAccessible, becomes, chromiumPath, holds, launchBrowser, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'

/** Which clips a page has played to their end. */
const playedClips = `
  window.played = [];
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    this.addEventListener('ended', () => window.played.push(this.currentSrc), { once: true });
    return play.call(this);
  };
`

describe('the host speaks to the room', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser
  let speech: SpeechServer
  let host: Page
  let ada: Page
  const faults: string[] = []

  const visitor = async (script: string): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, bypassCSP: true })
    await context.addInitScript(script)
    const page = await context.newPage()
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    return page
  }

  before(async () => {
    speech = await startSpeechServer()
    speech.act = () => ({ text: 'Good morning from the host.' })
    const env = { ROSTRUM_STT: 'compatible:whisper', ROSTRUM_STT_BASE_URL: speech.baseUrl, ROSTRUM_SPEECH_WPM: '80' }
    ;[service, browser] = await Promise.all([startService({ env }), launchBrowser(['--autoplay-policy=no-user-gesture-required'])])
    host = await visitor(instruments)
    ada = await visitor(playedClips)
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await speech?.close()
  })

  test('a microphone that is opened after taking over is heard in the room, with a caption, and no caption is stale', async () => {
    await host.goto(service.setupUrl ?? '')
    await host.getByLabel('Name', { exact: true }).fill('Hana Host')
    await host.getByLabel('Email').fill('hana@acme.example')
    await host.getByLabel('Password').fill('ladder canoe violet 29')
    await host.getByLabel('Account name').fill('Acme Heat')
    await host.getByRole('button', { name: 'Create owner' }).click()
    await host.waitForURL(/\/dashboard/)
    const made = await host.evaluate(async () => {
      const { csrf } = (await (await fetch('/api/v1/account')).json()) as { csrf: string }
      const lines = Array.from({ length: 12 }, (_, n) => `- Point ${n + 1} is said slowly, so that there is time to take over`)
      const slides = [{ textContent: ['Heat pumps in old houses', ...lines].join('\n') }]
      const answer = await fetch('/api/v1/agent/sessions', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf },
        body: JSON.stringify({ title: 'Heat pumps', isLive: true, mode: 'broadcast', slides }),
      })
      return (await answer.json()) as { sessionId: string; shareLink: string }
    })
    await ada.goto(made.shareLink)
    await ada.locator('html[data-ready]').waitFor()
    await ada
      .getByRole('button', { name: /captions|sound/i })
      .first()
      .click()
    await ada.waitForSelector('main[data-state=presenting]')
    await holds(ada, `document.querySelector('[data-testid=caption]').textContent !== ''`)

    await host.goto(`${service.url}/dashboard/sessions/${made.sessionId}/live`)
    await host.getByRole('button', { name: 'Take over' }).click()
    await host.getByRole('button', { name: 'Speak', exact: true }).waitFor()
    await ada.waitForSelector('main[data-state=handed_over]')
    await holds(ada, `document.querySelector('[data-testid=caption]').textContent === ''`)

    await host.getByRole('button', { name: 'Speak', exact: true }).click()
    await host.getByRole('button', { name: 'Stop speaking' }).waitFor()
    await assertAccessible(host, 'live, while the host speaks')
    await host.evaluate(`window.hum(1500)`)
    await holds(ada, `document.querySelector('[data-testid=caption]').textContent.includes('Good morning from the host.')`)
    // Their device may have no voice of its own: the host is heard all the same, once sound is on.
    await ada.getByRole('button', { name: 'Sound' }).click()
    await host.evaluate(`window.hum(1500)`)
    await holds(ada, `window.played.some((src) => src.includes('/media/'))`)
    await becomes(() => ada.locator('[data-testid=caption]').textContent(), '')
    assert.ok((await ada.locator('[data-testid=line]').allTextContents()).includes('Good morning from the host.'))
    await assertAccessible(ada, 'the room, while the host speaks')
  })

  test('typed words are a caption, the microphone closes with handing back, and the presenter goes on', async () => {
    await host.getByLabel('Words for the room').fill('One moment, please.')
    await host.getByRole('button', { name: 'Say', exact: true }).click()
    await holds(ada, `document.querySelector('[data-testid=caption]').textContent === 'One moment, please.'`)
    await host.getByRole('button', { name: 'Hand back' }).click()
    await ada.waitForSelector('main[data-state=presenting]')
    await holds(host, 'window.kept.closed === 1')
    assert.deepEqual(faults, [])
  })
})
