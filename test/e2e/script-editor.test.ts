// The script written as a document in a real browser, with the real service behind it and a scripted model that proposes words.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ModelServer } from '../support/model-server.ts'
import { startModelServer } from '../support/model-server.ts'
import type { Service } from './rig.ts'
import { assertAccessible, becomes, chromiumPath, heldTimers, launchBrowser, settled, startService } from './rig.ts'

const isBuilt = existsSync(fileURLToPath(new URL('../../web/dist/server/render.js', import.meta.url)))
const skip = !isBuilt ? 'the web is not built: npm run build' : chromiumPath() === undefined && 'no Chromium is installed'

const half = 'the pump of the school takes warmth from the ground under the yard all winter long'
const long = `As you can see here, ${half}; nobody in the whole town has heard it run since the day of its first winter here.`

const talk = {
  title: 'Heat for the school',
  slides: [
    { textContent: 'Heat for the school' },
    {
      textContent:
        'What it costs\n- A pump costs 9,000 euros when it is installed\n- It pays back in six years, as the town hall has shown',
    },
    { textContent: 'How it runs', narration: `Copyright 2026.\nIt is quiet, and nobody hears it.\n${long}` },
    { textContent: 'Thank you' },
  ],
}

interface Shown {
  slides: { silent?: true; sentences: { text: string; fixed?: true }[] }[]
}

describe('the script is a document', { skip, concurrency: false }, () => {
  let model: ModelServer
  let service: Service
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let at = ''
  const faults: string[] = []

  const ask = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    page.evaluate(
      async ([way, to, sent]) => {
        const { csrf } = (await (await fetch('/api/v1/account')).json()) as { csrf: string }
        const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': csrf }
        const answer = await fetch(to, { method: way, headers, ...(sent !== null && { body: sent }) })
        return (await answer.json()) as T
      },
      [method, path, body === undefined ? null : JSON.stringify(body)] as [string, string, string | null],
    )

  const area = (slide: number) => page.getByLabel(`What is said on slide ${slide}`, { exact: true })
  const textOf = (slide: number) => area(slide).inputValue()
  const saidOf = async (slide: number) => {
    const { slides } = await ask<Shown>('GET', at)
    return slides[slide - 1]?.sentences.filter(({ fixed }) => fixed !== true).map(({ text }) => text)
  }
  const save = async () => {
    await page.getByRole('button', { name: 'Save script' }).click()
    await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
  }
  const caret = (slide: number, place: number) =>
    area(slide).evaluate((element: unknown, to) => {
      const text = element as { focus(): void; click(): void; setSelectionRange(from: number, to: number): void }
      text.focus()
      text.setSelectionRange(to, to)
      text.click()
    }, place)

  before(async () => {
    model = await startModelServer(() => ({
      pieces: [
        `${JSON.stringify({ n: 1, text: 'Installed, a pump costs 9,000 euros.', sources: ['s'] })}\n`,
        `${JSON.stringify({ n: 2, text: 'It pays back in 90 years.', sources: ['s'] })}\n`,
      ],
    }))
    const env = { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1` }
    ;[service, browser] = await Promise.all([startService({ env }), launchBrowser()])
    context = await browser.newContext({
      locale: 'en-GB',
      reducedMotion: 'reduce',
      bypassCSP: true,
      viewport: { width: 1280, height: 900 },
    })
    await context.addInitScript(heldTimers)
    page = await context.newPage()
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto(service.setupUrl ?? '')
    await page.getByLabel('Name', { exact: true }).fill('Maya Okafor')
    await page.getByLabel('Email').fill('maya@acme.example')
    await page.getByLabel('Password').fill('ladder canoe violet 29')
    await page.getByLabel('Account name').fill('Acme')
    await page.getByRole('button', { name: 'Create owner' }).click()
    await page.waitForURL(/\/dashboard/)
    await settled(page)
    const { sessionId } = await ask<{ sessionId: string }>('POST', '/api/v1/agent/sessions', talk)
    at = `/api/v1/agent/sessions/${sessionId}/script`
    await page.goto(`${service.url}/dashboard/sessions/${sessionId}/script`)
    await settled(page)
    await becomes(() => page.getByTestId('doc-slide').count(), 4)
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await model?.close()
  })

  test('what is typed is said: Enter parts a sentence, Backspace joins it, Undo brings each back', async () => {
    await caret(2, 0)
    await page.getByText('from slide 2', { exact: true }).waitFor()
    const before = await textOf(3)
    await caret(3, before.indexOf('and nobody'))
    await page.keyboard.press('Enter')
    await becomes(async () => (await textOf(3)).split('\n').slice(1, 3), ['It is quiet.', 'And nobody hears it.'])
    await page.getByTestId('script-state').getByText('Not saved yet').waitFor()
    await page.keyboard.press('Backspace')
    await becomes(async () => (await textOf(3)).split('\n')[1], 'It is quiet, And nobody hears it.')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await becomes(() => textOf(3), before)
    await page.keyboard.press('Control+Shift+z')
    await becomes(async () => (await textOf(3)).split('\n')[1], 'It is quiet.')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('End')
    await page.keyboard.type(' You will like it.')
    await page.keyboard.press('Control+s')
    await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
    assert.deepEqual((await saidOf(3))?.slice(0, 3), ['Copyright 2026.', 'It is quiet, and nobody hears it.', 'You will like it.'])
  })

  test('a sentence moves to the next slide with a key, and a button leaves it out', async () => {
    const [last] = (await textOf(2)).split('\n').slice(-1)
    await caret(2, (await textOf(2)).length)
    await page.keyboard.press('Alt+ArrowDown')
    await becomes(async () => (await textOf(3)).split('\n')[0], last)
    await page.getByRole('button', { name: 'Leave out', exact: true }).click()
    await becomes(async () => (await textOf(3)).split('\n')[0], 'Copyright 2026.')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await becomes(async () => (await textOf(2)).split('\n').at(-1), last)
    await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
  })

  test('the gutter tells what a listener would stumble over, and all easy ones are fixed at once', async () => {
    const found = page.getByRole('list', { name: 'To look at on slide 3' })
    await found.getByText('Layout, not talk.').waitFor()
    await found.getByText('Too long.').waitFor()
    assert.equal(await page.locator('.grow-line-found').count(), 2)
    await page.getByRole('button', { name: 'Fix the 2 easy ones' }).click()
    await becomes(async () => (await textOf(3)).split('\n').length, 4)
    await save()
    const said = await saidOf(3)
    assert.ok(said?.every((text) => !text.startsWith('Copyright')) && said.at(-1)?.startsWith('Nobody'), JSON.stringify(said))
    await becomes(() => page.getByRole('list', { name: 'To look at on slide 3' }).count(), 0)
  })

  test('what is typed was looked at only when it was saved: it is looked at once the typing rests', async () => {
    const before = await textOf(3)
    await caret(3, before.length)
    await page.keyboard.press('Enter')
    await page.keyboard.type('Copyright 2027.')
    const found = page.getByRole('list', { name: 'To look at on slide 3' })
    await found.getByText('Layout, not talk.').waitFor()
    assert.equal(await page.getByTestId('script-state').getByText('Saved', { exact: true }).count(), 0)
    await area(3).fill(before)
    await becomes(() => found.count(), 0)
    await page.getByTestId('script-state').getByText('Saved', { exact: true }).waitFor()
  })

  test('words are found and replaced in the whole talk', async () => {
    await page.getByRole('button', { name: 'Find and replace' }).click()
    const bar = page.getByRole('search', { name: 'Find and replace' })
    await bar.getByLabel('Find', { exact: true }).fill('pump')
    await bar.getByText(/^\d+ found$/).waitFor()
    await bar.getByRole('button', { name: 'Next' }).click()
    await becomes(() => page.evaluate('document.activeElement.tagName'), 'TEXTAREA')
    await becomes(
      () => page.evaluate('document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)'),
      'pump',
    )
    await bar.getByLabel('Replace with').fill('heat pump')
    await bar.getByRole('button', { name: 'Replace all' }).click()
    await becomes(async () => (await textOf(2)).includes('heat pump costs'), true)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await becomes(async () => (await textOf(2)).includes('heat pump'), false)
    await bar.getByRole('button', { name: 'Close' }).click()
  })

  test('nothing is said on a slide that is to be silent, until it is compiled again', async () => {
    const before = await saidOf(2)
    await page.getByRole('button', { name: 'More for slide 2' }).click()
    await page.getByRole('menuitem', { name: 'Say nothing here' }).click()
    await page.getByText('The slide is shown for a moment, in silence.').waitFor()
    await save()
    assert.deepEqual(await saidOf(2), [])
    await page.getByRole('button', { name: 'More for slide 2' }).click()
    await page.getByRole('menuitem', { name: 'Back to the compiled text' }).click()
    await save()
    assert.deepEqual(await saidOf(2), before)
  })

  test('a model proposes, the host takes or leaves, and a lie is not proposed', async () => {
    await page.getByLabel('Tone', { exact: true }).selectOption('lively')
    await page.getByRole('button', { name: 'Write it', exact: true }).click()
    await page.getByText(/^\d+ proposed/).waitFor()
    const proposal = page.getByTestId('proposal').filter({ hasText: 'Installed, a pump costs 9,000 euros.' })
    await becomes(() => proposal.count(), 1)
    assert.equal(await page.getByText('90 years').count(), 0)
    assert.ok(model.requests.some(({ body }) => body.includes('Tone: lively')))
    await proposal.getByRole('button', { name: /^Take:/ }).click()
    await becomes(async () => (await textOf(2)).split('\n')[0], 'Installed, a pump costs 9,000 euros.')
    await becomes(() => proposal.count(), 0)
    await save()
    assert.equal((await saidOf(2))?.[0], 'Installed, a pump costs 9,000 euros.')
  })

  test('two who change different slides are both kept; who changed the same slide is asked which text stays', async () => {
    const theirs = async (slide: number, text: string) => {
      const { slides } = await ask<{ slides: { slideId: string; sentences: { beatId: string; text: string }[] }[] }>('GET', at)
      const sent = slides.map(({ slideId, sentences }, index) => ({
        slideId,
        sentences: index === slide - 1 ? [{ text }] : sentences.map(({ beatId, text: words }) => ({ beatId, text: words })),
      }))
      await ask('PUT', at, { slides: sent })
    }
    await area(4).fill('Mine on four.')
    await theirs(3, 'Theirs on three.')
    await save()
    await becomes(() => textOf(3), 'Theirs on three.')
    assert.deepEqual([await saidOf(3), await saidOf(4)], [['Theirs on three.'], ['Mine on four.']])
    await area(4).fill('Mine again.')
    await theirs(4, 'Theirs on four.')
    await page.getByRole('button', { name: 'Save script' }).click()
    const note = page.getByRole('alert').filter({ hasText: 'slide 4 was changed elsewhere' })
    await note.waitFor()
    assert.equal(await textOf(4), 'Mine again.')
    await note.getByRole('button', { name: 'Take theirs' }).click()
    await becomes(() => textOf(4), 'Theirs on four.')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await becomes(() => textOf(4), 'Mine again.')
    await save()
    assert.deepEqual(await saidOf(4), ['Mine again.'])
  })

  test('versions are listed and brought back, and what is not saved is still there after a look elsewhere', async () => {
    await area(4).fill('Not saved.')
    await page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Test run' }).waitFor()
    await page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name: 'Script' }).click()
    await becomes(() => textOf(4), 'Not saved.')
    await page.getByRole('button', { name: 'Versions' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('What you have not saved is replaced.').waitFor()
    await dialog.getByRole('button', { name: 'Bring back version 1' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await becomes(async () => (await textOf(3)).split('\n')[0], 'Copyright 2026.')
    assert.equal((await saidOf(3))?.[0], 'Copyright 2026.')
  })

  test('a test run says why, slide by slide, leads to the place in the script, and says so once that was changed', async () => {
    const tab = (name: string) => page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name }).click()
    await tab('Overview')
    await page.getByRole('button', { name: 'Test with an audience' }).click()
    await page.getByText(/\d+ of 100/).waitFor()
    const why = page.getByTestId('slide-reasons').filter({ hasText: 'This belongs to the layout of the page' })
    await why.getByRole('link', { name: 'Slide 3' }).click()
    await page.getByText('Slide 3 of 4').waitFor()
    await area(3).fill('It is quiet, and nobody hears it.')
    await save()
    await tab('Overview')
    await page.getByText('The script was changed after this test run.').waitFor()
  })

  test('a wished length is told beside the length that the talk has', async () => {
    await page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name: 'Script' }).click()
    await page.getByLabel('Length').selectOption('180')
    await page.getByText(/of 3 min|short\. The slides|over\. Each slide/).waitFor()
    const { targetSeconds } = await ask<{ targetSeconds: number }>('GET', at)
    assert.equal(targetSeconds, 180)
  })

  test('the editor is accessible in both themes at both ends of width, with what it finds and what a model proposes', async () => {
    await page.evaluate('window.ring()')
    await page.getByRole('button', { name: 'Write it', exact: true }).click()
    await page.getByTestId('proposal').first().waitFor()
    await page.getByRole('button', { name: 'Find and replace' }).click()
    await page.getByText('Keys', { exact: true }).click()
    await assertAccessible(page, 'the script editor')
    assert.deepEqual(faults, [])
  })
})
