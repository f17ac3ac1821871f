import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SentFile } from '../sent-file.ts'
import { partsOf } from './multipart.ts'

/** The same bytes, however the disk would hand them out. */
class InPieces extends SentFile {
  readonly #bytes: Uint8Array
  readonly #size: number
  constructor(bytes: Uint8Array, size: number) {
    super({ bytes }, bytes.length)
    this.#bytes = bytes
    this.#size = size
  }
  override async *chunks(from = 0, until = this.sizeBytes) {
    for (let at = from; at < until; at += this.#size) yield this.#bytes.subarray(at, Math.min(at + this.#size, until))
  }
}

const bytesOf = async (form: FormData) => {
  const request = new Request('http://x.invalid/', { method: 'POST', body: form })
  return { type: request.headers.get('content-type') ?? '', bytes: new Uint8Array(await request.arrayBuffer()) }
}

const contents = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  // What looks like the end of a part and is none.
  fc.constantFrom('\r\n', '--', '\r\n--', '\r\n----formdata', '\r\n\r\n', '').map((text) => new Uint8Array(Buffer.from(text))),
)

test('what a browser sends comes out the same, wherever its pieces end', async () => {
  const parts = fc.array(fc.record({ name: fc.constantFrom('a.pdf', 'say "hi".png', 'ü 名.md', ' '), bytes: contents }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(parts, fc.string(), fc.integer({ min: 1, max: 90 }), async (sent, note, size) => {
      const form = new FormData()
      form.set('notesAs', note)
      for (const { name, bytes } of sent) form.append('file', new File([bytes], name, { type: 'image/PNG' }))
      const expected = await new Response(form).formData()
      const { type, bytes } = await bytesOf(form)
      const { files, fields } = await partsOf(new InPieces(bytes, size), type)
      assert.equal(fields.get('notesAs'), expected.get('notesAs'))
      assert.deepEqual(
        await Promise.all(
          files.map(async ({ field, file }) => [field, file.name, file.type, Buffer.from(await file.bytes()).toString('hex')]),
        ),
        sent.map(({ name, bytes: own }) => ['file', name, 'image/png', Buffer.from(own).toString('hex')]),
      )
    }),
    { numRuns: 200 },
  )
})

test('what is no form is refused, and is not looked through for long', async () => {
  const type = 'multipart/form-data; boundary=b'
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'
  for (const [body, sentAs] of [
    ['', type],
    ['x', type],
    [part, type],
    [`${part}\r\n--b`, type],
    [`${part}\r\n--b--`, 'multipart/form-data'],
    ['--b\r\n\r\nx\r\n--b--', type],
    ['--b\r\nContent-Disposition: attachment\r\n\r\nx\r\n--b--', type],
    [`--b${' '.repeat(300_000)}\r\n`, type],
    [`${'--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n\r\n'.repeat(1_002)}--b--`, type],
  ] as const)
    await assert.rejects(partsOf(SentFile.of(Buffer.from(body)), sentAs), { code: 'invalid_request' }, body.slice(0, 80))
})
