// Knowledge and the script through the HTTP surface, and who may read private notes.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { titlesOf } from '../../server/decks/content.ts'
import { createThreads } from '@rostrum/base/work'
import type { ScriptInput } from '@rostrum/telling/beat'
import { createCompiler } from '@rostrum/telling/compiler'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { json, openDecks, sessionOf, type TestDecks } from '../support/decks.ts'
import { eventually } from '../support/clock.ts'
import { problem } from '../support/http.ts'

let it: TestDecks
before(async () => {
  it = await openDecks()
})
after(() => it.close())
afterEach(() => assert.deepEqual(it.warned, []))

const path = (accountId?: string) => it.newSession(accountId)

const put = async (at: string, slides: object[]) => json<DeckView>(await it.request('PUT', `${at}/deck`, { slides }))

test('knowledge is replaced as a whole, and passages keep the ids that are sent back', async () => {
  const at = await path()
  interface Knowledge {
    passages: { id: string; index: number; title?: string; content: string }[]
    count: number
  }
  const first = await json<Knowledge>(
    await it.request('PUT', `${at}/knowledge`, {
      passages: [{ title: 'Warranty', content: 'Five years.' }, { content: 'Made in Porto.' }],
    }),
  )
  assert.equal(first.count, 2)
  const kept = first.passages[1]
  const second = await json<Knowledge>(
    await it.request('PUT', `${at}/knowledge`, { passages: [{ id: kept?.id, content: 'Made in Braga.' }] }),
  )
  assert.deepEqual(second.passages, [{ id: kept?.id, index: 0, content: 'Made in Braga.' }])
  assert.deepEqual(await json(await it.request('GET', `${at}/knowledge`)), second)
  await problem(await it.request('PUT', `${at}/knowledge`, { passages: [{ content: ' ' }] }), 400, 'invalid_request')
  await problem(await it.request('PUT', `${at}/knowledge`, {}), 400, 'invalid_request')
})

test('the script follows the deck, and an edited sentence is kept while its slide is unchanged', async () => {
  const at = await path()
  interface ScriptAnswer {
    deckId: string
    totalMs: number
    beats: { beatId: string; kind: string; slideIndex: number; text: string; estMs: number; editedAt?: string }[]
  }
  const script = async () => json<ScriptAnswer>(await it.request('GET', `${at}/script`))
  const { slides } = await put(at, [
    { textContent: 'Pumps\n- quiet\n- small' },
    { textContent: 'Prices\n- from 90 euros', agentNotes: 'CANARY never say this' },
  ])
  const before = await script()
  const beat = before.beats.find(({ kind, slideIndex }) => kind === 'narration' && slideIndex === 0)
  assert.ok(beat)
  const edited = await json<{ text: string; estMs: number }>(
    await it.request('PATCH', `${at}/script/${encodeURIComponent(beat.beatId)}`, {
      text: 'They hum, and no more than that, I promise you.',
    }),
  )
  assert.equal(edited.text, 'They hum, and no more than that, I promise you.')
  const textsOf = (answer: ScriptAnswer) => answer.beats.map(({ text }) => text)
  await it.request('PATCH', `${at}/deck/slides/${slides[1]?.id}`, { textContent: 'Prices\n- from 80 euros' })
  const other = await script()
  assert.ok(textsOf(other).includes(edited.text))
  assert.notEqual(other.deckId, before.deckId)
  assert.equal(
    other.totalMs,
    other.beats.reduce((sum, each) => sum + each.estMs, other.totalMs - other.beats.reduce((sum, each) => sum + each.estMs, 0)),
  )
  assert.ok(!JSON.stringify(other).includes('CANARY'))
  await it.request('PATCH', `${at}/deck/slides/${slides[0]?.id}`, { textContent: 'Pumps\n- loud\n- small' })
  assert.ok(!textsOf(await script()).includes(edited.text))
  await it.request('PATCH', `${at}/deck/slides/${slides[0]?.id}`, { textContent: 'Pumps\n- quiet\n- small' })
  assert.ok(textsOf(await script()).includes(edited.text))
  await json(await it.request('PATCH', `${at}/script/${encodeURIComponent(beat.beatId)}`, { text: null }))
  assert.ok(!textsOf(await script()).includes(edited.text))
  await problem(await it.request('PATCH', `${at}/script/nothing`, { text: 'x' }), 404, 'not_found')
  await problem(
    await it.request('PATCH', `${at}/script/${encodeURIComponent(beat.beatId)}`, { text: 'x'.repeat(241) }),
    400,
    'invalid_request',
  )
})

test('twenty changes in a row were twenty compilations', async () => {
  const rules = createCompiler(createThreads())
  const first = Promise.withResolvers<void>()
  const compiled: string[] = []
  const compiler = {
    ...rules,
    async compile(input: ScriptInput) {
      compiled.push(input.slides[0]?.text ?? '')
      await first.promise
      return rules.compile(input)
    },
  }
  const counted = await openDecks({ compiler })
  const at = await counted.newSession()
  const { slides } = await json<DeckView>(await counted.request('PUT', `${at}/deck`, { slides: [{ textContent: 'Pumps' }] }))
  await eventually(async () => compiled.length === 1)
  for (let n = 1; n <= 20; n++)
    await json(
      await counted.request('PATCH', `${at}/deck/slides/${slides[0]?.id}`, { textContent: `Pumps\nThis is change number ${n} of them.` }),
    )
  first.resolve()
  await counted.decks.scripts.idle()
  assert.deepEqual(compiled, ['Pumps', 'Pumps\nThis is change number 20 of them.'])
  await counted.close()
})

test('a process that only answers compiles a script at its first use, and leaves all else to a worker', async () => {
  const web = await openDecks({ before: it, compiles: false })
  const at = await web.newSession()
  const kept = async () => {
    const rows = await it.store.read.selectFrom('scripts').select('body').where('session_id', '=', sessionOf(at)).execute()
    return rows.some(({ body }) => body.includes('Granite'))
  }
  // The worker is elsewhere: nobody hears the ring.
  const alone = await openDecks({ compiles: false })
  const far = await alone.newSession()
  await json(await alone.request('PUT', `${far}/deck`, { slides: [{ textContent: 'Granite' }] }))
  await alone.decks.scripts.idle()
  assert.deepEqual(await alone.store.read.selectFrom('scripts').selectAll().execute(), [])
  await json(await alone.request('GET', `${far}/script`))
  assert.equal((await alone.store.read.selectFrom('scripts').selectAll().execute()).length, 1)
  await json(await web.request('PUT', `${at}/deck`, { slides: [{ textContent: 'Granite' }] }))
  await eventually(kept)
  await web.close()
  await alone.close()
})

test('private notes are in the deck view of the owner and in nothing else that is read from a deck', async () => {
  const at = await path()
  const deck = await put(at, [{ textContent: 'Public words', agentNotes: 'CANARY-4711' }])
  assert.equal(deck.slides[0]?.agentNotes, 'CANARY-4711')
  const others = [
    await it.decks.inService(it.store.read, sessionOf(at)),
    await it.decks.ofRun(it.store.read, sessionOf(at), deck.deckId ?? ''),
    await titlesOf(it.store.read, sessionOf(at), it.decks.deps.mediaBase),
    await it.decks.scripts.find(sessionOf(at)),
    await (await it.request('GET', `${at}/knowledge`)).json(),
  ]
  for (const other of others) assert.ok(!JSON.stringify(other).includes('CANARY'))
})
