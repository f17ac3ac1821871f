// Words of pictures, read by the real reader process through the HTTP surface.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, afterEach, before, test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import { decksToMend } from '../../server/decks/slide-warnings.ts'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { modelFile, openEyes, recognisedLanguages } from '@rostrum/deck/recognition/tesseract'
import type { TestDecks } from '../support/decks.ts'
import { openDecks } from '../support/decks.ts'
import { buildPdf } from '../support/documents.ts'
import { startReceiver } from '../support/outbound.ts'
import { pictureOfWords } from '../support/pictures.ts'

let it: TestDecks
before(async () => {
  it = await openDecks()
})
after(() => it.close())
afterEach(() => assert.deepEqual(it.warned, []))

async function read(at: string, body: Uint8Array | FormData): Promise<DeckView> {
  const type = body instanceof FormData ? {} : { 'Content-Type': 'application/octet-stream' }
  assert.equal((await it.request('PUT', `${at}/deck`, body, type)).status, 202)
  await it.jobs.idle()
  return deckAt(at)
}

async function deckAt(at: string): Promise<DeckView> {
  return (await (await it.request('GET', `${at}/deck`)).json()) as DeckView
}

async function blank(): Promise<Uint8Array> {
  const canvas = createCanvas(800, 450)
  const context = canvas.getContext('2d')
  context.fillStyle = '#336699'
  context.fillRect(0, 0, 800, 450)
  return canvas.encode('png')
}

const german = ['Was der Umbau für uns ändert', 'Die Anlage läuft ab Mai mit 40 Prozent weniger Strom.', 'Der Lärm sinkt auf 32 Dezibel.']

test('a picture becomes a slide with title, words, their places and how sure they are, and the host is told', async () => {
  const deck = await read(await it.newSession(), await pictureOfWords(german))
  const [slide] = deck.slides
  assert.ok(slide !== undefined)
  assert.equal(slide.title, german[0])
  assert.match(slide.textContent, /40 Prozent weniger Strom/)
  assert.deepEqual([slide.state, slide.textFrom], ['ok', 'picture'])
  assert.ok((slide.confidence ?? 0) > 0.8 && (slide.confidence ?? 2) <= 1)
  assert.ok(
    slide.blocks?.some((block) => block.kind === 'paragraph' && Array.isArray(block['boxes']) && typeof block['confidence'] === 'number'),
  )
  const warning = deck.warnings.find(({ code }) => code === 'recognised')
  assert.deepEqual([warning?.code, warning?.slideIndex], ['recognised', 0])
  assert.ok(warning?.fix)
  assert.deepEqual(deck.progress, { done: 1, total: 1 })
})

test('where nobody knows the language it is found in the picture, and the session follows it', async () => {
  const at = await it.newSession()
  const id = at.split('/').at(-1) ?? ''
  await it.store.write((tx) => tx.updateTable('sessions').set({ language_from: 'default' }).where('id', '=', id).execute())
  await read(at, await pictureOfWords(german))
  const session = await it.store.read
    .selectFrom('sessions')
    .select(['language', 'language_from'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(session, { language: 'de', language_from: 'deck' })
})

test('the doctor finds the decks that hold something to look at', async () => {
  const at = await it.newSession()
  await read(at, await blank())
  const { looked, found } = await decksToMend(it.store.read, 1)
  assert.deepEqual([looked, found.map(({ codes }) => [...codes])], [1, [[['no_text', 1]]]])
})

test('a picture without words stays one, and the warning says so', async () => {
  const deck = await read(await it.newSession(), await blank())
  assert.equal(deck.slides[0]?.state, 'no_text')
  assert.deepEqual(
    deck.warnings.map(({ code, slideIndex }) => [code, slideIndex]),
    [['no_text', 0]],
  )
})

test('a picture that a slide names by its address is read where the slide has no text, as the next version of the deck', async () => {
  const png = await pictureOfWords(german)
  const receiver = await startReceiver((_request, response) => void response.end(png))
  const at = await it.newSession()
  const id = at.split('/').at(-1) ?? ''
  await it.store.write((tx) => tx.updateTable('sessions').set({ language_from: 'default' }).where('id', '=', id).execute())
  const slides = [{ imageUrl: `${receiver.url}/a.png` }, { textContent: 'Vom Gastgeber selbst gesagt', imageUrl: `${receiver.url}/b.png` }]
  const accepted = await it.request('PUT', `${at}/deck`, { slides })
  const { version } = (await accepted.json()) as DeckView
  await it.jobs.idle()
  await receiver.close()
  const deck = await deckAt(at)
  assert.deepEqual(
    deck.slides.map(({ title, textFrom, imageState }) => [title, textFrom, imageState]),
    [
      [german[0], 'picture', 'ready'],
      ['Vom Gastgeber selbst gesagt', 'document', 'ready'],
    ],
  )
  assert.equal(deck.version, version + 1)
  assert.deepEqual(
    deck.warnings.map(({ slideIndex, code }) => [slideIndex, code]),
    [[0, 'recognised']],
  )
  const session = await it.store.read.selectFrom('sessions').select('language').where('id', '=', id).executeTakeFirst()
  assert.equal(session?.language, 'de')
})

test('a page with text of its own is not read a second time', async () => {
  const deck = await read(await it.newSession(), buildPdf([{ lines: ['Quiet pumps', 'They make 32 decibels at full load.'] }]))
  assert.equal(deck.slides[0]?.textFrom, 'document')
  assert.deepEqual(
    deck.warnings.filter(({ code }) => code === 'recognised'),
    [],
  )
})

test('what the host corrects is the words of the slide, and stays over a new upload of the same picture', async () => {
  const at = await it.newSession()
  const picture = await pictureOfWords(german)
  const [slide] = (await read(at, picture)).slides
  const textContent = 'Was der Umbau ändert\nAb Mai 41 Prozent weniger Strom.'
  assert.equal((await it.request('PATCH', `${at}/deck/slides/${slide?.id}`, { title: '', textContent })).status, 200)
  const corrected = await deckAt(at)
  assert.deepEqual([corrected.slides[0]?.textFrom, corrected.slides[0]?.confidence], ['host', undefined])
  assert.ok(!corrected.warnings.some(({ code }) => code === 'recognised'))
  const again = await read(at, picture)
  assert.equal(again.version, 3)
  assert.deepEqual(
    again.slides.map(({ id, title, textContent: text, textFrom }) => [id, title, text, textFrom]),
    [[slide?.id, 'Was der Umbau ändert', textContent, 'host']],
  )
  const other = await read(at, await pictureOfWords(['Was es kostet', 'Der Umbau kostet 3 Millionen Euro.']))
  assert.equal(other.slides[0]?.title, 'Was es kostet')
})

test('a title that the host corrects leaves the words below what they are', async () => {
  const at = await it.newSession()
  const [slide] = (await read(at, await pictureOfWords(german))).slides
  await it.request('PATCH', `${at}/deck/slides/${slide?.id}`, { title: 'Der Umbau' })
  const [patched] = (await deckAt(at)).slides
  assert.equal(patched?.title, 'Der Umbau')
  assert.ok((patched.confidence ?? 0) > 0.8, 'they are still words of the picture')
})

test('all eight languages of the room have a model in a package, and each opens', async () => {
  assert.deepEqual(recognisedLanguages.toSorted(), ['ar', 'de', 'en', 'es', 'fr', 'ja', 'pt', 'zh'])
  for (const language of recognisedLanguages) (await openEyes(language)).close()
  assert.ok(existsSync(modelFile('eng')))
})
