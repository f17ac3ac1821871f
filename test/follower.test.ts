// The follower that `/docs/room` shows, run as it stands there against a real service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startServer } from './support/server.ts'

test('the follower of the page about rooms tells what is said, asks, hears the answer and leaves', async (t) => {
  const server = await startServer()
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-follower-'))
  t.after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const page = await (await fetch(`${server.baseUrl}/docs/room.md`)).text()
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  const lines = program.trim().split('\n').length
  assert.ok(lines > 40 && lines <= 64, `${lines} lines`)
  writeFileSync(join(folder, 'follow-talk.ts'), program)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const key = await server.command('key', 'create', '--name', 'follower')
  const slides = [{ textContent: 'Quiet pumps', narration: 'The housing of the pump has two shells that do not touch.' }]
  const talk = {
    title: 'Quiet pumps',
    isLive: true,
    slides,
    knowledgeBase: [{ title: 'Warranty', content: 'The warranty is eleven years.' }],
  }
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const created = await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { method: 'POST', headers, body: JSON.stringify(talk) })
  const { shareLink } = (await created.json()) as { shareLink: string }
  const args = [join(folder, 'follow-talk.ts'), shareLink, 'How long is the warranty?']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder })

  assert.match(stdout, /two shells that do not touch/)
  assert.match(stdout, /> How long is the warranty\?\n.*eleven years/)
})
