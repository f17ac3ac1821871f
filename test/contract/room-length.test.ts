// "Shorter" and "longer", said to the presenter of an isolated talk: the first statement of each slide, or everything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const parts = ['Boilers', 'Pumps', 'Valves', 'Meters']
const slides = parts.map((part) => ({
  textContent: `${part}\n${part} stand in the cellar of every house.\nThe city pays for ${part} and for their care.\nNobody has seen a broken one of these ${part} yet.`,
}))

eachStore((_, open) => {
  test('after "shorter" each slide is told by its first statement, after "longer" by all, and no slide is passed over', () =>
    withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Lengths', slides })
      await app.api('POST', `/api/v1/agent/sessions/${body.sessionId}/publish`, {})
      const ada = await joinTalk(app, String(body.slug))
      const statements = () =>
        ada.messages
          .filter(({ event, data }) => event === 'beat' && data.phase === 'start' && data.kind === 'narration')
          .map(({ data }) => data)
      const ask = async (text: string, answers: number) => {
        await ada.act('questions', { text, interrupt: true })
        await ada.answered(answers)
      }
      await ada.act('control', { action: 'start' })
      await ask('Shorter, please', 1)
      await eventually(async () => {
        // The sentence that was interrupted is said again: its time passes.
        if (!(await ada.hear())) await app.clock.advance(250)
        return statements().some(({ slideIndex }) => slideIndex === 2)
      })
      await ask('more detail', 2)
      await ada.until('closing')
      const counts = [0, 1, 2, 3].map(
        (index) =>
          new Set(
            statements()
              .filter(({ slideIndex }) => slideIndex === index)
              .map(({ beatId }) => beatId),
          ).size,
      )
      assert.deepEqual([counts[0], counts[1], counts[3]], [1, 1, 3])
      await ada.close()
    }))
})

eachStore((_, open) => {
  test('before the start a room says how long each slide takes: what more is said of takes longer', () =>
    withService(open, async (app) => {
      const few = { textContent: 'Pumps\nA pump is small.' }
      const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Lengths', slides: slides.with(2, few) })
      await app.api('POST', `/api/v1/agent/sessions/${body.sessionId}/publish`, {})
      const room = await app.api('GET', `/api/v1/rooms/${body.slug}`)
      const seconds = room.body.slideSeconds as number[]
      assert.equal(seconds.length, slides.length)
      assert.ok(seconds.every((each) => each > 0))
      assert.ok((seconds[2] ?? 0) < (seconds[1] ?? 0), seconds.join(' '))
      assert.equal(room.body.background, undefined)
    }))

  test('a room names what its background can be asked for, questions first, and no pages of files', () =>
    withService(open, async (app) => {
      const knowledgeBase = ['Warranty', 'Data sheet, page 1', 'Who installs it?', 'Warranty'].map((title) => ({ title, content: title }))
      const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Pumps', slides, knowledgeBase, isLive: true })
      const room = await app.api('GET', `/api/v1/rooms/${body.slug}`)
      assert.deepEqual(room.body.background, ['Who installs it?', 'Warranty'])
    }))
})
