// One talk in each language, with what its people meet beside it: contact details in a question and the yes to them, the form, something
// rude, a link, what the talk does not say, a wish, a fault of the presenter. No sentence of another language is said or shown.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { languageOf, languageTags } from '@rostrum/languages/languages'
import { openService, type RoomMessage, type TestService } from '../support/service.ts'

const folder = join(import.meta.dirname, '../../packages/languages/words')

/** Sentences of a language that somebody may hear or read: long enough to be told apart, without their gaps. */
function sentencesOf(tag: string): string[] {
  const strings = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
  const { consent, asides, answers, script, polls } = JSON.parse(readFileSync(join(folder, `${tag}.json`), 'utf8'))
  const { smallTalk } = languageOf(tag).talk
  const replies = Object.values(smallTalk).flatMap(({ reply }) => reply)
  return [consent, ...strings([asides, answers, script, polls, replies])]
    .flatMap((text) => text.split(/\{\w+\}/u))
    .map((part) => part.trim())
    .filter((part) => part.length >= (/[぀-鿿]/u.test(part) ? 8 : 18))
}

const all = new Map(languageTags().map((tag) => [tag, sentencesOf(tag)]))
const inWords = (message: RoomMessage): string[] => {
  const { text, disclosure } = { ...message.data, ...message.data.session } as { text?: unknown; disclosure?: unknown }
  return [text, disclosure].filter((words) => typeof words === 'string')
}

describe('a talk in each language', () => {
  let app: TestService
  before(async () => void (app = await openService()))
  after(() => app.close())

  for (const tag of languageTags())
    test(`says nothing in another language: ${tag}`, async () => {
      const title = 'Kubikat 9000'
      const slides = [{ textContent: `${title}\n- Kubikat 9000: 300 EUR` }, { textContent: 'Fin\n- 12 kW' }]
      const made = await app.api('POST', '/api/v1/agent/sessions', {
        title,
        language: tag,
        isLive: true,
        slides,
        ctaUrl: 'https://example.com/x',
      })
      assert.equal(made.status, 200, made.text)
      const { body: room } = await app.api('GET', `/api/v1/rooms/${made.body.slug}`, undefined, null)
      const { body: you } = await app.api('POST', `/api/v1/rooms/${made.body.slug}/attendees`, { name: 'Ada' }, null)
      const path = `/api/v1/runs/${you.runId}`
      const stream = await app.stream(`${path}/stream`, you.attendeeToken)
      const met: string[] = [room.disclosure, room.cta?.text ?? '', room.consentText ?? '']
      let lastId = ''
      const hear = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += 1_000) {
          await app.clock.advance(1_000)
          for (const message of await stream.read()) {
            lastId = message.id || lastId
            met.push(...inWords(message))
          }
        }
      }
      const ask = async (text: string, more: object = {}) => {
        const id = crypto.randomUUID()
        await app.api('POST', `${path}/questions`, { id, text, interrupt: true, ...more }, you.attendeeToken)
        await hear(8_000)
      }
      await app.api('POST', `${path}/control`, { id: crypto.randomUUID(), action: 'start' }, you.attendeeToken)
      await hear(5_000)
      await ask('ada@example.com')
      const [yes = ''] = languageOf(tag).asides.yes
      await ask(yes, { seen: lastId })
      await ask('Kubikat 9000?')
      await ask('https://example.com/Kubikat')
      await ask('Xyzzy plugh frobnicate?')
      await ask('%!&§$')
      const form = { id: crypto.randomUUID(), email: 'bo@example.com', consent: true }
      const left = await app.api('POST', `${path}/lead`, form, you.attendeeToken)
      assert.equal(left.status, 200, left.text)
      met.push(left.body.message)
      await stream.close()
      assert.ok(met.length > 8, met.join('\n'))
      assert.ok(
        met.some((words) => words.includes(languageOf(tag).asides.contactKept.split('{')[0] ?? '?')),
        'no prompt for consent',
      )
      const own = all.get(tag) ?? []
      for (const [other, sentences] of all)
        for (const words of met)
          for (const sentence of sentences)
            if (other !== tag && words.includes(sentence) && !own.some((each) => each.includes(sentence))) assert.fail(`${other}: ${words}`)
    })
})
