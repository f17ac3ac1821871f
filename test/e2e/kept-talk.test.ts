// A talk in one file, opened from the disk in a real browser without a network; and the same as a course, in a runtime that is as strict
// as the standards about what it is told.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type FileServer, startFileServer } from '../support/file-server.ts'
import { withService } from '../support/service.ts'
import { openTestStore } from '../support/stores.ts'
import { assertAccessible, becomes, chromiumPath, holds, launchBrowser } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** A learning platform: keeps what it is told and refuses what the standard does not know. */
const platform = (api: string, calls: readonly string[], elements: RegExp) => `<!doctype html><title>Platform</title><script>
  const kept = JSON.parse(sessionStorage.kept || '{}')
  window.kept = kept
  window.faults = []
  window.log = []
  let state = 'new'
  const [begin, get, set, keep, end] = ${JSON.stringify(calls)}
  const elements = ${String(elements)}
  const done = (ok, what) => (ok || window.faults.push(what), ok ? 'true' : 'false')
  window.${api} = {
    [begin]: (text) => { const ok = text === '' && state === 'new'; state = 'on'; return done(ok, begin) },
    [get]: (name) => { done(state === 'on', get); return name.endsWith('._count') ? String(new Set(Object.keys(kept).flatMap((key) => key.match(/interactions\\.(\\d+)/)?.[1] ?? [])).size) : kept[name] ?? '' },
    [set]: (name, value) => { window.log.push(name); kept[name] = value; return done(state === 'on' && typeof value === 'string' && elements.test(name + '=' + value), name + '=' + value) },
    [keep]: (text) => { sessionStorage.kept = JSON.stringify(kept); return done(text === '' && state === 'on', keep) },
    [end]: (text) => { const ok = text === '' && state === 'on'; state = 'off'; sessionStorage.ended = 'yes'; sessionStorage.faults = JSON.stringify(window.faults); return done(ok, end) },
  }
</script><iframe src="/index.html" width="1000" height="700" title="Course"></iframe>`

const short = String.raw`[^\n]{1,250}`
const older = platform(
  'API',
  ['LMSInitialize', 'LMSGetValue', 'LMSSetValue', 'LMSCommit', 'LMSFinish'],
  new RegExp(
    String.raw`^cmi\.(core\.(lesson_status=(incomplete|completed)|lesson_location=\d+|exit=(suspend)?|session_time=\d{2,4}:\d\d:\d\d)|suspend_data=[\d ]*|interactions\.\d+\.(id=[\w-]+|type=fill-in|student_response=${short}|result=neutral|time=\d\d:\d\d:\d\d))$`,
  ),
)
const newer = platform(
  'API_1484_11',
  ['Initialize', 'GetValue', 'SetValue', 'Commit', 'Terminate'],
  new RegExp(
    String.raw`^cmi\.(completion_status=(incomplete|completed)|progress_measure=(0(\.\d+)?|1(\.0+)?)|location=\d+|exit=(suspend|normal)|session_time=PT\d+S|suspend_data=[\d ]*|interactions\.\d+\.(id=[\w-]+|type=long-fill-in|learner_response=${short}|description=${short}|result=neutral|timestamp=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d))$`,
  ),
)

describe('a talk in one file', { skip, concurrency: false }, () => {
  let browser: Browser
  let folder: string
  let server: FileServer
  let file: string

  before(async () => {
    browser = await launchBrowser()
    folder = await mkdtemp(join(tmpdir(), 'rostrum-kept-'))
    server = await startFileServer()
    file = join(folder, 'talk.html')
    const open = async (time?: Parameters<typeof openTestStore>[0]) => ({
      store: await openTestStore(time),
      another: () => openTestStore(time),
    })
    await withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', {
        title: 'Quiet pumps',
        slides: [
          { textContent: 'Quiet pumps', narration: 'Welcome.' },
          // Longer than the tests stay here.
          { textContent: 'Weight\n- A pump weighs 4 kg', narration: 'A pump weighs four kilograms, and it is quiet. '.repeat(40) },
          { textContent: 'Prices\n- One costs 90 EUR', narration: 'One costs ninety euros.' },
        ],
        knowledgeBase: [{ title: 'Warranty', content: 'The warranty lasts seven years.' }],
        ctaText: 'Order one',
        ctaUrl: 'https://example.com/order',
        ctaRules: ['seconds:1'],
      })
      const path = `/api/v1/agent/sessions/${String(body.sessionId)}/recordings`
      const { recordingId } = (await app.api('POST', path, { format: 'html' })).body
      await app.service.jobs.idle()
      const { url, error } = (await app.api('GET', `${path}/${String(recordingId)}`)).body
      assert.ok(url, String(error))
      const bytes = await app.service.decks.deps.blobs.find(new URL(String(url)).pathname.replace('/media/', ''))
      await writeFile(file, bytes ?? '')
      server.files.set('/index.html', bytes ?? new Uint8Array())
    })
  })
  after(async () => {
    await browser.close()
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function opened(more: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext({ offline: true, locale: 'en-US', ...more })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('request', (request) => /^(?:blob|data):/.test(request.url()) || faults.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    // The page itself.
    assert.match(String(faults.shift()), /talk\.html$/)
    return { page, faults }
  }

  async function ask(page: Pick<Page, 'locator'>, question: string): Promise<string> {
    await page.locator('#ask').fill(question)
    await page.locator('#ask').press('Enter')
    const card = page.locator('[data-testid=question]').filter({ hasText: question })
    await card.locator('[data-testid=answer]').waitFor()
    return card.innerText()
  }

  test('it gives the talk, answers with citations and comes to its end, without a network and without asking for one', async () => {
    const { page, faults } = await opened()
    assert.equal(await page.locator('#name').count(), 0)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.locator('[data-testid=caption]').getByText('Welcome').waitFor()
    await page.keyboard.press('q')
    await holds(page, "document.activeElement.id === 'ask'")
    assert.match(await ask(page, 'How much does one cost?'), /90 EUR[\s\S]*Slide 3/)
    await page.getByRole('button', { name: 'Slide 3' }).click()
    await becomes(() => page.locator('[data-testid=slide]').getAttribute('data-index'), '3')
    assert.match(await ask(page, 'How long does the warranty last?'), /seven years[\s\S]*Warranty/)
    const unknown = await ask(page, 'Who painted the Mona Lisa?')
    assert.match(unknown, /The deck does not say\./)
    assert.doesNotMatch(unknown, /host/i)
    await page.locator('[data-testid=cta]').getByText('Order one').waitFor()
    assert.equal(await page.getByRole('button', { name: /details/i }).count(), 0)
    await page.getByRole('button', { name: 'Return to live' }).click()
    for (const place of ['2', '3']) {
      await page.getByRole('button', { name: 'Next slide' }).click()
      await becomes(() => page.locator('[data-testid=slide]').getAttribute('data-index'), place)
    }
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('heading', { name: 'The talk is over' }).waitFor()
    assert.match(await ask(page, 'How much does a pump weigh?'), /4 kg/)
    assert.deepEqual(faults, [])
    await page.context().close()
  })

  test('it is accessible in both themes, and goes on from where it was left', async () => {
    const { page } = await opened({ bypassCSP: true })
    await assertAccessible(page, 'the door')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.locator('[data-testid=caption]').getByText('Welcome').waitFor()
    await page.getByRole('button', { name: 'Next slide' }).click()
    await becomes(() => page.locator('[data-testid=slide]').getAttribute('data-index'), '2')
    await page.getByRole('button', { name: 'Pause' }).click()
    await assertAccessible(page, 'the talk')
    await page.reload()
    await page.getByRole('button', { name: 'Continue from slide 2' }).click()
    await becomes(() => page.locator('[data-testid=slide]').getAttribute('data-index'), '2')
    await page.context().close()
  })

  for (const [standard, lms, names] of [
    ['SCORM 1.2', older, { status: 'cmi.core.lesson_status', place: 'cmi.core.lesson_location', said: 'student_response' }],
    ['SCORM 2004', newer, { status: 'cmi.completion_status', place: 'cmi.location', said: 'learner_response' }],
  ] as const) {
    test(`as a course of ${standard} it tells how far it is, what was asked, and that it is through; it goes on where it was left`, async () => {
      server.files.set('/', Buffer.from(lms))
      const page = await browser.newPage({ locale: 'en-US' })
      await page.goto(`${server.origin}/`)
      const course = page.frameLocator('iframe')
      const told = (name: string) => page.evaluate<string | undefined>(`window.kept[${JSON.stringify(name)}]`)
      await becomes(() => told(names.status), 'incomplete')
      await course.getByRole('button', { name: 'Start' }).click()
      await becomes(() => told(names.place), '0')
      await course.getByRole('button', { name: 'Next slide' }).click()
      await becomes(() => told(names.place), '1')
      await ask(course, 'How much does one cost?')
      await becomes(() => told(`cmi.interactions.0.${names.said}`), 'How much does one cost?')
      if (standard === 'SCORM 2004') {
        assert.match(String(await told('cmi.interactions.0.description')), /90 EUR/)
        assert.equal(await told('cmi.progress_measure'), '0.67')
      }
      await page.reload()
      assert.equal(await page.evaluate('sessionStorage.ended'), 'yes')
      assert.equal(await told(standard === 'SCORM 2004' ? 'cmi.exit' : 'cmi.core.exit'), 'suspend')
      await course.getByRole('button', { name: 'Continue from slide 2' }).click()
      await becomes(() => told('cmi.suspend_data'), '0 1')
      await course.getByRole('button', { name: 'Next slide' }).click()
      await becomes(() => told(names.place), '2')
      await ask(course, 'How long does the warranty last?')
      await becomes(() => told(`cmi.interactions.1.${names.said}`), 'How long does the warranty last?')
      await becomes(() => told(names.status), 'completed')
      await page.reload()
      assert.deepEqual(await page.evaluate('sessionStorage.faults'), '[]')
      await becomes(() => course.getByRole('button', { name: 'Start' }).count(), 1)
      assert.equal(await told(names.status), 'completed')
      await page.close()
    })
  }
})
