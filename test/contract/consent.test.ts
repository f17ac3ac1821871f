// A "yes" agrees only to a prompt that its sender had seen (Spec 2.6: consented contact details), however late or often it comes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, settle } from '../support/clock.ts'
import type { AnswerPort } from '../../server/runs/answers.ts'
import { liveRoom, quotingAnswers } from '../support/live.ts'
import type { LiveRoom, TestAttendee } from '../support/live.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'
import type { TestStream } from '../support/test-stream.ts'

const inBroadcast = { mode: 'broadcast' as const }

async function opened(): Promise<{ room: LiveRoom; ada: TestAttendee; stream: TestStream }> {
  const room = await liveRoom({ session: inBroadcast })
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  return { room, ada, stream }
}

/** The cursor of a page that has applied everything. */
const seenIn = (stream: TestStream): string => stream.messages.findLast((message) => message.id !== undefined)?.id ?? ''

const agreed = (room: LiveRoom) => room.leads.map((lead) => lead.details.email)

test('a "yes" that stood still on its way while a prompt came between agrees to nothing, nor does its repeat', async () => {
  const { room, ada, stream } = await opened()
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const write: typeof room.store.write = async (fn) => {
    await promise
    return room.store.write(fn)
  }
  const still = await liveRoom({ session: inBroadcast, store: room.store, clock: room.clock, seed: 2 })
  const stuck = await liveRoom({
    session: inBroadcast,
    store: { ...room.store, read: room.store.read, write },
    clock: room.clock,
    seed: 3,
  })
  const yes = { runId: ada.runId, id: crypto.randomUUID(), text: 'yes', seen: seenIn(stream) }
  const first = stuck.call('ask_question', ada.principal, yes)
  await settle()
  await ada.post('ask_question', { text: 'Write to ada@example.com' })
  const again = await still.call('ask_question', ada.principal, yes)
  goOn()
  assert.deepEqual(await first, again)
  assert.equal(again['leadId'], undefined)
  assert.deepEqual([...agreed(room), ...agreed(still), ...agreed(stuck)], [])
  await stuck.close()
  await still.close()
  await room.close()
})

test('a "yes" whose first copy was lost agrees to nothing that was asked before its second came', async () => {
  const { room, ada, stream } = await opened()
  const seen = seenIn(stream)
  await ada.post('ask_question', { text: 'Write to ada@example.com' })
  await ada.post('ask_question', { text: 'yes', seen })
  await ada.post('ask_question', { text: 'yes', seen: null })
  await ada.post('ask_question', { text: 'yes' })
  assert.deepEqual(agreed(room), [])
  await ada.post('ask_question', { text: 'yes', seen: seenIn(stream) })
  assert.deepEqual(agreed(room), ['ada@example.com'])
  await room.close()
})

/** How a page that is loaded now shows the attendee's only question: its status, and what the service says beside it. */
async function shownTo(ada: TestAttendee): Promise<[status: string | undefined, notice: string | undefined]> {
  const you = (await ada.stream()).of('snapshot')[0]?.['you'] as { questions: { status: string; notice?: { text: string } }[] }
  return [you.questions[0]?.status, you.questions[0]?.notice?.text]
}

for (const isPrivate of [true, false]) {
  const kind = isPrivate ? 'private' : 'public'
  test(`a page loaded after the answer to a ${kind} question had begun did not show the prompt that its "yes" agreed to`, async () => {
    const goOn = Promise.withResolvers<void>()
    const answers: AnswerPort = {
      async *answer(request) {
        await goOn.promise
        yield* quotingAnswers.answer(request)
      },
    }
    const room = await liveRoom({ answers })
    const ada = await room.join()
    await ada.stream()
    await settle()
    await ada.post('control_run', { action: 'start' })
    await ada.post('ask_question', { text: 'Write to ada@example.com', private: isPrivate, interrupt: true })
    const prompt = 'Your contact details were not shown to anybody. I agree. Answer "yes" to send them to the host.'
    assert.deepEqual(await shownTo(ada), ['answering', prompt])
    goOn.resolve()
    await settle()
    await ada.post('control_run', { action: 'skip_answer' })
    assert.deepEqual(await shownTo(ada), ['answered', prompt])
    const seen = seenIn(await ada.stream())
    await ada.post('ask_question', { text: 'yes', seen })
    assert.deepEqual(agreed(room), ['ada@example.com'])
    assert.deepEqual(await shownTo(ada), ['answered', 'Sent. The host has your details.'])
    await room.close()
  })
}

test('a "yes" agrees to the last prompt that its sender had seen, not to the one that came meanwhile', async () => {
  const { room, ada, stream } = await opened()
  await ada.post('ask_question', { text: 'Write to ada@example.com' })
  const seen = seenIn(stream)
  await ada.post('ask_question', { text: 'Rather to ada@example.org' })
  await ada.post('ask_question', { text: 'yes', seen })
  assert.deepEqual(agreed(room), ['ada@example.com'])
  await ada.post('ask_question', { text: 'yes', seen: seenIn(stream) })
  assert.deepEqual(agreed(room), ['ada@example.com', 'ada@example.org'])
  await room.close()
})

test('a question with an address that comes again after its "yes" makes no second offer of it', async () => {
  const { room, ada, stream } = await opened()
  const question = { id: crypto.randomUUID(), text: 'Write to ada@example.com' }
  await ada.post('ask_question', question)
  await ada.post('ask_question', { text: 'yes', seen: seenIn(stream) })
  await ada.post('ask_question', question)
  await ada.post('ask_question', { text: 'yes', seen: seenIn(stream) })
  assert.deepEqual(agreed(room), ['ada@example.com'])
  await room.close()
})

eachStore((_, open) => {
  test('an address that nobody agreed to give is gone from the store a minute after its time', () =>
    withService(open, async ({ service, store, clock }) => {
      const consent = { text: 'May we write?', version: 1 }
      await service.live.room.offers.hold('ada', 'prompt', { email: 'ada@example.com' }, consent)
      await store.write((tx) =>
        tx
          .updateTable('contact_offers')
          .set({ held_until: clock.now() + 30_000 })
          .execute(),
      )
      await service.live.room.offers.hold('ben', 'prompt', { email: 'ben@example.com' }, consent)
      const held = async () => (await store.read.selectFrom('contact_offers').select('email').execute()).map(({ email }) => email)
      await clock.advance(90_000)
      await eventually(async () => (await held()).length === 1)
      assert.deepEqual(await held(), ['ben@example.com'])
    }))
})
