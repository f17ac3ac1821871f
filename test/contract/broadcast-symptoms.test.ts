// What once went wrong in the room of a broadcast, each told alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerPort } from '../../server/runs/answers.ts'
import { manualClock, settle } from '../support/clock.ts'
import type { LiveRoom, LiveRoomOptions } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import type { OpenStore } from '../support/stores.ts'
import { eachStore } from '../support/stores.ts'

async function withBroadcast(open: OpenStore, options: LiveRoomOptions, story: (room: LiveRoom) => Promise<void>): Promise<void> {
  const clock = manualClock()
  const { store } = await open({ clock })
  const room = await liveRoom({ ...options, store, clock, session: { mode: 'broadcast', ...options.session } })
  try {
    await story(room)
    assert.deepEqual(room.faults, [])
  } finally {
    await room.close()
  }
}

const neverAnswering: AnswerPort = {
  // oxlint-disable-next-line require-yield
  async *answer({ signal }) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  },
}

const failing: AnswerPort = {
  // oxlint-disable-next-line require-yield
  async *answer() {
    throw new Error('The model failed.')
  },
}

const host = (room: LiveRoom, runId: string, action: string, more: Record<string, unknown> = {}) =>
  room.call('host_run', room.host, { runId, id: crypto.randomUUID(), action, ...more })

eachStore((_dialect, open) => {
  test('what one attendee of a broadcast says to have heard moves and silences it for nobody', () =>
    withBroadcast(open, {}, async (room) => {
      const [ada, bob] = [await room.join(), await room.join()]
      await ada.stream()
      const theirs = await bob.stream()
      await settle()
      const before = theirs.of('beat').length
      const acks = [
        { beatId: 'beat-0', phase: 'cut', chars: 3 },
        { beatId: 'beat-0', phase: 'ended' },
      ]
      const { accepted } = await ada.post('acknowledge_beats', { acks })
      assert.equal(accepted, 2)
      await settle()
      assert.equal(theirs.of('beat').length, before)
      await room.clock.advance(20_000)
      assert.ok(theirs.of('beat').every(({ phase }) => phase === 'start' || phase === 'end'))
    }))

  test('a question that was hidden and is let in again keeps its votes, and no vote is less than none', () =>
    withBroadcast(open, {}, async (room) => {
      const [ada, bob, cleo] = [await room.join(), await room.join(), await room.join()]
      const stream = await ada.stream()
      await settle()
      const { questionId } = await ada.post('ask_question', { text: 'How many bolts?' })
      for (const voter of [bob, cleo]) await voter.post('vote_question', { questionId, value: 1 })
      await host(room, ada.runId, 'hide_question', { questionId })
      await host(room, ada.runId, 'approve_question', { questionId })
      await settle()
      const { status, votes } = stream.of('question').at(-1) ?? {}
      assert.deepEqual({ status, votes }, { status: 'queued', votes: 2 })
      assert.deepEqual(await bob.post('vote_question', { questionId, value: 0 }), { votes: 1 })
    }))

  test('who was joined to a question that is hidden is told at the end that it was not reached', () =>
    withBroadcast(open, {}, async (room) => {
      const [ada, bob] = [await room.join(), await room.join()]
      await ada.stream()
      const theirs = await bob.stream()
      await settle()
      const { questionId } = await ada.post('ask_question', { text: 'How many bolts?' })
      assert.equal((await bob.post('ask_question', { text: 'How many bolts?' }))['status'], 'merged')
      await host(room, ada.runId, 'hide_question', { questionId })
      for (const action of ['end', 'end']) await host(room, ada.runId, action)
      await settle()
      const { status, mergedInto } = theirs.of('question').at(-1) ?? {}
      assert.deepEqual({ status, mergedInto }, { status: 'expired', mergedInto: questionId })
    }))

  test('what the host had not let in by the end has expired, and the room never sees it', () =>
    withBroadcast(open, { session: { moderation: 'manual' } }, async (room) => {
      const [ada, bob] = [await room.join(), await room.join()]
      const mine = await ada.stream()
      const theirs = await bob.stream()
      await settle()
      await ada.post('ask_question', { text: 'How many bolts?' })
      for (const action of ['end', 'end']) await host(room, ada.runId, action)
      await settle()
      assert.equal(mine.of('question').at(-1)?.['status'], 'expired')
      assert.deepEqual(theirs.of('question'), [])
      const late = await bob.stream()
      assert.deepEqual(late.messages[0]?.data['questions'], [])
    }))

  test('a private question that was not answered by the end has expired', () =>
    withBroadcast(open, { answers: neverAnswering }, async (room) => {
      const ada = await room.join()
      const stream = await ada.stream()
      await settle()
      await ada.post('ask_question', { text: 'How many bolts?', private: true })
      for (const action of ['end', 'end']) await host(room, ada.runId, action)
      await settle()
      const { status, ...question } = stream.of('question').at(-1) ?? {}
      assert.deepEqual({ status, private: question['private'] }, { status: 'expired', private: true })
    }))

  for (const startPolicy of ['first_attendee', 'host'] as const)
    test(`a private question is answered by the next owner of the run (begun by: ${startPolicy})`, async () => {
      const clock = manualClock()
      const { store } = await open({ clock })
      const options = { store, clock, session: { mode: 'broadcast' as const, startPolicy } }
      const before = await liveRoom({ ...options, answers: neverAnswering })
      const ada = await before.join()
      await ada.stream()
      await settle()
      await ada.post('ask_question', { text: 'How many bolts?', private: true })
      await before.close()
      const room = await liveRoom({ ...options, seed: 2 })
      try {
        await clock.advance(5_000)
        const snapshot = (await room.stream(ada.principal, ada.runId)).messages[0]?.data
        assert.match(JSON.stringify(snapshot), /"status":"answered".*"outcome":"answered"/)
      } finally {
        await room.close()
      }
    })

  test('a private question whose answer fails is told so, and is open no longer', async () => {
    const clock = manualClock()
    const { store } = await open({ clock })
    const room = await liveRoom({ store, clock, session: { mode: 'broadcast' }, answers: failing })
    try {
      const [ada, bob] = [await room.join(), await room.join()]
      const stream = await ada.stream()
      const theirs = await bob.stream()
      await settle()
      await ada.post('ask_question', { text: 'How many bolts?', private: true })
      await settle()
      assert.equal(stream.of('question').at(-1)?.['status'], 'answered')
      const { phase, outcome, text } = stream.of('answer').at(-1) ?? {}
      assert.deepEqual({ phase, outcome }, { phase: 'end', outcome: 'error' })
      assert.match(String(text), /could not work out an answer/)
      assert.deepEqual(theirs.of('answer'), [])
    } finally {
      await room.close()
    }
  })
})
