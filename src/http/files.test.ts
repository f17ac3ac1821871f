import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { assetFiles } from './files.ts'

const folder = mkdtempSync(join(tmpdir(), 'rostrum-assets-'))
after(() => rmSync(folder, { recursive: true, force: true }))
for (const [name, text] of Object.entries({ 'a.js': 'plain', 'a.js.br': 'brotli', 'a.js.gz': 'gzip', 'b.css': 'b', 'c.exe': 'c' })) {
  writeFileSync(join(folder, name), text)
}
const find = assetFiles(folder)
const body = async (accept?: string) => Buffer.from((await find('a.js', accept))?.body ?? []).toString()

test('the smallest form that the caller takes is sent, and caches are told why', async () => {
  assert.equal(await body('gzip, deflate, br'), 'brotli')
  assert.equal(await body('gzip'), 'gzip')
  assert.equal(await body('br;q=0, gzip;q=0'), 'plain')
  assert.equal(await body(), 'plain')
  const found = await find('a.js', 'br')
  assert.equal(found?.headers['Content-Encoding'], 'br')
  assert.equal(found?.headers['Vary'], 'Accept-Encoding')
  assert.equal(found?.headers['Content-Type'], 'text/javascript; charset=utf-8')
  assert.equal(found?.headers['Cache-Control'], 'public, max-age=31536000, immutable')
})

test('only listed files of a known type exist, whatever the name says', async () => {
  for (const name of ['../files.ts', 'a.js.br', 'c.exe', '', '.', 'missing.js', 'a.js/'])
    assert.equal(await find(name, 'br'), undefined, name)
})

test('a folder that was never built has no files', async () => {
  assert.equal(await assetFiles(join(folder, 'nothing'))('a.js', undefined), undefined)
})
