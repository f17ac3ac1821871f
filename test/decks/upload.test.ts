// Uploads through the HTTP surface, read by the real reader process.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import type { TestDecks } from '../support/decks.ts'
import { openDecks, sessionOf } from '../support/decks.ts'
import { buildPdf, buildPptx } from '../support/documents.ts'
import { hostileDocuments } from '../support/hostile-documents.ts'
import { baseUrl, problem } from '../support/http.ts'

let it: TestDecks
before(async () => {
  it = await openDecks()
})
after(() => it.close())
afterEach(() => assert.deepEqual(it.warned, []))

const path = (accountId?: string) => it.newSession(accountId)

async function deckAt(at: string): Promise<DeckView> {
  const response = await it.request('GET', `${at}/deck`)
  assert.equal(response.status, 200)
  // The body is the view of the operation; its schema is checked where it is made.
  return (await response.json()) as DeckView
}

async function upload(at: string, bytes: Uint8Array, type = 'application/octet-stream'): Promise<Response> {
  return it.request('PUT', `${at}/deck`, bytes, { 'Content-Type': type })
}

async function picture(width = 800, height = 450, format: 'png' | 'jpeg' | 'webp' = 'png'): Promise<Uint8Array> {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = '#336699'
  context.fillRect(0, 0, width, height)
  return format === 'png' ? canvas.encode('png') : format === 'jpeg' ? canvas.encode('jpeg', 80) : canvas.encode('webp', 80)
}

test('a PDF becomes slides with text and pictures in three widths, while the old deck stays in service', async () => {
  const at = await path()
  await it.request('PUT', `${at}/deck`, { slides: [{ textContent: 'Old slide' }] })
  const accepted = await upload(
    at,
    buildPdf([{ lines: ['Quiet pumps', 'They make 32 decibels at full load'] }, { lines: ['Second page', 'With some more words'] }]),
  )
  assert.equal(accepted.status, 202)
  const pending = (await accepted.json()) as DeckView
  assert.equal(pending.version, 2)
  assert.equal(pending.inService?.version, 1)
  await it.jobs.idle()
  const deck = await deckAt(at)
  assert.equal(deck.state, 'ready')
  assert.equal(deck.inService?.version, 2)
  assert.deepEqual(deck.progress, { done: 2, total: 2 })
  assert.deepEqual(
    deck.slides.map(({ index, title, state }) => [index, title, state]),
    [
      [0, 'Quiet pumps', 'ok'],
      [1, 'Second page', 'ok'],
    ],
  )
  const [slide] = deck.slides
  assert.equal(slide?.width, 1_600)
  assert.deepEqual(
    slide?.srcset?.split(', ').map((each) => each.split(' ')[1]),
    ['1600w', '1280w', '640w'],
  )
  const media = await it.request('GET', slide?.imageUrl?.slice(baseUrl.length) ?? '')
  assert.equal(media.headers.get('content-type'), 'image/jpeg')
  assert.equal(media.headers.get('cache-control'), 'public, max-age=3600, immutable')
})

test('a PPTX gives text, tables, alt text and private notes, in the order of the presentation', async () => {
  const at = await path()
  const table =
    '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Size</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>12 mm</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
  await upload(
    at,
    buildPptx([
      { title: 'Fish & <chips>', lines: ['One', 'Two'], notes: 'Do not say the price\n[pause 2s]' },
      { title: 'Hidden', isHidden: true },
      { title: 'Sizes', shapes: table },
      { picture: await picture(), altText: 'A pump in a cellar' },
    ]),
  )
  await it.jobs.idle()
  const deck = await deckAt(at)
  assert.equal(deck.state, 'ready', deck.reason ?? '')
  assert.deepEqual(
    deck.slides.map(({ title, textContent, agentNotes, imageState }) => ({ title, textContent, agentNotes, imageState })),
    [
      {
        title: 'Fish & <chips>',
        textContent: 'Fish & <chips>\n- One\n- Two',
        agentNotes: 'Do not say the price\n[pause 2s]',
        imageState: 'none',
      },
      { title: 'Sizes', textContent: 'Sizes\nSize\n12 mm', agentNotes: '', imageState: 'none' },
      { title: '', textContent: '![A pump in a cellar]', agentNotes: '', imageState: 'ready' },
    ],
  )
})

test('pictures sent as parts become slides in the order of the parts, whatever their names say', async () => {
  const at = await path()
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(await picture(300, 200, 'webp'))], { type: 'application/pdf' }), 'zzz.pdf')
  form.append('file', new Blob([new Uint8Array(await picture(2_000, 1_000, 'jpeg'))]), 'aaa.exe')
  const accepted = await it.request('PUT', `${at}/deck`, form)
  assert.equal(accepted.status, 202, await accepted.clone().text())
  await it.jobs.idle()
  const deck = await deckAt(at)
  assert.deepEqual(
    deck.slides.map(({ width, height, state }) => [width, height, state]),
    [
      [300, 200, 'no_text'],
      [1_600, 800, 'no_text'],
    ],
  )
})

test('Markdown is split at lines of dashes, comments become notes', async () => {
  const at = await path()
  await upload(
    at,
    Buffer.from(
      '---\ntheme: dark\n---\n# First\n\n- a **bold** word\n- [link](https://x.org)\n\n<!-- keep calm -->\n\n---\n\n# Second\n```\n---\n```\n',
    ),
    'text/markdown',
  )
  await it.jobs.idle()
  const deck = await deckAt(at)
  assert.deepEqual(
    deck.slides.map(({ title, agentNotes }) => [title, agentNotes]),
    [
      ['First', 'keep calm'],
      ['Second', ''],
    ],
  )
  assert.equal(deck.slides[0]?.textContent, '# First\n\n- a bold word\n- link')
})

test('slides keep their ids over a new upload where text or picture is the same, else by place', async () => {
  const at = await path()
  const page = (name: string) => ({ lines: [`Page ${name}`, 'with the same words as before'] })
  await upload(at, buildPdf([page('A'), page('B'), page('C')]))
  await it.jobs.idle()
  const before = (await deckAt(at)).slides.map(({ id }) => id)
  await upload(at, buildPdf([page('New'), page('C'), page('A'), page('D')]))
  await it.jobs.idle()
  const after = (await deckAt(at)).slides.map(({ id }) => id)
  assert.equal(after[1], before[2])
  assert.equal(after[2], before[0])
  assert.equal(new Set(after).size, 4)
})

test('the same file is not read twice for one account, and never found by another', async () => {
  const file = buildPdf([{ lines: ['A page that was read before', 'by this very account'] }])
  const [one, two] = [await path(), await path()]
  for (const at of [one, two]) {
    await upload(at, file)
    await it.jobs.idle()
  }
  assert.equal((await deckAt(two)).slides[0]?.imageUrl, (await deckAt(one)).slides[0]?.imageUrl)
  const read = await it.store.read.selectFrom('decks').select(['id', 'account_id']).where('session_id', '=', sessionOf(two)).execute()
  assert.equal(read.length, 1)
})

test('a broken, encrypted, empty or hostile file says why in words and leaves the old deck in service', async () => {
  const at = await path()
  await it.request('PUT', `${at}/deck`, { slides: [{ textContent: 'Still here' }] })
  const broken = {
    build: () => Buffer.from('%PDF-1.7\nnothing of the kind'),
    expect: /^The file is damaged or not a PDF: it cannot be opened\.$/,
  }
  const hostile = hostileDocuments.filter(({ kind, expect }) => kind === 'pdf' && expect instanceof RegExp)
  assert.ok(hostile.length >= 3, 'there are files that end in words')
  for (const { build, expect } of [broken, ...hostile]) {
    const answer = await upload(at, build())
    // What its bytes do not even claim to be is refused at the door.
    if (answer.status !== 202) {
      assert.equal(answer.status, 415)
      continue
    }
    await it.jobs.idle()
    const deck = await deckAt(at)
    assert.equal(deck.state, 'failed')
    assert.match(deck.reason ?? '', expect instanceof RegExp ? expect : /never/)
    assert.equal(deck.inService?.version, 1)
    const shown = await it.decks.inService(it.store.read, sessionOf(at))
    assert.equal(shown?.slides[0]?.text, 'Still here')
  }
})

test('a talk that is called like its file takes the title of the deck; a name that somebody wrote stays', async () => {
  const titleAfter = async (title: string, first: string, fileName: string) => {
    const at = await path()
    const own = it.store.read.selectFrom('sessions').select('title').where('id', '=', sessionOf(at))
    await it.store.write((tx) => tx.updateTable('sessions').set({ title }).where('id', '=', sessionOf(at)).execute())
    const form = new FormData()
    const file = buildPptx([{ title: first, lines: ['It makes 32 decibels, as loud as a library at night.'] }])
    form.append('file', new Blob([new Uint8Array(file)]), fileName)
    assert.equal((await it.request('PUT', `${at}/deck`, form)).status, 202)
    await it.jobs.idle()
    return (await own.executeTakeFirstOrThrow()).title
  }
  assert.equal(await titleAfter('Pumps final 3', 'Quiet pumps', 'pumps_final_3.pptx'), 'Quiet pumps')
  assert.equal(await titleAfter('pumps-final-3', 'Quiet pumps', 'pumps_final_3.pptx'), 'Quiet pumps')
  assert.equal(await titleAfter('PUMPS.pptx', 'Quiet pumps', 'pumps.pptx'), 'Quiet pumps')
  assert.equal(await titleAfter('For the fair', 'Quiet pumps', 'pumps_final_3.pptx'), 'For the fair')
})

test('an error page of some server, kept under the name or type of a document, is refused instead of becoming a slide', async () => {
  const at = await path()
  const words = Buffer.from('Not Found: the file you asked for is not here.')
  for (const type of ['application/pdf', 'image/png']) await problem(await upload(at, words, type), 415, 'unsupported_media_type')
  for (const [name, type] of [
    ['deck.PDF', ''],
    ['deck.pptx', 'application/octet-stream'],
    ['deck', 'application/pdf'],
  ] as const) {
    const form = new FormData()
    form.append('file', new Blob([words], { type }), name)
    await problem(await it.request('PUT', `${at}/deck`, form), 415, 'unsupported_media_type')
  }
  const form = new FormData()
  form.append('file', new Blob([words], { type: 'text/plain' }), 'notes.txt')
  assert.equal((await it.request('PUT', `${at}/deck`, form)).status, 202)
})

test('what is no deck is refused by its bytes', async () => {
  const at = await path()
  for (const bytes of [
    'GIF89a....',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<html></html>',
    '\u007fELF',
    'GIF89a %PDF-1.4',
    '\u0000\u0001',
  ]) {
    await problem(await upload(at, Buffer.from(bytes, 'latin1'), 'application/pdf'), 415, 'unsupported_media_type')
  }
  await problem(await upload(at, new Uint8Array()), 415, 'unsupported_media_type')
  await problem(await it.request('PUT', `${at}/deck`, Buffer.from('x'), { 'Content-Type': 'video/mp4' }), 415, 'unsupported_media_type')
  await problem(await it.request('PUT', `${at}/deck`, {}), 400, 'invalid_request')
  await problem(await it.request('PUT', `${at}/deck`, { files: ['x'] }), 400, 'invalid_request')
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(buildPdf([{}]))]), 'a.pdf')
  form.append('file', new Blob([new Uint8Array(await picture())]), 'b.png')
  await problem(await it.request('PUT', `${at}/deck`, form), 400, 'invalid_request')
})

test('a file of more than 50 MiB is too large, whichever way it is sent', async () => {
  const at = await path()
  const large = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(50 * 1024 * 1024)])
  await problem(await upload(at, large), 413, 'payload_too_large')
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(large)]), 'a.pdf')
  await problem(await it.request('PUT', `${at}/deck`, form), 413, 'payload_too_large')
  const json = Buffer.concat([Buffer.from('{"slides":[]'), Buffer.alloc(17 * 1024 * 1024, 0x20), Buffer.from('}')])
  await problem(await upload(at, json, 'application/json'), 413, 'payload_too_large')
})

test('a deck of another account does not exist', async () => {
  const at = await path('acct-2')
  const slide = `${at}/deck/slides/5e551000-0000-4000-8000-000000000009`
  await problem(await it.request('PUT', `${at}/deck`, buildPdf([{}]), { 'Content-Type': 'application/pdf' }), 404, 'not_found')
  for (const [method, where, body] of [
    ['GET', `${at}/deck`],
    ['PUT', `${at}/deck`, { slides: [] }],
    ['PATCH', slide, {}],
    ['DELETE', slide],
    ['GET', `${at}/knowledge`],
    ['PUT', `${at}/knowledge`, { passages: [] }],
  ] as const) {
    await problem(await it.request(method, where, body), 404, 'not_found')
  }
})

test('progress is told as a stream that ends with the whole deck', async () => {
  const at = await path()
  await upload(at, buildPdf([{ lines: ['One page with enough words'] }]))
  const stream = await it.request('GET', `${at}/deck`, undefined, { Accept: 'text/event-stream' })
  assert.equal(stream.headers.get('content-type'), 'text/event-stream')
  const text = await stream.text()
  const messages = text
    .split('\n\n')
    .filter((message) => message.startsWith('event: deck'))
    .map((message) => JSON.parse(message.slice(message.indexOf('{'))) as DeckView)
  assert.equal(messages.at(-1)?.state, 'ready')
  assert.equal(messages.at(-1)?.slides.length, 1)
})

test('a deck under way when the server died is taken up by the next one', async () => {
  const at = await path()
  await it.jobs.close()
  await upload(at, buildPdf([{ lines: ['Survives a restart of the server'] }]))
  await it.store.write(async (tx) => {
    await tx.updateTable('decks').set({ state: 'processing' }).where('session_id', '=', sessionOf(at)).execute()
    await tx
      .updateTable('jobs')
      .set({ lease_token: 'dead', due_at: Date.UTC(2100, 0) })
      .execute()
  })
  const again = await openDecks({ before: it })
  await again.jobs.idle()
  const deck = await deckAt(at)
  assert.equal(deck.state, 'ready', deck.reason ?? '')
  assert.equal(deck.slides.length, 1)
  await again.close()
})
