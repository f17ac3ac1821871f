// What a service without anything to do asks of its store.
import assert from 'node:assert/strict'
import { StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { Client } from 'pg'
import { openService } from '../support/service.ts'
import { startSpeechServer } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

const seconds = 120

/** Every statement that this process runs meanwhile, by its text; what opens and ends transactions is no question. */
async function asked(during: () => Promise<void>): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const count = (text: string) =>
    /^(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/i.test(text) || counts.set(text, (counts.get(text) ?? 0) + 1)
  const { all, run } = StatementSync.prototype
  const { query } = Client.prototype
  for (const [name, plain] of Object.entries({ all, run }))
    Object.defineProperty(StatementSync.prototype, name, {
      configurable: true,
      value(this: StatementSync, ...values: unknown[]) {
        count(this.sourceSQL)
        return Reflect.apply(plain, this, values)
      },
    })
  Object.defineProperty(Client.prototype, 'query', {
    configurable: true,
    value(this: Client, ...given: unknown[]) {
      const [first] = given
      count(typeof first === 'object' && first !== null && 'text' in first ? String(first.text) : String(first))
      return Reflect.apply(query, this, given)
    },
  })
  await during().finally(() => {
    Object.assign(StatementSync.prototype, { all, run })
    Object.assign(Client.prototype, { query })
  })
  return counts
}

eachStore((name, open) => {
  test('an idle second asks the store at most two things, with everything switched on', async () => {
    const speech = await startSpeechServer()
    const voice = { ROSTRUM_TTS: 'compatible:stub', ROSTRUM_TTS_BASE_URL: speech.baseUrl }
    const mail = { ROSTRUM_SMTP_URL: 'smtp://127.0.0.1:1', ROSTRUM_SMTP_FROM: 'talks@rostrum.test' }
    const app = await openService({ store: (await open()).store, env: { ...voice, ...mail }, isAlone: name === 'sqlite' })
    const webhook = { url: 'https://hooks.example.org/in', events: ['lead.captured'] }
    await app.api('POST', '/api/v1/agent/webhooks', webhook)
    await app.api('POST', '/api/v1/agent/sessions', { title: 'Grid', slides: [{ textContent: 'The grid' }] })
    await app.service.decks.scripts.idle()
    await app.service.jobs.idle()
    await app.service.webhooks.idle()
    const counts = await asked(async () => {
      for (let second = 0; second < seconds; second++) await app.clock.advance(1_000)
    })
    await app.close()
    await speech.close()
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const told = [...counts].map(([text, count]) => `${count} ${text}`).join('\n')
    assert.ok(total > 0 && total <= 2 * seconds, `${total} in ${seconds} s:\n${told}`)
  })
})
