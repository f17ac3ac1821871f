// The pages of people in a real browser: set-up, claim, code and consent with the keyboard alone, in both themes and two widths,
// checked by axe, without a word on the console. `ROSTRUM_TEST_SCREENSHOTS` names a folder that receives a picture of each.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { eventually } from '../support/clock.ts'
import type { SmtpServer } from '../support/smtp-server.ts'
import { linkIn, openSmtpServer } from '../support/smtp-server.ts'
import { axeViolations, chromiumPath, launchBrowser, rulesOfColour, settled, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'
const folder = process.env['ROSTRUM_TEST_SCREENSHOTS']
const looks = (['light', 'dark'] as const).flatMap((colorScheme) => [390, 1280].map((width) => ({ colorScheme, width })))
const password = 'ladder canoe violet 29'

describe('the pages of people', { skip, concurrency: false }, () => {
  let service: Service
  let smtp: SmtpServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const faults: string[] = []

  before(async () => {
    smtp = await openSmtpServer()
    const env = { ROSTRUM_RATE_REGISTER: '100/1h', ROSTRUM_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` }
    ;[service, browser] = await Promise.all([startService({ env }), launchBrowser()])
    // Only axe needs the policy off; what the policy stops is looked at in a page of its own.
    context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', bypassCSP: true })
    page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && faults.push(`${message.text()} ${page.url()}`))
    page.on('pageerror', (error) => faults.push(error.message))
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await smtp?.close()
  })

  /** Light and dark, narrow and wide: no violation, nothing beside the window. */
  async function look(name: string): Promise<void> {
    for (const { colorScheme, width } of looks) {
      const where = `${name}-${colorScheme}-${width}`
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      assert.deepEqual(await axeViolations(page, colorScheme === 'dark' ? rulesOfColour : undefined), [], where)
      const overflow: number = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      assert.equal(overflow, 0, `${where} scrolls sideways`)
      if (folder !== undefined) await page.screenshot({ path: join(folder, `${where}.png`), fullPage: true })
    }
  }

  /** Presses Tab until the control with this text or name has the focus, which must be visible. */
  async function tabTo(wanted: string): Promise<void> {
    for (let step = 0; step < 20; step++) {
      const focused: string = await page.evaluate('document.activeElement.innerText || document.activeElement.name || ""')
      if (focused.trim() === wanted) {
        const ring: string = await page.evaluate(
          '(({ outlineStyle, boxShadow }) => outlineStyle + boxShadow)(getComputedStyle(document.activeElement))',
        )
        assert.notEqual(ring, 'nonenone', `the focus on ${wanted} cannot be seen`)
        return
      }
      await page.keyboard.press('Tab')
    }
    assert.fail(`Tab does not reach ${wanted}`)
  }

  /** Whether Enter sends the form from where the focus is; the page stays. */
  async function isSentByEnter(): Promise<boolean> {
    await page.evaluate('navigation.onnavigate = (event) => { event.preventDefault(); navigation.isTried = true }; 0')
    await page.keyboard.press('Enter')
    // A form is sent in a task of its own.
    const turn = 'new Promise((resolve) => setTimeout(() => setTimeout(resolve)))'
    return page.evaluate(`${turn}.then(() => { navigation.onnavigate = null; return navigation.isTried === true })`)
  }

  /** On the dashboard, which has all that it asked for: the next test takes the page elsewhere. */
  async function landed(): Promise<void> {
    await page.waitForURL(/\/dashboard$/)
    await settled(page)
  }

  const agent = async () => {
    const answer = await fetch(`${service.url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Sales Copilot', identity_type: 'anonymous' }),
    })
    return (await answer.json()) as { access_token: string; claim_uri: string }
  }

  test('set-up, by keyboard', async () => {
    await page.goto(service.setupUrl ?? '')
    await look('setup')
    for (const [name, value] of [
      ['name', 'Maya Okafor'],
      ['email', 'maya@acme.example'],
      ['password', password],
      ['accountName', 'Acme Heat'],
    ] as const) {
      await tabTo(name)
      await page.keyboard.type(value)
    }
    await tabTo('Create owner')
    await page.keyboard.press('Enter')
    await landed()
  })

  test('a claim, by keyboard: the refusal comes first, the other button gives a code that binds the agent', async () => {
    const refused = await agent()
    await page.goto(refused.claim_uri)
    await look('claim')
    await tabTo('Not mine, refuse')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Refused' }).waitFor()
    await look('refused')
    const bound = await agent()
    await page.goto(bound.claim_uri)
    await tabTo('Claim agent')
    await page.keyboard.press('Enter')
    const code = await page.locator('#claim-code').innerText()
    await look('code')
    const answer = await fetch(`${service.url}/api/v1/auth/claim`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bound.access_token}` },
      body: JSON.stringify({ claim_id: code }),
    })
    assert.equal(answer.status, 200)
  })

  test('a consent, by keyboard: the browser reaches the client with a code', async () => {
    // The client answers, so that the page has arrived before the next test takes it elsewhere.
    const client = createServer((_request, response) => void response.end('Thank you.')).listen(0, '127.0.0.1')
    await once(client, 'listening')
    client.unref()
    const redirect = `http://127.0.0.1:${String(Reflect.get(client.address() ?? {}, 'port'))}/callback`
    const registered = await fetch(`${service.url}/oauth2/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'Connector', redirect_uris: [redirect] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: redirect,
      code_challenge: createHash('sha256').update('a-verifier-of-at-least-forty-three-characters').digest('base64url'),
      code_challenge_method: 'S256',
      scope: 'sessions:read sessions:write leads:read',
      state: 'xyz',
    })
    await page.goto(`${service.url}/oauth2/authorize?${parameters.toString()}`)
    await look('consent')
    for (const field of ['scope', 'Acme Heat']) {
      await tabTo(field)
      assert.equal(await isSentByEnter(), false, `Enter in ${field} sends a decision`)
    }
    await tabTo('Allow')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${redirect}?*`)
    const answer = new URL(page.url())
    assert.ok(answer.searchParams.get('code'))
    assert.equal(answer.searchParams.get('iss'), service.url)
  })

  /** Fills fields by name and presses the button, with the keyboard alone. */
  async function fillIn(fields: Readonly<Record<string, string>>, button: string): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      await tabTo(name)
      await page.keyboard.type(value)
    }
    await tabTo(button)
    await page.keyboard.press('Enter')
  }

  async function mailedLink(): Promise<string> {
    await eventually(async () => smtp.mails.length > 0)
    return linkIn(smtp.mails.shift() ?? { text: '' }).href
  }

  /** An act of the dashboard, with the sign-in of the page. */
  const act = (path: string, body: object) =>
    page.evaluate(
      async ([to, sent]) => {
        const { csrf } = (await (await fetch('/api/v1/account')).json()) as { csrf: string }
        const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf }
        return (await fetch(to, { method: 'POST', headers, body: sent })).status
      },
      [path, JSON.stringify(body)] as const,
    )

  test('a forgotten password, by keyboard: from the sign-in over the mail to a new sign-in', async () => {
    await context.clearCookies()
    await page.goto(`${service.url}/dashboard/sign-in`)
    await look('sign-in')
    await tabTo('Forgotten your password?')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Forgotten your password?' }).waitFor()
    await look('recover')
    await fillIn({ email: 'maya@acme.example' }, 'Send link')
    await page.getByRole('heading', { name: 'Look at your mail' }).waitFor()
    await look('recover-sent')
    const link = await mailedLink()
    await page.goto(link)
    await look('reset')
    await fillIn({ password: 'ladder canoe orange 31' }, 'Change password')
    await page.getByRole('heading', { name: 'Password changed' }).waitFor()
    await look('reset-done')
    await page.goto(link)
    await look('gone')
    await page.goto(`${service.url}/dashboard/sign-in`)
    await fillIn({ email: 'maya@acme.example', password: 'not the password at all' }, 'Sign in')
    await page.getByRole('alert').waitFor()
    await look('sign-in-refused')
    await fillIn({ password: 'ladder canoe orange 31' }, 'Sign in')
    await landed()
  })

  test('an invitation and a new address, by keyboard, each over its mail', async () => {
    assert.equal(await act('/api/v1/account/invitations', { email: 'ben@acme.example' }), 201)
    await context.clearCookies()
    await page.goto(await mailedLink())
    await look('invite')
    await fillIn({ name: 'Ben Adeyemi', password: 'an orange paper boat' }, 'Join')
    await landed()
    assert.equal(await act('/api/v1/account/email', { email: 'adeyemi@acme.example' }), 202)
    await page.goto(await mailedLink())
    await look('verify')
    await tabTo('Confirm address')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Address confirmed' }).waitFor()
    await look('verified')
  })

  test('the policy stops nothing that the pages use, and the console stays silent', async () => {
    const strict = await browser.newContext({ storageState: await context.storageState() })
    const strictPage = await strict.newPage()
    strictPage.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`))
    for (const address of [
      (await agent()).claim_uri,
      `${service.url}/dashboard/sign-in`,
      `${service.url}/setup/gone`,
      `${service.url}/claim/gone`,
    ]) {
      await strictPage.goto(address, { waitUntil: 'networkidle' })
    }
    await strict.close()
    // The answer 404 of a dead link is itself reported by the browser.
    assert.deepEqual(
      faults.filter((words) => !/status of (401|404|410)/.test(words) && !words.includes('127.0.0.1:9')),
      [],
    )
  })
})
