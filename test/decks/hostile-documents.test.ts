// Files made to hurt a reader: none may hang or end the server, each ends in pages or in polite words.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '@rostrum/base/clock'
import { type RenderedPage, textMax } from '@rostrum/deck/protocol'
import { readDocument, readLimits } from '@rostrum/deck/render/read-document'
import { heldClock } from '../support/held-clock.ts'
import { hostileDocuments } from '../support/hostile-documents.ts'

/** Shorter than in service, so that a page that stalls its reader costs the suite little; where an outcome is held to, none runs out. */
const limits = { ...readLimits, pageMs: 1_500, documentMs: 6_000 }

test('there are enough of them', () => {
  assert.ok(hostileDocuments.length >= 40, String(hostileDocuments.length))
})

describe('no file hangs or ends the server, and each ends in pages or in words', { concurrency: 2 }, () => {
  for (const { name, kind, build, expect } of hostileDocuments) {
    test(`${kind}: ${name}`, async () => {
      const pages: RenderedPage[] = []
      const sink = { total: async () => {}, page: async (page: RenderedPage) => void pages.push(page) }
      const clock = expect === 'either' ? systemClock : heldClock()
      const outcome = await readDocument({ kind, files: [build()] }, sink, clock, { limits })
      for (const page of pages) {
        assert.ok(page.text.length <= textMax && !/[^\P{Cc}\n\t]/u.test(page.text) && page.text.isWellFormed())
        for (const { width, height } of page.images) assert.ok(width <= 1_600 && width * height <= 4_000_000 && height <= 4_096)
        for (const { detail } of page.warnings ?? []) assertPolite(detail)
      }
      if (!outcome.ok) assertPolite(outcome.reason)
      if (expect === 'read') assert.ok(outcome.ok, outcome.ok ? '' : outcome.reason)
      else if (expect !== 'either') assert.match(outcome.ok ? `read ${pages.length} pages` : outcome.reason, expect)
    })
  }
})

/** Sentences for a person: no stack, no path, no name of a library, nothing of the file. */
function assertPolite(words: string): void {
  assert.match(words, /^(?:[A-Z]|\d)[^\n]{10,200}\.$/)
  assert.doesNotMatch(words, /error|exception|wasm|pdfium|zlib|\/|undefined|null|NaN|\bat /i)
}
