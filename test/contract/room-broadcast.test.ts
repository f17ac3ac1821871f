// The room of a broadcast: one clock for all, a queue with votes, the host's controls, late joiners (docs: the room wire).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf } from '../../server/analytics/figures.ts'
import { summariesOf } from '../../server/analytics/get-session-analytics.ts'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import type { LiveRoom, LiveRoomOptions } from '../support/live.ts'

const broadcast = (options: LiveRoomOptions = {}): Promise<LiveRoom> =>
  liveRoom({ ...options, session: { mode: 'broadcast', ...options.session } })

test('a broadcast starts with its first attendee, follows the clock and completes by itself', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  assert.equal(stream.of('state')[0]?.['status'], 'presenting')
  await room.clock.advance(120_000)
  assert.equal(stream.of('state').at(-1)?.['status'], 'completed')
  assert.ok(stream.of('beat').every((beat) => beat['phase'] === 'start' || beat['phase'] === 'end'))
  assert.equal(stream.of('cta').at(-1)?.['state'], 'shown')
  assert.equal(stream.isOpen(), false)
  assert.deepEqual(room.faults, [])
  await room.close()
})

test('all attendees of a broadcast share one run and the same bytes', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join({ name: 'Ada Lovelace' }), await room.join({ name: 'Bob' })]
  assert.equal(ada.runId, bob.runId)
  const first = await ada.stream()
  const second = await bob.stream()
  await room.clock.advance(20_000)
  const shared = (text: string) => text.slice(text.lastIndexOf('event: beat'))
  assert.equal(shared(first.text()), shared(second.text()))
  await room.close()
})

test('an asker gets an instant private answer, then the public one at the slide boundary, under the given name', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join({ name: 'Ada Lovelace' }), await room.join()]
  const mine = await ada.stream()
  const theirs = await bob.stream()
  await settle()
  const asked = await ada.post('ask_question', { text: 'How many bolts?' })
  assert.equal(asked['status'], 'queued')
  await settle()
  assert.equal(mine.of('answer').at(-1)?.['instant'], true)
  assert.equal(mine.of('answer').at(-1)?.['private'], true)
  assert.deepEqual(theirs.of('answer'), [])
  assert.deepEqual(theirs.of('question')[0]?.['by'], { attendeeId: ada.attendeeId, name: 'Ada' })
  // Who loads the page anew gets the private words again; nobody else does.
  const given = mine.of('answer').at(-1)
  const [anew] = (await ada.stream()).of('snapshot').map((data) => data['you'] as { questions: { instant?: { text: string } }[] })
  assert.equal(anew?.questions[0]?.instant?.text, given?.['text'])
  assert.ok(!(await (await room.join()).stream()).text().includes('"instant"'))
  await room.clock.advance(60_000)
  const [later] = (await ada.stream()).of('snapshot').map((data) => data['you'] as { questions: { instant?: object }[] })
  assert.equal(later?.questions[0]?.instant, undefined, 'once the answer is there')
  const phases = theirs.of('answer').map((data) => data['phase'])
  assert.deepEqual(phases, ['start', 'sentence', 'end'])
  assert.equal(theirs.of('question').at(-1)?.['status'], 'answered')
  await room.close()
})

test('the same question asked twice is merged, and both get their answer', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join(), await room.join()]
  const stream = await ada.stream()
  const other = await bob.stream()
  await settle()
  const first = await ada.post('ask_question', { text: 'How many bolts are there?' })
  const second = await bob.post('ask_question', { text: 'how many bolts?' })
  assert.equal(second['status'], 'merged')
  assert.equal(second['mergedInto'], first['questionId'])
  await settle()
  assert.equal(other.of('answer').at(-1)?.['questionId'], second['questionId'], 'an instant answer of their own')
  await room.clock.advance(60_000)
  const answered = (of: typeof stream) => of.of('question').flatMap((data) => (data['status'] === 'answered' ? [data['questionId']] : []))
  assert.deepEqual(answered(stream), [first['questionId']])
  assert.deepEqual(answered(other), [first['questionId'], second['questionId']])
  assert.ok(other.isOpen() || other.messages.at(-1)?.event === 'closed')
  await room.close()
})

test('a question in other words is merged too, and another one is not', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join(), await room.join()]
  await ada.stream()
  await settle()
  const first = await ada.post('ask_question', { text: 'How long does it take to fit?' })
  const second = await bob.post('ask_question', { text: 'How long does it take to mount?' })
  const third = await bob.post('ask_question', { text: 'How many bolts does it take?' })
  assert.equal(second['mergedInto'], first['questionId'])
  assert.notEqual(third['status'], 'merged')
  await room.close()
})

test('the question with most votes is answered first', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join(), await room.join()]
  const stream = await ada.stream()
  await bob.stream()
  await settle()
  const first = await ada.post('ask_question', { text: 'How many bolts are in it?' })
  const second = await ada.post('ask_question', { text: 'Which colour has the frame?' })
  assert.deepEqual(await bob.post('vote_question', { questionId: second['questionId'], value: 1 }), { votes: 1 })
  assert.deepEqual(await bob.post('vote_question', { questionId: second['questionId'], value: 1 }), { votes: 1 })
  await room.clock.advance(60_000)
  const order = stream.of('answer').filter((data) => data['phase'] === 'start' && data['instant'] !== true)
  assert.deepEqual(
    order.map((data) => data['questionId']),
    [second['questionId'], first['questionId']],
  )
  await room.close()
})

test('an attendee of a broadcast controls nothing but their hand, what they make of it, and their leaving', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  await assert.rejects(ada.post('control_run', { action: 'pause' }), { code: 'forbidden' })
  await assert.rejects(ada.post('control_run', { action: 'goto', slideIndex: 1 }), { code: 'forbidden' })
  await ada.post('control_run', { action: 'raise_hand' })
  await room.clock.advance(1_100)
  assert.deepEqual(stream.of('presence').at(-1), { count: 1, hands: 1, reactions: { agree: 0, like: 0, aha: 0 }, people: [] })
  // A host who comes later is told whose it is; nobody else is.
  const desk = await room.stream(room.host, ada.runId)
  await settle()
  const raised = ({ of }: typeof desk) => (of('snapshot').at(-1)?.['presence'] as { raised?: readonly string[] } | undefined)?.raised
  assert.deepEqual(raised(desk), [ada.attendeeId])
  assert.equal(raised(await (await room.join()).stream()), undefined)
  await ada.post('control_run', { action: 'finish' })
  await settle()
  assert.deepEqual(stream.messages.at(-1)?.data['reason'], 'left')
  assert.equal(stream.isOpen(), false)
  await room.close()
})

test('a host sees what attendees do not, takes over and hands back at the interrupted clause', async () => {
  const room = await broadcast({ session: { startPolicy: 'host', moderation: 'manual' } })
  const ada = await room.join()
  const stream = await ada.stream()
  const desk = await room.stream(room.host, ada.runId)
  const host = (action: string, more: Record<string, unknown> = {}) =>
    room.call('host_run', room.host, { runId: ada.runId, id: crypto.randomUUID(), action, ...more })
  await settle()
  assert.equal(stream.of('state').length, 0)
  assert.deepEqual(await host('start'), { status: 'presenting' })
  await room.clock.advance(6_000)
  const asked = await ada.post('ask_question', { text: 'How many bolts?' })
  assert.equal(asked['status'], 'pending')
  await settle()
  assert.equal(desk.of('question').at(-1)?.['status'], 'pending')
  await host('take_over')
  await settle()
  const cut = stream.of('beat').at(-1)
  assert.equal(cut?.['phase'], 'cut')
  assert.equal(stream.of('state').at(-1)?.['status'], 'handed_over')
  await host('goto', { slideIndex: 2 })
  await settle()
  assert.equal(stream.of('slide').at(-1)?.['index'], 2)
  await host('hand_back')
  await settle()
  const again = stream.of('beat').at(-1)
  assert.equal(again?.['beatId'], cut?.['beatId'])
  assert.equal(again?.['clause'], cut?.['clause'])
  assert.deepEqual(
    desk.of('audit').map((data) => data['action']),
    ['start', 'take_over', 'goto', 'hand_back'],
  )
  assert.equal(stream.of('audit').length, 0)
  await host('approve_question', { questionId: asked['questionId'] })
  await room.clock.advance(40_000)
  assert.ok(stream.of('answer').some((data) => data['phase'] === 'end'))
  await assert.rejects(host('hide_question'), { code: 'invalid_request' })
  await room.close()
})

test('a host joins two questions that wait: the votes go to one, the room is told, and what was never let in stays unseen', async () => {
  const room = await broadcast({ session: { moderation: 'manual' } })
  const [ada, bob] = [await room.join(), await room.join()]
  const stream = await ada.stream()
  await settle()
  const host = (action: string, more: object = {}) =>
    room.call('host_run', room.host, { runId: ada.runId, id: crypto.randomUUID(), action, ...more })
  await host('start')
  const ids: unknown[] = []
  for (const [who, text] of [
    [ada, 'How many bolts does it take?'],
    [bob, 'What about the weather in winter?'],
    [bob, 'A secret about nobody'],
  ] as const)
    ids.push((await who.post('ask_question', { text }))['questionId'])
  await host('take_over')
  for (const questionId of ids.slice(0, 2)) await host('approve_question', { questionId })
  await host('merge_question', { questionId: ids[1], intoId: ids[0] })
  await host('merge_question', { questionId: ids[1], intoId: ids[0] })
  await host('merge_question', { questionId: ids[2], intoId: ids[0] })
  await settle()
  const told = stream.of('question')
  const last = (id: unknown) => told.filter(({ questionId }) => questionId === id).at(-1)
  assert.deepEqual([last(ids[1])?.['status'], last(ids[1])?.['mergedInto']], ['merged', ids[0]])
  assert.deepEqual([last(ids[0])?.['status'], last(ids[0])?.['votes']], ['queued', 1])
  assert.equal(last(ids[2]), undefined)
  await assert.rejects(host('merge_question', { questionId: ids[0] }), { code: 'invalid_request' })
  await assert.rejects(host('merge_question', { questionId: ids[0], intoId: ids[0] }), { code: 'not_found' })
  await assert.rejects(host('merge_question', { questionId: ids[0], intoId: ids[1] }), { code: 'run_state' })
  await room.close()
})

test("the host's own answer is said by the presenter and marked as human", async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  const asked = await ada.post('ask_question', { text: 'How many bolts?' })
  await room.call('host_run', room.host, {
    runId: ada.runId,
    id: crypto.randomUUID(),
    action: 'answer_text',
    questionId: asked['questionId'],
    text: 'Exactly two.',
  })
  await room.clock.advance(5_000)
  const end = stream.of('answer').findLast((data) => data['phase'] === 'end')
  assert.equal(end?.['mode'], 'human')
  assert.equal(end?.['text'], 'Exactly two.')
  await room.close()
})

test('a host who has gone is offered, then given, a hand-back', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  await room.call('host_run', room.host, { runId: ada.runId, id: crypto.randomUUID(), action: 'take_over' })
  await room.clock.advance(61_000)
  assert.equal(stream.of('state').at(-1)?.['reason'], 'host_away')
  await room.clock.advance(120_000)
  assert.ok(
    stream.of('state').some((data) => data['status'] === 'presenting' && data['by'] === 'system' && data['previous'] === 'handed_over'),
  )
  await room.close()
})

test('a late joiner gets the slides so far, the captions and the place', async () => {
  const room = await broadcast()
  const ada = await room.join()
  await ada.stream()
  await room.clock.advance(25_000)
  const late = await (await room.join({ name: 'Bob' })).stream()
  const snapshot = late.messages[0]?.data
  assert.ok(snapshot !== undefined)
  assert.equal((snapshot['position'] as { slideIndex: number }).slideIndex, 2)
  assert.deepEqual(
    (snapshot['recap'] as { slideIndex: number }[]).map((line) => line.slideIndex),
    [0, 1],
  )
  assert.ok((snapshot['captions'] as unknown[]).length >= 4)
  await room.close()
})

test('two first attendees at once open one run', async () => {
  const room = await broadcast()
  const joined = await Promise.all(Array.from({ length: 8 }, () => room.join()))
  assert.equal(new Set(joined.map((attendee) => attendee.runId)).size, 1)
  await room.close()
})

test('a second stream of one attendee closes the first', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const first = await ada.stream()
  const second = await ada.stream()
  assert.equal(first.messages.at(-1)?.data['reason'], 'superseded')
  assert.match(first.text(), /retry: 3600000\nevent: closed/)
  assert.equal(first.isOpen(), false)
  assert.equal(second.isOpen(), true)
  await room.close()
})

test('declined questions are told to their asker alone', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join(), await room.join()]
  await ada.stream()
  const theirs = await bob.stream()
  const asked = await ada.post('ask_question', { text: 'Look at www.spam.example now' })
  assert.equal(asked['status'], 'declined')
  await settle()
  assert.deepEqual(theirs.of('question'), [])
  await room.close()
})

test('a scheduled broadcast waits for its time, and is over once it was held', async () => {
  const startsAt = Date.UTC(2026, 10, 20, 12, 10)
  const room = await broadcast({ session: { startPolicy: 'scheduled', startsAt } })
  const view = () => room.call('view_room', { kind: 'nobody' }, { key: room.session.slug })
  assert.equal((await view())['state'], 'scheduled')
  const ada = await room.join()
  const stream = await ada.stream()
  await room.clock.advance(599_000)
  assert.deepEqual(stream.of('state'), [])
  await room.clock.advance(2_000)
  assert.equal(stream.of('state')[0]?.['status'], 'presenting')
  assert.equal(stream.of('state')[0]?.['at'], startsAt)
  await room.clock.advance(300_000)
  assert.equal((await view())['state'], 'ended')
  await assert.rejects(room.join(), { code: 'gone' })
  await room.close()
})

test('a broadcast that nobody scheduled begins anew for who comes after its end', async () => {
  const room = await broadcast()
  const ada = await room.join()
  await ada.stream()
  await room.clock.advance(300_000)
  const bob = await room.join()
  assert.notEqual(bob.runId, ada.runId)
  await room.close()
})

test('a stream of a talk that is over tells why, and ten minutes later is gone', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const early = await ada.stream()
  early.close()
  await room.clock.advance(120_000)
  const late = await ada.stream()
  assert.equal(late.messages.at(-1)?.event, 'closed')
  assert.equal(late.isOpen(), false)
  await room.clock.advance(700_000)
  await assert.rejects(ada.stream(), { code: 'gone' })
  await room.close()
})

test('everybody sees how many reacted and the first letters of some who are here, nobody whose, and no log event is sent', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join({ name: 'Ada Lovelace' }), await room.join()]
  const mine = await ada.stream()
  const theirs = await bob.stream()
  await settle()
  await assert.rejects(ada.post('control_run', { action: 'react' }), { code: 'invalid_request' })
  await ada.post('control_run', { action: 'react', reaction: 'aha' })
  await ada.post('control_run', { action: 'react', reaction: 'aha' })
  await room.clock.advance(2_100)
  await ada.post('control_run', { action: 'react', reaction: 'like' })
  await bob.post('control_run', { action: 'react', reaction: 'aha' })
  await room.clock.advance(1_100)
  const seen = { count: 2, hands: 0, reactions: { agree: 0, like: 1, aha: 2 }, people: ['A'] }
  for (const stream of [mine, theirs]) assert.deepEqual(stream.of('presence').at(-1), seen)
  assert.doesNotMatch(theirs.text(), /event: reaction|Lovelace/)
  const [late] = (await (await room.join()).stream()).of('snapshot')
  assert.deepEqual((late?.['presence'] as { reactions: object } | undefined)?.reactions, seen.reactions)
  await room.close()
})

test('a talk is rated while it runs and once it is over, the last rating of a person counts, and its analytics tell the mean', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join(), await room.join()]
  await ada.stream()
  await bob.stream()
  await settle()
  await assert.rejects(ada.post('control_run', { action: 'rate' }), { code: 'invalid_request' })
  await ada.post('control_run', { action: 'rate', rating: 2 })
  await room.clock.advance(120_000)
  await ada.post('control_run', { action: 'rate', rating: 4 })
  await bob.post('control_run', { action: 'rate', rating: 5 })
  await settle()
  const deck = { sessionId: room.session.sessionId, slidesCount: 2, now: room.clock.now() }
  const kept = await summariesOf(room.store, deck, [{ id: ada.runId, last_seq: 0, ended_at: null }])
  assert.deepEqual(figuresOf([...kept.values()], 2, { leads: 0, ofAgents: [] }).rating, { mean: 4.5, count: 2 })
  assert.equal(figuresOf([], 2, { leads: 0, ofAgents: [] }).rating, undefined)
  await room.close()
})
