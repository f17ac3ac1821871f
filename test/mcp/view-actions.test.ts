// Every control of every view does what it says, in both themes, from inside a host; hosts that can do only one thing, refuse, or do
// not greet get as much as they can carry.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chromiumPath } from '../e2e/rig.ts'
import type { ViewHost } from './view-host.ts'
import type { ViewRig } from './view-rig.ts'
import { looksRight, openViewRig, press, state } from './view-rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium' : false
const themes = ['light', 'dark'] as const

let rig: ViewRig
let sessionId: string
before(async () => {
  if (skip !== false) return
  rig = await openViewRig()
  ;({ sessionId } = rig)
})
after(() => rig?.close())

const lastUrl = async (host: ViewHost) => String((await host.sent('ui/open-link')).at(-1)?.['url'])
const calls = async (host: ViewHost) => (await host.sent('tools/call')).map(({ name }) => name)

/** Presses the button and waits until the view has called its tool once more. */
async function pressForCall(host: ViewHost, name: string): Promise<void> {
  const before = (await calls(host)).length
  await press(host, name)
  await host.page.waitForFunction(`host.sent.filter((each) => each.method === 'tools/call').length === ${before + 1}`)
  await host.frame
    .getByRole('button', { name, exact: true })
    .and(host.frame.locator(':enabled'))
    .or(host.frame.locator('tbody'))
    .first()
    .waitFor()
}

async function finish(host: ViewHost): Promise<void> {
  assert.deepEqual(host.errors, [])
  await host.close()
}

describe('actions of views', { skip }, () => {
  for (const theme of themes) {
    test(`create: after a refusal the form creates one session, however often it is sent, ${theme}`, async () => {
      const host = await rig.open('sessions/create', { theme })
      const before = await rig.count()
      await host.notify('ui/notifications/tool-input', { arguments: { title: 'Refused', slides: [{ textContent: 'Kept' }] } })
      await host.notify('ui/notifications/tool-result', { isError: true, content: [{ type: 'text', text: 'The link is not public.' }] })
      await host.frame.getByLabel('Title').fill(`Made in ${theme}`)
      await host.frame.getByLabel('Description').fill('By hand')
      await host.frame.getByLabel('Call to action').fill('Go')
      await host.frame.getByLabel('Link').fill('https://example.com')
      await host.frame.getByLabel('Publish now').check()
      await host.frame.getByLabel('Title').press('Enter')
      await host.frame
        .getByRole('button', { name: 'Create session' })
        .click({ timeout: 200 })
        .catch(() => undefined)
      await host.frame.getByRole('heading', { name: `Made in ${theme}` }).waitFor()
      assert.equal(await rig.count(), before + 1)
      const [call] = await host.sent('tools/call')
      assert.deepEqual(call?.['arguments'], {
        title: `Made in ${theme}`,
        description: 'By hand',
        ctaText: 'Go',
        ctaUrl: 'https://example.com',
        isLive: true,
        slides: [{ textContent: 'Kept' }],
      })
      await press(host, 'Open rehearsal')
      assert.match(await lastUrl(host), /\/rehearse\//)
      await finish(host)
    })

    test(`list: a session opens in place, back, more, refresh, ${theme}`, async () => {
      const host = await rig.shown('sessions/list', 'list_sessions', { limit: 5 }, { theme })
      await pressForCall(host, 'More')
      await host.frame.locator('li').nth(9).waitFor()
      const title = (await host.frame.locator('li button').nth(1).textContent()) ?? ''
      await press(host, title)
      await host.frame.getByRole('heading', { name: title }).waitFor()
      await press(host, 'Open rehearsal')
      assert.match(await lastUrl(host), /\/rehearse\//)
      await press(host, 'Back')
      await pressForCall(host, 'Refresh')
      await host.frame.locator('li:nth-child(6)').waitFor({ state: 'detached' })
      assert.deepEqual(await calls(host), ['list_sessions', 'get_session', 'list_sessions'])
      await finish(host)
    })

    test(`preview: both rooms, the link and refresh, ${theme}`, async () => {
      const host = await rig.shown('sessions/preview', 'get_session', { sessionId }, { theme })
      await press(host, 'Open room')
      assert.match(await lastUrl(host), /\/join\//)
      await press(host, 'Open rehearsal')
      assert.match(await lastUrl(host), /\/rehearse\//)
      await press(host, 'Copy link')
      assert.match(await host.frame.getByLabel('Link of the room').inputValue(), /\/join\//)
      await pressForCall(host, 'Refresh')
      assert.deepEqual([await state(host), await calls(host)], ['ready', ['get_session']])
      await finish(host)
    })

    test(`analytics: refresh shows what is true now, ${theme}`, async () => {
      const host = await rig.open('analytics', { theme })
      await host.notify('ui/notifications/tool-result', { content: [], structuredContent: { sessionId, totalAttendees: 9 } })
      await host.frame.getByText('9', { exact: true }).first().waitFor()
      await pressForCall(host, 'Refresh')
      await host.frame.getByText('Nobody has been here yet').waitFor()
      assert.equal(await state(host), 'empty')
      await finish(host)
    })

    test(`leads: more, refresh, emails and the file hold every lead shown, ${theme}`, async () => {
      const host = await rig.shown('leads', 'export_leads', { sessionId, limit: 2 }, { theme })
      assert.equal(await host.frame.locator('tbody tr').count(), 2)
      await pressForCall(host, 'More')
      await host.frame.locator('tbody tr').nth(2).waitFor()
      await press(host, 'Copy emails')
      assert.equal((await host.frame.getByLabel('Email addresses').inputValue()).split(', ').length, 3)
      await press(host, 'Download CSV')
      await host.page.waitForFunction(`host.sent.some((each) => each.method === 'ui/download-file')`)
      const [file] = await host.sent('ui/download-file')
      assert.equal(JSON.stringify(file).match(/person\d@example\.com/g)?.length, 3)
      await pressForCall(host, 'Refresh')
      assert.deepEqual(await calls(host), ['export_leads', 'export_leads'])
      await finish(host)
    })
  }

  test('a host whose download is refused gets the file as text to take by hand', async () => {
    const replies = { 'ui/download-file': { result: { isError: true } } }
    const host = await rig.shown('leads', 'export_leads', { sessionId }, { replies })
    await press(host, 'Download CSV')
    const text = await host.frame.getByLabel('CSV', { exact: true }).inputValue()
    assert.ok(text.includes('Ada Lovelace') && text.includes(`"'=cmd()"`))
    await looksRight(host, 'leads-refused-download')
    await finish(host)
  })

  test('a host that only opens links gets links and no control that calls', async () => {
    const host = await rig.shown('sessions/preview', 'get_session', { sessionId }, { capabilities: { openLinks: {} } })
    await press(host, 'Open room')
    assert.match(await lastUrl(host), /\/join\//)
    assert.equal(await host.frame.getByRole('button', { name: 'Refresh' }).count(), 0)
    await finish(host)
  })

  test('a host that opens no links gets addresses to select', async () => {
    const host = await rig.shown('sessions/preview', 'get_session', { sessionId }, { capabilities: { serverTools: {} } })
    assert.equal(await host.frame.getByRole('button', { name: /^Open/ }).count(), 0)
    assert.match((await host.frame.locator('code').first().textContent()) ?? '', /^http.*\/join\//)
    await looksRight(host, 'sessions-preview-addresses')
    await finish(host)
  })

  test('a host that does not know the greeting still gets its result shown', async () => {
    const replies = { 'ui/initialize': { error: { code: -32_601, message: 'Method not found' } } }
    const host = await rig.shown('leads', 'export_leads', { sessionId }, { replies })
    assert.equal(await host.frame.locator('tbody tr').count(), 3)
    await looksRight(host, 'leads-no-greeting')
    await finish(host)
  })

  test('a call that the host refuses is said in words, and can be tried again', async () => {
    const replies = { 'tools/call': { error: { code: -32_000, message: 'The person said no.' } } }
    const host = await rig.shown('sessions/preview', 'get_session', { sessionId }, { replies })
    await press(host, 'Refresh')
    await host.frame.getByText('The person said no.').waitFor()
    assert.equal(await state(host), 'error')
    await press(host, 'Try again')
    assert.deepEqual(await calls(host), ['get_session', 'get_session'])
    await looksRight(host, 'sessions-preview-refused')
    await finish(host)
  })

  test('no view calls a tool by itself', async () => {
    for (const [view, name, args] of [
      ['sessions/create', 'get_session', { sessionId }],
      ['sessions/list', 'list_sessions', {}],
      ['sessions/preview', 'get_session', { sessionId }],
      ['analytics', 'get_session_analytics', { sessionId }],
      ['leads', 'export_leads', { sessionId }],
    ] as const) {
      const host = await rig.shown(view, name, args)
      await host.notify('ui/notifications/host-context-changed', { theme: 'dark', locale: 'de' })
      await host.notify('ui/notifications/tool-result', await rig.tool(name, args))
      await host.frame.locator(':root[data-theme=dark]').waitFor({ state: 'attached' })
      assert.deepEqual(await calls(host), [], view)
      await finish(host)
    }
  })
})
