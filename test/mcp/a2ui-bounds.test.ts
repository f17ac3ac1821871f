// The bounds of A2UI surfaces hold for whatever a result may say, in whatever script: 60 components, 32 KB, one root, no dangling
// child, and no text that becomes anything but text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { composeSurface, bytesMax } from '../../server/mcp/a2ui.ts'
import { results, shown } from './a2ui-surfaces.ts'

for (const [tool, arbitrary] of Object.entries(results)) {
  test(`${tool} has a surface within bounds, whatever it says`, () => {
    fc.assert(
      fc.property(arbitrary, (data) => {
        const surface = composeSurface(tool, data)
        assert.ok(surface !== undefined, 'there is no surface')
        shown(surface.messages)
      }),
      { numRuns: 150 },
    )
  })
}

test('an answer as long as it may be is shown whole, and a long address of an image is not cut', () => {
  const reply = 'word '.repeat(239)
  const [, , model] = JSON.parse(composeSurface('pap_query_presenter', { reply })?.messages ?? '[]')
  assert.equal(model.updateDataModel.value.texts[0], reply)
  const imageUrl = `https://x.test/${'a'.repeat(600)}.png`
  const shown = composeSurface('get_session', { id: '1', title: 'T', status: 'draft', slides: [{ index: 0, title: 'S', imageUrl }] })
  assert.ok(shown?.messages.includes(imageUrl))
})

test('a list too large to be shown whole is shown in part, and says what is left', () => {
  const leads = Array.from({ length: 100 }, () => ({ name: '蓄'.repeat(400), email: 'a@example.com' }))
  const { messages } = composeSurface('export_leads', { sessionId: '1', leads }) ?? assert.fail('there is no surface')
  assert.ok(Buffer.byteLength(messages) <= bytesMax)
  assert.match(messages, /more are in the text of the result/)
})
