// PowerPoint files as programs write them, read into the slide model and seen through the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { humanDescription } from '../../packages/deck/office/text.ts'
import { openPptx } from '../../packages/deck/office/pptx.ts'
import type { RenderedPage } from '@rostrum/deck/protocol'
import { json, openDecks } from '../support/decks.ts'
import type { PptxSlide } from '../support/documents.ts'
import { buildPptx, buildZip, pptxParts } from '../support/documents.ts'
import { PptxWriter } from '../support/pptx-writer.ts'

async function pageOf(slide: PptxSlide, parts: { name: string; data: string }[] = []): Promise<RenderedPage> {
  const deck = await openPptx(buildZip([...pptxParts([slide]).filter(({ name }) => !parts.some((part) => part.name === name)), ...parts]))
  return deck.page(0)
}

const body = (page: RenderedPage) => page.text.split('\n').slice(1)
const run = (text: string, properties = '') => `<a:r><a:rPr ${properties}/><a:t>${text}</a:t></a:r>`
const paragraph = (inside: string, properties = '') => `<a:p><a:pPr ${properties}/>${inside}</a:p>`
const box = (x: number, y: number, inside: string, { w = 3_000_000, h = 900_000, kind = '' } = {}) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr txBox="1"/><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${w}" cy="${h}"/></a:xfrm></p:spPr><p:txBody>${inside}</p:txBody></p:sp>`

/** What a program makes of a quarter's report: chart, table, bullets, notes, a hidden slide, a group of labels. */
async function report(): Promise<Uint8Array> {
  const deck = new PptxWriter()
  deck.defineSlideMaster({
    title: 'Plain',
    objects: [{ placeholder: { options: { name: 'title', type: 'title', x: 0.5, y: 0.3, w: 9, h: 0.8 }, text: '' } }],
    slideNumber: { x: 9.3, y: 5.2 },
  })
  const titled = (title: string) => {
    const slide = deck.addSlide({ masterName: 'Plain' })
    slide.addText(title, { placeholder: 'title' })
    return slide
  }
  const revenue = titled('Revenue grew in every region')
  revenue.addChart(
    deck.ChartType.bar,
    [
      { name: '2025', labels: ['North', 'South'], values: [12.5, 8] },
      { name: '2026', labels: ['North', 'South'], values: [14, 9.25] },
    ],
    { x: 0.5, y: 1.2, w: 9, h: 4, showTitle: true, title: 'Revenue in millions' },
  )
  revenue.addNotes('Mention the weak spring.')
  const prices = titled('What it costs')
  const head = { options: { bold: true } }
  prices.addTable(
    [
      [
        { text: 'Plan', ...head },
        { text: 'Price', ...head },
      ],
      [{ text: 'Small' }, { text: '10 euros' }],
      [{ text: 'Large' }, { text: '30 euros' }],
    ],
    { x: 0.5, y: 1.5, w: 6 },
  )
  prices.addText(
    [
      { text: 'Billed by the month', options: { bullet: true, breakLine: true } },
      { text: 'No setup fee', options: { bullet: true, indentLevel: 1 } },
    ],
    { x: 0.5, y: 4, w: 6, h: 1 },
  )
  titled('Only for us').hidden = true
  const flow = titled('How a request travels')
  for (const [at, name] of ['Browser', 'Gateway', 'Worker', 'Store'].entries())
    flow.addText(name, { shape: deck.ShapeType.rect, x: 0.5 + at * 2.3, y: 2.5, w: 1.8, h: 0.8 })
  const written = await deck.write({ outputType: 'uint8array' })
  assert.ok(written instanceof Uint8Array)
  return written
}

test('a report of charts, tables, notes and drawings is read whole; its hidden slide stays hidden', async (t) => {
  const it = await openDecks()
  t.after(() => it.close())
  const at = await it.newSession()
  await it.request('PUT', `${at}/deck`, await report(), { 'Content-Type': 'application/octet-stream' })
  await it.jobs.idle()
  const view = await json<DeckView>(await it.request('GET', `${at}/deck`))
  assert.deepEqual(
    view.slides.map(({ title, agentNotes }) => [title, agentNotes]),
    [
      ['Revenue grew in every region', 'Mention the weak spring.'],
      ['What it costs', ''],
      ['How a request travels', ''],
    ],
  )
  assert.deepEqual(
    view.slides.map(({ textContent }) => textContent.split('\n').slice(1)),
    [
      ['Revenue in millions', '|  | North | South', '| 2025 | 12.5 | 8', '| 2026 | 14 | 9.25'],
      ['| Plan | Price', '| --- | --- |', '| Small | 10 euros', '| Large | 30 euros', '- Billed by the month', '  - No setup fee'],
      ['[Browser]', '[Gateway]', '[Worker]', '[Store]'],
    ],
  )
})

test('a chart is kept with its series, categories, values and how they are written', async () => {
  const deck = await openPptx(await report())
  const { reading } = await deck.page(0)
  const [figure] = reading?.blocks ?? []
  assert.equal(figure?.kind, 'figure')
  assert.deepEqual(figure.kind === 'figure' && figure.data, {
    categories: ['North', 'South'],
    series: [
      { name: '2025', values: [12.5, 8] },
      { name: '2026', values: [14, 9.25] },
    ],
    format: '#,##0',
  })
  assert.ok(figure.kind === 'figure' && (figure.boxes?.[0]?.[2] ?? 0) > 0.8)
})

const point = (id: string, text: string, extra = '') =>
  `<dgm:pt modelId="${id}" ${extra}><dgm:prSet loCatId="process"/><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`
const below = (from: string, to: string, order: number) => `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`

test('SmartArt is read as its outline: steps in their order, details below, prompts that nobody replaced left out', async () => {
  const data = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst>${point('0', '', 'type="doc"')}${point('2', 'Build')}${point('1', 'Plan')}${point('3', 'Ask users')}<dgm:pt modelId="4"><dgm:prSet phldr="1"/><dgm:t><a:p><a:r><a:t>[Text]</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst>${below('0', '2', 1)}${below('0', '1', 0)}${below('1', '3', 0)}${below('0', '4', 2)}</dgm:cxnLst></dgm:dataModel>`
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="5" name="d"/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="2000000"/><a:ext cx="9000000" cy="3000000"/></p:xfrm><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="d" r:dm="rId5"/></a:graphicData></a:graphic></p:graphicFrame>`
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://x/${type}" Target="../diagrams/${target}"/>`
  const relations = `<Relationships>${relation('rId5', 'diagramData', 'data1.xml')}${relation('rId6', 'diagramDrawing', 'drawing1.xml')}</Relationships>`
  const drawing = `<dsp:drawing xmlns:dsp="s" xmlns:a="a"><dsp:txBody><a:p><a:r><a:t>Only drawn</a:t></a:r></a:p></dsp:txBody></dsp:drawing>`
  const rels = { name: 'ppt/slides/_rels/slide1.xml.rels', data: relations }
  const parts = (model: string) => [
    rels,
    { name: 'ppt/diagrams/data1.xml', data: model },
    { name: 'ppt/diagrams/drawing1.xml', data: drawing },
  ]
  const slide = { title: 'How we work', shapes: frame }
  assert.deepEqual(body(await pageOf(slide, parts(data))), ['1. Plan', '  - Ask users', '2. Build'])
  assert.deepEqual(body(await pageOf(slide, parts('<dgm:dataModel xmlns:dgm="d"/>'))), ['- Only drawn'])
})

test('a title of several runs and lines is one; without a placeholder the largest type above is the title, and said to be guessed', async () => {
  const title = `<p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:nvPr><p:ph type="ctrTitle"/></p:nvPr></p:nvSpPr><p:txBody><a:p>${run('Quiet ')}${run('pumps')}<a:br/>${run('for homes')}</a:p></p:txBody></p:sp>`
  const named = await pageOf({ shapes: title })
  assert.deepEqual([named.title, named.reading?.titleFrom, named.reading?.isTitleSure], ['Quiet pumps for homes', 'placeholder', true])
  const small = title
    .replace('<a:br/>', '</a:p><a:p>')
    .replace('<a:rPr />', '<a:rPr sz="4000"/>')
    .replace(/<a:rPr \/>(?=<a:t>for)/, '<a:rPr sz="1800"/>')
  const cover = await pageOf({ shapes: small })
  assert.deepEqual([cover.title, cover.text], ['Quiet pumps', 'Quiet pumps\nfor homes'])
  const loose = await pageOf({
    shapes:
      box(500_000, 3_000_000, paragraph(run('They make 32 decibels.', 'sz="1800"'))) +
      box(500_000, 300_000, paragraph(run('Quiet pumps', 'sz="3600"'))),
  })
  assert.deepEqual([loose.title, loose.reading?.titleFrom, loose.reading?.isTitleSure], ['Quiet pumps', 'layout', true])
  const alike = await pageOf({
    shapes: box(500_000, 300_000, paragraph(run('Quiet pumps'))) + box(500_000, 3_000_000, paragraph(run('They make 32 decibels.'))),
  })
  assert.equal(alike.reading?.isTitleSure, false)
})

test('what stands below the name of a talk in looks of its own is no part of it, nor is a stack of lines one text', async () => {
  const ink = (text: string, colour: string, properties = '') =>
    `<a:r><a:rPr ${properties}><a:solidFill><a:srgbClr val="${colour}"/></a:solidFill></a:rPr><a:t>${text}</a:t></a:r>`
  const title = (inside: string) => box(0, 0, paragraph(inside), { kind: '<p:ph type="title"/>' })
  const read = (shapes: string) => pageOf({ shapes })
  const cover = await read(
    title(
      `${run('Bees on roofs', 'sz="4400"')}<a:br/>${run('Forum of gardeners', 'sz="3000" b="1"')}<a:br/>${run('12 May 2021', 'sz="3000"')}`,
    ),
  )
  assert.deepEqual([cover.title, body(cover)], ['Bees on roofs', ['### Forum of gardeners', '12 May 2021']])
  const agenda = await read(title(`${ink('Agenda', 'FFFFFF')}<a:br/>${ink('New hives', 'FFBE2E')}<a:br/>${ink('Summer visits', 'FFBE2E')}`))
  assert.deepEqual([agenda.title, body(agenda)], ['Agenda', ['- New hives', '- Summer visits']])
  assert.equal((await read(title(`${ink('Hello!', 'FFFFFF')}<a:br/>${ink('Nice to see you', 'FFBE2E')}`))).title, 'Hello! Nice to see you')
  const stack = await read(
    title(run('Tools')) + box(0, 2_000_000, paragraph(['Smoker', 'Hive tool', 'White veil'].map((text) => run(text)).join('<a:br/>'))),
  )
  assert.deepEqual(body(stack), ['Smoker', 'Hive tool', 'White veil'])
  const wrapped = await read(
    title(run('Tools')) +
      box(0, 2_000_000, paragraph(['A Smoker for the', 'White Hives of', 'Our Roof'].map((text) => run(text)).join('<a:br/>'))),
  )
  assert.deepEqual(body(wrapped), ['A Smoker for the White Hives of Our Roof'])
})

test('what stands above in its column is read first, and a heading with what it heads, whatever the order in the file', async () => {
  const columns =
    box(6_500_000, 1_500_000, paragraph(run('After'))) +
    box(500_000, 1_500_000, paragraph(run('Before'))) +
    box(500_000, 2_450_000, paragraph(run('Every pump was tested by hand, which took a week.')), { h: 2_000_000 }) +
    box(6_500_000, 2_450_000, paragraph(run('The bench tests forty pumps in one night.')), { h: 2_000_000 })
  assert.deepEqual(body(await pageOf({ title: 'Testing', shapes: columns })), [
    '### Before',
    'Every pump was tested by hand, which took a week.',
    '### After',
    'The bench tests forty pumps in one night.',
  ])
})

test('code, quotes, links and typed lists are what they are', async () => {
  const code = `<a:rPr><a:latin typeface="Consolas"/></a:rPr>`
  const line = (text: string) => `<a:p><a:r>${code}<a:t>${text}</a:t></a:r></a:p>`
  const page = await pageOf({
    title: 'Mixed',
    shapes:
      box(0, 1_000_000, line('if (isOn) {') + line('  stop()') + line('}')) +
      box(0, 2_000_000, paragraph(run('“The quietest pump that I ever heard.”')) + paragraph(run('– Ada, plumber'))) +
      box(0, 3_000_000, paragraph(run('https://example.com/pumps'))) +
      box(0, 4_000_000, paragraph(run('1. Unpack')) + paragraph(run('2. Connect'))) +
      box(0, 5_000_000, paragraph(run('• Quiet')) + paragraph(run('• Small'))),
  })
  assert.deepEqual(
    page.reading?.blocks.map(({ kind }) => kind),
    ['code', 'quote', 'link', 'list', 'list'],
  )
  assert.deepEqual(body(page), [
    '```',
    'if (isOn) {',
    '  stop()',
    '}',
    '```',
    '> The quietest pump that I ever heard. (Ada, plumber)',
    'https://example.com/pumps',
    '1. Unpack',
    '2. Connect',
    '- Quiet',
    '- Small',
  ])
})

test('page numbers, dates and what stands at the same edge of most slides are furniture', async () => {
  const brand = box(200_000, 6_500_000, paragraph(run('Pump Company, confidential')), { h: 200_000 })
  const date = box(9_000_000, 6_500_000, paragraph('<a:fld type="datetime1"><a:t>1/2/2026</a:t></a:fld>'), { h: 200_000 })
  const slides = ['One', 'Two', 'Three', 'Four', 'Five'].map((title) => ({ title, lines: [`${title} is told here`], shapes: brand + date }))
  const deck = await openPptx(buildPptx(slides))
  const page = await deck.page(1)
  assert.equal(page.text, 'Two\nTwo is told here')
  assert.deepEqual(page.reading?.furniture, ['‹7›', 'Pump Company, confidential'])
})

test('shapes inside groups stand where the group puts them', async () => {
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="6096000" y="3429000"/><a:ext cx="6096000" cy="3429000"/><a:chOff x="0" y="0"/><a:chExt cx="12192000" cy="6858000"/></a:xfrm></p:grpSpPr>${box(6_096_000, 0, paragraph(run('A sentence in a corner.')), { w: 6_096_000, h: 3_429_000 })}</p:grpSp>`
  const page = await pageOf({ title: 'Groups', shapes: group })
  const [block] = page.reading?.blocks ?? []
  assert.deepEqual(block?.kind === 'paragraph' && block.boxes, [[0.75, 0.5, 0.25, 0.25]])
})

test('descriptions that machines wrote, names of files and of shapes are not said, in no language', () => {
  for (const said of [
    'A picture containing text, sign\n\nDescription automatically generated',
    'Ein Bild, das Text enthält.\n\nBeschreibung automatisch generiert',
    'Uma imagem contendo mesa\n\nDescrição gerada automaticamente',
    'Una captura de pantalla\n\nDescripción generada automáticamente',
    'Une image contenant texte\n\nDescription générée automatiquement',
    'グラフィカル ユーザー インターフェイス 自動的に生成された説明',
    '图形用户界面 描述已自动生成',
    'A screenshot of a computer AI-generated content may be incorrect.',
    'Resultado de imagem para bombas',
    'Bildergebnis für Pumpen',
    'C:\\Users\\someone\\Grafik Allgemein\\logo.png',
    'http://example.com/a b.jpg',
    'Picture 3',
    'logo',
    'Users with solid fill',
  ])
    assert.equal(humanDescription(said), undefined, said)
  for (const said of [
    'The pump stands beside the boiler.',
    'Showing rendered HTML view.',
    'Die Pumpe steht neben dem Kessel.',
    '泵站在锅炉旁边',
  ])
    assert.equal(humanDescription(said), said)
})

test('a slide that nobody drew is typeset with its pictures at their places, and says what it lacks', async () => {
  const png = async (color: string) => {
    const canvas = createCanvas(8, 8)
    const context = canvas.getContext('2d')
    context.fillStyle = color
    context.fillRect(0, 0, 8, 8)
    return canvas.encode('png')
  }
  const frame = (relation: string, x: number) =>
    `<p:pic><p:nvPicPr><p:cNvPr id="4" name="p"/></p:nvPicPr><p:blipFill><a:blip r:embed="${relation}"/></p:blipFill><p:spPr><a:xfrm><a:off x="${x}" y="3429000"/><a:ext cx="3048000" cy="3429000"/></a:xfrm></p:spPr></p:pic>`
  const relation = (id: string, target: string) => `<Relationship Id="${id}" Type="http://x/image" Target="../media/${target}"/>`
  const parts = [
    ...pptxParts([{ title: 'Two colours', shapes: `${frame('rId1', 0)}${frame('rId2', 9_144_000)}${frame('rId3', 6_096_000)}` }]).filter(
      ({ name }) => name !== 'ppt/slides/_rels/slide1.xml.rels',
    ),
    {
      name: 'ppt/slides/_rels/slide1.xml.rels',
      data: `<Relationships>${relation('rId1', 'red.png')}${relation('rId2', 'blue.png')}${relation('rId3', 'drawing.emf')}</Relationships>`,
    },
    { name: 'ppt/media/red.png', data: await png('#ff0000') },
    { name: 'ppt/media/blue.png', data: await png('#0000ff') },
    { name: 'ppt/media/drawing.emf', data: 'no picture that we read' },
  ]
  const page = await (await openPptx(buildZip(parts))).page(0)
  const [widest] = page.images
  assert.ok(widest)
  const canvas = createCanvas(widest.width, widest.height)
  const context = canvas.getContext('2d')
  context.drawImage(await loadImage(Buffer.from(widest.bytes)), 0, 0)
  const colorAt = (x: number, y: number) =>
    [...context.getImageData(x * widest.width, y * widest.height, 1, 1).data].slice(0, 3).map((value) => Math.round(value / 255))
  assert.deepEqual(
    [colorAt(0.1, 0.75), colorAt(0.9, 0.75), colorAt(0.5, 0.25)],
    [
      [1, 0, 0],
      [0, 0, 1],
      [1, 1, 1],
    ],
  )
  assert.match(page.warnings?.[0]?.detail ?? '', /it lacks a picture/)
})
