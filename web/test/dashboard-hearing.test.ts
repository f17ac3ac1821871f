// Hearing the script in the editor and a run in its replay, in a real browser over the fake API, with an engine of speech that does
// what the test says.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumPath } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { runId, sessionId } from './fake-data.ts'

/** Takes the place of the browser's engine: keeps what it is told to say, and comes to the end of it when it is told to. */
const scriptedSpeech = `{
  const said = []
  let current = null
  const voice = { name: 'Clara', lang: 'en-GB', localService: true, default: true, voiceURI: 'clara' }
  class Utterance extends EventTarget { constructor(text) { super(); this.text = text } }
  const engine = {
    getVoices: () => [voice],
    addEventListener() {}, removeEventListener() {},
    speak(utterance) {
      if (utterance.text === '') return
      said.push(utterance.text)
      current = utterance
      setTimeout(() => current === utterance && utterance.onstart?.({}), 0)
    },
    cancel() { current = null },
    end() { const ended = current; current = null; ended?.onend?.({}) },
    said, isSaying: () => current !== null,
  }
  Object.defineProperty(globalThis, 'speechSynthesis', { value: engine })
  globalThis.SpeechSynthesisUtterance = Utterance
}`
const noSpeech = "Object.defineProperty(globalThis, 'speechSynthesis', { value: undefined }); delete globalThis.speechSynthesis"

interface Engine {
  said: string[]
  isSaying(): boolean
  end(): void
}

const saidIn = (page: Page) => page.evaluate(() => (globalThis as unknown as { speechSynthesis: Engine }).speechSynthesis.said)
const isSilent = (page: Page) =>
  page.waitForFunction(() => !(globalThis as unknown as { speechSynthesis: Engine }).speechSynthesis.isSaying())
/** Waits until so many sentences have been begun. */
const begun = (page: Page, count: number) =>
  page.waitForFunction((wanted) => (globalThis as unknown as { speechSynthesis: Engine }).speechSynthesis.said.length >= wanted, count)
const toItsEnd = (page: Page) => page.evaluate(() => (globalThis as unknown as { speechSynthesis: Engine }).speechSynthesis.end())

describe('hearing the talk in the dashboard', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser
  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  const onScript = (run: (page: Page) => Promise<void>, speech = scriptedSpeech) =>
    dashboard.onPage(
      `/dashboard/sessions/${sessionId}/script`,
      async (page) => {
        await page.getByRole('button', { name: 'Play from here' }).waitFor()
        await run(page)
      },
      {},
      speech,
    )
  const area = (page: Page, slide: number) => page.getByLabel(`What is said on slide ${slide}`, { exact: true })

  test('the talk is heard from the sentence at the caret on, line by line is lit, and Stop and Escape silence it', () =>
    onScript(async (page) => {
      const lines = (await area(page, 2).inputValue()).split('\n')
      await area(page, 2).press('Control+Home')
      await area(page, 2).press('ArrowDown')
      await page.getByRole('button', { name: 'Play from here' }).press('Enter')
      await begun(page, 1)
      assert.deepEqual(await saidIn(page), lines.slice(1, 2))
      assert.equal(await page.locator('.grow-line-heard').innerText(), lines[1])
      await toItsEnd(page)
      await begun(page, 2)
      assert.deepEqual(await saidIn(page), lines.slice(1, 3))
      const stop = page.getByRole('button', { name: 'Stop', exact: true })
      assert.equal(await stop.evaluate((button) => button === document.activeElement), true)
      await stop.press('Enter')
      await isSilent(page)
      await page.getByRole('button', { name: 'Play from here' }).click()
      await begun(page, 3)
      await page.keyboard.press('Escape')
      await isSilent(page)
      await page.getByRole('button', { name: 'Play from here' }).waitFor()
    }))

  test('the slide that is heard is the one that is shown, to the end of the talk, and leaving silences it', () =>
    onScript(async (page) => {
      const lines = [...(await area(page, 6).inputValue()).split('\n'), ...(await area(page, 7).inputValue()).split('\n')]
      await area(page, 6).press('Control+Home')
      await page.getByRole('button', { name: 'Play from here' }).click()
      for (let index = 0; index < lines.length; index++) {
        await begun(page, index + 1)
        if (index === lines.length - 1) await page.getByText('Slide 7 of 7').waitFor()
        await toItsEnd(page)
      }
      await page.getByRole('button', { name: 'Play from here' }).waitFor()
      assert.deepEqual(await saidIn(page), lines)
      await page.getByRole('button', { name: 'Play from here' }).click()
      await begun(page, lines.length + 1)
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('heading', { name: 'Test run' }).waitFor()
      await isSilent(page)
    }))

  test('what is being written is heard before it is saved', () =>
    onScript(async (page) => {
      await area(page, 2).fill('Look at the evening.')
      await page.getByRole('button', { name: 'Play from here' }).click()
      await begun(page, 1)
      assert.deepEqual(await saidIn(page), ['Look at the evening.'])
    }))

  test('a sentence that the server has said is heard as its clip', () =>
    onScript(async (page) => {
      const clip = page.waitForRequest(/\/media\/clip\.wav$/)
      await area(page, 1).press('Control+Home')
      await page.getByRole('button', { name: 'Play from here' }).click()
      await clip
    }))

  test('a device without a voice is told so, and nothing stays begun', () =>
    onScript(async (page) => {
      await page.getByRole('button', { name: 'Play from here' }).click()
      await page.getByText('No voice on this device.').waitFor()
      await page.getByRole('button', { name: 'Play from here' }).waitFor()
    }, noSpeech))

  const onSettings = (run: (page: Page) => Promise<void>, speech = scriptedSpeech) =>
    dashboard.onPage(`/dashboard/sessions/${sessionId}/settings`, run, {}, speech)
  const hear = (page: Page) => page.getByRole('button', { name: 'Hear the voice' }).click()

  test('the voice that is typed says a sentence of the deck before it is chosen, and is named', () =>
    onSettings(async (page) => {
      await page.route(/\/script\/[^/]+\/clip$/, (route) =>
        route.fulfill({ json: { audioUrl: '/media/clip.wav', audioMs: 400, voice: 'nova' } }),
      )
      await page.getByLabel('Voice', { exact: true }).fill('nova')
      const [asked] = await Promise.all([
        page.waitForRequest(/\/script\/[^/]+\/clip$/),
        page.waitForRequest(/\/media\/clip\.wav$/),
        hear(page),
      ])
      assert.deepEqual(asked.postDataJSON(), { voice: 'nova' })
      await page.getByText('nova, a voice of the server:').waitFor()
    }))

  test('where the server tells its voices one is chosen, and what is chosen is heard', () =>
    dashboard.onPage(
      '/dashboard',
      async (page) => {
        await page.route(/\/voices$/, (route) => route.fulfill({ json: { voice: 'clara', voices: ['clara', 'otto'] } }))
        await page.goto(new URL(`/dashboard/sessions/${sessionId}/settings`, page.url()).href)
        const choice = page.getByRole('combobox', { name: 'Voice' })
        await choice.locator('option', { hasText: 'That of this service: clara' }).waitFor({ state: 'attached' })
        await choice.selectOption('otto')
        const asked = page.waitForRequest(/\/script\/[^/]+\/clip$/)
        await hear(page)
        assert.deepEqual((await asked).postDataJSON(), { voice: 'otto' })
      },
      {},
      scriptedSpeech,
    ))

  test('without a voice of the server the device says the sentence in its own, as its words are said, and both are told', () =>
    onSettings(async (page) => {
      await page.route(/\/script\/[^/]+\/clip$/, (route) => route.fulfill({ json: { audioUrl: null, audioMs: null, voice: null } }))
      const [first = ''] = await page.evaluate(async (path) => {
        const { beats } = (await (await fetch(path)).json()) as { beats: { kind: string; text: string }[] }
        return beats.filter(({ kind }) => kind === 'narration').map(({ text }) => text)
      }, `/api/v1/agent/sessions/${sessionId}/script`)
      const [word = ''] = /(?<!\p{L})\p{Ll}{5,}/u.exec(first) ?? []
      const words = page.getByLabel('How words are said')
      await words.fill(word)
      await page.getByRole('button', { name: 'Save presenter' }).click()
      await page.getByText('Line 1: write the word').waitFor()
      const sent = page.waitForRequest((request) => request.method() === 'PATCH')
      await words.fill(`${word} = other words\n\n C = d = e`)
      await page.getByRole('button', { name: 'Save presenter' }).click()
      assert.deepEqual((await sent).postDataJSON(), { pronunciations: { [word]: 'other words', C: 'd = e' } })
      await page.getByText('Presenter saved.').waitFor()
      assert.equal(await words.inputValue(), `${word} = other words\nC = d = e`)
      await hear(page)
      await begun(page, 1)
      const said = (await saidIn(page)).join(' ')
      assert.ok(said.includes('other words') && !said.includes(word), `${word}: ${said} of ${first}`)
      await page.getByText('The server has no voice. Clara, a voice of this device:').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await isSilent(page)
    }))

  test('where neither server nor device has a voice, Hear the voice says so', () =>
    onSettings(async (page) => {
      await hear(page)
      await page.getByText('The server has no voice. This device has none for the language of the talk').waitFor()
    }, noSpeech))

  const inReplay = (run: (page: Page) => Promise<void>, speech = scriptedSpeech) =>
    dashboard.onPage(`/dashboard/sessions/${sessionId}/runs/${runId}`, run, {}, speech)

  test('a replay says the sentence of the moment, waits for its end, and is silent when it is paused', () =>
    inReplay(async (page) => {
      await page.getByLabel('Speed').selectOption('4')
      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await begun(page, 1)
      const caption = page.getByTestId('caption')
      assert.equal(await caption.textContent(), (await saidIn(page))[0])
      // Its time of 3.7 s passes in one at this speed; the voice has not come to its end.
      await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[aria-label=Moment]')?.valueAsNumber === 4_000)
      assert.equal((await saidIn(page)).length, 1)
      await toItsEnd(page)
      await begun(page, 2)
      assert.equal(await caption.textContent(), (await saidIn(page))[1])
      await page.getByRole('button', { name: 'Pause' }).click()
      await isSilent(page)
    }))

  test('moving on says the sentence moved to; without Voice the replay keeps its times', () =>
    inReplay(async (page) => {
      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await begun(page, 1)
      await page.keyboard.press('ArrowRight')
      await begun(page, 2)
      assert.equal(await page.getByTestId('caption').textContent(), (await saidIn(page))[1])
      await page.getByLabel('Voice').uncheck()
      await isSilent(page)
      await page.getByLabel('Speed').selectOption('4')
      await page.waitForFunction(() => Number(document.querySelector('[data-testid=slide]')?.getAttribute('data-index')) >= 2)
      assert.equal((await saidIn(page)).length, 2)
    }))

  test('a replay on a device without a voice goes on in writing', () =>
    inReplay(async (page) => {
      await page.getByLabel('Speed').selectOption('4')
      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await page.getByText('The replay goes on in writing.').waitFor()
      assert.equal(await page.getByLabel('Voice').isChecked(), false)
      await page.waitForFunction(() => Number(document.querySelector('[data-testid=slide]')?.getAttribute('data-index')) >= 2)
    }, noSpeech))
})
