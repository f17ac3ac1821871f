import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type TestHttp, openHttp } from '../../../test/support/http.ts'

const webRoot = mkdtempSync(join(tmpdir(), 'rostrum-assets-'))
mkdirSync(join(webRoot, 'assets'))
for (const [name, text] of Object.entries({
  'secret.txt': 'not for anybody',
  'favicon.svg': '<svg/>',
  'assets/a.js': 'plain',
  'assets/a.js.br': 'brotli',
  'assets/a.js.gz': 'gzip',
}))
  writeFileSync(join(webRoot, name), text)
let surface: TestHttp
before(async () => {
  surface = await openHttp({ options: { webRoot } })
})
after(async () => {
  await surface.store.close()
  rmSync(webRoot, { recursive: true, force: true })
})
const get = (path: string, accept?: string) => surface.request(path, accept === undefined ? {} : { headers: { 'Accept-Encoding': accept } })
const textOf = async (accept?: string) => (await get('/assets/a.js', accept)).text()

test('the smallest form that the caller takes is sent, and caches are told why', async () => {
  assert.equal(await textOf('gzip, deflate, br'), 'brotli')
  assert.equal(await textOf('gzip'), 'gzip')
  assert.equal(await textOf('br;q=0, gzip;q=0'), 'plain')
  assert.equal(await textOf(), 'plain')
  const found = await get('/assets/a.js', 'br')
  assert.equal(found.headers.get('content-encoding'), 'br')
  assert.equal(found.headers.get('vary'), 'Accept-Encoding')
  assert.match(found.headers.get('content-type') ?? '', /^text\/javascript; charset=utf-8$/i)
  assert.equal(found.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal((await get('/favicon.svg')).headers.get('cache-control'), 'public, max-age=3600')
})

test('only files of the folder exist, whatever the name says', async () => {
  for (const name of ['..%2fsecret.txt', '..%5csecret.txt', '%2e%2e%2fsecret.txt', '.', '..', 'missing.js', 'a.js/', 'a.js%00', '%2e'])
    assert.equal((await get(`/assets/${name}`)).status, 404, name)
})

test('a folder that was never built has no files', async () => {
  const empty = await openHttp({ options: { webRoot: join(webRoot, 'nothing') } })
  assert.equal((await empty.request('/assets/a.js')).status, 404)
  await empty.store.close()
})
