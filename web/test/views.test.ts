// The MCP-App views: their reducer, the tokens they share with the room, and what each may weigh.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { initial, reduce } from '../src/views/protocol.ts'
import { contrast } from '../src/views/theme.ts'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/views')
const skip = existsSync(join(built, 'leads.html')) ? false : 'not built'
const tokens = (file: string) =>
  new Map(
    [...readFileSync(join(root, 'src', file), 'utf8').matchAll(/(--[\w-]+):[^;]*?light-dark\((#\w+), (#\w+)\)/g)].map(
      ([, name = '', ...pair]) => [name, pair],
    ),
  )

test('each view is one file of at most 40 KB, 15 KiB gzipped, that loads nothing', { skip }, () => {
  const files = readdirSync(built)
  assert.equal(files.length, 5)
  for (const file of files) {
    const html = readFileSync(join(built, file))
    assert.ok(html.length <= 40_000, `${file}: ${html.length} bytes`)
    assert.ok(gzipSync(html, { level: 9 }).length <= 15 * 1_024, `${file} gzipped`)
    assert.doesNotMatch(
      html.toString(),
      /<(link|script|img)[^>]+(src|href)=|localStorage|document\.cookie|\beval\(|\.innerHTML\s*=[^=]*["'`]https?:/,
    )
  }
})

test('the colours of the views are those of the room', () => {
  const [views, room] = [tokens('views/tokens.css'), tokens('ui/tokens.css')]
  assert.ok(views.size >= 10)
  for (const [name, pair] of views) assert.deepEqual(pair, room.get(name), name)
})

test('contrast follows WCAG', () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21)
  assert.ok(Math.abs(contrast([15, 107, 79], [250, 248, 243]) - 6.1) < 0.1)
})

test('the state follows the host, and an unknown message changes nothing', () => {
  const connected = reduce(initial, {
    method: 'connected',
    params: { hostContext: { theme: 'dark' }, hostCapabilities: { openLinks: {} } },
  })
  assert.deepEqual([connected.isConnected, connected.context.theme], [true, 'dark'])
  const asked = reduce(connected, { method: 'ui/notifications/tool-input', params: { arguments: { title: 'A' } } })
  assert.deepEqual(asked.input, { title: 'A' })
  const cancelled = reduce(asked, { method: 'ui/notifications/tool-cancelled' })
  assert.equal(cancelled.isCancelled, true)
  const done = reduce(cancelled, { method: 'ui/notifications/tool-result', params: { structuredContent: { id: '1' } } })
  assert.deepEqual([done.isCancelled, done.result?.structuredContent], [false, { id: '1' }])
  const lit = reduce(done, { method: 'ui/notifications/host-context-changed', params: { theme: 'light' } })
  assert.deepEqual([lit.context.theme, lit.isConnected], ['light', true])
  assert.equal(reduce(lit, { method: 'ui/notifications/else' } as never), lit)
})
