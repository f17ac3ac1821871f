// Knowledge from files: PDF, Markdown and plain text become passages behind those that are there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildPdf, buildPptx } from '../support/documents.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const prices = '# Prices\n\nThe basic plan costs EUR 10 a month.\n\n## Discounts\nSchools pay **half**. <!-- never tell: 60 % margin -->'

async function newSession(app: TestService) {
  const knowledgeBase = [{ title: 'Warranty', content: 'Five years.' }]
  const made = await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: [{ textContent: 'Grid' }], knowledgeBase })
  const at = `/api/v1/agent/sessions/${made.body.sessionId}/knowledge`
  const files = `/api/v1/agent/sessions/${made.body.sessionId}/knowledge/files`
  const headers = { Authorization: `Bearer ${app.key}` }
  return {
    at,
    raw: (bytes: string | Uint8Array, type = 'application/octet-stream') =>
      app.request(files, { method: 'POST', headers: { ...headers, 'Content-Type': type }, body: Buffer.from(bytes) }),
    async form(parts: Readonly<Record<string, string | Uint8Array>>) {
      const form = new FormData()
      for (const [name, bytes] of Object.entries(parts)) form.append('file', new Blob([Buffer.from(bytes)]), name)
      return app.request(files, { method: 'POST', headers, body: form })
    },
    titles: async () => (await app.api('GET', at)).body.passages.map(({ title, content }: Record<string, string>) => [title, content]),
  }
}

eachStore((_, open) => {
  test('[R-11] headings of Markdown become passages behind the present ones; comments stay private', () =>
    withService(open, async (app) => {
      const { form, titles } = await newSession(app)
      const { status, body } = await form({ 'our prices.md': prices })
      assert.deepEqual([status, body.added, body.count], [200, 2, 3])
      assert.deepEqual(await titles(), [
        ['Warranty', 'Five years.'],
        ['Prices', 'The basic plan costs EUR 10 a month.'],
        ['Prices: Discounts', 'Schools pay half.'],
      ])
    }))

  test('[R-11] a PDF gives the text of its pages, plain text its paragraphs, several files in their order', () =>
    withService(open, async (app) => {
      const { form, titles, raw } = await newSession(app)
      const pdf = buildPdf([
        { lines: ['Noise', 'The unit makes 48 dB at three metres'] },
        { lines: [] },
        { lines: ['Weight', 'It weighs 90 kilograms in all'] },
      ])
      // The name and the type that a client gives a file are not believed.
      const { status, body } = await form({ 'Data sheet.txt': pdf, 'notes.pdf': 'Delivery takes two weeks.' })
      assert.deepEqual([status, body.added], [200, 3])
      assert.deepEqual((await titles()).slice(1), [
        ['Data sheet, page 1', 'Noise\nThe unit makes 48 dB at three metres'],
        ['Data sheet, page 3', 'Weight\nIt weighs 90 kilograms in all'],
        ['notes', 'Delivery takes two weeks.'],
      ])
      assert.equal((await raw('Without a name.', 'text/plain')).body.added, 1)
      assert.deepEqual((await titles()).at(-1), [undefined, 'Without a name.'])
    }))

  test('[R-11] what cannot be read is refused with what to send instead, and nothing is added', () =>
    withService(open, async (app) => {
      const { form, raw, titles } = await newSession(app)
      const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])
      const refusals: [Awaited<ReturnType<typeof raw>>, number, RegExp][] = [
        [await raw(png), 415, /PDF, a Markdown file or plain text/],
        [await raw(buildPptx([{ title: 'A', lines: ['b'] }])), 415, /PDF, a Markdown file or plain text/],
        [await raw('%PDF-1.7 and then nothing'), 400, /damaged or not a PDF/],
        [await raw(buildPdf([{ lines: [] }])), 400, /scan/],
        [await raw('<!-- only a comment -->'), 415, /plain text/],
        [await raw('x <!-- a'), 200, /"added":1/],
        [await raw('a '.repeat(600_000)), 413, /1 MiB/],
        [await form({}), 400, /part named `file`/],
        [await form({ 'good.md': prices, 'bad.png': png }), 415, /PDF, a Markdown file/],
        [await form(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`${n}.txt`, 'text']))), 400, /10/],
      ]
      for (const [index, [{ status, text }, expected, words]] of refusals.entries()) {
        assert.equal(status, expected, `${index}: ${text}`)
        assert.match(text, words)
      }
      assert.equal((await titles()).length, 2)
    }))

  test('a session keeps at most 200 passages: more headings than that are joined, and what does not fit is refused', () =>
    withService(open, async (app) => {
      const { raw, titles } = await newSession(app)
      const many = Array.from({ length: 400 }, (_, n) => `# Part ${n}\nText of part ${n}.`).join('\n')
      assert.equal((await raw(many)).status, 200)
      const all = await titles()
      assert.ok(all.length <= 200)
      assert.ok(JSON.stringify(all).includes('Text of part 399.'))
      const rows = Array.from({ length: 200 }, (_, n) => ({ content: `Passage ${n}` }))
      const { at } = await newSession(app)
      assert.equal((await app.api('PUT', at, { passages: rows })).status, 200)
      const full = await app.request(`${at}/files`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.key}`, 'Content-Type': 'text/plain' },
        body: 'One more.',
      })
      assert.deepEqual([full.status, full.body.code], [409, 'limit_reached'])
      assert.match(full.body.detail, /200 of 200 passages/)
    }))

  test('of two uploads at once none is lost', () =>
    withService(open, async (app) => {
      const { raw, titles } = await newSession(app)
      const answers = await Promise.all([raw('First file.'), raw('Second file.'), raw('Third file.')])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.deepEqual((await titles()).map(([, content]: string[]) => content).toSorted(), [
        'First file.',
        'Five years.',
        'Second file.',
        'Third file.',
      ])
    }))
})
