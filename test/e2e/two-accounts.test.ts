// A lead between two accounts, on the real service: somebody leaves their details in the room, a stranger sends others for the same
// address, and the host sees both for what they are.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { assertAccessible, becomes, chromiumPath, holds, launchBrowser, settled, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'

const address = 'maya@acme.example'

describe('a lead, and a stranger who sends others for its address', { skip }, () => {
  let service: Service
  let browser: Browser
  let host: Page
  let maya: Page
  let key = ''
  let strangersToken = ''
  let session = { sessionId: '', shareLink: '' }

  const visitor = async (): Promise<{ context: BrowserContext; page: Page }> => {
    const view = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } } as const
    const context = await browser.newContext({ ...view, bypassCSP: true })
    return { context, page: await context.newPage() }
  }
  const post = async (path: string, body: object, token?: string) => {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const rowOf = (name: string) => host.getByRole('row').filter({ hasText: name })

  before(async () => {
    ;[service, browser] = await Promise.all([startService({ env: { ROSTRUM_SPEECH_WPM: '80' } }), launchBrowser()])
    host = (await visitor()).page
    maya = (await visitor()).page
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  test('the host sets up and publishes a talk whose offer comes with interest', async () => {
    await host.goto(service.setupUrl ?? '')
    await host.getByLabel('Name', { exact: true }).fill('Hana Host')
    await host.getByLabel('Email').fill('hana@acme.example')
    await host.getByLabel('Password').fill('ladder canoe violet 29')
    await host.getByLabel('Account name').fill('Acme Heat')
    await host.getByRole('button', { name: 'Create owner' }).click()
    await host.waitForURL(/\/dashboard/)
    await host.goto(`${service.url}/dashboard/settings`)
    await host.getByRole('button', { name: 'Create key' }).first().click()
    await host.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Walk')
    await host.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    key = (await host.getByTestId('secret').textContent()) ?? ''
    const lines = Array.from({ length: 12 }, (_, n) => `- Point ${n + 1} is said slowly, so that there is time to ask`)
    const talk = {
      title: 'Heat pumps in old houses',
      isLive: true,
      slides: [{ textContent: ['Heat pumps in old houses', ...lines].join('\n') }],
      ctaText: 'Book a visit',
      ctaUrl: `${service.url}/docs`,
      ctaRules: ['intent'],
    }
    const made = await post('/api/v1/agent/sessions', talk, key)
    assert.equal(made.status, 200)
    session = made.body as unknown as typeof session
  })

  test('somebody gives a name at the door, says what they want, and leaves their address', async () => {
    await maya.goto(`${session.shareLink}?lang=en`)
    await maya.waitForSelector('html[data-ready]')
    await maya.getByLabel(/name/i).first().fill('Maya Okafor')
    await maya.getByRole('button', { name: 'Start with captions only' }).click()
    await maya.waitForSelector('main[data-state=presenting]')
    await maya.getByLabel('Ask a question', { exact: true }).fill('I want to buy this, where do I sign up?')
    await maya.keyboard.press('Enter')
    await maya.getByText('The link on your screen is the way to do that: "Book a visit".').first().waitFor()
    await maya.getByTestId('cta').first().waitFor()
    await maya.getByRole('button', { name: 'More' }).click()
    await maya.getByRole('menuitem', { name: 'Leave your details' }).click()
    const dialog = maya.getByRole('dialog', { name: 'Contact details' })
    await dialog.getByLabel('Email').fill(address)
    await dialog.getByTestId('consent').check()
    await dialog.getByRole('button', { name: 'Send details' }).click()
    await dialog.getByText('Sent. The host has your details.').waitFor()
    await maya.keyboard.press('Escape')
  })

  test('a stranger sends other details for the address, and hears what everybody hears', async () => {
    const registered = await post('/api/v1/auth/register', { client_name: 'Stranger', identity_type: 'anonymous' })
    strangersToken = String(registered.body['access_token'])
    const forged = { sessionId: session.sessionId, name: 'Mallory', company: 'Elsewhere Ltd', phone: '+1 900 555 000' }
    const known = await post('/api/v1/pap/leads', { ...forged, email: address.toUpperCase() }, strangersToken)
    const unknown = await post('/api/v1/pap/leads', { ...forged, email: 'nobody@acme.example' }, strangersToken)
    const { leadId: first, ...said } = known.body
    const { leadId: second, ...same } = unknown.body
    assert.deepEqual([known.status, said], [unknown.status, same])
    assert.deepEqual(Object.keys(said).toSorted(), ['message', 'success'])
    assert.notEqual(first, second)
    const asked = { sessionId: session.sessionId, message: 'Does it work on the moon?', attendeeName: 'Noor Haddad' }
    assert.equal((await post('/api/v1/pap/query', asked, strangersToken)).body['outcome'], 'unknown')
  })

  test('a click on the offer comes after the details', async () => {
    const [offer] = await Promise.all([maya.context().waitForEvent('page'), maya.getByTestId('cta').getByRole('link').first().click()])
    await offer.close()
    await host.goto(`${service.url}/dashboard/sessions/${session.sessionId}/leads`)
    await becomes(async () => {
      await host.reload()
      await settled(host)
      return rowOf('Maya Okafor').getByText('Clicked').count()
    }, 1)
  })

  test('the host sees the lead as it was given, and the other entry as that of somebody else', async () => {
    const own = await rowOf('Maya Okafor').innerText()
    assert.match(own, /maya@acme\.example/)
    assert.doesNotMatch(own, /Elsewhere|Mallory|somebody else/)
    const forged = rowOf('Sent by somebody else')
    assert.match(await forged.innerText(), /Mallory[^]+Sent by somebody else for the same address\. The earlier entry is unchanged\./)
    assert.equal(await host.getByTestId('lead-repeat').count(), 1)
    const [file] = await Promise.all([host.waitForEvent('download'), host.getByRole('button', { name: 'Export CSV' }).click()])
    const [head = '', ...rows] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    const fromEnd = head.split(',').indexOf('"repeatOf"') - head.split(',').length
    const first = rows.find((row) => row.includes('Maya Okafor'))?.split(',')[0] ?? ''
    assert.deepEqual(
      rows.map((row) => row.split(',').at(fromEnd)).toSorted((a = '', b = '') => a.localeCompare(b)),
      ['""', '""', first],
    )
    await assertAccessible(host, 'leads')
    await host.setViewportSize({ width: 1280, height: 900 })
  })

  test('the question of the stranger’s agent is among those left open, the wish to buy is not', async () => {
    await host.goto(`${service.url}/dashboard/sessions/${session.sessionId}/questions?show=open`)
    const asked = host.getByTestId('question')
    await asked.filter({ hasText: 'Does it work on the moon?' }).getByText('through a personal agent').waitFor()
    await asked.getByText('Noor Haddad').waitFor()
    assert.equal(await asked.count(), 1)
    await host.goto(`${service.url}/dashboard/sessions/${session.sessionId}/analytics`)
    await becomes(() => host.locator('[data-testid=stat][data-name=questionsCount] .stat-value').textContent(), '2')
  })

  test('the forged entry is erased alone', async () => {
    await host.goto(`${service.url}/dashboard/leads`)
    await rowOf('Sent by somebody else').getByRole('link', { name: 'Mallory' }).click()
    await host.getByRole('button', { name: `Erase ${address.toUpperCase()}`, exact: true }).click()
    await host.getByRole('checkbox', { name: 'Only this entry' }).check()
    await host.getByLabel('Type the email address').fill(address.toUpperCase())
    await host.getByRole('button', { name: 'Erase', exact: true }).click()
    await holds(host, "document.querySelectorAll('tbody tr').length === 2")
    assert.match(await rowOf('Maya Okafor').innerText(), /maya@acme\.example/)
  })
})
