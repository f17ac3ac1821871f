// A one-shot command must end by itself: nothing that the service set up may keep the process waiting.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startServer } from '../support/server.ts'

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../server/${path}`, import.meta.url)))

test('a process that opens the service and closes it ends without being told to', async ({ signal }) => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-one-shot-'))
  const script = `
    const { withParts } = await import(${source('app.ts')})
    const { readConfig } = await import(${source('config/config.ts')})
    const { createLog } = await import(${source('cli/tools.ts')})
    const { config } = readConfig({ ROSTRUM_DATA_DIR: ${JSON.stringify(directory)} })
    const { status } = await withParts(config, await createLog('silent'), async ({ areas, sessions }) => {
      await areas.jobs.start()
      await areas.decks.start()
      return sessions.createReady({ title: 'Hello', publish: false })
    })
    console.log(status)
  `
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { signal })
    assert.equal(stdout.trim(), 'draft')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('a key that the server has just used is refused once a command beside it says so', async () => {
  const server = await startServer()
  try {
    const key = (await server.command('key', 'create', '--name', 'short')).trim()
    const listed = JSON.parse(await server.command('key', 'list', '--json')) as { keys: { id: string; name: string }[] }
    const id = listed.keys.find(({ name }) => name === 'short')?.id ?? ''
    const status = async () =>
      (await fetch(`${server.baseUrl}/api/v1/agent/sessions`, { headers: { Authorization: `Bearer ${key}` } })).status
    assert.equal(await status(), 200)
    let isRevoked = false
    const revoked = server.command('key', 'revoke', id).finally(() => (isRevoked = true))
    // Used until the end, so that it is remembered whenever the command commits.
    while (!isRevoked) await status()
    await revoked
    assert.equal(await status(), 401)
  } finally {
    await server.stop()
  }
})
