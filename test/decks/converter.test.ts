// Presentations drawn by the LibreOffice that comes along, in its process: a program that speaks its messages stands in for it, and
// where the machine has the memory, the real one draws what a producer of PowerPoint files wrote.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { converterLimits, createConverter, hasConverter } from '@rostrum/deck/render/converter'
import type { Office, OfficeJob } from '@rostrum/deck/render/office'
import { openPptx } from '../../packages/deck/office/pptx.ts'
import { withDrawing } from '../../packages/deck/render/pdf.ts'
import { systemClock } from '@rostrum/base/clock'
import { json, openDecks } from '../support/decks.ts'
import { buildPdf, buildPptx } from '../support/documents.ts'
import { heldClock } from '../support/held-clock.ts'
import { spoiledPpt } from '../support/hostile-documents.ts'
import { startReceiver } from '../support/outbound.ts'
import { PptxWriter } from '../support/pptx-writer.ts'

const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-converter-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const pages = (count: number) => buildPdf(Array.from({ length: count }, () => ({ content: '0.5 g 60 60 400 200 re f' })))
const job = (extension: OfficeJob['extension'] = 'pptx'): OfficeJob => ({ file: new Uint8Array([1]), extension, to: 'pdf' })

const lines = ['They make 32 decibels, which is as much as a library, and no neighbour hears them']

let programs = 0
/** A program that answers each file with `answer`. */
function program(answer: string, before = ''): string {
  const path = join(directory, `drawing-${programs++}.mjs`)
  writeFileSync(
    path,
    `${before}
process.on('message', ({ type, work: job }) => {
  if (type === 'open') process.send({ type: 'ready' })
  else { ${answer} }
})
process.on('disconnect', () => process.exit(0))`,
  )
  return path
}

const made = (count: number) => {
  const path = join(directory, `made-${count}.json`)
  writeFileSync(path, JSON.stringify([...pages(count)]))
  return `process.send({ type: 'done', result: new Uint8Array(${readFileSync(path, 'utf8')}) })`
}

const converterOf = (path: string, change: Partial<typeof converterLimits> = {}, clock = heldClock()) =>
  createConverter({ clock, program: path, limits: { ...converterLimits, ...change }, freeBytes: () => Number.MAX_SAFE_INTEGER })

test('slides have their text from the file and their pictures from the drawing, on any machine without a program of its own', async (t) => {
  const it = await openDecks({ office: converterOf(program(made(2))) })
  t.after(() => it.close())
  const at = await it.newSession()
  await it.request(
    'PUT',
    `${at}/deck`,
    buildPptx([
      { title: 'Quiet pumps', lines },
      { title: 'Hidden', isHidden: true },
      { title: 'What they cost', lines },
    ]),
    { 'Content-Type': 'application/octet-stream' },
  )
  await it.jobs.idle()
  const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
  assert.deepEqual(
    view.slides.map(({ title, imageState }) => [title, imageState]),
    [
      ['Quiet pumps', 'ready'],
      ['What they cost', 'ready'],
    ],
  )
  assert.deepEqual([view.warnings, it.warned], [[], []])
})

test('nothing is started where too little memory is free; the deck is read all the same and says so on each slide that lost something', async (t) => {
  const office = createConverter({ clock: systemClock, program: join(directory, 'never'), freeBytes: () => converterLimits.freeBytes - 1 })
  const it = await openDecks({ office })
  t.after(() => it.close())
  const at = await it.newSession()
  const picture =
    '<p:pic><p:nvPicPr><p:cNvPr id="4" name="p"/></p:nvPicPr><p:blipFill><a:blip r:embed="rId9"/></p:blipFill><p:spPr/></p:pic>'
  await it.request(
    'PUT',
    `${at}/deck`,
    buildPptx([
      { title: 'Words alone', lines },
      { title: 'With a picture', lines, shapes: picture },
    ]),
    {
      'Content-Type': 'application/octet-stream',
    },
  )
  await it.jobs.idle()
  const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
  assert.equal(view.state, 'ready')
  assert.deepEqual(
    view.warnings.map(({ slideIndex, code }) => [slideIndex, code]),
    [
      [undefined, 'drawn_without_pictures'],
      [1, 'drawn_without_pictures'],
    ],
  )
  assert.match(view.warnings[0]?.detail ?? '', /more memory than is free/)
})

test('a process that fails, crashes, hangs or grows costs its document alone; the next one gets a new process', async () => {
  const cases = [
    [`process.send({ type: 'failed', detail: 'no document' })`, {}, heldClock(), /could not read the file/],
    ['process.exit(3)', {}, heldClock(), /ended without a result/],
    ['', {}, heldClock((delayMs) => delayMs === converterLimits.workMs), /took too long/],
    ['', { memoryBytes: 1 }, heldClock(), /needed too much memory|ended/],
  ] as const
  for (const [answer, change, clock, words] of cases) {
    const converter = converterOf(program(answer), change, clock)
    const first = await converter.convert(job())
    assert.match(first.ok ? '' : first.words, words)
    const second = await converter.convert(job())
    assert.equal(second.ok, false)
    converter.close()
  }
})

test('a process that draws one document after the other gathers no listeners', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const office = converterOf(program(made(1)))
  t.after(() => office.close())
  for (let n = 0; n < 12; n++) assert.equal((await office.convert(job())).ok, true)
  assert.deepEqual(warnings, [])
})

test('a deck whose drawing grows beyond its memory is typeset and says so, and the next deck is drawn', async (t) => {
  const crowded = buildPptx([
    { title: 'Quiet pumps', lines: lines.concat(lines) },
    { title: 'Their parts', lines },
  ])
  const small = buildPptx([{ title: 'What they cost', lines }])
  const grower = program(
    `if (job.file.length === ${small.length}) { ${made(1)} }
    else { globalThis.held = []; setInterval(() => held.push(Buffer.alloc(64 * 1024 * 1024, 1)), 20) }`,
  )
  const it = await openDecks({ office: converterOf(grower, { memoryBytes: 384 * 1024 * 1024 }) })
  t.after(() => it.close())
  const view = async (deck: Uint8Array) => {
    const at = await it.newSession()
    await it.request('PUT', `${at}/deck`, deck, { 'Content-Type': 'application/octet-stream' })
    await it.jobs.idle()
    return json<DeckView>(await it.request('GET', `${at}/deck`))
  }
  const grown = await view(crowded)
  assert.deepEqual([grown.state, grown.slides.length, grown.warnings.map(({ code }) => code)], ['ready', 2, ['drawn_without_pictures']])
  assert.match(grown.warnings[0]?.detail ?? '', /needed too much memory/)
  const next = await view(small)
  assert.deepEqual([next.state, next.warnings, next.slides[0]?.imageState], ['ready', [], 'ready'])
})

test('documents wait for each other, and called off one rejects at once', async () => {
  const converter = converterOf(program(made(1)))
  const [one, other] = await Promise.all([converter.convert(job()), converter.convert(job('odp'))])
  assert.deepEqual([one.ok, other.ok], [true, true])
  const ending = new AbortController()
  ending.abort()
  await assert.rejects(converter.convert(job(), ending.signal), /abort/i)
  converter.close()
})

test('the process may read nothing of the server, write nothing and reach nobody', async () => {
  const secret = join(directory, 'secret')
  writeFileSync(secret, 'canary')
  const attempt = (code: string) => `try { ${code}; said.push('done') } catch (error) { said.push(error.code) }`
  const inside = program(
    "process.send({ type: 'failed', detail: said.join() + Object.keys(process.env).join() })",
    `import * as fs from 'node:fs'
import { spawnSync } from 'node:child_process'
const said = []
${attempt(`fs.readFileSync(${JSON.stringify(secret)})`)}
${attempt(`fs.writeFileSync(${JSON.stringify(secret)}, '')`)}
${attempt("spawnSync('true')")}`,
  )
  const converter = createConverter({ clock: heldClock(), program: inside, freeBytes: () => Number.MAX_SAFE_INTEGER })
  const drawn = await converter.convert(job())
  assert.match(drawn.ok ? '' : drawn.detail, /ERR_ACCESS_DENIED,ERR_ACCESS_DENIED,ERR_ACCESS_DENIED/)
  assert.doesNotMatch(drawn.ok ? '' : drawn.detail, /ROSTRUM|PATH/)
  converter.close()
})

test('a PDF is read while a presentation is drawn, and what an address turns out to hold waits among the presentations', async (t) => {
  let [inside, most, draws] = [0, 0, 0]
  const drawn = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const office: Office = {
    async convert() {
      draws++
      most = Math.max(most, ++inside)
      begun.resolve()
      await drawn.promise
      inside--
      return { ok: true, file: pages(1) }
    },
    close: () => {},
  }
  const presentation = (title: string) => buildPptx([{ title, lines }])
  const receiver = await startReceiver((_request, response) => void response.end(presentation('What they cost')))
  const it = await openDecks({ office })
  t.after(async () => {
    await it.close()
    await receiver.close()
  })
  const [slow, fetched, quick] = [await it.newSession(), await it.newSession(), await it.newSession()]
  const bytes = { 'Content-Type': 'application/octet-stream' }
  const stateOf = async (at: string) => (await json<DeckView>(await it.request('GET', `${at}/deck`))).state
  await it.request('PUT', `${slow}/deck`, presentation('Quiet pumps'), bytes)
  await begun.promise
  await it.request('PUT', `${fetched}/deck`, { pdfUrl: `${receiver.url}/deck` })
  await it.request('PUT', `${quick}/deck`, pages(1), bytes)
  while ((await stateOf(quick)) !== 'ready') await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await stateOf(slow), 'processing')
  drawn.resolve()
  await it.jobs.idle()
  assert.deepEqual([await stateOf(slow), await stateOf(fetched), it.warned], ['ready', 'ready', []])
  assert.deepEqual([draws, most], [2, 1])
})

test('letters that no font of the machine can draw are named on their slide, and on no other', async () => {
  const slides = () =>
    openPptx(
      buildPptx([
        { title: 'Quiet pumps', lines },
        { title: '静かなポンプ', lines },
      ]),
    )
  const codes = async (fonts: string[]) => {
    const drawn = await withDrawing(await slides(), pages(2), fonts)
    return [await drawn.page(0), await drawn.page(1)].map(({ warnings = [] }) => warnings.map(({ code }) => code))
  }
  assert.deepEqual(await codes([]), [[], ['fonts_replaced']])
  assert.deepEqual(await codes(['/fonts/NotoSansCJK.ttc']), [[], []])
})

const free = process.availableMemory() >= converterLimits.freeBytes * 1.5
const noReal = !(hasConverter() && free) && 'no converter, or little memory'
test('the real one draws every slide that is shown', { skip: noReal }, async (t) => {
  const it = await openDecks({ office: createConverter({ clock: systemClock }) })
  t.after(() => it.close())
  const at = await it.newSession()
  const deck = new PptxWriter()
  for (const title of ['Quiet pumps', 'Hidden', 'What they cost']) {
    const slide = deck.addSlide()
    slide.addText(title, { x: 1, y: 0.5, w: 8, h: 1, fontSize: 36 })
    slide.hidden = title === 'Hidden'
  }
  const written = await deck.write({ outputType: 'uint8array' })
  assert.ok(written instanceof Uint8Array)
  await it.request('PUT', `${at}/deck`, written, { 'Content-Type': 'application/octet-stream' })
  await it.jobs.idle()
  const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
  assert.deepEqual(it.warned, [])
  assert.deepEqual(
    view.slides.map(({ title, imageState }) => [title, imageState]),
    [
      ['Quiet pumps', 'ready'],
      ['What they cost', 'ready'],
    ],
  )
})

test(
  'what LibreOffice writes as ODP and as old PPT is read whole; broken ones end in words and cost the deck in service nothing',
  { skip: noReal },
  async (t) => {
    const office = createConverter({ clock: systemClock })
    const it = await openDecks({ office })
    t.after(() => it.close())
    const deck = new PptxWriter()
    const cover = deck.addSlide()
    cover.addText('Quiet pumps', { x: 1, y: 0.5, w: 8, h: 1, fontSize: 40 })
    cover.addText(
      [
        { text: 'They make 32 decibels', options: { bullet: true } },
        { text: 'Sold since 2021', options: { bullet: true } },
      ],
      { x: 1, y: 2, w: 8, h: 2 },
    )
    cover.addNotes('Mention the canary.')
    const prices = deck.addSlide()
    prices.addText('What they cost', { x: 1, y: 0.5, w: 8, h: 1, fontSize: 40 })
    prices.addTable(
      [
        [{ text: 'Plan' }, { text: 'Price' }],
        [{ text: 'Small' }, { text: '10 euros' }],
      ],
      { x: 1, y: 2, w: 8 },
    )
    const written = await deck.write({ outputType: 'uint8array' })
    assert.ok(written instanceof Uint8Array)
    const at = await it.newSession()
    const sent = async (file: Uint8Array) => {
      await it.request('PUT', `${at}/deck`, file, { 'Content-Type': 'application/octet-stream' })
      await it.jobs.idle()
      return json<DeckView>(await it.request('GET', `${at}/deck`))
    }
    for (const to of ['odp', 'ppt']) {
      const made = await office.convert({ file: written, extension: 'pptx', to: to as OfficeJob['to'] })
      assert.ok(made.ok)
      const view = await sent(made.file)
      assert.deepEqual([view.state, view.warnings], ['ready', []])
      assert.deepEqual(
        view.slides.map(({ title, imageState }) => [title, imageState]),
        [
          ['Quiet pumps', 'ready'],
          ['What they cost', 'ready'],
        ],
      )
      assert.match(view.slides[0]?.textContent ?? '', /- They make 32 decibels\n- Sold since 2021/)
      assert.match(view.slides[1]?.textContent ?? '', /Small \| 10 euros/)
      assert.match(view.slides[0]?.agentNotes ?? '', /Mention the canary/)
      for (const { name, file, words } of to === 'ppt' ? spoiledPpt(made.file) : []) {
        const after = await sent(file)
        assert.equal(after.inService?.deckId, view.deckId, name)
        assert.match(after.reason ?? '', words, name)
      }
      const spoiled = made.file.map((byte, index) => (index > 2_000 && index % 3 === 0 ? byte ^ 0x5a : byte))
      for (const broken of [made.file.subarray(0, 1_500), spoiled]) {
        const after = await sent(broken)
        assert.equal(after.inService?.deckId ?? after.deckId, view.deckId)
        // What is no longer known as a presentation is refused as it comes in.
        if (after.state === 'failed') assert.match(after.reason ?? '', /^The (?:file|archive) [^\n]{10,200}\.$/)
        else assert.equal(after.deckId, view.deckId)
      }
    }
  },
)
