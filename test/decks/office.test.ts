// PowerPoint slides drawn by the program that the operator names: a script that speaks LibreOffice's command line stands in for it.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { DeckView } from '../../server/decks/operations/get-deck.ts'
import { convertWith, type OfficeJob, type OfficeLimits, officeLimits } from '@rostrum/deck/render/office'
import { json, openDecks } from '../support/decks.ts'
import { buildPdf, buildPptx } from '../support/documents.ts'
import { heldClock } from '../support/held-clock.ts'

const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-office-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const deck = buildPptx([
  { title: 'Quiet pumps', lines: ['They make 32 decibels'], notes: 'Mention the canary.' },
  { title: 'Skipped', lines: ['Nobody sees this'], isHidden: true },
  { title: 'What they cost', lines: ['EUR 24,600 installed'] },
])
const job: OfficeJob = { file: deck, extension: 'pptx', to: 'pdf' }
const pages = (count: number) => buildPdf(Array.from({ length: count }, () => ({ content: '0.5 g 60 60 400 200 re f' })))

const pptx = { 'Content-Type': 'application/octet-stream' }

let programs = 0
/** A program that runs `body` with `$out` and `$file` as LibreOffice would be told them, and notes each of its runs. */
function program(body: string): { path: string; runs: () => string[] } {
  const path = join(directory, `office-${programs++}`)
  writeFileSync(
    path,
    `#!/bin/sh
echo "$*" >> ${path}.runs
env > ${path}.env
while [ $# -gt 1 ]; do [ "$1" = --outdir ] && out=$2; shift; done
file=$1
${body}
`,
    { mode: 0o755 },
  )
  return { path, runs: () => readFileSync(`${path}.runs`, 'utf8').trim().split('\n') }
}

function drawing(pdf: Uint8Array) {
  const made = join(directory, `made-${programs}.pdf`)
  writeFileSync(made, pdf)
  return program(`test -s "$file" && cp ${made} "$out/deck.pdf"`)
}

async function uploaded(office: string) {
  const it = await openDecks({ office })
  const at = await it.newSession()
  await it.request('PUT', `${at}/deck`, deck, pptx)
  await it.jobs.idle()
  return { it, at, view: await json<DeckView>(await it.request('GET', `${at}/deck`)) }
}

test('slides have their text and notes from the file and their pictures from what was drawn; hidden ones stay hidden', async () => {
  const office = drawing(pages(2))
  const { it, view } = await uploaded(office.path)
  assert.equal(view.state, 'ready')
  assert.deepEqual(view.warnings, [])
  assert.deepEqual(
    view.slides.map(({ title, textContent, agentNotes, imageUrl }) => [title, textContent, agentNotes, typeof imageUrl]),
    [
      ['Quiet pumps', 'Quiet pumps\nThey make 32 decibels', 'Mention the canary.', 'string'],
      ['What they cost', 'What they cost\nEUR 24,600 installed', '', 'string'],
    ],
  )
  // The pages of an equal file are used again; nothing is drawn twice.
  const other = await it.newSession()
  await it.request('PUT', `${other}/deck`, deck, pptx)
  await it.jobs.idle()
  const again = await json<DeckView>(await it.request('GET', `${other}/deck`))
  assert.deepEqual(
    again.slides.map(({ imageUrl }) => imageUrl),
    view.slides.map(({ imageUrl }) => imageUrl),
  )
  assert.equal(office.runs().length, 1)
  assert.deepEqual(it.warned, [])
  await it.close()
})

test('the program is told where to work, and knows nothing of the server', async () => {
  const office = drawing(pages(1))
  process.env['ROSTRUM_SECRET_OF_THIS_TEST'] = 'canary'
  try {
    const drawn = await convertWith(office.path, job, heldClock())
    assert.equal(drawn.ok, true)
  } finally {
    delete process.env['ROSTRUM_SECRET_OF_THIS_TEST']
  }
  const [run = ''] = office.runs()
  assert.match(run, /^--headless .*-env:UserInstallation=file:\/\/\S+ --convert-to pdf:impress_pdf_Export --outdir \S+ \S+\.pptx$/)
  const environment = readFileSync(`${office.path}.env`, 'utf8')
  assert.ok(!environment.includes('canary'))
  assert.match(environment, /^http_proxy=http:\/\/127\.0\.0\.1:9$/m)
})

test('what is drawn of too few slides, or is no PDF, leaves the slides as they are in the file, with a warning', async () => {
  for (const [made, count] of [
    [pages(3), '3'],
    [new TextEncoder().encode('not a PDF'), 'none'],
  ] as const) {
    const { it, view } = await uploaded(drawing(made).path)
    assert.equal(view.state, 'ready')
    assert.deepEqual(
      view.slides.map(({ title, imageUrl }) => [title, imageUrl]),
      [
        ['Quiet pumps', undefined],
        ['What they cost', undefined],
      ],
    )
    assert.deepEqual(view.warnings, [
      {
        index: 0,
        slideIndex: 0,
        code: 'drawn_without_pictures',
        detail: `The slides are shown by their text and pictures, not as they look: ${count} of 2 were drawn.`,
        fix: 'Save the presentation as a PDF and send that.',
      },
    ])
    await it.close()
  }
})

test('a program that fails or is not there costs the deck its looks alone; the operator reads why', async () => {
  const cases = [
    [program('echo "source file could not be loaded" >&2; exit 1').path, 'could not read the file', /could not be loaded/],
    [join(directory, 'nothing-here'), 'could not be started', /ENOENT/],
  ] as const
  for (const [path, words, detail] of cases) {
    const { it, view } = await uploaded(path)
    assert.equal(view.state, 'ready')
    assert.equal(view.slides.length, 2)
    assert.match(view.warnings[0]?.detail ?? '', new RegExp(`not as they look: the program that draws them ${words}\\.$`))
    assert.match(it.warned.join(), detail)
    await it.close()
  }
})

test('at a limit it is killed with all it started, and so is what it leaves behind', async () => {
  // Resolves only when nobody holds its error output any more.
  const endless = program('sleep 100000 & sleep 100000').path
  const limited = (change: Partial<OfficeLimits>, clock = heldClock()) =>
    convertWith(endless, job, clock, { limits: { ...officeLimits, ...change } })
  const late = await limited(
    {},
    heldClock((delayMs) => delayMs === officeLimits.timeMs),
  )
  assert.match(late.ok ? '' : late.words, /took too long/)
  const large = await limited({ memoryBytes: 1 })
  assert.match(large.ok ? '' : large.words, /needed too much memory/)
  const leaving = await convertWith(program('sleep 100000 & echo x > "$out/deck.pdf"').path, job, heldClock())
  assert.equal(leaving.ok, true)
  const huge = await convertWith(drawing(pages(1)).path, job, heldClock(), { limits: { ...officeLimits, pdfBytes: 10 } })
  assert.match(huge.ok ? '' : huge.words, /too large/)
})

test('called off, it ends at once and leaves no file', async () => {
  const temporary = mkdtempSync(join(directory, 'tmp-'))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = temporary
  try {
    const ending = new AbortController()
    const drawn = convertWith(program('sleep 100000').path, job, heldClock(), { signal: ending.signal })
    ending.abort()
    await assert.rejects(drawn, /called off/)
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  assert.deepEqual(readdirSync(temporary), [])
})
