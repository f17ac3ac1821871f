// Falsehoods that a model writes beside a true sentence, over the public surface: the true one is said, the false one is not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDecks } from '../../bench/qa/sets.ts'
import { falsehoods, truths } from '../../bench/model/planted.ts'
import { line, startModelServer } from '../support/model-server.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const kinds = ['swap', 'date', 'name', 'number']
const decks = ['ferrolink', 'mediqor', 'ledgerly', 'velodock', 'keelson', 'lanternfall']

/** As the model names a source: s1 is the first slide, k1 the first entry of the knowledge base. */
const named = (id: string) => id.replace(/^.*-([sk])(\d+)$/u, (_all, kind: string, at: string) => `${kind}${Number(at) + 1}`)

eachStore((_, open) => {
  test('of planted falsehoods, swapped parties, wrong years and invented names at least 99 % are never said', async () => {
    const model = await startModelServer(() => ({ pieces: [] }))
    try {
      await withService(
        open,
        async (app) => {
          let [asked, told] = [0, 0]
          const passed: string[] = []
          for (const { id, content } of readDecks().filter((deck) => decks.includes(deck.id))) {
            const { body } = await app.api('POST', '/api/v1/agent/sessions', {
              title: content.title,
              isLive: true,
              slides: content.slides.map(({ text }) => ({ textContent: text })),
              knowledgeBase: content.passages.map((passage) => ({ content: passage.content })),
            })
            const own = falsehoods(2_026).filter(({ kind, session }) => session.sessionId === id && kinds.includes(kind))
            const [truth] = truths().filter(({ kind, session }) => session.sessionId === id && kind === 'verbatim')
            assert.ok(truth)
            for (const { text, sources } of own) {
              const pieces = [line(text, ...sources.map(named)), line(`${truth.text}.`, ...truth.sources.map(named))]
              model.act = () => ({ pieces })
              const message = `What about ${truth.text}?`
              const { body: answer, status } = await app.api('POST', '/api/v1/pap/query', { sessionId: body.sessionId, message })
              assert.equal(status, 200)
              asked += 1
              if (answer.reply.includes(text)) passed.push(text)
              if (answer.reply.includes(truth.text)) told += 1
              await app.clock.advance(6_000)
            }
          }
          assert.ok(asked >= 50, `${asked}`)
          assert.ok(passed.length <= asked / 100, passed.join('\n'))
          assert.ok(told >= asked * 0.95, `${told} of ${asked} true sentences said`)
          assert.ok(model.requests.length >= asked, 'each was asked of the model')
        },
        { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1`, ROSTRUM_LLM_PRICES: '1/10' },
      )
    } finally {
      await model.close()
    }
  })
})
