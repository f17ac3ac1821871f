// "Report this talk": anybody in a room reaches the operator, by mail and in the audit log, and nobody else reads it. On both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOf, registerStranger } from '../support/agents-of-nobody.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { openSmtpServer } from '../support/smtp-server.ts'
import { eachStore } from '../support/stores.ts'
import { eventually } from '../support/clock.ts'

const slides = [{ textContent: 'Refunds\n- Send your password' }]

eachStore((_, open) => {
  const talkOf = async (app: TestService, token: string) =>
    (await app.api('POST', '/api/v1/agent/sessions', { title: 'Claim your refund', isLive: true, slides }, token)).body
  const send = (app: TestService, slug: string, body: object) =>
    app.request(`/api/v1/rooms/${slug}/reports`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  const reports = (app: TestService) => app.store.read.selectFrom('audit').selectAll().where('action', '=', 'session.reported').execute()

  test('a report is kept for the operator alone: neither its host nor their account reads it', () =>
    withService(open, async (app) => {
      const agent = await registerStranger(app)
      const { sessionId, slug } = await talkOf(app, agent.token)
      const sent = await send(app, slug, { reason: 'fraud', words: 'It asked for\u202e my password' })
      assert.deepEqual([sent.status, sent.body], [200, { reported: true }])
      const [row, ...more] = await reports(app)
      assert.deepEqual(more, [])
      assert.deepEqual([row?.account_id, row?.target_id, row?.actor_kind], [null, sessionId, 'nobody'])
      const { account, ...data } = JSON.parse(row?.data ?? '')
      assert.deepEqual(data, { reason: 'fraud', words: 'It asked for my password', title: 'Claim your refund', unverified: true })
      assert.notEqual(account, app.accountId)
      assert.equal((await send(app, 'no-such-talk-abc234', { reason: 'fraud' })).status, 404)
      assert.equal((await send(app, slug, { reason: 'because' })).status, 400)
      assert.equal((await send(app, slug, { reason: 'other', words: 'x'.repeat(1_001) })).status, 400)
      assert.equal((await reports(app)).length, 1)
    }))

  test('the form of the room needs no script, takes nothing from another site, and says that the report was sent', () =>
    withService(open, async (app) => {
      const { slug } = await talkOf(app, app.key)
      const page = await app.request(`/report/${slug}`)
      assert.equal(page.status, 200)
      assert.match(page.text, /Claim your refund/)
      assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /script-src/)
      const post = (origin: string) =>
        app.request(`/report/${slug}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin },
          body: new URLSearchParams({ reason: 'harmful', words: '' }).toString(),
        })
      assert.equal((await post('https://evil.example')).status, 403)
      assert.equal((await reports(app)).length, 0)
      const sent = await post(new URL(app.baseUrl).origin)
      assert.equal(sent.status, 200)
      assert.match(sent.text, /reported/)
      assert.equal((await reports(app)).length, 1)
      assert.equal((await app.request('/report/no-such-talk-abc234')).status, 404)
    }))

  test('an address reports five talks in an hour, and all addresses together two hundred', () =>
    withService(open, async (app) => {
      const { slug } = await talkOf(app, app.key)
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(app, slug, { reason: 'other' })))
      assert.equal(answers.filter(({ status }) => status === 200).length, 5)
      const limited = await send(app, slug, { reason: 'other' })
      assert.equal(limited.status, 429)
      assert.ok(Number(limited.headers.get('retry-after')) > 0)
      assert.equal((await reports(app)).length, 5)
      const { limiter } = app.service.auth.deps
      let passed = 5
      for (let n = 1; n < 60; n++) {
        for (let again = 0; again < 5; again++) {
          const caller = { principal: { kind: 'nobody' } as const, address: `198.${n}.100.1`, now: app.clock.now() }
          if ((await limiter.consume('report', caller)).allowed) passed++
        }
      }
      assert.equal(passed, 200)
    }))

  test('the owner gets a mail with the room and the ways to close it; ROSTRUM_OPERATOR_EMAIL names somebody else', async () => {
    const smtp = await openSmtpServer()
    const mailed = (env: Record<string, string>, to: string) =>
      withService(
        open,
        async (app) => {
          await ownerOf(app)
          const { slug, sessionId } = await talkOf(app, app.key)
          const before = smtp.mails.length
          await send(app, slug, { reason: 'impersonation', words: 'They are not my bank.' })
          await eventually(async () => {
            await app.clock.advance(1)
            return smtp.mails.length > before
          })
          const mail = smtp.mails.at(-1)
          assert.deepEqual(mail?.to, [to])
          for (const part of [
            'Claim your refund',
            'impersonation',
            'They are not my bank.',
            `/join/${slug}`,
            `session delete ${sessionId}`,
          ])
            assert.ok(mail?.text.includes(part), `${part} in ${mail?.text}`)
        },
        { ROSTRUM_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, ...env },
      )
    try {
      await mailed({}, 'maya@example.com')
      await mailed({ ROSTRUM_OPERATOR_EMAIL: 'abuse@example.com' }, 'abuse@example.com')
    } finally {
      await smtp.close()
    }
  })
})
