// The five-minute tour of the README, run as it stands there against a real server.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startServer } from '../support/server.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

test('the tour of the README works as it is printed', async () => {
  const [, block = ''] = /<!-- tour:[^>]*-->\n```bash\n([\s\S]*?)```/.exec(readme) ?? []
  assert.ok(block.includes('curl'), 'the tour is in the README')
  const server = await startServer()
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-tour-'))
  try {
    const key = await server.command('key', 'create', '--name', 'tour')
    const env = { PATH: process.env['PATH'] ?? '', BASE: server.baseUrl, KEY: key, PDF: '' }
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', block], { cwd: folder, env })
    assert.match(stdout, /"shareLink":"http:\/\/localhost:\d+\/join\/grid-storage-in-two-minutes-[a-z2-7]{6}"/)
    assert.match(stdout, /"outcome":"answered"/)
    assert.match(stdout, /The warranty is ten years/)
    assert.match(stdout, /"beats":\[/)
    assert.match(stdout, /"success":true/)
    assert.match(stdout, /"maya@example.com"/)
    assert.match(stdout, /"totalAttendees":0/)
    assert.doesNotMatch(stdout, /"error_description":/)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
