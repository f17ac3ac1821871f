// Who speaks, in a real browser over the real service: the card of the presenter, and sound that is offered only where there is a voice.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { pictureOfWords } from '../support/pictures.ts'
import type { Service } from './rig.ts'
import { assertAccessible, becomes, chromiumPath, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

describe('the presenter of a room', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser
  let key: string
  let path: string
  let slug: string

  const api = (method: string, to: string, body: string | Buffer, type: string) =>
    fetch(service.url + to, { method, headers: { Authorization: `Bearer ${key}`, 'Content-Type': type }, body })

  before(async () => {
    const started = startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '120', ROSTRUM_RATE_JOIN: '1000/1m' } })
    ;[service, browser] = await Promise.all([started, launchBrowser()])
    const env = { PATH: process.env['PATH'], ROSTRUM_DATA_DIR: service.dataDir, ROSTRUM_BASE_URL: service.url }
    const cli = join(import.meta.dirname, '../../bin/rostrum')
    key = (await promisify(execFile)(cli, ['key', 'create', '--name', 'test', '--json'], { env })).stdout
    key = (JSON.parse(key) as { key: string }).key
    const slides = [
      { textContent: 'Pumps\n- The blades cut the water\n- The bearing hums at full load\n- A pump costs nine hundred euros' },
    ]
    const session = JSON.stringify({ title: 'Pumps', isLive: true, presenterName: 'Nora Kessler', slides })
    const made = await api('POST', '/api/v1/agent/sessions', session, 'application/json')
    const { sessionId, slug: at } = (await made.json()) as { sessionId: string; slug: string }
    path = `/api/v1/agent/sessions/${sessionId}`
    slug = at
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  async function open(at = slug, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
    const page = await context.newPage()
    await page.goto(`${service.url}/join/${at}?lang=en`)
    await page.waitForSelector('html[data-ready]')
    return page
  }

  const start = (page: Page) => page.getByRole('button', { name: 'Start with captions only' }).click()
  const stateOf = (page: Page) => page.getByTestId('presenter-card').getAttribute('data-state')
  const levels = (page: Page): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('[data-testid=level] > i')].map((bar) => bar.style.transform)`)

  test('the card says who speaks, that it is automated, and in words what it does', async () => {
    const page = await open()
    await page.getByText('Nora Kessler, an automated presenter, gives this talk.').waitFor()
    await start(page)
    const card = page.getByTestId('presenter-card')
    await becomes(() => stateOf(page), 'speaking')
    assert.match((await card.innerText()).replace(/\s+/g, ' '), /^NK ?Nora Kessler automated Speaking$/)
    await page.getByRole('button', { name: 'Pause' }).click()
    await becomes(() => stateOf(page), 'paused')
    assert.match(await card.innerText(), /automated[^]*Paused by you/)
    await page.getByRole('button', { name: 'Go on' }).click()
    await becomes(() => stateOf(page), 'speaking')
    await page.getByLabel('Ask a question', { exact: true }).fill('What does a pump cost?')
    await page.keyboard.press('Enter')
    await becomes(() => stateOf(page), 'answering')
    assert.match(await card.innerText(), /Answering you/)
    await page.context().close()
  })

  test('a portrait takes the place of the monogram; without a name it is an automated presenter', async () => {
    await api('PUT', `${path}/portrait`, Buffer.from(await pictureOfWords(['Nora'])), 'image/png')
    const page = await open()
    await start(page)
    const portrait = page.locator('[data-testid=presenter-card] img')
    await portrait.waitFor()
    await holds(page, `document.querySelector('[data-testid=presenter-card] img').naturalWidth > 0`)
    assert.equal(await portrait.getAttribute('alt'), '')
    await page.context().close()
    const nameless = await open('welcome')
    await start(nameless)
    assert.match(await nameless.getByTestId('presenter-card').innerText(), /^Automated presenter/)
    await nameless.context().close()
  })

  test('in silence the level follows the caption, rests while paused, and with reduced motion it does not move', async () => {
    const page = await open()
    await start(page)
    await page.waitForSelector('main[data-state=presenting]')
    const first = await levels(page)
    assert.equal(first.length, 4)
    await becomes(async () => JSON.stringify(await levels(page)) === JSON.stringify(first), false)
    await page.getByRole('button', { name: 'Pause' }).click()
    await becomes(
      () => levels(page),
      Array.from({ length: 4 }, () => 'scaleY(0.15)'),
    )
    await page.context().close()
    const still = await open(slug, { reducedMotion: 'reduce' })
    await start(still)
    await still.waitForSelector('main[data-state=presenting]')
    const seen = await still.evaluate(`getComputedStyle(document.querySelector('[data-testid=level] > i')).transform`)
    assert.equal(seen, 'matrix(1, 0, 0, 0.5, 0, 0)')
    await still.context().close()
  })

  test('sound is offered only where there is a voice, and the door says which', async () => {
    const without = await open()
    await without.getByTestId('door-voice').filter({ hasText: 'There is no voice on this device' }).waitFor()
    assert.equal(await without.getByRole('button', { name: 'Start with sound' }).count(), 0)
    await start(without)
    await without.waitForSelector('main[data-state=presenting]')
    assert.equal(await without.getByRole('button', { name: 'Sound' }).count(), 0)
    await without.context().close()
    const context = await browser.newContext({ locale: 'en-GB' })
    await context.addInitScript(`Object.defineProperty(window, 'speechSynthesis', { value: {
      getVoices: () => [{ lang: 'en-GB', name: 'Aria', localService: true, default: true }], addEventListener() {}, speak() {}, cancel() {},
    } })`)
    const page = await context.newPage()
    await page.goto(`${service.url}/join/${slug}?lang=en`)
    await page.getByTestId('door-voice').filter({ hasText: 'Voice: Aria.' }).waitFor()
    await start(page)
    const sound = page.getByRole('button', { name: 'Sound' })
    assert.equal(await sound.getAttribute('aria-pressed'), 'false')
    await context.close()
  })

  test('in a broadcast all see the first letters of who is there and how many reacted, and one press counts at a time', async () => {
    const slides = [
      { textContent: `Pumps\n${Array.from({ length: 9 }, (_, n) => `- The bearing number ${n} hums at full load`).join('\n')}` },
    ]
    const session = JSON.stringify({ title: 'Pumps for all', isLive: true, mode: 'broadcast', slides })
    const made = await api('POST', '/api/v1/agent/sessions', session, 'application/json')
    const { slug: at } = (await made.json()) as { slug: string }
    const [maya, other] = [await open(at), await open(at, { bypassCSP: true })]
    await maya.getByLabel('Your name').fill('Maya Lin')
    await start(maya)
    await start(other)
    const react = other.getByRole('group', { name: 'Reactions' }).getByRole('button', { name: 'Good point' })
    await react.click()
    await react.click()
    await becomes(() => maya.locator('.reaction-count').allTextContents(), ['', '', '1'])
    await becomes(() => other.locator('.faces').textContent(), 'M+1')
    assert.equal(await other.getByText('2 here').count(), 1)
    assert.ok(!(await other.content()).includes('Maya Lin'))
    await assertAccessible(other, 'reactions')
    for (const page of [maya, other]) await page.context().close()
  })

  test('the card is accessible in both themes and at both ends of width, with a name that is long', async () => {
    await api('PATCH', path, JSON.stringify({ presenterName: 'Maximiliane Schwarzenberger-Hohenstein' }), 'application/json')
    const page = await open(slug, { bypassCSP: true })
    await start(page)
    await page.waitForSelector('main[data-state=presenting]')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.waitForSelector('main[data-state=paused]')
    await assertAccessible(page, 'the card of the presenter')
    // However narrow, "automated" is there whole.
    await page.setViewportSize({ width: 320, height: 700 })
    const cut: boolean = await page.evaluate(`(() => {
      const said = document.querySelector('[data-testid=presenter-card] .presenter-name span')
      const card = document.querySelector('[data-testid=presenter-card]').getBoundingClientRect()
      const box = said.getBoundingClientRect()
      return said.scrollWidth > said.clientWidth + 1 && getComputedStyle(said).display !== 'inline' || box.right > card.right
    })()`)
    assert.equal(cut, false)
    await page.context().close()
  })
})
