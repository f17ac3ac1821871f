// Answers to a poll by 500 people in one room: each counts once. Processes that die while they answer are in `room-sim.test.ts`, how late
// others hear of a slide meanwhile in `npm run bench -- polls`.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pollIn } from '@rostrum/stage/polls'
import { initialState } from '@rostrum/stage/run-state'
import { foldLog } from '../../server/runs/runner/leases.ts'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import { askingTalk } from '../support/sample-talk.ts'
import { randomOf, under } from '../support/sim/random.ts'

test('500 attendees of one room answer, change their minds and repeat themselves: each counts once, with the last word', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast', startPolicy: 'host' }, talk: askingTalk() })
  const random = randomOf(11)
  const people = []
  for (let at = 0; at < 500; at++) people.push(await room.join())
  const [{ runId } = { runId: '' }] = people
  await room.call('host_run', room.host, { runId, id: randomUUID(), action: 'open_poll', pollId: 'quiz' })
  const wanted = people.map(() => [under(random, 3), ...(random() < 0.3 ? [under(random, 3)] : [])])
  await Promise.all(
    people.map(async (person, at) => {
      for (const choice of wanted[at] ?? []) {
        const body = { id: randomUUID(), pollId: 'quiz', choice }
        const first = await person.post('answer_poll', body)
        if (random() < 0.2) assert.deepEqual(await person.post('answer_poll', body), first)
      }
    }),
  )
  await room.call('host_run', room.host, { runId, id: randomUUID(), action: 'show_poll', pollId: 'quiz' })
  await settle()
  const state = await foldLog(room.store.read, runId, initialState(0))
  const counts = [0, 1, 2].map((choice) => wanted.filter((all) => all.at(-1) === choice).length)
  const shown = await room.store.read
    .selectFrom('run_events')
    .select('data')
    .where('type', '=', 'poll')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  assert.deepEqual((JSON.parse(shown.data) as { results: object }).results, { answers: 500, counts })
  assert.equal(pollIn(state, 'quiz')?.answers.size, 500)
  await room.close()
})
