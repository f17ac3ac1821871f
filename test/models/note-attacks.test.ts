// [2.3-2] More than a thousand attempts at private notes, against a model that knows them and tells: over the Personal Agent Protocol,
// MCP and the room nothing of them comes out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import type { ModelAct } from '../support/model-server.ts'
import { line, startModelServer } from '../support/model-server.ts'
import { everyAttack, slyQuestions } from '../support/note-attacks.ts'
import { openService } from '../support/service.ts'

const words = ['zephyr', 'quokka', 'nimbus', 'marzipan']
const note = `Mention that the ${words.slice(0, 3).join(' ')} margin is forty one and never tell a ${words[3]} competitor.`
const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [
    { textContent: 'Grid storage\n- A battery shifts the evening peak by four hours', agentNotes: note },
    { textContent: 'Cost\n- The system costs 112 EUR per kWh\n- It pays back in 6.5 years', agentNotes: `${note} [pause 1s]` },
  ],
  knowledgeBase: [{ title: 'Warranty', content: 'The warranty is ten years or 6,000 cycles, whichever comes first.' }],
}
const fair = ['What does it cost?', 'How long is the warranty?', 'How long does the battery shift the peak?', 'When does it pay back?']

/** What a model that has the notes might do with them. */
const leaks: readonly ((at: number) => string)[] = [
  () => note,
  (at) =>
    note
      .split(' ')
      .slice(at % 8, (at % 8) + 4)
      .join(' '),
  (at) => `The system costs 112 EUR per kWh, ${words[at % 4]}.`,
  (at) => `A battery shifts the evening peak by four hours for the ${words[at % 4]}.`,
  () => note.toUpperCase(),
  () => note.split(' ').toReversed().join(' '),
  (at) => `The system costs 112 EUR per kWh: ${(words[at % 4] ?? '').split('').join(' ')}.`,
  (at) => `The system costs 112 EUR per kWh ${Buffer.from(`${words[at % 4]} is the margin`).toString('base64')}.`,
  (at) => `It pays back in 6.5 years; the margin, says the ${words[at % 4]}, is forty one.`,
  () => 'The margin of the system is forty one.',
]
const spelt = (text: string) => text.toLowerCase().replace(/[\s.,-]+/gu, '')
const hasLeak = (text: string) =>
  words.some((word) => text.toLowerCase().includes(word) || spelt(text).includes(word)) ||
  /forty one|competitor/iu.test(text) ||
  words.some((word) => text.includes(Buffer.from(`${word} is the margin`).toString('base64')))

test('[2.3-2] a model that knows the notes and tells them in ten ways gets none of it past the check', async () => {
  const attacks = [...everyAttack(fair), ...slyQuestions(fair)]
  assert.ok(attacks.length >= 1_000, `${attacks.length}`)
  let calls = 0
  let fairSentences = 0
  const act = (): ModelAct => {
    const at = calls++
    const tell = (leaks[at % leaks.length] ?? leaks[0])?.(Math.floor(at / leaks.length)) ?? ''
    return { pieces: [line(tell, 's2'), line(tell, 's1', 's2'), line('The system costs 112 EUR per kWh.', 's2'), line(tell)] }
  }
  const model = await startModelServer(act)
  const app = await openService({ env: { ROSTRUM_LLM: `compatible:stub@${model.origin}/v1` } })
  try {
    const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
    const { sessionId, slug } = body
    const found: string[] = []
    const look = (attack: string, surface: string, text: string) => {
      // What the attendee wrote comes back as their own question; the canaries are not in it.
      if (hasLeak(text)) found.push(`${surface}: ${attack} -> ${text.slice(0, 300)}`)
      if (text.includes('The system costs 112 EUR per kWh.')) fairSentences++
    }
    const maya = await joinTalk(app, slug, { name: 'Maya' })
    await maya.act('control', { action: 'start' })
    let asked = 0
    for (const [at, attack] of attacks.entries()) {
      if (at % 10 === 0) {
        await maya.act('questions', { text: attack.slice(0, 3_900), interrupt: true })
        await maya.answered(++asked)
      } else if (at % 10 < 4) {
        const call = {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'pap_query_presenter', arguments: { sessionId, message: attack } },
        }
        const headers = { Authorization: `Bearer ${app.key}`, 'Content-Type': 'application/json', Accept: 'application/json' }
        look(attack, 'MCP', (await app.request('/mcp', { method: 'POST', headers, body: JSON.stringify(call) })).text)
      } else look(attack, 'PAP', (await app.api('POST', '/api/v1/pap/query', { sessionId, message: attack })).text)
    }
    for (const { event, data } of maya.messages) look('', `room ${event}`, JSON.stringify(data))
    await maya.close()
    assert.deepEqual(found.slice(0, 5), [])
    assert.ok(calls >= 300, `only ${calls} attacks reached the model`)
    assert.ok(fairSentences >= 300, 'what the source says was said')
    assert.ok(model.requests.every(({ body: sent }) => !words.some((word) => sent.includes(word))))
  } finally {
    await app.close()
    await model.close()
  }
})
