// A talk in one file, opened from the disk in a real browser without a network; and the same as a course, in a runtime of another maker.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
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

/** A learning platform by another maker (scorm-again): it keeps what it is told, and refuses what the standard does not know. */
const platform = (
  api: string,
  maker: string,
  calls: readonly string[],
) => `<!doctype html><title>Platform</title><script src="/runtime.js"></script><script>
  const runtime = new ${maker}({ autocommit: false, logLevel: 5 })
  window.kept = JSON.parse(sessionStorage.kept || '{}')
  window.faults = JSON.parse(sessionStorage.faults || '[]')
  if (sessionStorage.kept) runtime.loadFromFlattenedJSON(kept)
  const [begin, get, set, keep, end, fault] = ${JSON.stringify(calls)}
  const called = (name) => (...given) => {
    const answer = runtime[name](...given)
    const code = String(runtime[fault]())
    // What was never told may be asked for.
    if (code !== '0' && !(name === get && code === '403')) faults.push([name, ...given, code].join(' '))
    else if (name === set) kept[given[0]] = given[1]
    if (name === keep) sessionStorage.kept = JSON.stringify(kept)
    if (name === end) sessionStorage.ended = 'yes'
    sessionStorage.faults = JSON.stringify(faults)
    return answer
  }
  window.${api} = Object.fromEntries([begin, get, set, keep, end, fault].map((name) => [name, called(name)]))
</script><iframe src="/index.html" width="1000" height="700" title="Course"></iframe>`

const runtimeOf = (version: string) => readFileSync(createRequire(import.meta.url).resolve(`scorm-again/${version}/min`))
const older = platform(
  'API',
  'Scorm12API',
  ['Initialize', 'GetValue', 'SetValue', 'Commit', 'Finish', 'GetLastError'].map((name) => `LMS${name}`),
)
const newer = platform('API_1484_11', 'Scorm2004API', ['Initialize', 'GetValue', 'SetValue', 'Commit', 'Terminate', 'GetLastError'])

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
          { textContent: 'Quiet pumps', narration: 'Welcome.', agentNotes: '[poll: How heavy is a pump? | 9 kg | *4 kg]' },
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
    ['SCORM 1.2', older, { status: 'cmi.core.lesson_status', place: 'cmi.core.lesson_location', said: 'student_response', option: '' }],
    ['SCORM 2004', newer, { status: 'cmi.completion_status', place: 'cmi.location', said: 'learner_response', option: 'option-' }],
  ] as const) {
    test(`as a course of ${standard} it tells how far it is, what was asked, and that it is through; it goes on where it was left`, async () => {
      server.files.set('/', Buffer.from(lms))
      server.files.set('/runtime.js', runtimeOf(standard.toLowerCase().replaceAll(/[ .]/g, '')))
      const page = await browser.newPage({ locale: 'en-US' })
      await page.goto(`${server.origin}/`)
      const course = page.frameLocator('iframe')
      const told = (name: string) => page.evaluate<string | undefined>(`window.kept[${JSON.stringify(name)}]`)
      await becomes(() => told(names.status), 'incomplete')
      await course.getByRole('button', { name: 'Start' }).click()
      await becomes(() => told(names.place), '0')
      // A quiz: what was answered, and what was right.
      const quiz = (member: string) => told(`cmi.interactions.0.${member}`)
      await course.getByTestId('poll').getByLabel('4 kg').check()
      await course.getByTestId('poll').locator('[type=submit]').click()
      await becomes(() => quiz(names.said), `${names.option}1`)
      await becomes(() => quiz('result'), 'correct')
      assert.deepEqual([await quiz('type'), await quiz('correct_responses.0.pattern')], ['choice', `${names.option}1`])
      await course.getByRole('button', { name: 'Next slide' }).click()
      await becomes(() => told(names.place), '1')
      await ask(course, 'How much does one cost?')
      await becomes(() => told(`cmi.interactions.1.${names.said}`), 'How much does one cost?')
      if (standard === 'SCORM 2004') {
        assert.match(String(await told('cmi.interactions.1.description')), /90 EUR/)
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
      await becomes(() => told(`cmi.interactions.2.${names.said}`), 'How long does the warranty last?')
      await becomes(() => told(names.status), 'completed')
      await page.reload()
      assert.deepEqual(await page.evaluate('sessionStorage.faults'), '[]')
      await becomes(() => course.getByRole('button', { name: 'Start' }).count(), 1)
      assert.equal(await told(names.status), 'completed')
      await page.close()
    })
  }
})
