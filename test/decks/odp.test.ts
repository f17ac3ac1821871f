// OpenDocument presentations, as the format is written by hand and as LibreOffice writes it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeckView } from '../../src/sessions/deck/operations/get-deck.ts'
import { openOdp } from '../../src/sessions/deck/office/odp.ts'
import { protectedWords } from '../../src/sessions/deck/office/package.ts'
import type { Office } from '../../src/sessions/deck/render/office.ts'
import { sniff } from '../../src/sessions/deck/sniff.ts'
import { json, openDecks } from '../support/decks.ts'
import { buildZip } from '../support/documents.ts'

const spaces = ['office', 'style', 'text', 'draw', 'presentation', 'svg', 'table', 'fo', 'xlink', 'chart']
  .map((name) => `xmlns:${name}="urn:${name}"`)
  .join(' ')
const frame = (kind: string, y: number, inside: string) =>
  `<draw:frame presentation:class="${kind}" svg:x="2cm" svg:y="${y}cm" svg:width="20cm" svg:height="2cm">${inside}</draw:frame>`
const box = (inside: string) => `<draw:text-box>${inside}</draw:text-box>`
const p = (text: string) => `<text:p>${text}</text:p>`
const items = (...inside: string[]) =>
  `<text:list text:style-name="L">${inside.map((each) => `<text:list-item>${each}</text:list-item>`).join('')}</text:list>`
const cells = (...texts: string[]) =>
  `<table:table-row>${texts.map((text) => `<table:table-cell>${p(text)}</table:table-cell>`).join('')}</table:table-row>`

const pages = `
<draw:page draw:style-name="shown">
${frame('title', 1, box(p('Quiet <text:span>pumps</text:span><text:line-break/>for homes')))}
${frame('outline', 5, box(items(p('They make 32<text:s/>decibels'), `${p('Sold since 2021')}${items(p('In nine countries'))}`)))}
${frame('page-number', 18, box(p('<text:page-number>7</text:page-number>')))}
<presentation:notes>${frame('notes', 1, box(p('Mention the canary.')))}</presentation:notes>
</draw:page>
<draw:page draw:style-name="hidden">${frame('title', 1, box(p('Nobody sees this')))}</draw:page>
<draw:page draw:style-name="shown">
${frame('title', 1, box(p('What they cost')))}
<draw:frame svg:x="2cm" svg:y="5cm" svg:width="20cm" svg:height="6cm"><table:table table:use-first-row-styles="true">${cells('Plan', 'Price')}${cells('Small', '10 euros')}</table:table></draw:frame>
<draw:frame svg:x="2cm" svg:y="12cm" svg:width="20cm" svg:height="5cm"><draw:object xlink:href="./Object 1"/></draw:frame>
<office:annotation>${p('A remark between colleagues')}</office:annotation>
</draw:page>`

const content = `<office:document-content ${spaces}><office:automatic-styles>
<style:style style:name="shown"/><style:style style:name="hidden"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>
<text:list-style style:name="L"><text:list-level-style-bullet text:level="1" text:bullet-char="●"/></text:list-style>
</office:automatic-styles><office:body><office:presentation>${pages}</office:presentation></office:body></office:document-content>`

const value = (text: string) => `<table:table-cell office:value="${text}">${p(text)}</table:table-cell>`
const chart = `<office:document-content ${spaces}><office:body><office:chart><chart:chart><chart:title>${p('Sales')}</chart:title><table:table><table:table-header-rows>${cells('', '2026')}</table:table-header-rows><table:table-rows><table:table-row><table:table-cell>${p('North')}</table:table-cell>${value('14')}</table:table-row></table:table-rows></table:table></chart:chart></office:chart></office:body></office:document-content>`

const file = (body = content) =>
  buildZip([
    { name: 'mimetype', data: 'application/vnd.oasis.opendocument.presentation', method: 0 },
    { name: 'content.xml', data: body },
    { name: 'Object 1/content.xml', data: chart },
  ])

test('an OpenDocument presentation gives titles, lists, tables, charts and private notes; hidden pages stay hidden', async (t) => {
  assert.equal(sniff(file()), 'odp')
  const it = await openDecks()
  t.after(() => it.close())
  const at = await it.newSession()
  const accepted = await it.request('PUT', `${at}/deck`, file(), { 'Content-Type': 'application/vnd.oasis.opendocument.presentation' })
  assert.equal(accepted.status, 202)
  await it.jobs.idle()
  const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
  assert.deepEqual(
    view.slides.map(({ title, textContent, agentNotes }) => [title, textContent.split('\n').slice(1), agentNotes]),
    [
      ['Quiet pumps for homes', ['- They make 32 decibels', '- Sold since 2021', '  - In nine countries'], 'Mention the canary.'],
      ['What they cost', ['| Plan | Price', '| --- | --- |', '| Small | 10 euros', 'Sales', '|  | North', '| 2026 | 14'], ''],
    ],
  )
})

test('an archive without pages, and one that is no presentation, end in words', async () => {
  await assert.rejects(openOdp(file(content.replace(pages, ''))), /no slides/)
  await assert.rejects(openOdp(file(`<office:document-content ${spaces}/>`)), /not an OpenDocument presentation/)
})

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

test('an old PowerPoint file ends in words where nothing can open it; a protected one says so', async (t) => {
  const it = await openDecks()
  t.after(() => it.close())
  for (const [name, words] of [
    ['PowerPoint Document', /PowerPoint 2003 or older.*Save it as \.pptx/],
    ['EncryptedPackage', /protected by a password/],
  ] as const) {
    const at = await it.newSession()
    await it.request('PUT', `${at}/deck`, compound(name), { 'Content-Type': 'application/octet-stream' })
    await it.jobs.idle()
    const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
    assert.deepEqual([view.state, words.test(view.reason ?? '')], ['failed', true], view.reason ?? '')
  }
  const at = await it.newSession()
  const refused = await it.request('PUT', `${at}/deck`, compound('WordDocument'), { 'Content-Type': 'application/octet-stream' })
  assert.equal(refused.status, 415)
})
