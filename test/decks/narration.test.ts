// What the presenter says in somebody's own words: sent with a slide, or taken from the notes when the host says so.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import type { TestDecks } from '../support/decks.ts'
import { json, openDecks } from '../support/decks.ts'
import { problem } from '../support/http.ts'

let it: TestDecks
before(async () => {
  it = await openDecks()
})
after(() => it.close())
afterEach(() => assert.deepEqual(it.warned, []))

interface Said {
  beats: { beatId: string; kind: string; slideIndex: number; text: string; sources: { type: string; id: string }[] }[]
}

const saidOf = async (at: string, slideIndex: number) =>
  (await json<Said>(await it.request('GET', `${at}/script`))).beats.filter(
    (beat) => beat.kind === 'narration' && beat.slideIndex === slideIndex,
  )
const put = async (at: string, body: object) => json<DeckView>(await it.request('PUT', `${at}/deck`, body))

const slides = [
  { textContent: 'Pumps for all' },
  {
    textContent: 'Prices\n- from 90 euros',
    narration: 'A pump costs 90 euros. That is less than a winter of gas!',
    agentNotes: '[pause 2s] CANARY-77',
  },
  { textContent: 'Thank you' },
]

test('narration is said as it is written, over what is compiled, cited to its slide, and is shown to its owner', async () => {
  const at = await it.newSession()
  const deck = await put(at, { slides })
  assert.equal(deck.slides[1]?.narration, slides[1]?.narration)
  assert.ok(deck.slides[0] && !('narration' in deck.slides[0]))
  const said = await saidOf(at, 1)
  assert.deepEqual(
    said.map(({ text }) => text),
    ['A pump costs 90 euros.', 'That is less than a winter of gas!'],
  )
  assert.ok(said.every(({ sources }) => sources[0]?.id === deck.slides[1]?.id))
  assert.ok(!JSON.stringify(said).includes('CANARY'))
})

test('narration is changed and taken back with its slide; a sentence that was edited before it is not said', async () => {
  const at = await it.newSession()
  const deck = await put(at, { slides: slides.map(({ textContent }) => ({ textContent })) })
  const [first] = await saidOf(at, 1)
  assert.ok(first)
  await it.request('PATCH', `${at}/script/${encodeURIComponent(first.beatId)}`, { text: 'Edited by hand.' })
  const slide = `${at}/deck/slides/${deck.slides[1]?.id}`
  await json(await it.request('PATCH', slide, { narration: 'Ninety euros, and it is yours.' }))
  assert.deepEqual(
    (await saidOf(at, 1)).map(({ text }) => text),
    ['Ninety euros, and it is yours.'],
  )
  await json(await it.request('PATCH', slide, { narration: '' }))
  assert.deepEqual(
    (await saidOf(at, 1)).map(({ text }) => text),
    ['Edited by hand.'],
  )
  await problem(await it.request('PATCH', slide, { narration: 'x'.repeat(5_001) }), 400, 'invalid_request')
})

test('notes are said only where the host says so: their directives act, their words become public, the notes stay', async () => {
  const at = await it.newSession()
  const notes = [
    { textContent: 'One' },
    { textContent: 'Two\n- of it', agentNotes: 'Here we tell the story of the second pump.\n[pause 2s]\nslow' },
    { textContent: 'Thanks' },
  ]
  const deck = await put(at, { slides: notes })
  assert.equal(deck.notesAs, 'private')
  assert.equal(deck.notesWords, 9)
  assert.ok(!JSON.stringify(await saidOf(at, 1)).includes('story'))
  const told = await json<DeckView>(await it.request('PATCH', `${at}/deck`, { notesAs: 'narration' }))
  assert.equal(told.notesAs, 'narration')
  assert.equal(told.slides[1]?.narration, 'Here we tell the story of the second pump.')
  assert.equal(told.slides[1]?.agentNotes, notes[1]?.agentNotes)
  assert.deepEqual(
    (await saidOf(at, 1)).map(({ text }) => text),
    ['Here we tell the story of the second pump.'],
  )
  const back = await json<DeckView>(await it.request('PATCH', `${at}/deck`, { notesAs: 'private' }))
  assert.ok(back.slides[1] && !('narration' in back.slides[1]))
  assert.ok(!JSON.stringify(await saidOf(at, 1)).includes('story'))
})

test('notes that are said from the start leave what was written for a slide as it is', async () => {
  const at = await it.newSession()
  const deck = await put(at, {
    notesAs: 'narration',
    slides: [
      { textContent: 'One', agentNotes: 'From the notes, word for word.' },
      { textContent: 'Two', agentNotes: 'Not these.', narration: 'These are said.' },
    ],
  })
  assert.deepEqual(
    deck.slides.map(({ narration }) => narration),
    ['From the notes, word for word.', 'These are said.'],
  )
})

test('a change of the background is told in the next script, and a passage that explains a slide is cited', async () => {
  const at = await it.newSession()
  await put(at, {
    slides: [{ textContent: 'Cover' }, { textContent: 'Heat pumps\n- Quiet enough for any bedroom' }, { textContent: 'Thanks' }],
  })
  const passages = [{ content: 'A heat pump moves warmth from the air outside into the rooms of a house.' }]
  await json(await it.request('PUT', `${at}/knowledge`, { passages }))
  const cited = (await saidOf(at, 1)).filter(({ sources }) => sources[0]?.type === 'knowledge')
  assert.deepEqual(
    cited.map(({ text }) => text),
    [passages[0]?.content],
  )
  await json(await it.request('PUT', `${at}/knowledge`, { passages: [] }))
  assert.equal((await saidOf(at, 1)).filter(({ sources }) => sources[0]?.type === 'knowledge').length, 0)
})
