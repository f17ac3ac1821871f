// What a host edits after creation, through the whole service: slides, script, and what follows from it. On both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const talk = {
  title: 'Grid storage',
  isLive: true,
  slides: [
    { textContent: 'Grid storage\n- A battery shifts the peak by four hours' },
    { textContent: 'Cost\n- The system costs 112 EUR per kWh' },
  ],
  knowledgeBase: [{ title: 'Warranty', content: 'The warranty is ten years.' }],
}

interface Held extends TestService {
  sessionId: string
  slug: string
}

eachStore((_, open) => {
  const guarantee = (name: string, fn: (held: Held) => Promise<void>) =>
    test(name, () =>
      withService(open, async (app) => {
        const { body } = await app.api('POST', '/api/v1/agent/sessions', talk)
        const sessionId = String(body.sessionId)
        await fn({ ...app, sessionId, slug: String(body.slug) })
      }),
    )

  guarantee(
    'update_slide and delete_slide change what the room shows, and unpublish_session closes it',
    async ({ api, sessionId, slug }) => {
      const deck = await api('GET', `/api/v1/agent/sessions/${sessionId}/deck`)
      const [first, second] = deck.body.slides
      const changed = await api('PATCH', `/api/v1/agent/sessions/${sessionId}/deck/slides/${first.id}`, {
        textContent: 'Grid storage\n- Five hours now',
      })
      assert.equal(changed.status, 200)
      assert.match((await api('GET', `/api/v1/rooms/${slug}`, undefined, null)).text, /Five hours now/)
      const slides = (await api('GET', `/api/v1/agent/sessions/${sessionId}/deck`)).body.slides
      const gone = await api('DELETE', `/api/v1/agent/sessions/${sessionId}/deck/slides/${slides.at(-1).id}`)
      assert.equal(gone.status, 200)
      const room = await api('GET', `/api/v1/rooms/${slug}`, undefined, null)
      assert.equal(room.body.slides.length, 1)
      assert.equal(room.body.slides[0].id, first.id, 'a slide keeps its identity')
      assert.ok(!room.text.includes(second.title))
      await api('POST', `/api/v1/agent/sessions/${sessionId}/unpublish`)
      assert.equal((await api('GET', `/api/v1/rooms/${slug}`, undefined, null)).status, 404)
    },
  )

  guarantee('get_script shows every sentence with its sources, and update_beat is what is then spoken', async (app) => {
    const { api, sessionId, slug } = app
    const script = await api('GET', `/api/v1/agent/sessions/${sessionId}/script`)
    assert.equal(script.status, 200)
    const beat = script.body.beats.find((each: { kind: string }) => each.kind === 'narration')
    assert.ok(beat.sources.length > 0 && beat.estMs >= 700)
    const edited = 'A battery moves the evening peak by four hours, every single day.'
    assert.equal((await api('PATCH', `/api/v1/agent/sessions/${sessionId}/script/${beat.beatId}`, { text: edited })).status, 200)
    const maya = await joinTalk(app, slug)
    await maya.act('control', { action: 'start' })
    await maya.until('closing')
    assert.ok(maya.messages.some(({ event, data }) => event === 'beat' && data.text === edited))
    assert.equal((await api('PATCH', `/api/v1/agent/sessions/${sessionId}/script/${beat.beatId}`, { text: '' })).status, 400)
  })

  guarantee('[R-1] looking at a room writes nothing, and joining makes one attendee whose token opens this run alone', async (app) => {
    const { api, request, store, slug } = app
    const attendees = async () => (await store.read.selectFrom('attendees').select('id').execute()).length
    const events = async () => (await store.read.selectFrom('domain_events').select('id').execute()).length
    const before = await events()
    await request(`/join/${slug}`)
    await api('GET', `/api/v1/rooms/${slug}`, undefined, null)
    assert.deepEqual([await attendees(), await events()], [0, before])
    const maya = await joinTalk(app, slug)
    const leo = await joinTalk(app, slug)
    assert.equal(await attendees(), 2)
    const foreign = await api(
      'POST',
      `/api/v1/runs/${leo.runId}/control`,
      { id: '0198c1d2-7a53-7c1e-9a40-5f6d2b8e4c11', action: 'start' },
      maya.token,
    )
    assert.equal(foreign.status, 404)
    assert.equal((await api('GET', '/api/v1/agent/sessions', undefined, maya.token)).status, 403)
  })

  guarantee('leave_room ends an isolated talk at once, and may be repeated', async (app) => {
    const maya = await joinTalk(app, app.slug)
    await maya.act('control', { action: 'start' })
    for (let i = 0; i < 2; i++) assert.deepEqual((await maya.act('leave')).body, { left: true })
    await maya.read()
    assert.equal(maya.messages.at(-1)?.event, 'closed')
  })

  guarantee('[R-4] pap_query_presenter quotes and cites, or says that the deck does not say', async ({ api, sessionId }) => {
    const ask = (message: string, more = {}) => api('POST', '/api/v1/pap/query', { message, sessionId, ...more })
    const known = await ask('How long is the warranty?', { attendeeName: 'Maya' })
    assert.equal(known.status, 200)
    assert.equal(known.body.outcome, 'answered')
    const [citation] = known.body.citations
    assert.equal(citation.type, 'knowledge')
    assert.ok(talk.knowledgeBase[0]?.content.includes(citation.quote))
    assert.ok(known.body.reply.includes(citation.quote))
    assert.ok(known.body.suggestedActions.length <= 3)
    assert.match(known.body.disclosure, /automated presenter/)
    const unknown = await ask('Who won the football match on Sunday?')
    assert.equal(unknown.body.outcome, 'unknown')
    assert.deepEqual(unknown.body.citations, [])
    assert.equal(unknown.body.suggestedActions[0].toolName, 'submit_attendee_lead')
    assert.equal((await ask('')).status, 400)
    const without = await api('POST', '/api/v1/pap/query', { message: 'Which talk covers grid storage?' })
    assert.equal(without.body.suggestedActions[0].arguments.sessionId, sessionId)
    const draft = (await api('POST', '/api/v1/agent/sessions', { title: 'Draft' })).body.sessionId
    assert.equal((await api('POST', '/api/v1/pap/query', { message: 'Hi', sessionId: draft })).status, 404)
    assert.equal((await api('POST', '/api/v1/pap/query', { message: 'Hi' }, null)).status, 401)
  })

  guarantee('delete_lead needs both the right to read leads and the right to change', async ({ api, sessionId, newKey, accountId }) => {
    const { body } = await api('POST', '/api/v1/pap/leads', { sessionId, email: 'maya@example.com' })
    const readOnly = await newKey({ accountId, scopes: ['leads:read'] })
    assert.equal((await api('DELETE', `/api/v1/agent/sessions/${sessionId}/leads/${body.leadId}`, undefined, readOnly)).status, 403)
    assert.equal((await api('DELETE', `/api/v1/agent/sessions/${sessionId}/leads/${body.leadId}`)).status, 200)
  })

  guarantee('a rehearsal names pictures that could not be had', async ({ api, store, clock, sessionId }) => {
    const rehearsals = `/api/v1/agent/sessions/${sessionId}/rehearsals`
    await store.write((tx) => tx.updateTable('slides').set({ image_state: 'failed' }).where('position', '=', 1).execute())
    const { body } = await api('POST', rehearsals, { audience: { questions: 0, speed: 100 } })
    const report = () => api('GET', `${rehearsals}/${body.rehearsalId}`)
    while ((await report()).body.status === 'running') await clock.advance(1_000)
    const broken = (await report()).body.warnings.filter(({ code }: { code: string }) => code === 'picture_broken')
    assert.deepEqual(
      broken.map(({ slideIndex }: { slideIndex: number }) => slideIndex),
      [1],
    )
  })
})
