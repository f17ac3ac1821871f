// What becomes of decks, through the public API: titles named, blocks, warnings, pages read from their pictures, seconds. `--decks FOLDER`
// takes every PDF, PowerPoint file and Markdown in it; a `truth.json` beside them (`{ decks: { NAME: { titles: [...] } } }`) has the titles
// compared. Without a folder two decks are made here: one of text, one of pictures.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DeckView } from '../src/decks/deck-view.ts'
import { buildPdf } from '../test/support/documents.ts'
import { pictureOfWords } from '../test/support/pictures.ts'
import { startServer } from '../test/support/server.ts'
import type { Report } from './report.ts'
import { row } from './report.ts'

const firstPageOwedS = 1.5
const recognitionOwedS = 1
const decksTaken = /\.(?:pdf|pptx?|odp|md)$/i

interface Sample {
  name: string
  files: readonly Uint8Array[]
  titles?: readonly (string | readonly string[] | null)[]
}

interface Measured {
  deck: DeckView
  firstPageS: number
  readyS: number
  /** From the last page that came to the end: what the reading of pictures took. */
  recognitionS: number
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
const isTitle = (found: string, wanted: string | readonly string[] | null) =>
  wanted === null ? plain(found) === '' : [wanted].flat().some((title) => plain(title) === plain(found))

export async function benchDecks(folder?: string): Promise<Report> {
  const samples = folder === undefined ? await madeHere() : samplesOf(folder)
  const server = await startServer({ env: { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_UPLOAD: 'off' } })
  try {
    const key = await server.command('key', 'create', '--name', 'bench')
    const all: (Measured & { sample: Sample })[] = []
    for (const sample of samples) all.push({ sample, ...(await measure(sample, server.baseUrl, key)) })
    const slides = all.flatMap(({ deck }) => deck.slides)
    const seen = slides.filter(({ textFrom }) => textFrom === 'picture').length
    const unread = all.flatMap(({ deck }) =>
      deck.slides.filter(({ index, state }) => state !== 'ok' && !deck.warnings.some(({ slideIndex }) => slideIndex === index)),
    )
    const compared = all.flatMap(({ deck, sample }) =>
      (sample.titles ?? []).map((wanted, at) => isTitle(deck.slides[at]?.title ?? '', wanted)),
    )
    const right = compared.filter(Boolean).length
    const firstPageS = Math.max(...all.map((each) => each.firstPageS))
    const recognitionS = all.reduce((sum, each) => sum + each.recognitionS, 0) / Math.max(1, seen)
    const ready = all.filter(({ deck }) => deck.state === 'ready').length
    return {
      suite: 'Decks',
      rows: [
        row('decks that are read', `${ready} of ${all.length}`, 'all', ready === all.length),
        row('first page, slowest deck', `${firstPageS.toFixed(1)} s`, `<= ${firstPageOwedS} s`, firstPageS <= firstPageOwedS),
        row('words of a picture, mean', `${recognitionS.toFixed(2)} s`, `<= ${recognitionOwedS} s`, recognitionS <= recognitionOwedS),
        row('slides without text that nobody names', String(unread.length), 'none', unread.length === 0),
      ],
      figures: { slides: slides.length, recognised: seen, titlesCompared: compared.length, titlesRight: right, firstPageS, recognitionS },
      notes: [...all.map(inWords), `titles word for word: ${compared.length === 0 ? 'no truth.json' : `${right} of ${compared.length}`}`],
    }
  } finally {
    await server.stop()
  }
}

function inWords({ sample, deck, readyS }: Measured & { sample: Sample }): string {
  const named = deck.slides.filter(({ title }) => title !== '').length
  const blocks = deck.slides.reduce((sum, slide) => sum + (slide.blocks?.length ?? 0), 0)
  const codes = [...Map.groupBy(deck.warnings, ({ code }) => code)].map(([code, of]) => `${of.length} ${code}`).join(', ')
  const seen = deck.slides.filter(({ textFrom }) => textFrom === 'picture').length
  return `${sample.name}: ${deck.state}, ${deck.slides.length} slides, ${named} with a title, ${blocks} blocks, ${seen} read from pictures, ${readyS.toFixed(1)} s; ${codes || 'no warnings'}`
}

async function measure({ files, name }: Sample, base: string, key: string): Promise<Measured> {
  const headers = { Authorization: `Bearer ${key}` }
  const json = { ...headers, 'Content-Type': 'application/json' }
  const made = await fetch(`${base}/api/v1/agent/sessions`, { method: 'POST', headers: json, body: JSON.stringify({ title: name }) })
  const { sessionId } = (await made.json()) as { sessionId: string }
  const url = `${base}/api/v1/agent/sessions/${sessionId}/deck`
  const form = new FormData()
  for (const [at, bytes] of files.entries()) form.append('file', new Blob([new Uint8Array(bytes)]), `${at}`)
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1_000
  await fetch(url, { method: 'PUT', headers, body: form })
  let [firstPageS, pagesS] = [0, 0]
  for (;;) {
    const deck = (await (await fetch(url, { headers })).json()) as DeckView
    if (firstPageS === 0 && deck.slides.length > 0) firstPageS = seconds()
    if (pagesS === 0 && deck.slides.length > 0 && deck.slides.length === deck.progress.total) pagesS = seconds()
    if (deck.state === 'ready' || deck.state === 'failed')
      return { deck, firstPageS, readyS: seconds(), recognitionS: pagesS === 0 ? 0 : seconds() - pagesS }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
