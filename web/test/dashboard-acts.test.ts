// Every act of the dashboard in a real browser, over the fake API: it does what it says, says what it did, and can be taken back
// or asks for the name.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { becomes, chromiumPath, settled } from '../../test/e2e/rig.ts'
import type { DashboardBrowser } from './dashboard-browser.ts'
import { openDashboard } from './dashboard-browser.ts'
import { draftId, sessionId } from './fake-data.ts'

const own = `/dashboard/sessions/${sessionId}`

describe('the acts of the dashboard', { skip: chromiumPath() === undefined && 'no Chromium is installed' }, () => {
  let dashboard: DashboardBrowser

  before(async () => {
    dashboard = await openDashboard()
  })
  after(() => dashboard?.close())

  test('the presenter gets a name and a portrait, seen as the room shows them, and loses both', async () => {
    await dashboard.onPage(`${own}/settings`, async (page) => {
      const preview = page.getByTestId('presenter-preview')
      assert.match(await preview.innerText(), /Automated presenter/)
      const sent: unknown[] = []
      page.on('request', (request) => {
        if (request.method() === 'PATCH') sent.push(request.postDataJSON())
      })
      await page.getByLabel('Name of the presenter').fill('Nora Kessler')
      assert.match(await preview.innerText(), /NK\s+Nora Kessler\s+automated/)
      await page.getByRole('button', { name: 'Save presenter' }).click()
      await page.getByText('Presenter saved.').waitFor()
      const picture = { name: 'nora.png', mimeType: 'image/png', buffer: Buffer.from('a picture') }
      await page.getByLabel('Portrait').setInputFiles(picture)
      await preview.locator('img').waitFor()
      await page.getByRole('button', { name: 'Remove the portrait' }).click()
      await preview.locator('img').waitFor({ state: 'detached' })
      await page.getByLabel('Name of the presenter').fill('')
      await page.getByRole('button', { name: 'Save presenter' }).click()
      await becomes(async () => JSON.stringify(sent), JSON.stringify([{ presenterName: 'Nora Kessler' }, { presenterName: null }]))
    })
  })

  test('a session is deleted only after its title was typed', async () => {
    await dashboard.onPage(`/dashboard/sessions/${draftId}/settings`, async (page) => {
      await page.getByRole('button', { name: 'Delete session' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Delete session' }).click()
      await dialog.getByText('Type "Onboarding for partners" to go on.').waitFor()
      await dialog.getByLabel('Type its title').fill('Onboarding for partners')
      await dialog.getByRole('button', { name: 'Delete session' }).click()
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor()
      await settled(page)
      await page.getByRole('link', { name: 'Onboarding for partners' }).waitFor({ state: 'detached' })
    })
  })

  test('documents become passages, and the screen shows them', async () => {
    await dashboard.onPage(`${own}/knowledge`, async (page) => {
      await page.getByRole('button', { name: 'Add from files' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Documents').setInputFiles({ name: 'sheet.txt', mimeType: 'text/plain', buffer: Buffer.from('48 dB') })
      await dialog.getByRole('button', { name: 'Add from files' }).click()
      await page.getByText('1 passage added.').waitFor()
      await page.getByRole('heading', { name: 'Data sheet, page 1' }).waitFor()
    })
  })

  test('what the host answered becomes knowledge with one press', async () => {
    await dashboard.onPage(own, async (page) => {
      const asked = { questionId: 'q1', runId: 'r1', by: { attendeeId: 'a', name: 'Maya' }, status: 'answered', slideIndex: 0, votes: 0 }
      const answered = { text: 'Who insures this?', answer: 'We insure it ourselves.', outcome: 'answered', mode: 'human', citations: [] }
      const question = { ...asked, ...answered, askedAt: '2026-11-20T09:00:00Z' }
      await page.route('**/questions?*', (route) => route.fulfill({ json: { questions: [question], count: 1 } }))
      await page.reload()
      await settled(page)
      await page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name: 'Questions' }).click()
      await page.getByRole('button', { name: 'Add to background: Who insures this?' }).click()
      await page.getByText('Added to the background.').waitFor()
      await page.getByRole('link', { name: 'Background' }).click()
      await page.getByRole('heading', { name: 'Who insures this?' }).waitFor()
      await page.getByText('We insure it ourselves.').waitFor()
    })
  })

  test('a trial before a synthetic audience says what to mend', async () => {
    await dashboard.onPage(own, async (page) => {
      await page.getByRole('button', { name: 'Test with an audience' }).click()
      await page.getByText('82 of 100').waitFor()
      const why = page.getByTestId('slide-reasons')
      assert.deepEqual(await why.getByRole('link').allTextContents(), ['Slide 4', 'Slide 6'])
      await why.nth(1).getByText('How long does it take to build?').waitFor()
      assert.match((await why.first().getByRole('link').getAttribute('href')) ?? '', /\/script\?slide=4$/)
      await page.getByText('Slide 5 has no text').waitFor()
      await page.getByRole('button', { name: 'Add to background' }).waitFor()
    })
  })

  test('notes are read out only when their host says so, and can be made private again', async () => {
    await dashboard.onPage(`${own}/slides?slide=4`, async (page) => {
      const notes = page.getByTestId('read-notes')
      await notes.getByText('5 words of notes. They are private.').waitFor()
      await notes.getByText('Do not name the supplier.').waitFor()
      await notes.getByRole('button', { name: 'Read my notes out' }).click()
      await notes.getByText('The presenter says your notes: 5 words, public in the room.').waitFor()
      await notes.getByRole('button', { name: 'Make my notes private again' }).click()
      await notes.getByRole('button', { name: 'Read my notes out' }).waitFor()
    })
  })

  test('what is said is written where it stands, and sent with the tag of what was read', async () => {
    await dashboard.onPage(`${own}/script?slide=4`, async (page) => {
      await becomes(() => page.getByTestId('slide-thumb').count(), 7)
      const area = page.getByLabel('What is said on slide 4', { exact: true })
      const text = (await area.inputValue()).replace('Down from EUR 690 in 2021.', 'It was EUR 690 five years ago.')
      await area.fill(text)
      const sent = page.waitForRequest((request) => request.method() === 'PUT' && request.url().endsWith('/script'))
      await page.getByRole('button', { name: 'Save script' }).click()
      const { slides } = (await sent).postDataJSON() as { slides: { sentences: { text: string; beatId?: string }[] }[] }
      assert.equal(slides.length, 7)
      const written = slides[3]?.sentences.find((sentence) => sentence.text === 'It was EUR 690 five years ago.')
      // In the place of another it keeps what that rested on.
      assert.ok(written?.beatId !== undefined)
      assert.notEqual((await sent).headers()['if-match'], undefined)
      await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
    })
  })

  test('a slide moves by button, and a deleted one comes back by Undo', async () => {
    await dashboard.onPage(`${own}/slides?slide=2`, async (page) => {
      await page.getByRole('button', { name: 'Move later' }).click()
      await page.getByRole('heading', { name: 'Slide 3 of 7' }).waitFor()
      await page.getByRole('link', { name: /^Slide 3 .*The evening peak/ }).waitFor()
      await page.getByRole('button', { name: 'Delete slide' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=slide-thumb]').length === 6)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=slide-thumb]').length === 7)
    })
  })

  test('what is typed stays while the page redraws', async () => {
    await dashboard.onPage(`${own}/settings`, async (page) => {
      await page.getByLabel('Consent text').pressSequentially(' Twice.')
      await page.getByText('Not saved yet').waitFor()
      assert.match(await page.getByLabel('Consent text').inputValue(), /Twice\./)
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Changes saved.').waitFor()
      await page.reload()
      await settled(page)
      await becomes(async () => /Twice\./.test(await page.getByLabel('Consent text').inputValue()), true)
    })
  })

  test('the ceiling of minutes shows what was used, is saved, and an empty field takes it away', async () => {
    await dashboard.onPage(`${own}/settings`, async (page) => {
      const field = page.getByLabel('Minutes of talk, at most')
      assert.equal(await field.inputValue(), '1200')
      await page.getByText('Used so far: 428.').waitFor()
      for (const [written, kept] of [
        ['60', '60'],
        ['', ''],
      ] as const) {
        await field.fill(written)
        await page.getByRole('button', { name: 'Save changes' }).click()
        await page.getByText('Not saved yet').waitFor({ state: 'detached' })
        await page.reload()
        await settled(page)
        await becomes(() => field.inputValue(), kept)
      }
    })
  })

  test('an unanswered question becomes a passage of knowledge', async () => {
    await dashboard.onPage(`${own}/knowledge`, async (page) => {
      await page.getByRole('button', { name: 'Add to background' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Passage').fill('The lids are heated: ice slides off.')
      await dialog.getByRole('button', { name: 'Add to background' }).click()
      await page.getByRole('heading', { name: 'What about ice on the containers?' }).waitFor()
      await page.getByRole('button', { name: 'Delete: What about ice on the containers?' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('heading', { name: 'What about ice on the containers?' }).waitFor()
    })
  })

  test('the host steers the talk and the queue from the live tab', async () => {
    await dashboard.onPage(`${own}/live`, async (page) => {
      await page.locator('[data-testid=slide][data-index="4"]').waitFor()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.locator('[data-testid=slide][data-index="5"]').waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByLabel('Go to').selectOption('0')
      await page.locator('[data-testid=slide][data-index="1"]').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.waitForFunction(() => document.querySelector('[data-testid=question][data-status=pending]') === null)
      await page.getByRole('button', { name: 'Take over' }).click()
      await page.getByRole('button', { name: 'Hand back' }).click()
      await page.getByRole('button', { name: 'End' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
      await page.getByText('Last questions').waitFor()
    })
  })

  test('an exported file holds what the search shows', async () => {
    await dashboard.onPage(`${own}/leads`, async (page) => {
      await page.getByLabel('Search people').fill('maya')
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=person]').length === 1)
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export CSV' }).click()])
      const text = readFileSync(await file.path(), 'utf8')
      assert.match(text, /maya@acme\.example/)
      assert.doesNotMatch(text, /tom\.lindqvist/)
      await page.getByLabel('Search people').fill('nobody')
      await page.getByText('Nobody matches.').waitFor()
      await becomes(() => page.getByRole('button', { name: 'Export CSV' }).isDisabled(), true)
    })
  })

  test('beside a live talk its host has what comes next, the private notes, the time, and one press to join two questions', async () => {
    await dashboard.onPage(`${own}/live`, async (page) => {
      await page.getByText('Private notes').waitFor()
      await page.getByRole('timer').waitFor()
      const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/host'))
      await page
        .getByRole('button', { name: /^Join with another/ })
        .first()
        .click()
      await page.getByRole('menuitem').first().click()
      assert.equal(((await sent).postDataJSON() as { action: string }).action, 'merge_question')
    })
  })

  test('one person is one timeline; what the host notes and how far they have come is kept', async () => {
    await dashboard.onPage(`${own}/people?show=all`, async (page) => {
      await becomes(() => page.getByTestId('person').count(), 4)
      await page.getByRole('link', { name: 'Maya Okafor' }).click()
      const sheet = page.getByRole('dialog')
      await becomes(
        async () => (await sheet.locator('.moment').allTextContents()).map((text) => text.split(/\d/)[0]),
        ['Joined Grid storage in ', 'Asked: What about ice on the containers?', 'Left details', 'Watched '],
      )
      const sent = page.waitForRequest((request) => request.method() === 'PATCH')
      await sheet.getByLabel('Status').selectOption('contacted')
      assert.deepEqual((await sent).postDataJSON(), { followUp: 'contacted' })
      await sheet.getByLabel('Your note').fill('Wants a visit.')
      const noted = page.waitForRequest((request) => request.method() === 'PATCH')
      await sheet.getByRole('button', { name: 'Close' }).click()
      assert.deepEqual((await noted).postDataJSON(), { hostNote: 'Wants a visit.' })
      await page.getByRole('row').filter({ hasText: 'Maya Okafor' }).getByText('Contacted').waitFor()
      await page.getByLabel('Status').selectOption('contacted')
      await becomes(() => page.getByTestId('person').count(), 1)
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('To call again')
      await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
      await page.getByLabel('Status').selectOption('')
      await page.getByRole('link', { name: 'To call again' }).waitFor()
      await page.evaluate(() => localStorage.clear())
      await page.reload()
      await settled(page)
      await page.getByRole('link', { name: 'To call again' }).click()
      await becomes(() => page.getByTestId('person').count(), 1)
    })
  })

  test('a lead is erased after its address was typed', async () => {
    await dashboard.onPage('/dashboard/leads', async (page) => {
      await page.getByRole('link', { name: 'Maya Okafor' }).click()
      await page.getByRole('button', { name: 'Erase maya@acme.example' }).click()
      await page.getByLabel('Type the email address').fill('maya@acme.example')
      await page.getByRole('button', { name: 'Erase', exact: true }).click()
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
    })
  })

  test('of two entries for one address the one that somebody else sent is marked, and erased alone or with the other', async () => {
    await dashboard.onPage('/dashboard/leads', async (page) => {
      const forged = page.getByRole('row').filter({ hasText: 'Mallory' })
      await forged.getByText('Sent by somebody else for the same address.').waitFor()
      assert.equal(await page.getByTestId('lead-repeat').count(), 1)
      await page.getByRole('link', { name: 'Mallory' }).click()
      await page.getByRole('button', { name: 'Erase Tom.Lindqvist' }).click()
      await page.getByText('Otherwise all 2 entries for this address are erased.').waitFor()
      await page.getByRole('checkbox', { name: 'Only this entry' }).check()
      await page.getByLabel('Type the email address').fill('Tom.Lindqvist@kommun.example')
      await page.getByRole('button', { name: 'Erase', exact: true }).click()
      await forged.waitFor({ state: 'detached' })
      await becomes(() => page.getByText('tom.lindqvist@kommun.example').count(), 1)
    })
  })

  test('a question of a personal agent is listed as one, with the name given', async () => {
    await dashboard.onPage(`${own}/questions?show=open`, async (page) => {
      const asked = page.getByTestId('question').filter({ hasText: 'Does the price include the grid connection?' })
      await asked.getByText('Noor Haddad').waitFor()
      await asked.getByText('through a personal agent').waitFor()
    })
  })

  test('a key is shown once: gone after closing, in no address, no storage', async () => {
    await dashboard.onPage('/dashboard/settings', async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('CI')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      const secret = (await page.getByTestId('secret').textContent()) ?? ''
      assert.match(secret, /^rst_live_/)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByText('Nothing was copied yet.').waitFor()
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.getByRole('rowheader', { name: 'CI' }).waitFor()
      const kept = await page.evaluate(() =>
        [document.documentElement.outerHTML, location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join(' '),
      )
      assert.equal(kept.includes(secret), false)
      await page.getByRole('button', { name: 'Revoke CI' }).click()
      await page.getByLabel('Type its name').fill('CI')
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
    })
  })

  test('an endpoint is added with its secret shown once, tested, rotated and switched off and on', async () => {
    await dashboard.onPage('/dashboard/webhooks', async (page) => {
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByLabel('Endpoint URL').fill('https://new.acme.example/hook')
      await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
      assert.match((await page.getByTestId('secret').textContent()) ?? '', /^whsec_/)
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=endpoint]').length === 3)
      await page.getByRole('link', { name: 'https://hooks.acme.example/rostrum' }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('The endpoint did not take the test event. It is sent again later.').waitFor()
      await page.locator('[data-testid=delivery][data-status=retry_scheduled]').getByRole('link').click()
      await page.locator('[data-testid=attempt][data-outcome=failed]').first().waitFor()
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('Sent again.').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Endpoint disabled.').waitFor({ state: 'detached' })
    })
  })

  test('figures carry their wire names, their data as a table, and no percentages for few people', async () => {
    await dashboard.onPage(`${own}/analytics`, async (page) => {
      assert.match((await page.locator('[data-testid=stat][data-name=totalAttendees]').textContent()) ?? '', /40/)
      assert.match((await page.locator('[data-testid=stat][data-name=averageEngagementSec]').textContent()) ?? '', /7 min 12 s/)
      await page.getByText('Show data').first().click()
      await page.getByRole('columnheader', { name: 'People' }).first().waitFor()
    })
  })
})
