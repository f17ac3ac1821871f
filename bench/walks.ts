// Five walks through the product as a person makes them, in the real Chromium: what they press, how long it takes, and that no page says
// anything in its console. Beside them the ways in which the room stands elsewhere: in a frame of another site, with tools for an agent of
// the page, and with a host who speaks. Times, so a busy machine shows; the presses do not change.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { joinRoom } from '../test/e2e/attendee.ts'
import { chromiumPath, holds, launchBrowser, type Service, startService } from '../test/e2e/rig.ts'
import { buildPdf } from '../test/support/documents.ts'
import { startSpeechServer } from '../test/support/speech-server.ts'
import { type Report, row, type Row } from './report.ts'

const desk = { viewport: { width: 1440, height: 900 }, locale: 'en-GB' }
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'en-GB' }

interface Step {
  words: string
  ms: number
  /** What the person does, or what they wait for. */
  isAct: boolean
}

/** The steps of one walk, as they are made. */
interface Walk {
  steps: Step[]
  act(words: string, done: () => Promise<unknown>): Promise<void>
  wait(words: string, until: () => Promise<unknown>): Promise<void>
}

function newWalk(): Walk {
  const steps: Step[] = []
  const take = (isAct: boolean) => async (words: string, done: () => Promise<unknown>) => {
    const from = performance.now()
    await done()
    steps.push({ words, ms: performance.now() - from, isAct })
  }
  return { steps, act: take(true), wait: take(false) }
}

const actsOf = ({ steps }: Walk) => steps.filter(({ isAct }) => isAct).length
const secondsOf = ({ steps }: Walk) => steps.reduce((sum, { ms }) => sum + ms, 0) / 1_000

function told(name: string, walk: Walk): string[] {
  return [
    `${name}:`,
    ...walk.steps.map(({ words, ms, isAct }) => `  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${isAct ? '' : '... '}${words}`),
  ]
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const startsTalk = (page: Page) => button(page, /^Start with/).first()

const ownDeck = buildPdf([
  { lines: ['Heat pumps in old houses', 'What they need', 'What they cost'] },
  { lines: ['What they need', 'A flow temperature of 55 degrees', 'A place for the outdoor unit'] },
  { lines: ['What they cost', 'EUR 24,600 installed in 2026', 'A grant of 35 percent'] },
])

/** The deck that is presented, and something that it answers. */
function deckIn(folder: string | undefined): { name: string; bytes: Uint8Array } {
  const [file] = folder === undefined ? [] : globSync('*.pdf', { cwd: folder }).toSorted()
  if (folder === undefined || file === undefined) return { name: 'heat-pumps.pdf', bytes: ownDeck }
  return { name: file, bytes: readFileSync(join(folder, file)) }
}

/** Words that somebody says, for the microphone of the host; false where nothing here can speak. */
function speechFile(file: string): boolean {
  const words = 'Good morning. Thank you all for coming. I will take the next question myself.'
  return spawnSync('espeak-ng', ['-v', 'en', '-w', file, words]).status === 0
}

class Watched {
  readonly said: string[] = []
  readonly #browser: Browser

  constructor(browser: Browser) {
    this.#browser = browser
  }

  async page(options: object): Promise<Page> {
    const context = await this.#browser.newContext(options)
    const page = await context.newPage()
    this.listen(page)
    return page
  }

  listen(page: Page): void {
    page.on('console', (message) => this.said.push(`${message.type()} ${message.text()} ${message.location().url}`))
    page.on('pageerror', (error) => this.said.push(`error ${error.message}`))
  }
}

async function signUp(page: Page, service: Service): Promise<void> {
  await page.goto(service.setupUrl ?? '')
  await page.getByLabel('Name', { exact: true }).fill('Hana Host')
  await page.getByLabel('Email').fill('hana@acme.example')
  await page.getByLabel('Password').fill('ladder canoe violet 29')
  await page.getByLabel('Account name').fill('Acme Heat')
  await button(page, 'Create owner').click()
  await page.waitForURL(/\/dashboard$/)
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
}

async function newcomer(page: Page, deck: { name: string; bytes: Uint8Array }): Promise<Walk & { link: string; id: string }> {
  const walk = newWalk()
  await walk.act('New session', () => page.getByRole('link', { name: 'New session' }).first().click())
  const file = { name: deck.name, mimeType: 'application/pdf', buffer: Buffer.from(deck.bytes) }
  await walk.act('drop the file', async () => {
    await page.locator('input[type=file]').first().setInputFiles(file)
    await page.waitForURL(/\/set-up/)
  })
  await walk.wait('pages are read', () => page.locator('a.btn-primary', { hasText: 'Continue' }).waitFor({ timeout: 180_000 }))
  await walk.act('Continue', () => page.getByRole('link', { name: 'Continue' }).click())
  await walk.act('Continue', () => page.getByRole('link', { name: 'Continue' }).click())
  await walk.act('Publish', () => button(page, 'Publish').click())
  await walk.wait('the link is there', () => page.getByTestId('join-link').waitFor())
  const link = (await page.getByTestId('join-link').getAttribute('href')) ?? ''
  const [, id = ''] = /sessions\/([^/]+)/.exec(page.url()) ?? []
  return Object.assign(walk, { link, id })
}

async function firstAnswer(page: Page, link: string): Promise<Walk> {
  const walk = newWalk()
  await walk.wait('open the link', async () => {
    await page.goto(`${link}?lang=en`)
    await page.waitForSelector('html[data-ready]')
  })
  await walk.act('Start', () => startsTalk(page).tap())
  await walk.wait('the talk begins', () => page.waitForSelector('main[data-state=presenting]'))
  const ready = page.getByRole('group', { name: 'Questions to begin with' }).getByRole('button')
  if (!(await ready.first().isVisible())) await walk.act('Ask a question', () => page.locator('#ask').tap())
  await walk.act('a question that stands ready', () => ready.first().tap())
  await walk.wait('its first sentence', () =>
    page.locator('[data-testid=question] [data-testid=answer]').first().waitFor({ timeout: 60_000 }),
  )
  await page.waitForSelector('[data-testid=question][data-status=answered]', { timeout: 90_000 })
  return walk
}

async function made(page: Page, members: object): Promise<{ sessionId: string; shareLink: string }> {
  return page.evaluate(async (body) => {
    const { csrf } = (await (await fetch('/api/v1/account')).json()) as { csrf: string }
    const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf }
    const answer = await fetch('/api/v1/agent/sessions', { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { sessionId: string; shareLink: string }
  }, members)
}

const points = Array.from({ length: 10 }, (_, n) => `- Point ${n + 1} is said slowly, so that there is time to take over`)

/** A broadcast in which the host answers in writing, then takes over and speaks. */
async function hostAnswers(host: Page, ada: Page, service: Service, canSpeak: boolean): Promise<{ answers: Walk; speaks: Walk }> {
  const slides = [{ textContent: ['Heat pumps in old houses', ...points].join('\n') }]
  const talk = await made(host, { title: 'Heat pumps, live', isLive: true, mode: 'broadcast', moderation: 'manual', slides })
  await host.goto(`${service.url}/dashboard/sessions/${talk.sessionId}/live`)
  await ada.goto(`${talk.shareLink}?lang=en`)
  await ada.waitForSelector('html[data-ready]')
  await startsTalk(ada).click()
  await ada.waitForSelector('main[data-state=presenting]')
  const answers = newWalk()
  const text = 'Will you come to Bremen next year?'
  await ada.locator('#ask').fill(text)
  await answers.wait('the question arrives at the host', async () => {
    await ada.keyboard.press('Enter')
    await button(host, `Answer: ${text}`).waitFor()
  })
  await answers.act('Answer', () => button(host, `Answer: ${text}`).click())
  await answers.act('write it', () => host.getByLabel('Your answer').fill('Yes, in the second week of May.'))
  await answers.act('Answer', () => button(host, 'Answer').click())
  await answers.wait('the attendee sees it', () => ada.getByText('Yes, in the second week of May.').first().waitFor({ timeout: 60_000 }))

  const speaks = newWalk()
  await speaks.act('Take over', () => button(host, 'Take over').click())
  await speaks.wait('the presenter is silent in the room', () => ada.waitForSelector('main[data-state=handed_over]'))
  if (canSpeak) {
    await speaks.act('Speak', () => button(host, 'Speak').click())
    const heard = ada.locator('[data-testid=line]', { hasText: 'Thank you all' }).first()
    await speaks.wait('the first phrase is read in the room', () => heard.waitFor({ state: 'attached', timeout: 60_000 }))
    // A device without a voice of its own offers sound once there is something to hear.
    await button(ada, 'Sound').click()
    await speaks.wait('and the next is heard', () => holds(ada, 'window.played.length > 0'))
    await speaks.act('Stop speaking', () => button(host, 'Stop speaking').click())
  }
  await speaks.act('Hand back', () => button(host, 'Hand back').click())
  await speaks.wait('the presenter goes on', () => ada.waitForSelector('main[data-state=presenting]', { timeout: 60_000 }))
  return { answers, speaks }
}

/** Somebody who asked, and left their details, was there before. */
async function worthCalling(host: Page, service: Service, link: string): Promise<Walk> {
  const walk = newWalk()
  const maya = await joinRoom(service.url, link.split('/join/')[1] ?? '')
  await maya.post('control', { action: 'start' })
  await maya.post('questions', { text: 'What does it cost?' })
  await maya.post('lead', { email: 'maya@example.com', name: 'Maya', consent: true })
  maya.leave()
  await host.goto(`${service.url}/dashboard`)
  await walk.act('People', () => host.getByRole('link', { name: 'People' }).first().click())
  await walk.wait('they are listed with what they watched and asked', () => host.locator('tbody tr').first().waitFor())
  await walk.act('the first of them', () => host.locator('tbody tr a.row-link').first().click())
  await walk.wait('one timeline: joined, asked, details, consent', () =>
    host
      .getByRole('dialog')
      .getByText(/agreed|consent/i)
      .first()
      .waitFor(),
  )
  return walk
}

/** Their window was closed in the middle of the talk, and the link is opened in another. */
async function comingBack(attendee: Page, link: string, watched: Watched): Promise<Walk> {
  const walk = newWalk()
  await button(attendee, 'Next slide').tap()
  await attendee.waitForSelector('[data-testid=slide][data-index="2"]')
  const page = await attendee.context().newPage()
  watched.listen(page)
  await attendee.close()
  await walk.wait('open the link again', async () => {
    await page.goto(`${link}?lang=en`)
    await page.waitForSelector('html[data-ready]')
  })
  await walk.act('Continue', () => button(page, /^Continue from slide/).click())
  await walk.wait('the talk goes on', () => page.waitForSelector('main[data-state=presenting]'))
  return walk
}

/** The room in a page of another site, asked by the tools that it gives an agent of the page. */
async function elsewhere(watched: Watched, link: string): Promise<boolean> {
  const site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<!doctype html><title>Another site</title><link rel=icon href=data:,><iframe src="${link}?embed=1&lang=en" title="Talk"
      width=900 height=700 allow="autoplay; microphone; clipboard-write; fullscreen"></iframe>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  try {
    const page = await watched.page(desk)
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const frame = page.frameLocator('iframe')
    await frame
      .getByRole('button', { name: /^Start with/ })
      .first()
      .click()
    await frame.locator('main[data-state=presenting]').waitFor()
    await page.context().close()
  } finally {
    site.close()
  }
  const own = await watched.page(desk)
  await own.addInitScript(pageTools)
  await own.goto(`${link}?lang=en`)
  await own.waitForSelector('html[data-ready]')
  await startsTalk(own).click()
  await own.waitForSelector('main[data-state=presenting]')
  const called: { content: { text: string }[] }[] = await own.evaluate(`Promise.all([tools.get_current_slide.execute({}),
    tools.ask_presenter.execute({ message: 'What does it cost?' }), tools.submit_lead.execute({ email: 'ada@example.com', consent: true })])`)
  await own.getByRole('dialog').waitFor()
  await own.context().close()
  return called.every(({ content }) => (content[0]?.text ?? '') !== '')
}

/** What a browser with WebMCP offers a page, where this one does not yet. */
const pageTools = `window.tools = {}; Object.defineProperty(document, 'modelContext', { value: { registerTool: (tool) => (window.tools[tool.name] = tool) } })`
const playedClips = `window.played = []; const { play } = HTMLMediaElement.prototype; HTMLMediaElement.prototype.play = function () {
  this.addEventListener('ended', () => this.currentSrc.includes('/media/') && window.played.push(this.currentSrc), { once: true }); return play.call(this) }`

export async function benchWalks(folder?: string): Promise<Report> {
  const suite = 'Walks'
  if (chromiumPath() === undefined) return { suite, rows: [], figures: {}, skipped: ['no Chromium is installed'] }
  const speech = await startSpeechServer()
  speech.act = () => ({ text: 'Thank you all for coming.' })
  const service = await startService({ env: { ROSTRUM_STT: 'compatible:stub', ROSTRUM_STT_BASE_URL: speech.baseUrl } })
  const words = join(service.dataDir, 'host.wav')
  const canSpeak = speechFile(words)
  const microphone = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${words}`]
  const browser = await launchBrowser(['--autoplay-policy=no-user-gesture-required', ...(canSpeak ? microphone : [])])
  const watched = new Watched(browser)
  try {
    const host = await watched.page(desk)
    await signUp(host, service)
    const published = await newcomer(host, deckIn(folder))
    const attendee = await watched.page(phone)
    const answered = await firstAnswer(attendee, published.link)
    const back = await comingBack(attendee, published.link, watched)
    const ada = await watched.page(desk)
    await ada.addInitScript(playedClips)
    const { answers, speaks } = await hostAnswers(host, ada, service, canSpeak)
    const isElsewhere = await elsewhere(watched, published.link)
    const called = await worthCalling(host, service, published.link)
    const rows: Row[] = [
      row('newcomer to a published talk, presses', `${actsOf(published)}`, '<= 6', actsOf(published) <= 6),
      row('attendee on a phone to the first answer, taps', `${actsOf(answered)}`, '<= 3', actsOf(answered) <= 3),
      row('host answers live, presses', `${actsOf(answers)}`, 'told', true),
      row('host takes over and speaks, presses', `${actsOf(speaks)}`, 'told', canSpeak),
      row('host finds who is worth calling, presses', `${actsOf(called)}`, 'told', true),
      row('coming back, presses', `${actsOf(back)}`, '<= 1', actsOf(back) <= 1),
      row('in a frame of another site, and by tools of the page', isElsewhere ? 'works' : 'fails', 'works', isElsewhere),
      row('messages in any console', `${watched.said.length}`, '0', watched.said.length === 0),
    ]
    const walks = {
      Newcomer: published,
      'First answer': answered,
      'Host answers': answers,
      'Host speaks': speaks,
      'Worth calling': called,
      'Coming back': back,
    }
    const notes = [...Object.entries(walks).flatMap(([name, walk]) => told(name, walk)), ...watched.said]
    const figures = Object.fromEntries(Object.entries(walks).map(([name, walk]) => [name, secondsOf(walk)]))
    return { suite, rows, figures, notes, ...(!canSpeak && { skipped: ['the host’s own voice: espeak-ng is not installed'] }) }
  } finally {
    await browser.close()
    await service.close()
    await speech.close()
  }
}
