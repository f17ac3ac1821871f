// Takes the pictures of /docs anew: `node scripts/docs-pictures.ts`, on the real service, of the small talk that all pictures show.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { joinRoom } from '../test/e2e/attendee.ts'
import { launchBrowser, settled, startService } from '../test/e2e/rig.ts'
import { asWebp, ownerPage, sameLetters, talk } from './sample-talk.ts'

const out = join(import.meta.dirname, '../server/docs/pictures')
const wide = 1_280
const desktop = { width: 1_280, height: 800 }
const asked = ['What does a kWh cost?', 'When does it pay back?', 'How long does the permit take?', 'Do you recycle old cells?']

const browser = await launchBrowser()
const service = await startService({ env: { ROSTRUM_SPEECH_WPM: '110', ROSTRUM_RATE_JOIN: '1000/1m' } })

async function keep(name: string, page: Page): Promise<void> {
  await page.addStyleTag({ content: sameLetters })
  // Until what slides in stands still.
  await page.waitForTimeout(1_500)
  const bytes = await asWebp(await page.screenshot(), wide)
  await writeFile(join(out, `${name}.webp`), bytes)
  console.log(name, bytes.length)
}

try {
  const look = { viewport: desktop, locale: 'en-GB', bypassCSP: true }
  const host = await ownerPage(await browser.newContext(look), service)
  const screen = async (name: string, path: string) => {
    await host.goto(`${service.url}/dashboard${path}`)
    await settled(host)
    await keep(name, host)
  }
  await screen('new', '/sessions/new')
  const { sessionId, slug } = await talk(browser, service)
  for (const [at, text] of asked.entries()) {
    const attendee = await joinRoom(service.url, slug)
    await attendee.post('questions', { text })
    if (at === 0) await attendee.post('lead', { name: 'Maya Lin', email: 'maya@example.com', company: 'Harbour Foods', consent: true })
    attendee.leave()
  }
  await screen('script', `/sessions/${sessionId}/script`)
  await screen('talk', `/sessions/${sessionId}`)
  await screen('people', `/sessions/${sessionId}/people`)
  await screen('agents', '/agents')

  const attend = async (viewport: { width: number; height: number }) => {
    const page = await (await browser.newContext({ ...look, viewport })).newPage()
    await page.goto(`${service.url}/join/${slug}?lang=en`)
    await page.waitForSelector('html[data-ready]')
    return page
  }
  const room = await attend(desktop)
  await room.getByRole('button', { name: 'Start with captions only' }).click()
  await room.waitForSelector('main[data-state=presenting]')
  await room.getByRole('button', { name: 'Next slide' }).click()
  await room.getByTestId('caption').filter({ hasText: 'Demand' }).waitFor()
  await room.getByLabel('Ask a question', { exact: true }).fill(asked[0] ?? '')
  await room.keyboard.press('Enter')
  await room.getByTestId('cited').waitFor()
  await keep('room', room)
} finally {
  await service.close()
  await browser.close()
}
