// Interrupting by voice in a real browser. What must not happen is timed by the clock of the audio, everything else is waited for.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startSpeechServer } from '../support/speech-server.ts'
import { instruments } from './microphone.ts'
import type { Service } from './rig.ts'
import { axeViolations, chromiumPath, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

interface Kept {
  opened: number
  closed: number
  recognised: number
  spoken: string[]
  speaking: string | null
}

interface Posted {
  kind: string
  body: { text?: string; interrupt?: boolean; acks?: { beatId: string; phase: string; chars?: number }[] }
}

/** By keyboard alone. */
async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'More' }).focus()
  await page.keyboard.press('Enter')
  const item = page.getByRole('menuitemcheckbox', { name: 'Interrupt by voice' })
  await item.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Interrupt by voice' })
  await dialog.waitFor()
  return dialog
}

async function turnOn(page: Page): Promise<void> {
  const dialog = await openDialog(page)
  await dialog.getByRole('button', { name: 'Turn on the microphone' }).click()
  await page.getByRole('button', { name: 'Microphone on' }).waitFor()
}

describe('interrupting by voice', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser

  before(async () => {
    // So slow that no watchdog ends a sentence.
    service = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '60', ROSTRUM_RATE_JOIN: '1000/1m' } })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  async function start(t: TestContext, scheme: 'light' | 'dark' = 'light', width = 1280): Promise<{ page: Page; posted: Posted[] }> {
    const viewport = { width, height: 800 }
    const context = await browser.newContext({ viewport, locale: 'en-GB', colorScheme: scheme, bypassCSP: true })
    t.after(() => context.close())
    await context.addInitScript(instruments)
    const page = await context.newPage()
    const posted: Posted[] = []
    page.on('request', (request) => {
      const kind = /\/(acks|questions)$/.exec(request.url())?.[1]
      if (kind !== undefined && request.method() === 'POST') posted.push({ kind, body: request.postDataJSON() as Posted['body'] })
    })
    await page.goto(`${service.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    await page.getByRole('button', { name: 'Start with sound' }).click()
    await page.waitForSelector('main[data-state=presenting]')
    return { page, posted }
  }

  const kept = (page: Page): Promise<Kept> => page.evaluate('window.kept')
  const cuts = (posted: readonly Posted[]) => posted.flatMap(({ body }) => (body.acks ?? []).filter(({ phase }) => phase === 'cut'))

  /** While a sentence sounds: a voice, until the presenter is silent. */
  async function speakUp(page: Page, answer: string | null): Promise<string> {
    await holds(page, 'window.kept.speaking !== null')
    await page.evaluate(`window.answer = ${JSON.stringify(answer)}; window.hum()`)
    await holds(page, 'window.kept.speaking === null')
    const { spoken } = await kept(page)
    await page.evaluate('window.hush()')
    return spoken.at(-1) ?? ''
  }

  test('the microphone opens after consent alone, its button says so, and turning it off closes it', async (t) => {
    const { page } = await start(t)
    const dialog = await openDialog(page)
    await dialog.getByText('its maker may receive the audio').waitFor()
    assert.equal((await kept(page)).opened, 0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await turnOn(page)
    const { opened, closed } = await kept(page)
    assert.deepEqual({ opened, closed }, { opened: 1, closed: 0 })
    const button = page.getByRole('button', { name: 'Microphone on', pressed: true })
    await button.focus()
    await page.keyboard.press('Enter')
    await button.waitFor({ state: 'hidden' })
    await holds(page, 'window.kept.closed === 1')
  })

  test('a microphone that the browser refuses is said so, with what to do', async (t) => {
    const { page } = await start(t)
    await page.evaluate('window.refuses = true')
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: 'Turn on the microphone' }).click()
    await dialog.getByText('Allow it in your browser').waitFor()
  })

  test('a question that is spoken stops the presenter, is asked at once, and the log holds what was heard', async (t) => {
    const { page, posted } = await start(t)
    await turnOn(page)
    await speakUp(page, 'What does an answer quote?')
    const card = page.getByTestId('question').filter({ hasText: 'What does an answer quote?' })
    await card.getByTestId('answer').waitFor()
    const asked = posted.filter(({ kind }) => kind === 'questions')
    assert.deepEqual(
      asked.map(({ body }) => [body.text, body.interrupt]),
      [['What does an answer quote?', true]],
    )
    const [cut] = cuts(posted)
    assert.ok(cut?.chars !== undefined && cut.chars >= 0, JSON.stringify(cut))
    assert.ok(
      posted.findIndex(({ body }) => body.acks?.some(({ phase }) => phase === 'cut')) <
        posted.findIndex(({ kind }) => kind === 'questions'),
    )
  })

  for (const [kind, answer] of Object.entries({
    'a word of agreement': 'Mhm, right.',
    'no words': '',
    'a recognition that never answers': null,
  })) {
    test(`after ${kind} the talk goes on from the same clause, and nothing is asked`, async (t) => {
      const { page, posted } = await start(t)
      await turnOn(page)
      const cut = await speakUp(page, answer)
      await holds(page, 'window.kept.speaking !== null')
      const again = (await kept(page)).speaking ?? ''
      assert.ok(cut.includes(again) || again.includes(cut), `${again} after ${cut}`)
      assert.equal(cuts(posted).length, 1)
      assert.ok(posted.some(({ body }) => body.acks?.some(({ phase }) => phase === 'started')))
      assert.equal(posted.filter((post) => post.kind === 'questions').length, 0)
    })
  }

  test('a cough of 150 ms stops nobody', async (t) => {
    const { page, posted } = await start(t)
    await turnOn(page)
    await holds(page, 'window.kept.speaking !== null')
    for (let i = 0; i < 3; i++) {
      const at: number = await page.evaluate('(window.hum(150), window.seconds())')
      await holds(page, `window.seconds() > ${at + 0.5}`)
    }
    // The one after it does.
    assert.deepEqual(cuts(posted), [])
    await speakUp(page, '')
    await holds(page, 'window.kept.speaking !== null')
    assert.equal(cuts(posted).length, 1)
  })

  test('the consent, the open microphone and the menu pass axe in both themes and on a phone', async (t) => {
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      const { page } = await start(t, scheme, width)
      const pictures = process.env['ROSTRUM_TEST_SCREENSHOTS']
      const look = async (name: string) => {
        if (pictures !== undefined) await page.screenshot({ path: `${pictures}/interrupt-${name}-${scheme}-${width}.png` })
        assert.deepEqual(await axeViolations(page), [], `${name}, ${scheme}, ${width}`)
        const across: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(across <= 0, `${name} is ${across} px too wide`)
      }
      const dialog = await openDialog(page)
      await look('consent')
      await dialog.getByRole('button', { name: 'Turn on the microphone' }).click()
      await page.getByRole('button', { name: 'Microphone on' }).waitFor()
      await look('on')
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Interrupt by voice', checked: true }).waitFor()
      await look('menu')
    }
  })
})

/** `window.leads` has, for each recording that is sent, how many seconds of it come before the voice. */
const measuring = `
  window.leads = [];
  const send = window.fetch;
  window.fetch = async (address, options) => {
    if (String(address).endsWith('/utterances')) {
      const context = new OfflineAudioContext(1, 48000, 48000);
      const sound = await context.decodeAudioData(await options.body.arrayBuffer());
      window.leads.push(sound.getChannelData(0).findIndex((sample) => Math.abs(sample) > 0.05) / sound.sampleRate);
    }
    return send(address, options);
  };
`

test('the first syllable of a spoken interruption was missing in what the server was given to hear', { skip }, async (t) => {
  const ears = await startSpeechServer(() => ({ text: 'mhm' }))
  t.after(() => ears.close())
  const env = { ROSTRUM_SPEECH_WPM: '60', ROSTRUM_STT: `compatible:ears@${ears.baseUrl}` }
  const service = await startService({ args: ['--demo'], env })
  t.after(() => service.close())
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const page = await (await browser.newContext({ locale: 'en-GB', bypassCSP: true })).newPage()
  await page.addInitScript(instruments + measuring)
  await page.goto(`${service.url}/join/welcome?lang=en`)
  await page.waitForSelector('html[data-ready]')
  await page.getByRole('button', { name: 'Start with sound' }).click()
  await turnOn(page)
  let lead = 0
  // A page that is held up for long starts its recording too late.
  for (let tries = 1; lead < 0.1 && tries <= 3; tries++) {
    await holds(page, 'window.kept.speaking !== null')
    await page.evaluate('window.hum()')
    await holds(page, 'window.kept.speaking === null')
    await page.evaluate('window.hush()')
    await holds(page, `window.leads.length === ${tries}`)
    lead = await page.evaluate('window.leads.at(-1)')
  }
  assert.ok(lead >= 0.1, `${lead} s come before the voice`)
})
