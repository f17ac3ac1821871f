// Repeats of one question in a broadcast: joined whether the host lets questions in or the rules do, with every vote and every answer.
// No clock moves: what is asserted was written before the call that caused it was answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '@rostrum/stage/run-state'
import { manualClock } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import type { LiveRoom, TestAttendee } from '../support/live.ts'
import { eachStore } from '../support/stores.ts'
import type { OpenStore } from '../support/stores.ts'

interface Listed {
  questionId: string
  status: string
  votes: number
  mergedInto?: string
}

const texts = ['How many bolts are there?', 'how many bolts?', 'Please tell me how many bolts there are'] as const

async function moderatedRoom(open: OpenStore, moderation: 'auto' | 'manual') {
  const { store } = await open()
  const room = await liveRoom({ store, clock: manualClock(), session: { mode: 'broadcast', moderation, startPolicy: 'host' } })
  const [ada, bob, eve, dan] = [await room.join(), await room.join(), await room.join(), await room.join()]
  return { room, ada, bob, eve, dan }
}

const askOf = async (who: TestAttendee, text: string): Promise<string> => String((await who.post('ask_question', { text }))['questionId'])

const hostOf =
  (room: LiveRoom, runId: string) =>
  (action: string, questionId?: string, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
    room.call('host_run', room.host, { runId, id: crypto.randomUUID(), action, ...(questionId && { questionId }), ...more })

async function listed(room: LiveRoom): Promise<(questionId: string) => Listed | undefined> {
  const { questions } = (await room.call('list_questions', room.host, { sessionId: room.session.sessionId })) as { questions: Question[] }
  return (questionId) => {
    const found = questions.find(({ id }) => id === questionId)
    return found && { questionId, status: found.status, votes: found.votes, ...(found.mergedInto && { mergedInto: found.mergedInto }) }
  }
}

/** Who shares a question's answer, as the log tells it. */
async function answersTo(room: LiveRoom, runId: string): Promise<{ questionId: string; audience: string; text: string }[]> {
  const rows = await room.store.read
    .selectFrom('run_events')
    .select(['data', 'audience'])
    .where('run_id', '=', runId)
    .where('type', '=', 'answer')
    .orderBy('seq')
    .execute()
  return rows
    .map(({ data, audience }) => ({
      ...(JSON.parse(data) as { questionId: string; text?: string; phase: string; mode?: string }),
      audience,
    }))
    .filter(({ phase, mode }) => phase === 'end' && mode === 'human')
    .map(({ questionId, audience, text = '' }) => ({ questionId, audience, text }))
}

eachStore((_name, open) => {
  for (const moderation of ['auto', 'manual'] as const) {
    test(`repeats are joined under ${moderation} moderation, and one answer settles all`, async () => {
      const { room, ada, bob, eve, dan } = await moderatedRoom(open, moderation)
      const host = hostOf(room, ada.runId)
      await host('take_over')
      const first = await askOf(ada, texts[0])
      const second = await askOf(bob, texts[1])
      const third = await askOf(eve, texts[2])
      const other = await askOf(dan, 'Which colour has the frame?')
      if (moderation === 'manual') {
        assert.equal((await listed(room))(second)?.status, 'pending', 'the host has let nothing in yet')
        for (const id of [first, second, third, other]) await host('approve_question', id)
      }
      const before = await listed(room)
      assert.deepEqual(before(first), { questionId: first, status: 'queued', votes: 2 })
      assert.deepEqual(before(second), { questionId: second, status: 'merged', votes: 0, mergedInto: first })
      assert.deepEqual(before(third), { questionId: third, status: 'merged', votes: 0, mergedInto: first })
      assert.deepEqual(before(other), { questionId: other, status: 'queued', votes: 0 })
      // Whoever joined may take the vote back, and still gets the answer.
      for (const who of [bob, eve]) await who.post('vote_question', { questionId: first, value: 0 })
      await host('answer_text', first, { text: 'Exactly two.' })
      const after = await listed(room)
      assert.deepEqual(
        [first, second, third, other].map((id) => after(id)?.status),
        ['answered', 'answered', 'answered', 'queued'],
      )
      await room.close()
    })
  }

  test('a question that is let in again brings its votes and its repeats along, each voter once', async () => {
    const { room, ada, bob, eve, dan } = await moderatedRoom(open, 'manual')
    const host = hostOf(room, ada.runId)
    await host('take_over')
    const early = await askOf(ada, texts[0])
    await host('approve_question', early)
    const joined = await askOf(bob, texts[1])
    assert.equal((await listed(room))(joined)?.mergedInto, early, 'a repeat of what was let in waits for nobody')
    await dan.post('vote_question', { questionId: early, value: 1 })
    await host('hide_question', early)
    const later = await askOf(eve, texts[2])
    await host('approve_question', later)
    await dan.post('vote_question', { questionId: later, value: 1 })
    await host('approve_question', early)
    const now = await listed(room)
    assert.deepEqual(now(later), { questionId: later, status: 'queued', votes: 3 })
    assert.equal(now(early)?.mergedInto, later)
    assert.equal(now(joined)?.mergedInto, later)
    // A vote for what was joined counts for what it was joined to; nobody votes for their own.
    assert.deepEqual(await eve.post('vote_question', { questionId: early, value: 1 }), { votes: 3 })
    assert.deepEqual(await dan.post('vote_question', { questionId: early, value: 0 }), { votes: 2 })
    await host('answer_text', later, { text: 'Exactly two.', private: true })
    const toEach = (await answersTo(room, ada.runId)).map(({ questionId, audience, text }) => [questionId, [audience, text]] as const)
    assert.equal(toEach.length, 3)
    assert.deepEqual(Object.fromEntries(toEach), {
      [later]: [eve.attendeeId, 'Exactly two.'],
      [early]: [ada.attendeeId, 'Exactly two.'],
      [joined]: [bob.attendeeId, 'Exactly two.'],
    })
    await room.close()
  })

  test('a vote for what was joined and is answered counts for what answered it, and does not show it to the room', async () => {
    const { room, ada, bob, dan } = await moderatedRoom(open, 'manual')
    const host = hostOf(room, ada.runId)
    await host('take_over')
    const first = await askOf(ada, texts[0])
    await host('approve_question', first)
    const joined = await askOf(bob, texts[1])
    await host('answer_text', first, { text: 'Exactly two.' })
    assert.equal((await listed(room))(joined)?.status, 'answered')
    const votes = (await dan.post('vote_question', { questionId: joined, value: 1 }))['votes']
    const now = await listed(room)
    assert.deepEqual([votes, now(first)?.votes, now(joined)?.mergedInto], [2, 2, first])
    const rows = await room.store.read.selectFrom('run_events').select(['audience', 'data']).where('type', '=', 'question').execute()
    const seenBy = rows.filter(({ data }) => (JSON.parse(data) as { questionId: string }).questionId === joined)
    assert.deepEqual([...new Set(seenBy.map(({ audience }) => audience))], [bob.attendeeId])
    await room.close()
  })

  test('asking again in other words is no vote for oneself', async () => {
    const { room, ada } = await moderatedRoom(open, 'auto')
    await hostOf(room, ada.runId)('take_over')
    const first = await askOf(ada, 'How long does it take to fit?')
    const again = await askOf(ada, 'How long does it take to mount?')
    const now = await listed(room)
    assert.equal(now(again)?.mergedInto, first)
    assert.equal(now(first)?.votes, 0)
    await room.close()
  })

  test('the words of what the host has not let in reach its asker and the host alone, also once they are joined or refused', async () => {
    const { room, ada, bob, eve } = await moderatedRoom(open, 'manual')
    const host = hostOf(room, ada.runId)
    await host('take_over')
    await host('approve_question', await askOf(ada, texts[0]))
    const joined = await askOf(bob, texts[1])
    const refused = await askOf(bob, 'Why is your company so bad?')
    await host('hide_question', refused)
    await host('hide_question', joined)
    await host('end')
    const rows = await room.store.read
      .selectFrom('run_events')
      .select(['data', 'audience'])
      .where('run_id', '=', ada.runId)
      .where('type', '=', 'question')
      .execute()
    const told = rows.filter(({ data }) => [joined, refused].includes((JSON.parse(data) as Listed).questionId))
    assert.ok(told.length >= 4)
    assert.deepEqual([...new Set(told.map(({ audience }) => audience))], [bob.attendeeId])
    const theirs = await eve.stream()
    assert.ok(!theirs.text().includes('so bad') && !theirs.text().includes(texts[1]))
    await room.close()
  })
})
