// Presentations of old and of other formats: those under a password, and those that nothing here can open.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { protectedWords } from '@rostrum/deck/office/package'
import type { Office } from '@rostrum/deck/render/office'
import { json, openDecks } from '../support/decks.ts'
import { buildZip } from '../support/documents.ts'

const compound = (name: string) =>
  Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), Buffer.alloc(512), Buffer.from(name, 'utf16le')])

test('no program is started for a presentation under a password', async (t) => {
  let asked = 0
  const office: Office = { convert: () => Promise.reject(new Error(`asked ${++asked} times`)), close() {} }
  const it = await openDecks({ office })
  t.after(() => it.close())
  const at = await it.newSession()
  await it.request('PUT', `${at}/deck`, compound('EncryptedPackage'), { 'Content-Type': 'application/octet-stream' })
  await it.jobs.idle()
  const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
  assert.deepEqual([view.state, view.reason, asked], ['failed', protectedWords, 0])
})

const openDocument = () => buildZip([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.presentation', method: 0 }])

test('an old PowerPoint file and an OpenDocument one end in words where nothing can open them; a protected one says so', async (t) => {
  const it = await openDecks()
  t.after(() => it.close())
  for (const [file, words] of [
    [compound('PowerPoint Document'), /PowerPoint 2003 or older.*Save it as \.pptx/],
    [openDocument(), /OpenDocument presentation.*Save it as \.pptx/],
    [compound('EncryptedPackage'), /protected by a password/],
  ] as const) {
    const at = await it.newSession()
    await it.request('PUT', `${at}/deck`, file, { 'Content-Type': 'application/octet-stream' })
    await it.jobs.idle()
    const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
    assert.deepEqual([view.state, words.test(view.reason ?? '')], ['failed', true], view.reason ?? '')
  }
  const at = await it.newSession()
  const refused = await it.request('PUT', `${at}/deck`, compound('WordDocument'), { 'Content-Type': 'application/octet-stream' })
  assert.equal(refused.status, 415)
})
