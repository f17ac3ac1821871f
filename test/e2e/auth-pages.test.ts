// The pages of people in a real browser: set-up, claim, code and consent with the keyboard alone, in both themes and two widths,
// checked by axe, without a word on the console. `ROSTRUM_TEST_SCREENSHOTS` names a folder that receives a picture of each.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { chromiumPath, launchBrowser, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const folder = process.env['ROSTRUM_TEST_SCREENSHOTS']
const looks = (['light', 'dark'] as const).flatMap((colorScheme) => [390, 1280].map((width) => ({ colorScheme, width })))
const password = 'ladder canoe violet 29'

interface AxeRun {
  violations: { id: string; nodes: { target: unknown }[] }[]
}

describe('the pages of people', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const faults: string[] = []

  before(async () => {
    ;[service, browser] = await Promise.all([startService({ env: { ROSTRUM_RATE_REGISTER: '100/1h' } }), launchBrowser()])
    // Only axe needs the policy off; what the policy stops is looked at in a page of its own.
    context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', bypassCSP: true })
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
    page.on('console', (message) => message.type() === 'error' && faults.push(`${message.text()} ${page.url()}`))
    page.on('pageerror', (error) => faults.push(error.message))
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Light and dark, narrow and wide: no violation, nothing beside the window. */
  async function look(name: string): Promise<void> {
    for (const { colorScheme, width } of looks) {
      const where = `${name}-${colorScheme}-${width}`
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate(axeSource)
      const { violations }: AxeRun = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
      const words = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => JSON.stringify(target)).join(' ')}`)
      assert.deepEqual(words, [], where)
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
    await page.waitForURL(/\/dashboard/)
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
    const redirect = 'http://127.0.0.1:9/callback'
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
    await tabTo('Allow')
    const back = page.waitForRequest((request) => request.url().startsWith(redirect))
    await page.keyboard.press('Enter')
    const answer = new URL((await back).url())
    assert.ok(answer.searchParams.get('code'))
    assert.equal(answer.searchParams.get('iss'), service.url)
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
      faults.filter((words) => !/status of (404|410)/.test(words) && !words.includes('127.0.0.1:9')),
      [],
    )
  })
})
