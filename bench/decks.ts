// What becomes of decks, through the public API: titles named, blocks, warnings, pages read from their pictures; seconds, processor time
// and memory of all that works on them, and how long the server lets others wait meanwhile. `--decks FOLDER` takes every PDF,
// presentation and Markdown in it; a `truth.json` beside them (`{ decks: { NAME: { titles: [...] } } }`) has the titles
// compared. Without a folder two decks are made here: one of text, one of pictures.
import { readdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { basename, join } from 'node:path'
import { systemClock } from '@rostrum/base/clock'
import type { DeckView } from '../server/decks/operations/get-deck.ts'
import { createConverter, hasConverter } from '@rostrum/deck/render/converter'
import { buildPdf, buildPptx } from '../test/support/documents.ts'
import { pictureOfWords } from '../test/support/pictures.ts'
import type { TestServer } from '../test/support/server.ts'
import { startServer } from '../test/support/server.ts'
import { type Returned, returnedFrom } from './paragraphs.ts'
import type { Report } from './report.ts'
import { percentile, row } from './report.ts'

const firstPageOwedS = 1.5
const recognitionOwedS = 1
/** Of forty pages; of thirty slides, once the program that draws them has started. */
const pdfOwedS = 8
const presentationOwedS = 15
const memoryOwedGib = 2
const latencyOwedMs = 100
const paragraphsOwed = 0.95
const isPresentation = ({ name }: Sample) => /\.(?:pptx?|odp)$/i.test(name)
const decksTaken = /\.(?:pdf|pptx?|odp|md)$/i

/** Null: the slide has none. */
type Title = string | null

interface Sample {
  name: string
  files: readonly Uint8Array[]
  titles?: readonly (Title | readonly Title[])[]
}

interface Measured {
  deck: DeckView
  firstPageS: number
  readyS: number
  /** All pages there, the words of pictures not yet. */
  pagesS: number
  /** From the last page that came to the end: what the reading of pictures took. */
  recognitionS: number
  /** Of the server and all that it starts. */
  cpuS: number
  mostGib: number
  /** A short call of somebody else, every 50 ms. */
  latencyMs: readonly number[]
}

async function madeHere(): Promise<Sample[]> {
  const part = (n: number) => [
    `Part ${n} of the talk`,
    `Pump ${n} makes ${30 + n} decibels at full load.`,
    `It costs ${n * 90} euros a month.`,
  ]
  const parts = Array.from({ length: 8 }, (_, at) => part(at + 1))
  return [
    { name: 'text', files: [buildPdf(parts.map((lines) => ({ lines })))], titles: parts.map(([title = '']) => title) },
    { name: 'pictures', files: await Promise.all(parts.map((lines) => pictureOfWords(lines))), titles: parts.map(([title = '']) => title) },
  ]
}

function samplesOf(folder: string): Sample[] {
  const names = readdirSync(folder).filter((name) => decksTaken.test(name))
  const truth: { decks?: Record<string, Pick<Sample, 'titles'>> } = readdirSync(folder).includes('truth.json')
    ? JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8'))
    : {}
  return names.map((name) => ({ name: basename(name), files: [readFileSync(join(folder, name))], ...truth.decks?.[name] }))
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
const isTitle = (found: string, wanted: Title | readonly Title[]) => [wanted].flat().some((title) => plain(title ?? '') === plain(found))

export async function benchDecks(folder?: string): Promise<Report> {
  const samples = folder === undefined ? await madeHere() : samplesOf(folder)
  const server = await startServer({ env: { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_UPLOAD: 'off' } })
  try {
    const key = await server.command('key', 'create', '--name', 'bench')
    const all: (Measured & { sample: Sample })[] = []
    // Started, and its code compiled: who comes first waits for that.
    if (samples.some(isPresentation)) await measure({ name: 'first.pptx', files: [buildPptx([{ title: 'First' }])] }, server, key)
    const [load = 0] = loadavg()
    for (const sample of samples) all.push({ sample, ...(await measure(sample, server, key)) })
    const [pdf, drawn] = [samples.find(({ name }) => /\.pdf$/i.test(name)), samples.findLast(isPresentation)]
    const beside = pdf && drawn && (await besideDrawing(pdf, drawn, server, key))
    const slowest = (of: typeof all, length: number) =>
      Math.max(0, ...of.map(({ pagesS, deck }) => pagesS * Math.min(1, length / Math.max(1, deck.slides.length))))
    const pdfS = slowest(
      all.filter(({ sample }) => !isPresentation(sample)),
      40,
    )
    const presentationS = slowest(
      all.filter(({ sample }) => isPresentation(sample)),
      30,
    )
    const mostGib = Math.max(...all.map((each) => each.mostGib))
    const p99Ms = percentile(
      all.flatMap((each) => each.latencyMs),
      0.99,
    )
    const slides = all.flatMap(({ deck }) => deck.slides)
    const seen = slides.filter(({ textFrom }) => textFrom === 'picture').length
    const unread = all.flatMap(({ deck }) =>
      deck.slides.filter(({ index, state }) => state !== 'ok' && !deck.warnings.some(({ slideIndex }) => slideIndex === index)),
    )
    const compared = all.flatMap(({ deck, sample }) =>
      (sample.titles ?? []).map((wanted, at) => isTitle(deck.slides[at]?.title ?? '', wanted)),
    )
    const right = compared.filter(Boolean).length
    const returned = await paragraphsOf(samples)
    const sum = (part: (each: Returned) => number) => returned.reduce((all, each) => all + part(each), 0)
    const paragraphs = sum(({ total }) => total)
    const paragraphsBack = sum(({ inOrder }) => inOrder) / Math.max(1, paragraphs)
    const firstPageS = Math.max(...all.filter(({ sample }) => !isPresentation(sample)).map((each) => each.firstPageS))
    const recognitionS = all.reduce((sum, each) => sum + each.recognitionS, 0) / Math.max(1, seen)
    const ready = all.filter(({ deck }) => deck.state === 'ready').length
    return {
      suite: 'Decks',
      rows: [
        row('decks that are read', `${ready} of ${all.length}`, 'all', ready === all.length),
        row('first page of a PDF, slowest deck', `${firstPageS.toFixed(1)} s`, `<= ${firstPageOwedS} s`, firstPageS <= firstPageOwedS),
        ...(beside === undefined
          ? []
          : [
              row(
                'first page of a PDF while a presentation is drawn',
                `${beside.toFixed(1)} s`,
                `<= ${firstPageOwedS} s`,
                beside <= firstPageOwedS,
              ),
            ]),
        row('PDF, pages of at most 40, slowest', `${pdfS.toFixed(1)} s`, `<= ${pdfOwedS} s`, pdfS <= pdfOwedS),
        row(
          'presentation, slides of at most 30, slowest',
          samples.some(isPresentation) ? `${presentationS.toFixed(1)} s` : 'none here',
          `<= ${presentationOwedS} s`,
          presentationS <= presentationOwedS,
        ),
        row('memory of one process that reads or draws', `${mostGib.toFixed(2)} GiB`, `<= ${memoryOwedGib} GiB`, mostGib <= memoryOwedGib),
        row('a call meanwhile, p99', `${p99Ms.toFixed(0)} ms`, `<= ${latencyOwedMs} ms`, p99Ms <= latencyOwedMs),
        row('words of a picture, mean', `${recognitionS.toFixed(2)} s`, `<= ${recognitionOwedS} s`, recognitionS <= recognitionOwedS),
        ...(paragraphs === 0
          ? []
          : [
              row(
                'paragraphs of printed presentations that come back whole and in order',
                `${(100 * paragraphsBack).toFixed(1)} %`,
                `>= ${100 * paragraphsOwed} %`,
                paragraphsBack >= paragraphsOwed,
              ),
            ]),
        row('slides without text that nobody names', String(unread.length), 'none', unread.length === 0),
      ],
      figures: {
        slides: slides.length,
        recognised: seen,
        titlesCompared: compared.length,
        titlesRight: right,
        firstPageS,
        pdfS,
        presentationS,
        mostGib,
        p99Ms,
        recognitionS,
        paragraphs,
        paragraphsBack,
      },
      notes: [
        `load of the machine before: ${load.toFixed(1)}`,
        ...all.map(inWords),
        ...returned.map(
          ({ name, total, inOrder, notPrinted, strict }) =>
            `${name}, printed: ${inOrder} of ${total} paragraphs come back, ${strict.inOrder} of ${strict.total} each as one piece; ${notPrinted} are not in the print`,
        ),
        `titles word for word: ${compared.length === 0 ? 'no truth.json' : `${right} of ${compared.length}`}`,
      ],
    }
  } finally {
    await server.stop()
  }
}

/** Each presentation is printed by the program that draws them, and read as the PDF that comes of it. */
async function paragraphsOf(samples: readonly Sample[]): Promise<(Awaited<ReturnType<typeof returnedFrom>> & { name: string })[]> {
  const printer = hasConverter() ? createConverter({ clock: systemClock }) : undefined
  const all = []
  for (const { name, files } of samples) {
    const [file] = files
    if (printer === undefined || file === undefined || !/\.pptx$/i.test(name)) continue
    const drawn = await printer.convert({ file, extension: 'pptx', to: 'pdf' })
    if (drawn.ok) all.push({ name, ...(await returnedFrom(file, drawn.file)) })
  }
  printer?.close()
  return all
}

function inWords({ sample, deck, readyS, pagesS, firstPageS, cpuS, mostGib }: Measured & { sample: Sample }): string {
  const named = deck.slides.filter(({ title }) => title !== '').length
  const blocks = deck.slides.reduce((sum, slide) => sum + (slide.blocks?.length ?? 0), 0)
  const codes = [...Map.groupBy(deck.warnings, ({ code }) => code)].map(([code, of]) => `${of.length} ${code}`).join(', ')
  const seen = deck.slides.filter(({ textFrom }) => textFrom === 'picture').length
  return `${sample.name}: ${deck.state}, ${deck.slides.length} slides, ${named} with a title, ${blocks} blocks, ${seen} read from pictures; first page ${firstPageS.toFixed(1)} s, pages ${pagesS.toFixed(1)} s, ready ${readyS.toFixed(1)} s, processor ${cpuS.toFixed(1)} s, ${mostGib.toFixed(2)} GiB; ${codes || 'no warnings'}`
}

/** How long the first page of a PDF takes that comes in the middle of a drawing. */
async function besideDrawing(pdf: Sample, drawn: Sample, server: TestServer, key: string): Promise<number> {
  const drawing = measure({ ...drawn, name: `${drawn.name} again` }, server, key)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const { firstPageS } = await measure({ ...pdf, name: `${pdf.name} beside it` }, server, key)
  await drawing
  return firstPageS
}

async function measure({ files, name }: Sample, { baseUrl, pid }: TestServer, key: string): Promise<Measured> {
  const headers = { Authorization: `Bearer ${key}` }
  const json = { ...headers, 'Content-Type': 'application/json' }
  const sessions = `${baseUrl}/api/v1/agent/sessions`
  const made = await fetch(sessions, { method: 'POST', headers: json, body: JSON.stringify({ title: name }) })
  const { sessionId } = (await made.json()) as { sessionId: string }
  const url = `${sessions}/${sessionId}/deck`
  const form = new FormData()
  for (const [at, bytes] of files.entries()) form.append('file', new Blob([new Uint8Array(bytes)]), `${at}`)
  const began = performance.now()
  const before = workOf(pid)
  const seconds = () => (performance.now() - began) / 1_000
  await fetch(url, { method: 'PUT', headers, body: form })
  let [firstPageS, pagesS, mostGib] = [0, 0, 0]
  const latencyMs: number[] = []
  for (;;) {
    const asked = performance.now()
    await (await fetch(`${baseUrl}/healthz`)).text()
    latencyMs.push(performance.now() - asked)
    const deck = (await (await fetch(url, { headers })).json()) as DeckView
    mostGib = Math.max(mostGib, workOf(pid).mostBytes / 1024 ** 3)
    if (firstPageS === 0 && deck.slides.length > 0) firstPageS = seconds()
    if (pagesS === 0 && deck.slides.length > 0 && deck.slides.length === deck.progress.total) pagesS = seconds()
    if (deck.state === 'ready' || deck.state === 'failed') {
      const readyS = seconds()
      await fetch(`${sessions}/${sessionId}`, { method: 'DELETE', headers })
      const cpuS = workOf(pid).cpuS - before.cpuS
      pagesS ||= readyS
      return { deck, firstPageS, pagesS, readyS, recognitionS: readyS - pagesS, cpuS, mostGib, latencyMs }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const tickS = 0.01
const pageBytes = 4_096

/** Processor time of the server, of those it has started and of those that have ended; the largest of those that run. Linux tells. */
function workOf(pid: number): { cpuS: number; mostBytes: number } {
  let [cpuS, mostBytes] = [0, 0]
  if (process.platform !== 'linux') return { cpuS, mostBytes }
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = statOf(name)
    const isServer = Number(name) === pid
    if (!isServer && Number(fields[1]) !== pid) continue
    const times = isServer ? fields.slice(11, 15) : fields.slice(11, 13)
    cpuS += times.reduce((sum, ticks) => sum + Number(ticks) * tickS, 0)
    if (!isServer) mostBytes = Math.max(mostBytes, Number(fields[21]) * pageBytes)
  }
  return { cpuS, mostBytes }
}

/** What follows the name of a process, which may hold anything (proc(5)). */
function statOf(pid: string): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
