// High intent (Spec 6.1 `lead.captured`): whoever says that they want the thing is told to the host, whatever the talk could answer,
// and is no question that the deck has left open.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventBodies } from '@rostrum/contract/events'
import { joinTalk } from '../support/attendee.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const slides: Readonly<Record<string, string>> = {
  en: 'Grid storage\n- A battery shifts the evening peak',
  es: 'Almacenamiento\n- Una batería desplaza el pico de la tarde',
  fr: 'Stockage\n- Une batterie déplace la pointe du soir',
  de: 'Speicher\n- Eine Batterie verschiebt die Abendspitze',
  pt: 'Armazenamento\n- Uma bateria desloca o pico da noite',
  ja: '蓄電\n- 電池は夕方のピークをずらします',
  zh: '储能\n- 电池可以转移晚高峰',
  ar: 'التخزين\n- البطارية تنقل ذروة المساء',
}
const wish: Readonly<Record<string, string>> = {
  en: 'I want to buy this, where do I sign up?',
  es: 'Quiero comprar esto, ¿dónde me apunto?',
  fr: "Je veux acheter cela, où est-ce que je m'inscris ?",
  de: 'Ich möchte das kaufen, wo melde ich mich an?',
  pt: 'Quero comprar isto, onde me inscrevo?',
  ja: 'これを購入したいのですが、どこで申し込めますか？',
  zh: '我想购买这个，在哪里报名？',
  ar: 'أريد شراء هذا، أين أسجل؟',
}

async function talkIn(app: TestService, language: string, more: object = {}) {
  const asked = { title: 'Grid', language, isLive: true, slides: [{ textContent: slides[language] }], ...more }
  const { sessionId, slug } = (await app.api('POST', '/api/v1/agent/sessions', asked)).body
  return { slug, path: `/api/v1/agent/sessions/${sessionId}` }
}

async function capturedIn({ store }: TestService) {
  const rows = await store.read.selectFrom('domain_events').select('body').where('type', '=', 'lead.captured').orderBy('sequence').execute()
  return rows.map(({ body }) => eventBodies['lead.captured'].parse(JSON.parse(body)).data)
}

/** Asks in a talk of one's own and waits for the answer. */
async function ask(app: TestService, slug: string, text: string, name = 'Maya Lin') {
  const maya = await joinTalk(app, slug, { name })
  await maya.act('control', { action: 'start' })
  await maya.act('questions', { text })
  await maya.answered(1)
  return maya
}

eachStore((_, open) => {
  for (const language of Object.keys(wish))
    for (const [offer, cta] of [
      ['with an offer', { ctaText: 'Acme', ctaUrl: 'https://example.com/call' }],
      ['without one', {}],
    ] as const)
      test(`"${wish[language]}" was a question that the deck left open, and no sign of interest (${offer})`, () =>
        withService(open, async (app) => {
          const { slug, path } = await talkIn(app, language, cta)
          const maya = await ask(app, slug, wish[language] ?? '')
          const [interest, ...more] = await capturedIn(app)
          assert.deepEqual(more, [])
          assert.deepEqual([interest?.trigger, interest?.lead, interest?.consent], ['high_intent', null, null])
          assert.deepEqual([interest?.attendee?.name, interest?.runId], ['Maya Lin', maya.runId])
          const figures = (await app.api('GET', `${path}/analytics`)).body
          assert.deepEqual([figures.questionsCount, figures.unanswered], [1, []])
          const [question] = (await app.api('GET', `${path}/questions`)).body.questions
          assert.equal(question.outcome, 'handoff')
          if ('ctaText' in cta) assert.match(question.answer, /Acme/)
          await maya.close()
        }))

  test('a price that the deck does not tell is a sign of interest, and stays a question that it left open', () =>
    withService(open, async (app) => {
      const { slug, path } = await talkIn(app, 'en')
      const maya = await ask(app, slug, 'How much does it cost?')
      assert.deepEqual(
        (await capturedIn(app)).map(({ trigger }) => trigger),
        ['high_intent'],
      )
      const { unanswered } = (await app.api('GET', `${path}/analytics`)).body
      assert.equal(unanswered.length, 1)
      await maya.close()
    }))

  test('a wish that nobody answers, because the talk ends or the host hides it, is a sign of interest too, told once', () =>
    withService(open, async (app) => {
      const { slug } = await talkIn(app, 'en', { mode: 'broadcast', moderation: 'manual' })
      const maya = await joinTalk(app, slug, { name: 'Maya Lin' })
      for (const text of [wish['en'], 'Please call me back']) await maya.act('questions', { text })
      await maya.act('questions', { text: 'Sign me up!', private: true })
      await maya.close()
      const captured = await capturedIn(app)
      assert.deepEqual(
        captured.map(({ attendee }) => attendee?.id),
        [maya.attendeeId],
      )
    }))

  test('the interest of somebody who has left contact details is told with them', () =>
    withService(open, async (app) => {
      const { slug } = await talkIn(app, 'en')
      const maya = await joinTalk(app, slug, { name: 'Maya Lin' })
      await maya.act('lead', { email: 'maya@example.com', consent: true })
      await maya.act('control', { action: 'start' })
      await maya.act('questions', { text: wish['en'] })
      await maya.answered(1)
      const [details, interest] = await capturedIn(app)
      assert.deepEqual([details?.trigger, interest?.trigger], ['contact_info', 'high_intent'])
      assert.deepEqual([interest?.lead, interest?.consent], [details?.lead, details?.consent])
      await maya.close()
    }))
})
