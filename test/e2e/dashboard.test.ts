// A host's first hour, on the real service: from the set-up link to a talk that was held, its questions, leads and figures.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildPdf } from '../support/documents.ts'
import { joinRoom } from './attendee.ts'
import type { Receiver } from './receiver.ts'
import { openReceiver } from './receiver.ts'
import type { Service } from './rig.ts'
import { becomes, chromiumPath, heldTimers, holds, launchBrowser, settled, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'

const secretNote = 'canary-7f3a never name the supplier Voltwerk'
const pages = [
  { lines: ['Heat pumps in old houses', 'What they need', 'What they cost'] },
  { lines: ['What they need', 'A flow temperature of 55 degrees', 'A place for the outdoor unit'] },
  { lines: ['What they cost', 'EUR 24,600 installed in 2026', 'A grant of 35 percent'] },
]

describe('a host from set-up to leads', { skip }, () => {
  let service: Service
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let receiver: Receiver
  let sessionPath = ''
  const faults: string[] = []

  before(async () => {
    receiver = await openReceiver()
    const env = {
      // Its talk takes minutes, so that it can be paused.
      ROSTRUM_SPEECH_WPM: '100',
      ROSTRUM_FFMPEG: 'off',
      ROSTRUM_INSECURE_HTTP: '1',
      ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8',
      ROSTRUM_EGRESS_PORTS: new URL(receiver.url).port,
    }
    ;[service, browser] = await Promise.all([startService({ env }), launchBrowser()])
    context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 900 },
    })
    await context.addInitScript(heldTimers)
    page = await context.newPage()
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && page.url().includes('/dashboard')) faults.push(`${message.text()} ${message.location().url}`)
    })
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    receiver?.close()
  })

  const tab = (name: string) => page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name }).click()

  const join = async () =>
    joinRoom(service.url, ((await page.getByTestId('join-link').getAttribute('href')) ?? '').split('/join/')[1] ?? '')

  test('the set-up link makes the owner, who lands on the dashboard', async () => {
    await page.goto(service.setupUrl ?? '')
    await page.getByRole('heading', { name: 'Set up Rostrum' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Maya Okafor')
    await page.getByLabel('Email').fill('maya@acme.example')
    await page.getByLabel('Password').fill('ladder canoe violet 29')
    await page.getByLabel('Account name').fill('Acme Heat')
    await page.getByRole('button', { name: 'Create owner' }).click()
    await page.waitForURL(/\/dashboard/)
    await page.locator('html[data-ready]').waitFor()
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
    await page.getByText('No sessions yet').waitFor()
  })

  test('a newcomer comes from a PDF to a published talk in five acts, each check told as it was found', async () => {
    await page.getByRole('link', { name: 'New session' }).first().click()
    await page.getByLabel('Slides').setInputFiles({ name: 'heat.pdf', mimeType: 'application/pdf', buffer: Buffer.from(buildPdf(pages)) })
    // The deck tells its title; every page appears with its picture.
    await page.getByRole('heading', { name: 'Heat pumps in old houses' }).waitFor()
    await page.locator('[data-testid=deck-state][data-state=ready]').waitFor()
    await becomes(() => page.locator('[data-testid=slide-thumb] img').count(), 3)
    await page.getByRole('link', { name: 'Continue' }).click()
    await becomes(() => page.locator('.tried > li').count(), 5)
    await page.getByRole('link', { name: 'Continue' }).click()
    for (const name of ['deck', 'link', 'sound'])
      await page.locator(`[data-testid=publish-check][data-name=${name}][data-ok=true]`).waitFor()
    await page.locator('[data-testid=publish-check][data-name=questions][data-ok]').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('link', { name: 'Open as attendee' }).waitFor()
    const link = (await page.getByTestId('join-link').getAttribute('href')) ?? ''
    await becomes(async () => (await fetch(link)).status, 200)
    await page.getByRole('button', { name: 'Undo' }).click()
    await becomes(async () => (await fetch(link)).status, 404)
    sessionPath = new URL(page.url()).pathname.replace('/share', '')
  })

  test('what the host adds later: a description, background and an offer', async () => {
    await tab('Settings')
    await page.getByLabel('Description').fill('For owners of houses built before 1980.')
    await page.getByLabel('Words on the button').fill('Book a visit')
    await page.getByLabel('Where it leads').fill('https://example.com/visit')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Changes saved.').waitFor()
    await tab('Background')
    await page.getByRole('button', { name: 'Add passage' }).click()
    await page.getByRole('dialog').getByLabel('Heading').fill('How loud is it?')
    await page.getByRole('dialog').getByLabel('Passage').fill('The outdoor unit makes 48 dB at three metres.')
    await page.getByRole('dialog').getByRole('button', { name: 'Add passage' }).click()
    await page.getByText('The outdoor unit makes 48 dB at three metres.').waitFor()
    await tab('Overview')
    assert.match((await page.getByTestId('session-status').textContent()) ?? '', /Draft/)
    assert.match((await page.getByTestId('join-link').textContent()) ?? '', new RegExp(`^${service.url}/join/`))
    await page.getByRole('link', { name: 'Sessions' }).first().click()
    await page.locator('.talk-thumb img').first().waitFor()
    await holds(page, `document.querySelector('.talk-thumb img').naturalWidth > 0`)
    await page.getByRole('link', { name: 'Heat pumps in old houses' }).click()
    await page.getByTestId('join-link').waitFor()
  })

  test('slides show their text; private notes and a rewritten sentence are kept', async () => {
    await tab('Slides')
    await becomes(() => page.getByTestId('slide-thumb').count(), 3)
    await page.getByTestId('slide-thumb').nth(2).click()
    await page.getByRole('heading', { name: 'Slide 3 of 3' }).waitFor()
    await page.getByLabel('Notes').fill(secretNote)
    await page.getByRole('button', { name: 'Save slide' }).click()
    await page.getByText('Slide saved.').waitFor()
    await page.reload()
    await becomes(() => page.getByLabel('Notes').inputValue(), secretNote)
    await tab('Script')
    const said = page.getByLabel('What is said on slide 3', { exact: true })
    await said.fill('A whole system costs EUR 24,600.')
    await page.getByRole('button', { name: 'Save script' }).click()
    await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
    await page.reload()
    await becomes(() => said.inputValue(), 'A whole system costs EUR 24,600.')
  })

  test('publishing opens the link, and Undo closes it again', async () => {
    await tab('Overview')
    const link = (await page.getByTestId('join-link').getAttribute('href')) ?? ''
    assert.equal((await fetch(link)).status, 404)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.locator('[data-testid=session-status][data-status=published]').waitFor()
    const room = await fetch(link)
    assert.deepEqual([room.status, (await room.text()).includes('Voltwerk')], [200, false])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('[data-testid=session-status][data-status=draft]').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.locator('[data-testid=session-status][data-status=published]').waitFor()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.evaluate('window.ring()')
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  })

  test('where the server has no ffmpeg this page makes the film, which is kept, has a page and plays there', async () => {
    await tab('Share')
    await page.getByText('your browser makes the film').waitFor()
    await page.getByRole('button', { name: 'Make a film' }).click()
    const row = page.getByRole('list', { name: 'Recordings' }).getByRole('listitem')
    await row.getByRole('progressbar').waitFor()
    await row.getByRole('link', { name: 'Open' }).waitFor()
    await row.getByRole('button', { name: 'Make a page' }).click()
    const address = (await row.getByRole('link', { name: 'Its page' }).getAttribute('href')) ?? ''
    const replay = await context.newPage()
    await replay.goto(address)
    await holds(replay, "document.querySelector('video').readyState >= 2")
    assert.deepEqual(await replay.evaluate('[film.videoWidth, film.videoHeight, film.duration > 10]'), [1_280, 720, true])
    await becomes(() => replay.locator('.kept-slide').count(), 3)
    // Late in the talk the stage is in the picture, and no black.
    await replay.evaluate('film.currentTime = film.duration - 2')
    await holds(replay, '!film.seeking && film.readyState >= 2')
    const colour = await replay.evaluate(
      'const pen = new OffscreenCanvas(1, 1).getContext("2d"); pen.drawImage(film, 640, 300, 1, 1, 0, 0, 1, 1); pen.getImageData(0, 0, 1, 1).data[0] > 60',
    )
    assert.equal(colour, true)
    await replay.close()
    await row.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await tab('Overview')
  })

  test('a rehearsal opens in a tab of its own, counts nowhere, and tells its host what to mend', async () => {
    const [rehearsal] = await Promise.all([context.waitForEvent('page'), page.getByRole('button', { name: 'Rehearse' }).click()])
    await rehearsal.getByRole('button', { name: 'Start with captions only' }).click()
    await rehearsal.getByRole('button', { name: 'Leave' }).click()
    await rehearsal.getByRole('button', { name: 'Undo' }).waitFor()
    const asked = rehearsal.waitForResponse(/\/rehearsals\//)
    await rehearsal.evaluate('window.ring()')
    await holds(rehearsal, `fetch('${(await asked).url()}').then((r) => r.json()).then(({ status }) => status !== 'running')`)
    await holds(rehearsal, `(window.ring(), /of 100/.test(document.querySelector('[data-testid=rehearsal-report]')?.innerText))`)
    await rehearsal.getByRole('link', { name: 'Open the whole report' }).click()
    await rehearsal
      .getByRole('region', { name: 'Test run' })
      .getByText(/\d+ of 100/)
      .waitFor()
    await rehearsal.close()
  })

  test('a synthetic audience tries the talk and reports what to mend', async () => {
    await page.getByRole('button', { name: 'Test with an audience' }).click()
    await page.getByText(/\d+ of 100/).waitFor()
    const leaked = page.locator('.stat', { hasText: 'Notes leaked' })
    assert.match((await leaked.textContent()) ?? '', /None/)
  })

  test('the host follows a live talk, pauses it and moves it', async () => {
    const attendee = await join()
    assert.equal((await attendee.post('control', { action: 'start' })).status, 200)
    await tab('Live')
    await page.getByText('Presenting').first().waitFor()
    await page.locator('[data-testid=slide][data-count="3"]').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.getByLabel('Go to').selectOption('1')
    await page.locator('[data-testid=slide][data-index="2"]').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    for (const question of ['How loud is the outdoor unit?', 'Does it work on the moon?']) {
      assert.equal((await attendee.post('questions', { text: question, interrupt: true })).status, 200)
      await page.locator('[data-testid=question][data-status=answered]', { hasText: question }).waitFor()
    }
    await page.getByText('48 dB').first().waitFor()
    const lead = await attendee.post('lead', { email: 'owner@house.example', name: '=HYPERLINK("x")', consent: true })
    assert.equal(lead.status, 200)
    await page.getByRole('button', { name: 'End' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
    await page
      .getByText(/Last questions|Completed|The talk is over/)
      .first()
      .waitFor()
    attendee.leave()
  })

  test('the question is listed with the passage that answered it', async () => {
    await tab('Questions')
    const question = page.locator('[data-testid=question]', { hasText: 'How loud is the outdoor unit?' })
    // The live view, which is still shown for a moment, lists the question too, without its source.
    await question.getByTestId('citation').first().waitFor()
    await question.getByText('48 dB').waitFor()
    await question.getByText('How this answer came about').click()
    await question.getByText('Found in the content').waitFor()
  })

  test('what the deck does not say is added to the knowledge', async () => {
    const unknown = page.locator('[data-testid=question]', { hasText: 'moon' })
    await unknown.getByRole('button', { name: 'Add to background' }).click()
    await page.getByRole('dialog').getByLabel('Passage').fill('It needs air, so not on the moon.')
    await page.getByRole('dialog').getByRole('button', { name: 'Add to background' }).click()
    await tab('Background')
    await page.getByText('It needs air, so not on the moon.').waitFor()
    await page.getByText('The outdoor unit makes 48 dB at three metres.').waitFor()
  })

  test('the lead is listed and exported, with its formula disarmed', async () => {
    await tab('People')
    await page.getByRole('link', { name: 'owner@house.example' }).waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()])
    const csv = readFileSync(await file.path(), 'utf8')
    assert.match(csv, /owner@house\.example/)
    assert.match(csv, /"'=HYPERLINK/)
  })

  test('the figures count the talk and not the rehearsal', async () => {
    await tab('Analytics')
    const stat = async (name: string) => (await page.locator(`[data-testid=stat][data-name=${name}] .stat-value`).textContent()) ?? ''
    await becomes(() => stat('totalAttendees'), '1')
    await becomes(() => stat('questionsCount'), '2')
  })

  test('the run is kept with its transcript, to search and to download', async () => {
    await tab('Overview')
    await page.getByRole('region', { name: 'Runs of this session' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    await page.locator('[data-testid=line]', { hasText: 'How loud is the outdoor unit?' }).waitFor()
    await page.getByLabel('Search the transcript').fill('48 dB')
    await page.getByTestId('line').nth(2).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Download transcript' }).click()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Captions (.vtt)' }).click()])
    assert.match(readFileSync(await file.path(), 'utf8'), /^WEBVTT/)
  })

  test('a key made here works at once, and is refused after it was revoked', async () => {
    await page.goto(`${service.url}/dashboard/settings`)
    await page.getByRole('button', { name: 'Create key' }).first().click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('CI')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const key = (await page.getByTestId('secret').textContent()) ?? ''
    const list = () => fetch(`${service.url}/api/v1/agent/sessions`, { headers: { Authorization: `Bearer ${key}` } })
    assert.equal((await list()).status, 200)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Revoke CI' }).click()
    await page.getByLabel('Type its name').fill('CI')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No keys yet').waitFor()
    assert.equal((await list()).status, 401)
  })

  test('an endpoint is added, hears a signed test event, and its log shows the delivery', async () => {
    await page.goto(`${service.url}/dashboard/webhooks`)
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByLabel('Endpoint URL').fill(receiver.url)
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
    const secret = (await page.getByTestId('secret').textContent()) ?? ''
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByTestId('endpoint').getByRole('link').click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    const { headers, body } = await receiver.received
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const expected = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
      .update(signed)
      .digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${expected}`)
    await page.locator('[data-testid=delivery][data-status=succeeded]').getByRole('link').click()
    await page.locator('[data-testid=attempt][data-outcome=succeeded]').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  })

  test('the rest of the dashboard opens without a fault', async () => {
    for (const path of [
      '/dashboard/leads',
      '/dashboard/analytics',
      '/dashboard/webhooks',
      '/dashboard/agents',
      '/dashboard/settings/account',
      '/dashboard/settings/members',
      '/dashboard/settings/usage',
      `${sessionPath}/share`,
    ]) {
      await page.goto(`${service.url}${path}`)
      await settled(page)
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, path)
    }
    assert.deepEqual(faults, [])
  })

  test('a session is deleted after its title was typed, and signing out ends the visit', async () => {
    await page.goto(`${service.url}${sessionPath}/settings`)
    await page.getByRole('button', { name: 'Delete session' }).click()
    await page.getByLabel('Type its title').fill('Heat pumps in old houses')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete session' }).click()
    await page.getByText('No sessions yet').waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(/\/dashboard\/sign-in/)
    await page.goto(`${service.url}/dashboard`)
    await page.waitForURL(/\/dashboard\/sign-in/)
  })
})
