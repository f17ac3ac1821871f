// The reader process dies and the document goes on: its limits, one at a time.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { RenderedPage, SourceKind } from '@rostrum/deck/protocol'
import { readDocument, type ReadLimits, readLimits } from '@rostrum/deck/render/read-document'
import { type Clock, systemClock } from '@rostrum/base/clock'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { buildPdf, writePdf } from '../support/documents.ts'
import { heldClock } from '../support/held-clock.ts'
import { hostileDocuments } from '../support/hostile-documents.ts'

const words = 'Enough words for a slide to speak'
/** Draws for minutes. */
const endless = '0 0 m 960 540 l 10 700 300 20 960 0 c S '.repeat(400_000)

interface Reading {
  /** Says which limits run out; none else. */
  clock?: Clock
  limits?: Partial<ReadLimits>
  signal?: AbortSignal
}

async function read(kind: SourceKind, file: Uint8Array, { clock = heldClock(), limits, signal }: Reading = {}) {
  const pages: RenderedPage[] = []
  const sink = { total: async () => {}, page: async (page: RenderedPage) => void pages.push(page) }
  const options = { limits: { ...readLimits, ...limits }, ...(signal && { signal }) }
  return { outcome: await readDocument({ kind, files: [file] }, sink, clock, options), pages }
}

test('a page that takes too long becomes a placeholder and the pages behind it are read', async () => {
  // At its look, and again when the page is drawn without its words, after looks at the others and the first page: half the time is left.
  const clock = heldClock(
    (delayMs, nth) => (delayMs === readLimits.pageMs && nth === 2) || (delayMs === readLimits.pageMs / 2 && nth === 4),
  )
  const { outcome, pages } = await read('pdf', buildPdf([{ lines: [words] }, { content: endless }, { lines: [words] }]), { clock })
  assert.deepEqual(outcome, { ok: true })
  assert.deepEqual(
    pages.map(({ index, state, warnings }) => [index, state, warnings?.map(({ detail }) => detail)]),
    [
      [0, 'ok', undefined],
      [1, 'placeholder', ['The page takes too long to draw.']],
      [2, 'ok', undefined],
    ],
  )
})

test('a page that takes too long to draw is told by its words, one that takes too long to read is shown', async () => {
  const page = { content: `BT /F1 36 Tf 60 460 Td (${words}) Tj ET` }
  const looks = 2
  for (const [nth, detail, has] of [
    [looks + 2, 'The page takes too long to draw: its words are told without it.', [words, false]],
    [looks, 'The words of the page take too long to read: it is shown without them.', ['', true]],
  ] as const) {
    const clock = heldClock((delayMs, which) => delayMs === readLimits.pageMs && which === nth)
    const { outcome, pages } = await read('pdf', buildPdf([page, page]), { clock })
    assert.deepEqual([outcome, pages.length, pages[0]?.warnings], [{ ok: true }, 2, undefined])
    const { text, images, warnings } = pages[1] ?? {}
    assert.deepEqual([[text, (images?.length ?? 0) > 0], warnings?.map((each) => each.detail)], [has, [detail]])
  }
})

test('a file of one page kept its reader as long as one of hundreds', async () => {
  const clock = heldClock((delayMs) => delayMs === readLimits.openMs + readLimits.pageMs)
  const { outcome } = await read('pdf', buildPdf([{ content: endless }]), { clock })
  assert.deepEqual(outcome, { ok: false, reason: 'The file takes too long to read. Save it with simpler graphics.' })
})

test('letters that are drawn again as their own shadow or outline are read once, like letters in a word twice', async () => {
  const outlined = Array.from('Distribution').flatMap((letter, at) =>
    [0, 1].map((mode) => `BT /F1 40 Tf ${mode} Tr 1 0 0 1 ${60 + at * 26} 440 Tm (${letter}) Tj ET`),
  )
  const shadowed = [2, 0].map((off) => `BT /F1 24 Tf 0 Tr 1 0 0 1 ${60 + off} ${350 - off} Tm (Small pool, full hall) Tj ET`)
  const { pages } = await read('pdf', buildPdf([{ content: [...outlined, ...shadowed].join(' ') }]))
  assert.equal(pages[0]?.text, 'Distribution\nSmall pool, full hall')
})

test('words of condensed type are parted by its narrow spaces', async () => {
  const { pages } = await read('pdf', buildPdf([{ content: 'BT /F1 40 Tf 50 Tz 60 440 Td [(WHY) -250 (SO) -250 (MANY)] TJ ET' }]))
  assert.equal(pages[0]?.text, 'WHY SO MANY')
})

test('a document of nothing but such pages ends in words', async () => {
  const { outcome, pages } = await read('pdf', buildPdf(Array.from({ length: 3 }, () => ({ content: endless }))), {
    clock: heldClock((delayMs) => delayMs <= readLimits.pageMs),
    limits: { deathsMax: 1 },
  })
  assert.deepEqual(outcome, { ok: false, reason: '2 pages of the file could not be read. The page takes too long to draw.' })
  assert.deepEqual(pages, [])
})

test('a document that takes too long as a whole ends in words', async () => {
  const clock = heldClock((delayMs) => delayMs === readLimits.documentMs)
  const { outcome } = await read('pdf', buildPdf([{ content: endless }]), { clock })
  assert.equal(
    outcome.ok ? '' : outcome.reason,
    'The file takes longer than 3 minutes to read. Split it, or save it with simpler graphics.',
  )
})

test('a reader that grows over its memory is ended', async () => {
  const bomb = hostileDocuments.find(({ name }) => name === 'two million paths')
  assert.ok(bomb)
  const { outcome } = await read('pdf', bomb.build(), { limits: { memoryBytes: 90 * 1024 * 1024 } })
  assert.match(outcome.ok ? '' : outcome.reason, /memory/)
})

test('calling it off ends the reader', async () => {
  const stop = new AbortController()
  const reading = read('pdf', buildPdf([{ content: endless }]), { signal: stop.signal })
  stop.abort()
  await assert.rejects(reading)
})

test('a page that cannot be stored ends the reading with that error', async () => {
  const sink = { total: async () => {}, page: async () => Promise.reject(new Error('disk full')) }
  await assert.rejects(readDocument({ kind: 'pdf', files: [buildPdf([{ lines: [words] }])] }, sink, heldClock()), /disk full/)
})

test('a reader whose server was killed ends too, though it hears nothing', { skip: process.platform !== 'linux' }, async () => {
  const server = fork(new URL('../support/read-endlessly.ts', import.meta.url), { execPath: process.execPath })
  await once(server, 'message')
  const reader = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'latin1').trim()
  assert.match(reader, /^\d+$/)
  const isRunning = () => existsSync(`/proc/${reader}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${reader}/stat`, 'latin1'))
  assert.ok(isRunning())
  server.kill('SIGKILL')
  await once(server, 'exit')
  // Polled: nobody tells when somebody else's process ends. The test's own time limit bounds it.
  while (isRunning()) await new Promise<void>((resolve) => void systemClock.after(50, resolve))
})

test('colours come out as they are in the file', async () => {
  const { pages } = await read('pdf', buildPdf([{ content: '1 0 0 rg 0 0 480 540 re f 0 0 1 rg 480 0 480 540 re f' }]))
  const [widest] = pages[0]?.images ?? []
  assert.ok(widest)
  const context = createCanvas(widest.width, widest.height).getContext('2d')
  context.drawImage(await loadImage(Buffer.from(widest.bytes)), 0, 0)
  const at = (x: number) => Array.from(context.getImageData(x, 100, 1, 1).data.slice(0, 3), (value) => (value > 200 ? 1 : 0))
  assert.deepEqual(
    [at(100), at(widest.width - 100)],
    [
      [1, 0, 0],
      [0, 0, 1],
    ],
  )
})

test('a sign that is named as its radical too is read once; a bullet that is drawn as a shading begins its line', async () => {
  const map =
    'begincmap /CMapName /M def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <2F004E00> endbfchar endcmap'
  const line = (text: string, y: number) =>
    `BT /F1 18 Tf 60 ${y} Td (${text}) Tj ET q 40 ${y + 2} 8 8 re W n 8 0 0 8 40 ${y + 2} cm /S1 sh Q`
  const content = `BT /F1 36 Tf 60 460 Td (Bees) Tj ET ${line('A hive', 300)} ${line('Two hives', 276)}`
  const stream = (text: string) => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`
  const file = writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Resources << /Font << /F1 3 0 R >> /Shading << /S1 7 0 R >> >> /Contents 5 0 R >>',
    stream(content),
    stream(map),
    '<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 1 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >> >>',
  ])
  assert.equal((await read('pdf', file)).pages[0]?.text, 'Bees\n- 一 hive\n- Two hives')
})
