// What a reader set apart as running heads and footers is told in its words, and put back by its host, in decks that were read long ago too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { json, openDecks, sessionOf } from '../support/decks.ts'
import { buildPdf } from '../support/documents.ts'

const revenue = [12, 41, 7, 23]
const regions = ['North', 'East', 'South', 'West']
const report = buildPdf(
  regions.map((region, at) => ({
    content: [
      `BT /F1 36 Tf 60 460 Td (Region ${region}) Tj ET`,
      `BT /F1 18 Tf 60 300 Td (Revenue ${revenue[at]} million euro in the quarter.) Tj ET`,
      `BT /F1 10 Tf 60 15 Td (Harbour report | page ${at + 1}) Tj ET`,
    ].join('\n'),
  })),
)

async function readReport() {
  const it = await openDecks()
  const at = await it.newSession()
  await it.request('PUT', `${at}/deck`, report, { 'Content-Type': 'application/pdf' })
  await it.jobs.idle()
  const deck = async () => json<DeckView>(await it.request('GET', `${at}/deck`))
  const setApart = async () => (await deck()).warnings.filter(({ code }) => code === 'set_apart')
  return { ...it, at, deck, setApart }
}

test('a report says its figures; its running foot is told as set apart, and said once it is put back', async () => {
  const it = await readReport()
  const { slides } = await it.deck()
  assert.deepEqual(
    slides.map(({ textContent }) => textContent),
    regions.map((region, at) => `Region ${region}\nRevenue ${revenue[at]} million euro in the quarter.`),
  )
  const [told, ...others] = await it.setApart()
  assert.deepEqual([told?.lines, told?.slideIndex, others], [['Harbour report | page 1'], undefined, []])
  assert.match(told?.detail ?? '', /“Harbour report \| page 1”/)
  const answer = await json<DeckView>(await it.request('PATCH', `${it.at}/deck`, { putBack: told?.lines }))
  assert.deepEqual(
    answer.slides.map(({ textContent }) => textContent.split('\n').at(-1)),
    regions.map((_, at) => `Harbour report | page ${at + 1}`),
  )
  assert.deepEqual(await it.setApart(), [])
  const again = await it.request('PATCH', `${it.at}/deck`, { putBack: told?.lines })
  assert.equal(again.status, 400)
  assert.match(await again.text(), /is not set apart on any slide/)
  assert.equal((await it.request('PATCH', `${it.at}/deck`, {})).status, 400)
  await it.close()
})

test('a deck that an earlier reader took figures from tells them, and has them back by one press', async () => {
  const it = await readReport()
  // As the column was written: the words of the slide are its title alone.
  const rows = await it.store.read.selectFrom('slides').select(['id', 'position', 'reading', 'title']).execute()
  for (const { id, position, reading, title } of rows) {
    const furniture = [`Revenue ${revenue[position]} million euro in the quarter.`, `Harbour report | page ${position + 1}`]
    const before = {
      text_content: title,
      reading: JSON.stringify({ ...JSON.parse(reading), blocks: [], furniture }),
      state: 'no_text' as const,
    }
    await it.store.write((tx) => tx.updateTable('slides').set(before).where('id', '=', id).execute())
  }
  const [changing, running] = await it.setApart()
  assert.deepEqual(changing?.lines, ['Revenue 12 million euro in the quarter.'])
  assert.match(changing?.detail ?? '', /figures change from slide to slide/)
  assert.deepEqual(running?.lines, ['Harbour report | page 1'])
  // What nearly every deck has is nothing to mend.
  assert.deepEqual([changing?.isUsual, running?.isUsual], [undefined, true])
  const silent = (await it.deck()).warnings.filter(({ code }) => code === 'no_text')
  assert.ok(silent.every(({ detail }) => !detail.includes('no words were found')))
  await json(await it.request('PATCH', `${it.at}/deck`, { putBack: changing?.lines }))
  const { slides, warnings } = await it.deck()
  assert.deepEqual(
    slides.map(({ textContent, state }) => [textContent, state]),
    regions.map((region, at) => [`Region ${region}\nRevenue ${revenue[at]} million euro in the quarter.`, 'ok']),
  )
  assert.deepEqual(
    warnings.map(({ code, lines }) => [code, lines]),
    [['set_apart', ['Harbour report | page 1']]],
  )
  assert.equal((await it.store.read.selectFrom('decks').select('id').where('session_id', '=', sessionOf(it.at)).execute()).length, 1)
  await it.close()
})
