// JSON slides, their pictures, single changes, copies and deletion, through the HTTP surface.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { titlesOf } from '../../server/decks/content.ts'
import { copyContent } from '../../server/decks/create-content.ts'
import { createCanvas } from '@napi-rs/canvas'
import type { DeckView, SlideView } from '../../server/decks/operations/get-deck.ts'
import { json, openDecks, sessionOf, type TestDecks } from '../support/decks.ts'
import { buildPdf } from '../support/documents.ts'
import { problem } from '../support/http.ts'
import { startReceiver } from '../support/outbound.ts'

let it: TestDecks
before(async () => {
  it = await openDecks()
})
after(() => it.close())
afterEach(() => assert.deepEqual(it.warned, []))

const path = (accountId?: string) => it.newSession(accountId)

const put = async (at: string, slides: object[]) => json<DeckView>(await it.request('PUT', `${at}/deck`, { slides }))
const deckAt = async (at: string) => json<DeckView>(await it.request('GET', `${at}/deck`))

test('JSON slides are in service at once, with titles from their first line', async () => {
  const at = await path()
  const deck = await put(at, [{ textContent: '# Pumps\n- quiet', agentNotes: 'smile' }, { title: 'Own', textContent: 'x' }, {}])
  assert.equal(deck.state, 'ready')
  assert.deepEqual(deck.inService, { deckId: deck.deckId, version: 1 })
  assert.deepEqual(
    deck.slides.map(({ title, agentNotes, state }) => [title, agentNotes, state]),
    [
      ['Pumps', 'smile', 'ok'],
      ['Own', '', 'ok'],
      ['', '', 'no_text'],
    ],
  )
  const session = await it.store.read
    .selectFrom('sessions')
    .select(['slides_count', 'deck_id'])
    .where('id', '=', sessionOf(at))
    .executeTakeFirstOrThrow()
  assert.deepEqual(session, { slides_count: 3, deck_id: deck.deckId })
  assert.deepEqual(
    await titlesOf(it.store.read, sessionOf(at), it.decks.deps.mediaBase),
    ['Pumps', 'Own', ''].map((title, index) => ({ index, title, imageUrl: null })),
  )
})

test('what no honest slide holds is cut with a warning on its slide, until the slide gets other words', async () => {
  const at = await path()
  const long = `Pumps\n${'\n'.repeat(10_000)}- quiet`
  const deck = await put(at, [{ textContent: 'Doors' }, { textContent: long, agentNotes: 'smile' }])
  const cut = (view: DeckView) => view.warnings.filter(({ code }) => code === 'cut').map(({ slideIndex }) => slideIndex)
  assert.deepEqual(cut(deck), [1])
  assert.equal(deck.slides[1]?.textContent, `Pumps${'\n'.repeat(200)}- quiet`)
  const [first, second] = deck.slides
  const patch = async (slide: SlideView | undefined, body: object) =>
    json<SlideView>(await it.request('PATCH', `${at}/deck/slides/${slide?.id}`, body))
  assert.equal((await patch(first, { agentNotes: 'x'.repeat(5_000), index: 1 })).agentNotes?.length, 200)
  assert.deepEqual(cut(await deckAt(at)), [0, 1])
  await patch(second, { textContent: 'Pumps\n- quiet' })
  assert.deepEqual(cut(await deckAt(at)), [1])
})

test('a passage that was cut is told on the deck in service, until the knowledge is replaced', async () => {
  const at = await path()
  await put(at, [{ textContent: 'Pumps' }])
  const told = async () => (await deckAt(at)).warnings.flatMap(({ code, slideIndex }) => (code === 'knowledge_cut' ? [slideIndex] : []))
  const passages = [{ content: `See. ${'.'.repeat(40_000)}` }]
  const kept = await json<{ passages: { content: string }[] }>(await it.request('PUT', `${at}/knowledge`, { passages }))
  assert.equal(kept.passages[0]?.content, `See. ${'.'.repeat(200)}`)
  assert.deepEqual(await told(), [undefined])
  await put(at, [{ textContent: 'Pumps and pipes' }])
  assert.deepEqual(await told(), [undefined], 'of the next version too')
  await it.request('PUT', `${at}/knowledge`, { passages: [{ content: 'See.' }] })
  assert.deepEqual(await told(), [])
})

test('a session without a deck says so', async () => {
  const deck = await deckAt(await path())
  assert.deepEqual(
    { ...deck },
    { deckId: null, version: 0, state: 'none', progress: { done: 0, total: 0 }, warnings: [], inService: null, slides: [] },
  )
})

test('pictures of slides are fetched once, made ours, and a bad one leaves a placeholder with words', async () => {
  const fetched: string[] = []
  const canvas = createCanvas(900, 500)
  const png = await canvas.encode('png')
  const receiver = await startReceiver((request, response) => {
    fetched.push(request.url ?? '')
    if (request.url === '/good.png') response.end(png)
    else if (request.url === '/vector.svg') response.end('<svg xmlns="http://www.w3.org/2000/svg"/>')
    else response.writeHead(404).end('secret words of a private page')
  })
  const at = await path()
  const slide = (name: string) => ({ textContent: `Slide ${name}`, imageUrl: `${receiver.url}/${name}` })
  const first = await put(at, [slide('good.png'), slide('vector.svg'), slide('gone.png'), slide('good.png')])
  assert.deepEqual(
    first.slides.map(({ imageState }) => imageState),
    ['pending', 'pending', 'pending', 'pending'],
  )
  await it.jobs.idle()
  const deck = await deckAt(at)
  assert.deepEqual(
    deck.slides.map(({ imageState, state, width }) => [imageState, state, width]),
    [
      ['ready', 'ok', 900],
      ['failed', 'placeholder', undefined],
      ['failed', 'placeholder', undefined],
      ['ready', 'ok', 900],
    ],
  )
  const fix = 'Check the address of the picture, or upload it.'
  assert.deepEqual(deck.warnings, [
    { index: 1, slideIndex: 1, code: 'picture_failed', detail: 'The picture is not a PNG, JPEG or WebP file.', fix },
    { index: 2, slideIndex: 2, code: 'picture_failed', detail: 'The host of the address answered 404 instead of the picture.', fix },
  ])
  assert.deepEqual(fetched.toSorted(), ['/gone.png', '/good.png', '/vector.svg'])
  // What the owner reads can be sent back: our own addresses keep their picture, and nothing is fetched again.
  const again = await put(
    at,
    deck.slides.map(({ id, textContent, imageUrl }) => ({ id, textContent, ...(imageUrl !== undefined && { imageUrl }) })),
  )
  await it.jobs.idle()
  assert.deepEqual(
    again.slides.map(({ id, imageUrl }) => [id, imageUrl]),
    deck.slides.map(({ id, imageUrl }) => [id, imageUrl]),
  )
  assert.equal(fetched.length, 3)
  await receiver.close()
})

test('addresses that may never be fetched are refused, each by its member and all with the same words', async () => {
  const at = await path()
  const body = {
    slides: [{ imageUrl: 'http://10.0.0.1/a.png' }, { imageUrl: 'https://good.org/a.png' }, { imageUrl: 'https://private.org/a.png' }],
  }
  const refused = await problem(await it.request('PUT', `${at}/deck`, body), 400, 'url_not_allowed')
  assert.deepEqual(
    (refused['errors'] as { pointer: string }[]).map(({ pointer }) => pointer),
    ['#/slides/0/imageUrl', '#/slides/2/imageUrl'],
  )
  await problem(await it.request('PUT', `${at}/deck`, { pdfUrl: 'https://169.254.169.254/latest' }), 400, 'url_not_allowed')
  await problem(
    await it.request('PUT', `${at}/deck`, { slides: [{ imageUrl: `https://talks.example.com/media/${'0'.repeat(64)}.jpg` }] }),
    400,
    'invalid_request',
  )
})

test('a pdfUrl is read in the background; slides given with it override text and notes of its pages', async () => {
  const file = buildPdf([
    { lines: ['First page of the file', 'It has more words'] },
    { lines: ['Second page of the file', 'It has more words'] },
  ])
  const receiver = await startReceiver((request, response) => {
    if (request.url === '/deck') response.writeHead(302, { location: '/deck.pdf' }).end()
    else if (request.url === '/deck.pdf') response.end(file)
    else response.end('<html>secret</html>')
  })
  const at = await path()
  const body = { pdfUrl: `${receiver.url}/deck`, slides: [{ textContent: 'Mine', agentNotes: 'private' }] }
  await json(await it.request('PUT', `${at}/deck`, body), 202)
  await it.jobs.idle()
  const deck = await deckAt(at)
  assert.deepEqual(
    deck.slides.map(({ title, agentNotes, imageState }) => [title, agentNotes, imageState]),
    [
      ['Mine', 'private', 'ready'],
      ['First page of the file', '', 'ready'],
    ].with(1, ['Second page of the file', '', 'ready']),
  )
  for (const [url, words] of [
    [`${receiver.url}/page`, 'The address holds no PDF, PowerPoint or OpenDocument presentation.'],
    ['http://local.test:9/x', 'The host of the address does not answer.'],
    ['https://missing.org/x', 'The host of the address was not found.'],
  ] as const) {
    await json(await it.request('PUT', `${at}/deck`, { pdfUrl: url }), 202)
    await it.jobs.idle()
    const failed = await deckAt(at)
    assert.deepEqual([failed.state, failed.reason], ['failed', words])
    assert.equal(failed.inService?.deckId, deck.deckId)
  }
  await receiver.close()
})

test('a slide is changed, moved and deleted by making the next version', async () => {
  const at = await path()
  const { slides, version } = await put(at, [{ textContent: 'A' }, { textContent: 'B', agentNotes: 'n' }, { textContent: 'C' }])
  const [a, b, c] = slides.map(({ id }) => id)
  const changed = await json<SlideView>(await it.request('PATCH', `${at}/deck/slides/${b}`, { textContent: 'Bee', index: 0 }))
  assert.deepEqual([changed.id, changed.index, changed.title, changed.agentNotes], [b, 0, 'Bee', 'n'])
  const after = await deckAt(at)
  assert.equal(after.version, version + 1)
  assert.deepEqual(
    after.slides.map(({ id }) => id),
    [b, a, c],
  )
  assert.deepEqual(await json(await it.request('DELETE', `${at}/deck/slides/${a}`)), { id: a, deleted: true, slidesCount: 2 })
  assert.deepEqual(
    (await deckAt(at)).slides.map(({ id, index }) => [id, index]),
    [
      [b, 0],
      [c, 1],
    ],
  )
  await problem(await it.request('PATCH', `${at}/deck/slides/${a}`, { title: 'x' }), 404, 'not_found')
  await problem(await it.request('PATCH', `${at}/deck/slides/${b}`, { title: 'x'.repeat(201) }), 400, 'invalid_request')
})

test('a version that a run began with stays; others go with the next change', async () => {
  const at = await path()
  const first = await put(at, [{ textContent: 'One' }])
  await it.store.write(async (tx) => {
    await tx
      .insertInto('runs')
      .values({
        id: `run-${sessionOf(at)}`,
        account_id: 'acct-1',
        session_id: sessionOf(at),
        kind: 'live',
        mode: 'isolated',
        status: 'presenting',
        language: 'en',
        deck_id: first.deckId,
        created_at: 1,
        started_at: 1,
        ended_at: null,
        end_reason: null,
        last_seq: 0,
        lease_owner: null,
        epoch: 0,
        lease_until: 0,
      })
      .execute()
  })
  const second = await put(at, [{ textContent: 'Two' }])
  const third = await put(at, [{ textContent: 'Three' }])
  const left = await it.store.read.selectFrom('decks').select('id').where('session_id', '=', sessionOf(at)).orderBy('version').execute()
  assert.deepEqual(
    left.map(({ id }) => id),
    [first.deckId, third.deckId],
  )
  assert.notEqual(second.deckId, third.deckId)
  const shown = await it.decks.ofRun(it.store.read, sessionOf(at), first.deckId ?? '')
  assert.equal(shown?.slides[0]?.text, 'One')
})

test('a copy has the slides, pictures and knowledge, under ids of its own; a deleted session leaves nothing', async () => {
  const at = await path()
  const deck = await put(at, [{ textContent: 'Copy me', agentNotes: 'n' }])
  await it.request('PUT', `${at}/knowledge`, { passages: [{ content: 'Fact.' }] })
  const target = await path()
  await it.store.write((tx) => copyContent(tx, sessionOf(at), { sessionId: sessionOf(target), accountId: 'acct-1', now: 1 }, it.decks.deps))
  const copied = await deckAt(target)
  assert.deepEqual(
    copied.slides.map(({ textContent, agentNotes }) => [textContent, agentNotes]),
    [['Copy me', 'n']],
  )
  assert.notEqual(copied.slides[0]?.id, deck.slides[0]?.id)
  await it.store.write((tx) => it.decks.forget(tx, sessionOf(target), 1))
  for (const table of ['decks', 'passages', 'scripts'] as const) {
    assert.deepEqual(await it.store.read.selectFrom(table).selectAll().where('session_id', '=', sessionOf(target)).execute(), [], table)
  }
})
